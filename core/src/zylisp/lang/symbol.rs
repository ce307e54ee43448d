//! Names as numbers.

use alloc::{boxed::Box, collections::BTreeMap, sync::Arc, vec::Vec};

/// An interned name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(pub(super) u32);

impl Symbol {
    pub(super) const DEFINE: Self = Self(0);
    pub(super) const LAMBDA: Self = Self(1);
    pub(super) const IF: Self = Self(2);
    pub(super) const QUOTE: Self = Self(3);
    pub(super) const SPECIAL: [&'static str; 4] = ["define", "lambda", "if", "quote"];

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names an interpreter has met. They are kept for as long as it lives, and counted in its memory.
#[derive(Debug)]
pub(super) struct Symbols {
    by_name: BTreeMap<Arc<str>, Symbol>,
    names: Vec<Arc<str>>,
    bytes: usize,
}

impl Symbols {
    pub(super) fn new() -> Self {
        let mut symbols = Self {
            by_name: BTreeMap::new(),
            names: Vec::new(),
            bytes: 0,
        };
        for name in Symbol::SPECIAL {
            symbols.intern(name);
        }
        symbols
    }

    pub(super) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.by_name.get(name) {
            return *symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        let name: Arc<str> = Arc::from(Box::<str>::from(name));
        self.bytes += name.len() + Self::OVERHEAD;
        self.names.push(Arc::clone(&name));
        self.by_name.insert(name, symbol);
        symbol
    }

    pub(super) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// How much memory the names hold, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The two pointers, the number, the reference counts, and the global slot of a name.
    const OVERHEAD: usize = 80;
}

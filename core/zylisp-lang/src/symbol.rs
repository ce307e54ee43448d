//! Names as numbers.

use alloc::{string::String, vec, vec::Vec};

/// An interned name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Symbol(u32);

impl Symbol {
    pub(crate) const DEFINE: Self = Self(0);
    pub(crate) const LAMBDA: Self = Self(1);
    pub(crate) const IF: Self = Self(2);
    pub(crate) const QUOTE: Self = Self(3);
    pub(crate) const SPECIAL: [&'static str; 4] = ["define", "lambda", "if", "quote"];

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names an interpreter has met. They are kept for as long as it lives, and counted in its memory.
///
/// One text with all names in it and a hash table of numbers: a map of strings takes several times as much, which counts
/// for a server with a thousand clients.
#[derive(Debug, Clone)]
pub(crate) struct Symbols {
    text: String,
    /// Where each name ends in the text. It begins where the one before it ends.
    ends: Vec<u32>,
    /// Symbols in the order of their hashes, each one more than its number; 0 is a free place.
    table: Vec<u32>,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        let mut symbols = Self {
            text: String::new(),
            ends: Vec::new(),
            table: vec![0; 64],
        };
        for name in Symbol::SPECIAL {
            symbols.intern(name);
        }
        symbols
    }

    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        match self.find(name) {
            Ok(symbol) => symbol,
            Err(place) => self.insert(place, name),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Symbol> {
        self.find(name).ok()
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        let start = symbol.index().checked_sub(1);
        let start = start.map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[symbol.index()] as usize]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..number(self.len())).map(Symbol)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How much memory the names hold, about.
    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + size_of::<u32>() * (self.ends.capacity() + self.table.capacity())
    }

    /// The symbol with this name, or the place in the table where it would be.
    fn find(&self, name: &str) -> Result<Symbol, usize> {
        let mask = self.table.len() - 1;
        let mut place = hash(name) as usize & mask;
        while let Some(symbol) = self.table[place].checked_sub(1).map(Symbol) {
            if self.name(symbol) == name {
                return Ok(symbol);
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    fn insert(&mut self, place: usize, name: &str) -> Symbol {
        let symbol = Symbol(number(self.len()));
        self.text.push_str(name);
        self.ends.push(number(self.text.len()));
        self.table[place] = symbol.0 + 1;
        if self.len() * 4 > self.table.len() * 3 {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for symbol in self.all() {
            if let Err(place) = self.find(self.name(symbol)) {
                self.table[place] = symbol.0 + 1;
            }
        }
    }
}

/// Names are far fewer, and far shorter together, than four thousand million bytes: an interpreter's memory is limited.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// FNV-1a, 32 bits: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>. Whoever chooses names that collide slows
/// down nobody else.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn a_name_is_one_symbol_however_often_it_comes_and_however_many_there_are() {
        let mut symbols = Symbols::new();
        assert_eq!(symbols.intern("if"), Symbol::IF);
        assert_eq!(symbols.name(Symbol::QUOTE), "quote");
        let first = symbols.len();
        for n in 0..10_000 {
            assert_eq!(symbols.intern(&format!("name{n}")).index(), first + n);
        }
        for n in 0..10_000 {
            let symbol = symbols.get(&format!("name{n}")).unwrap();
            assert_eq!(symbols.name(symbol), format!("name{n}"));
        }
        assert_eq!(symbols.get("name"), None);
        assert_eq!(symbols.len(), first + 10_000);
        assert_eq!(symbols.get(""), None);
        let empty = symbols.intern("");
        assert_eq!((symbols.name(empty), symbols.get("")), ("", Some(empty)));
    }
}

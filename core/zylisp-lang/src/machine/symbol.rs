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
    pub(crate) const LET: Self = Self(4);
    pub(crate) const COND: Self = Self(5);
    pub(crate) const BEGIN: Self = Self(6);
    /// Special forms: first those of the original, which take precedence over variables of the same name, then
    /// additional ones, which do not.
    pub(crate) const SPECIAL: [&'static str; 7] =
        ["define", "lambda", "if", "quote", "let", "cond", "begin"];
    /// The test of a last clause, which is not a form.
    pub(crate) const ELSE: Self = Self(7);
    /// Forms that the original lacks, so programs may use their names for anything.
    pub(crate) const ADDED: [Self; 3] = [Self::LET, Self::COND, Self::BEGIN];

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names that an environment uses, counted in its memory. Unused names are [forgotten](Self::keep).
///
/// The names are stored in one text with a hash table of numbers: a map of strings takes several times as much memory,
/// which matters for a server with a thousand clients.
#[derive(Debug, Clone)]
pub(crate) struct Symbols {
    text: String,
    /// Place of each name in the text, or [`FREE`].
    spans: Vec<Span>,
    /// Unused numbers.
    free: Vec<u32>,
    /// Symbols in the order of their hashes, each stored as its number plus one; 0 is a free place.
    table: Vec<u32>,
    /// Number of names after unused ones were last forgotten.
    kept: usize,
}

/// Start and end of a name in the text of all names.
type Span = (u32, u32);

impl Symbols {
    pub(crate) fn new() -> Self {
        let mut symbols = Self {
            text: String::new(),
            spans: Vec::new(),
            free: Vec::new(),
            table: vec![0; FIRST_TABLE],
            kept: 0,
        };
        for name in Symbol::SPECIAL.into_iter().chain(["else"]) {
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
        let (start, end) = self.spans[symbol.index()];
        &self.text[start as usize..end as usize]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Symbol> + use<'_> {
        (0..number(self.len()))
            .filter(|index| self.spans[*index as usize] != FREE)
            .map(Symbol)
    }

    /// Returns the number of symbols, including forgotten ones.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns the number of names.
    pub(crate) fn count(&self) -> usize {
        self.spans.len() - self.free.len()
    }

    /// Returns approximate memory used by the names, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity()
            + size_of::<Span>() * self.spans.capacity()
            + size_of::<u32>() * (self.free.capacity() + self.table.capacity())
    }

    /// Returns true if there are enough new names to make a search for unused ones worthwhile.
    pub(crate) fn has_grown(&self) -> bool {
        self.count() > self.kept * 2 + FEW
    }

    /// Forgets all names but the marked ones. The others keep their numbers.
    pub(crate) fn keep(&mut self, marked: &[bool]) {
        let mut text = String::new();
        for (index, span) in self.spans.iter_mut().enumerate() {
            *span = match *span {
                FREE => FREE,
                (start, end) if marked[index] => {
                    let from = number(text.len());
                    text.push_str(&self.text[start as usize..end as usize]);
                    (from, number(text.len()))
                }
                _ => FREE,
            };
        }
        self.text = text;
        while self.spans.pop_if(|span| *span == FREE).is_some() {}
        self.spans.shrink_to_fit();
        self.free = (0..number(self.len()))
            .filter(|index| self.spans[*index as usize] == FREE)
            .collect();
        self.kept = self.count();
        let places = (self.kept * 2).next_power_of_two().max(FIRST_TABLE);
        self.fill_table(places);
    }

    /// Returns the symbol with this name, or its place in the table if it is new.
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
        let start = number(self.text.len());
        self.text.push_str(name);
        let span = (start, number(self.text.len()));
        let index = self.free.pop().unwrap_or_else(|| {
            self.spans.push(FREE);
            number(self.spans.len() - 1)
        });
        self.spans[index as usize] = span;
        self.table[place] = index + 1;
        if self.count() * 4 > self.table.len() * 3 {
            self.fill_table(self.table.len() * 2);
        }
        Symbol(index)
    }

    fn fill_table(&mut self, places: usize) {
        self.table = vec![0; places];
        for index in 0..number(self.len()) {
            if self.spans[index as usize] != FREE
                && let Err(place) = self.find(self.name(Symbol(index)))
            {
                self.table[place] = index + 1;
            }
        }
    }
}

/// Span of a symbol that was forgotten.
const FREE: Span = (u32::MAX, u32::MAX);

/// Number of places in the smallest table: the language's own names fit.
const FIRST_TABLE: usize = 64;

/// Number of new names below which a search for unused ones is never worthwhile.
const FEW: usize = 1_000;

/// Converts a count to 32 bits: an interpreter's memory is limited, so names are far fewer, and far shorter in total,
/// than 4 GiB.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Computes FNV-1a, 32 bits: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>. A client that chooses
/// colliding names slows down only itself.
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

    #[test]
    fn forgotten_names_give_their_memory_and_their_numbers_to_later_ones() {
        let mut symbols = Symbols::new();
        let kept = symbols.intern("kept");
        for n in 0..10_000 {
            symbols.intern(&format!("name{n}"));
        }
        let (before, numbers) = (symbols.bytes(), symbols.len());
        let last = symbols.intern("last");
        let marked: Vec<_> = (0..symbols.len())
            .map(|index| index <= kept.index() || index == last.index())
            .collect();
        symbols.keep(&marked);
        assert_eq!((symbols.name(kept), symbols.name(last)), ("kept", "last"));
        assert_eq!(symbols.get("last"), Some(last));
        assert_eq!(symbols.get("name7"), None);
        assert_eq!(symbols.all().count(), symbols.count());
        assert!(symbols.bytes() < before, "{} of {before}", symbols.bytes());
        for n in 0..9_000 {
            let name = format!("other{n}");
            let symbol = symbols.intern(&name);
            assert!(symbol.index() <= numbers);
            assert_eq!(symbols.name(symbol), name);
        }
        assert_eq!(symbols.name(last), "last");
    }
}

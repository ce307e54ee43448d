//! Tokens into a tree that is one flat vector.

use alloc::{format, string::String, vec::Vec};

use crate::{
    error::{Call, Error, Fault},
    lexer::{Illegal, Lexer, Token, syntax, unescape},
    place::{Lines, Place, Source},
    symbol::{Symbol, Symbols},
};

/// Everything in a source: its forms one after the other, each list followed by its elements.
///
/// Flat, because a tree of boxes would have to be dropped and walked by recursion, and a source may nest as deep as
/// it is long.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Where each node begins in the source.
    offsets: Vec<u32>,
    /// Numbers that do not fit into a node.
    numbers: Vec<i64>,
    /// All texts, one after the other, and where each ends.
    text: String,
    ends: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Node {
    Number(i32),
    /// An index into the numbers.
    Long(u32),
    Bool(bool),
    Symbol(Symbol),
    /// An index into the texts.
    Text(u32),
    /// A list, whose elements end before the node with this index.
    List {
        end: u32,
    },
}

/// Reads a source in slices: all of it, or nothing.
#[derive(Debug)]
pub(crate) struct Reader {
    lexer: Lexer,
    tree: Tree,
    /// The lists that are open, outermost first.
    open: Vec<u32>,
    /// End of the number before, outside of all lists.
    number_end: Option<usize>,
    limit: usize,
}

impl Reader {
    /// `limit` bounds the tree, in bytes.
    pub(crate) fn new(source: &Source, limit: usize) -> Self {
        Self {
            lexer: Lexer::new(source.start),
            tree: Tree::default(),
            open: Vec::new(),
            number_end: None,
            limit,
        }
    }

    /// Reads on, for as long as there is fuel. Whether it has read everything.
    pub(crate) fn step(
        &mut self,
        source: &Source,
        symbols: &mut Symbols,
        fuel: &mut u64,
    ) -> Result<bool, Error> {
        while *fuel > 0 {
            let before = self.lexer.at();
            let Some((token, start)) = self.next_token(source)? else {
                return match self.open.first() {
                    Some(list) => Err(self.unclosed(source, *list)),
                    None => Ok(true),
                };
            };
            let read = (self.lexer.at() - before) as u64;
            *fuel = fuel.saturating_sub(1 + read / BYTES_PER_FUEL);
            self.take(token, start, source, symbols)?;
            if self.bytes() > self.limit {
                return Err(plain(Fault::memory_full(self.limit)));
            }
        }
        Ok(false)
    }

    pub(crate) fn into_parts(self) -> (Tree, Lines) {
        (self.tree, self.lexer.lines)
    }

    /// How much memory it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes() + self.open.capacity() * size_of::<u32>() + self.lexer.lines.bytes()
    }

    fn next_token(&mut self, source: &Source) -> Result<Option<(Token, usize)>, Error> {
        let token = self.lexer.next(source.code.as_bytes());
        token.map_err(|Illegal { fault, at }| self.error(source, fault, at))
    }

    fn take(
        &mut self,
        token: Token,
        start: usize,
        source: &Source,
        symbols: &mut Symbols,
    ) -> Result<(), Error> {
        let number_end = self.number_end.take();
        let node = match token {
            // The original reads `1e5` as a number and a name, and refuses the second form.
            Token::Symbol(_) if number_end == Some(start) => {
                let Place { line, column } = self.lexer.place(start);
                let fault = syntax(format!(
                    "unexpected token after expression at line {line}, col {column}: SYMBOL"
                ));
                return Err(self.error(source, fault, start));
            }
            Token::Open => {
                self.open.push(self.tree.next());
                Node::List { end: 0 }
            }
            Token::Close => return self.close(source, start),
            Token::Number(number) => {
                self.number_end = self.open.is_empty().then(|| self.lexer.at());
                self.tree.number(number)
            }
            Token::Bool(truth) => Node::Bool(truth),
            Token::Symbol(name) => {
                Node::Symbol(symbols.intern(source.code.get(name).unwrap_or_default()))
            }
            Token::Text(text) => self
                .tree
                .text(source.code.get(text.clone()).unwrap_or_default()),
        };
        self.tree.nodes.push(node);
        self.tree.offsets.push(index(start));
        Ok(())
    }

    fn close(&mut self, source: &Source, start: usize) -> Result<(), Error> {
        let end = self.tree.next();
        let Some(list) = self.open.pop() else {
            let Place { line, column } = self.lexer.place(start);
            let fault = syntax(format!(
                "unexpected closing paren at line {line}, col {column}"
            ));
            return Err(self.error(source, fault, start));
        };
        self.tree.nodes[list as usize] = Node::List { end };
        Ok(())
    }

    /// The outermost list that is open is where most often a parenthesis is missing.
    fn unclosed(&self, source: &Source, list: u32) -> Error {
        let start = self.tree.offset(list) as usize;
        self.error(source, syntax("unclosed list"), start)
    }

    fn error(&self, source: &Source, fault: Fault, at: usize) -> Error {
        let call = Call {
            function: None,
            source: source.name.clone(),
            place: self.lexer.place(at),
        };
        fault.with_trace([call].into(), 0)
    }
}

/// Whether a source can still become whole by typing on: a list or a string is open at its end.
///
/// ```
/// use zylisp_lang::is_unfinished;
///
/// assert!(is_unfinished("(+ 1"));
/// assert!(!is_unfinished("(+ 1 2)"));
/// assert!(!is_unfinished(")"));
/// ```
#[must_use]
pub fn is_unfinished(source: &str) -> bool {
    let mut depth = 0_usize;
    let mut lexer = Lexer::new(Place::START);
    loop {
        match lexer.next(source.as_bytes()) {
            Ok(Some((Token::Open, _))) => depth += 1,
            Ok(Some((Token::Close, _))) if depth == 0 => return false,
            Ok(Some((Token::Close, _))) => depth -= 1,
            Ok(Some(_)) => {}
            Ok(None) => return depth > 0,
            // A string that does not end before the source does, and no other illegal token, is at its end.
            Err(illegal) => return illegal.at == source.len(),
        }
    }
}

impl Tree {
    pub(crate) fn node(&self, index: u32) -> Node {
        self.nodes[index as usize]
    }

    /// Where a node begins in the source.
    pub(crate) fn offset(&self, index: u32) -> u32 {
        self.offsets[index as usize]
    }

    /// Where the node after `index` and all that is in it begins.
    pub(crate) fn after(&self, index: u32) -> u32 {
        let Node::List { end } = self.node(index) else {
            return index + 1;
        };
        end
    }

    /// The indices of a list's elements, or of nothing if it is no list.
    pub(crate) fn elements(&self, list: u32) -> Elements<'_> {
        Elements {
            tree: self,
            next: list + 1,
            end: self.after(list),
        }
    }

    /// The index that the next node will have: how many there are.
    pub(crate) fn next(&self) -> u32 {
        index(self.nodes.len())
    }

    pub(crate) fn number_at(&self, number: u32) -> i64 {
        self.numbers[number as usize]
    }

    pub(crate) fn text_at(&self, text: u32) -> &str {
        let start = text.checked_sub(1);
        let start = start.map_or(0, |before| self.ends[before as usize]);
        &self.text[start as usize..self.ends[text as usize] as usize]
    }

    /// How much memory it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + (self.offsets.capacity() + self.ends.capacity()) * size_of::<u32>()
            + self.numbers.capacity() * size_of::<i64>()
            + self.text.capacity()
    }

    fn number(&mut self, number: i64) -> Node {
        if let Ok(number) = i32::try_from(number) {
            return Node::Number(number);
        }
        self.numbers.push(number);
        Node::Long(index(self.numbers.len() - 1))
    }

    fn text(&mut self, written: &str) -> Node {
        unescape(written, &mut self.text);
        self.ends.push(index(self.text.len()));
        Node::Text(index(self.ends.len() - 1))
    }
}

/// The elements of one list, by index.
#[derive(Clone)]
pub(crate) struct Elements<'a> {
    tree: &'a Tree,
    next: u32,
    end: u32,
}

impl Iterator for Elements<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let index = self.next;
        (index < self.end).then(|| {
            self.next = self.tree.after(index);
            index
        })
    }
}

/// An error that is nowhere in particular.
fn plain(fault: Fault) -> Error {
    fault.with_trace(Vec::new(), 0)
}

/// Sources are far shorter than 4 GiB, so their parts can be counted in 32 bits.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// A long text or comment is one token, and takes as long as it is.
const BYTES_PER_FUEL: u64 = 16;

//! Converts tokens to a tree stored as a flat vector.

use alloc::{format, string::String, sync::Arc, vec::Vec};

use crate::{
    error::{Call, Error, Fault},
    lexer::{Illegal, Lexer, Token, syntax, unescape},
    machine::symbol::{Symbol, Symbols},
    place::{Lines, Place, Source},
};

/// The content of a source: its forms one after the other, each list followed by its elements.
///
/// The tree is flat, because a tree of boxes would have to be dropped and traversed by recursion, and a source may be
/// nested as deeply as it is long.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Offset of each node in the source.
    offsets: Vec<u32>,
    /// Numbers that do not fit into a node.
    numbers: Vec<i64>,
    /// All texts, one after the other, with the end of each.
    text: String,
    ends: Vec<u32>,
    /// Names of additional special forms that the source defines, which therefore have another meaning in it.
    defined: Vec<Symbol>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Node {
    Number(i32),
    /// Index into the numbers.
    Long(u32),
    Bool(bool),
    Symbol(Symbol),
    /// Index into the texts.
    Text(u32),
    /// A list, whose elements end before the node with this index.
    List {
        end: u32,
    },
}

/// A list whose end was not read yet.
#[derive(Debug, Clone, Copy)]
struct Open {
    list: u32,
    /// True for the list of an apostrophe, which ends after one datum.
    quotes: bool,
}

/// Reads a source in slices, either completely or not at all.
#[derive(Debug)]
pub(crate) struct Reader {
    lexer: Lexer,
    tree: Tree,
    /// Open lists, outermost first.
    open: Vec<Open>,
    /// End of the preceding number, outside of all lists.
    number_end: Option<usize>,
    limit: usize,
}

impl Reader {
    /// Creates a reader; `limit` bounds the tree, in bytes.
    pub(crate) fn new(source: &Source, limit: usize) -> Self {
        Self {
            lexer: Lexer::new(source.start),
            tree: Tree::default(),
            open: Vec::new(),
            number_end: None,
            limit,
        }
    }

    /// Continues to read while there is fuel. Returns true once everything was read.
    pub(crate) fn step(
        &mut self,
        source: &Source,
        symbols: &mut Arc<Symbols>,
        fuel: &mut u64,
    ) -> Result<bool, Error> {
        while *fuel > 0 {
            let before = self.lexer.at();
            let Some((token, start)) = self.next_token(source)? else {
                return match self.open.first() {
                    Some(open) => Err(self.unclosed(source, *open)),
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

    /// Returns approximate memory in use, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes() + self.open.capacity() * size_of::<Open>() + self.lexer.lines.bytes()
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
        symbols: &mut Arc<Symbols>,
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
                self.begin_list(start, false);
                return Ok(());
            }
            Token::Quote => {
                self.begin_list(start, true);
                self.tree.push(Node::Symbol(Symbol::QUOTE), start);
                return Ok(());
            }
            Token::Close => return self.close(source, start),
            Token::Number(number) => self.tree.number(number),
            Token::Bool(truth) => Node::Bool(truth),
            Token::Symbol(name) => {
                Node::Symbol(intern(symbols, source.code.get(name).unwrap_or_default()))
            }
            Token::Text(text) => self
                .tree
                .text(source.code.get(text.clone()).unwrap_or_default()),
        };
        self.tree.push(node, start);
        self.end_quotes();
        let outside = self.open.is_empty() && matches!(node, Node::Number(_) | Node::Long(_));
        self.number_end = outside.then(|| self.lexer.at());
        Ok(())
    }

    fn begin_list(&mut self, start: usize, quotes: bool) {
        let list = self.tree.next();
        self.open.push(Open { list, quotes });
        self.tree.push(Node::List { end: 0 }, start);
    }

    /// Ends the lists of apostrophes before a datum.
    fn end_quotes(&mut self) {
        let end = self.tree.next();
        while let Some(Open { list, .. }) = self.open.pop_if(|open| open.quotes) {
            self.tree.nodes[list as usize] = Node::List { end };
        }
    }

    fn close(&mut self, source: &Source, start: usize) -> Result<(), Error> {
        let end = self.tree.next();
        let Some(Open { list, .. }) = self.open.pop_if(|open| !open.quotes) else {
            let Place { line, column } = self.lexer.place(start);
            let fault = syntax(format!(
                "unexpected closing paren at line {line}, col {column}"
            ));
            return Err(self.error(source, fault, start));
        };
        self.tree.nodes[list as usize] = Node::List { end };
        self.end_quotes();
        Ok(())
    }

    /// Reports the outermost open list, which most often lacks the parenthesis.
    fn unclosed(&self, source: &Source, Open { list, quotes }: Open) -> Error {
        let start = self.tree.offset(list) as usize;
        let message = match quotes {
            true => "nothing follows the quote",
            false => "unclosed list",
        };
        self.error(source, syntax(message), start)
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

/// Returns true if more input can complete a source: a list or a string is open at its end, or its last token is an
/// apostrophe.
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
    let mut quotes = false;
    let mut lexer = Lexer::new(Place::START);
    loop {
        let token = lexer.next(source.as_bytes());
        let quoted = core::mem::replace(&mut quotes, matches!(token, Ok(Some((Token::Quote, _)))));
        match token {
            Ok(Some((Token::Open, _))) => depth += 1,
            Ok(Some((Token::Close, _))) if depth == 0 => return false,
            Ok(Some((Token::Close, _))) => depth -= 1,
            Ok(Some(_)) => {}
            Ok(None) => return depth > 0 || quoted,
            // Of all invalid tokens, only an unterminated string extends to the end of the source.
            Err(illegal) => return illegal.at == source.len(),
        }
    }
}

impl Tree {
    pub(crate) fn node(&self, index: u32) -> Node {
        self.nodes[index as usize]
    }

    /// Returns offset of a node in the source.
    pub(crate) fn offset(&self, index: u32) -> u32 {
        self.offsets[index as usize]
    }

    /// Returns the index of the first node after `index` and everything in it.
    pub(crate) fn after(&self, index: u32) -> u32 {
        let Node::List { end } = self.node(index) else {
            return index + 1;
        };
        end
    }

    /// Returns the indices of a list's elements; empty for any other node.
    pub(crate) fn elements(&self, list: u32) -> Elements<'_> {
        Elements {
            tree: self,
            next: list + 1,
            end: self.after(list),
        }
    }

    /// Returns the index of the next node, which is their number so far.
    pub(crate) fn next(&self) -> u32 {
        index(self.nodes.len())
    }

    fn push(&mut self, node: Node, start: usize) {
        if let Node::Symbol(symbol) = node
            && self.nodes.last() == Some(&Node::Symbol(Symbol::DEFINE))
            && Symbol::ADDED.contains(&symbol)
            && !self.defines(symbol)
        {
            self.defined.push(symbol);
        }
        self.nodes.push(node);
        self.offsets.push(index(start));
    }

    /// Returns true if the source defines this name of a special form anywhere.
    pub(crate) fn defines(&self, symbol: Symbol) -> bool {
        self.defined.contains(&symbol)
    }

    pub(crate) fn number_at(&self, number: u32) -> i64 {
        self.numbers[number as usize]
    }

    pub(crate) fn text_at(&self, text: u32) -> &str {
        let start = text.checked_sub(1);
        let start = start.map_or(0, |before| self.ends[before as usize]);
        &self.text[start as usize..self.ends[text as usize] as usize]
    }

    /// Returns approximate memory in use, in bytes.
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

/// Returns the symbol of a name. Only a new name makes the environment copy the shared names.
fn intern(symbols: &mut Arc<Symbols>, name: &str) -> Symbol {
    let known = symbols.get(name);
    known.unwrap_or_else(|| Arc::make_mut(symbols).intern(name))
}

/// Creates an error without a position.
fn plain(fault: Fault) -> Error {
    fault.with_trace(Vec::new(), 0)
}

/// Converts a length to 32 bits: sources are far shorter than 4 GiB.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Bytes of a token read in the time of one operation: a long text or comment is one token, and takes time in
/// proportion to its length.
const BYTES_PER_FUEL: u64 = 16;

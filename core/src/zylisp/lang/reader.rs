//! Tokens into a tree that is one flat vector.

use alloc::{format, string::String, vec::Vec};

use super::{
    error::Error,
    interpreter::memory_full,
    lexer::{Lexer, Place, Token, syntax},
    symbol::{Symbol, Symbols},
};

/// Everything in a source: its forms one after the other, each list followed by its elements.
///
/// Flat, because a tree of boxes would have to be dropped and walked by recursion, and a source may nest as deep as
/// it is long.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) texts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node {
    Number(i64),
    Bool(bool),
    Symbol(Symbol),
    /// An index into [`Tree::texts`].
    Text(u32),
    /// A list, whose elements end before the node with this index.
    List {
        end: u32,
    },
}

/// Reads all of `source`, or nothing. `limit` bounds the tree, in bytes.
pub(super) fn read(source: &str, symbols: &mut Symbols, limit: usize) -> Result<Tree, Error> {
    let mut tree = Tree::default();
    let mut open = Vec::new();
    let mut lexer = Lexer::new(source);
    while let Some((token, place)) = lexer.next()? {
        match token {
            Token::Open => {
                open.push(tree.nodes.len());
                tree.nodes.push(Node::List { end: 0 });
            }
            Token::Close => {
                let start = open.pop().ok_or_else(|| unexpected_close(place))?;
                tree.nodes[start] = Node::List { end: tree.next() };
            }
            Token::Number(number) => tree.nodes.push(Node::Number(number)),
            Token::Bool(truth) => tree.nodes.push(Node::Bool(truth)),
            Token::Symbol(name) => tree.nodes.push(Node::Symbol(symbols.intern(name))),
            Token::Text(text) => tree.push_text(text),
        }
        if tree.nodes.len() > limit / NODE_COST {
            return Err(memory_full(limit));
        }
    }
    if open.is_empty() {
        Ok(tree)
    } else {
        Err(syntax("unclosed list"))
    }
}

/// Whether a source can still become whole by typing on: a list or a string is open at its end.
///
/// ```
/// use flylead_core::zylisp::lang::is_unfinished;
///
/// assert!(is_unfinished("(+ 1"));
/// assert!(!is_unfinished("(+ 1 2)"));
/// assert!(!is_unfinished(")"));
/// ```
#[must_use]
pub fn is_unfinished(source: &str) -> bool {
    let mut depth = 0_usize;
    let mut lexer = Lexer::new(source);
    loop {
        match lexer.next() {
            Ok(Some((Token::Open, _))) => depth += 1,
            Ok(Some((Token::Close, _))) if depth == 0 => return false,
            Ok(Some((Token::Close, _))) => depth -= 1,
            Ok(Some(_)) => {}
            Ok(None) => return depth > 0,
            Err(_) => return lexer.is_at_end(),
        }
    }
}

impl Tree {
    pub(super) fn node(&self, index: u32) -> Node {
        self.nodes[index as usize]
    }

    /// Where the node after `index` and all that is in it begins.
    pub(super) fn after(&self, index: u32) -> u32 {
        match self.node(index) {
            Node::List { end } => end,
            _ => index + 1,
        }
    }

    /// The indices of a list's elements, or of nothing if it is no list.
    pub(super) fn elements(&self, list: u32) -> Elements<'_> {
        Elements {
            tree: self,
            next: list + 1,
            end: self.after(list),
        }
    }

    /// The index that the next node will have.
    pub(super) fn next(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    fn push_text(&mut self, text: String) {
        let index = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text);
        self.nodes.push(Node::Text(index));
    }
}

/// The elements of one list, by index.
#[derive(Clone)]
pub(super) struct Elements<'a> {
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

/// A node, and what will be compiled from it.
const NODE_COST: usize = 2 * size_of::<Node>();

fn unexpected_close(Place { line, column }: Place) -> Error {
    syntax(format!(
        "unexpected closing paren at line {line}, col {column}"
    ))
}

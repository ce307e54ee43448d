//! Tokens shared by the encodings: a message is a series of tokens, reported as they arrive.

/// Receiver of a message's tokens, in order.
pub trait Sink {
    /// Begins a map or a list.
    fn open(&mut self, container: Container);

    /// Ends the innermost open container.
    fn close(&mut self);

    /// Takes a piece of a map's key, the last one if `done`. It may be empty, and need not be UTF-8.
    fn key(&mut self, piece: &[u8], done: bool);

    /// Takes a piece of a text.
    fn text(&mut self, piece: &[u8], done: bool);

    /// Takes any other value.
    fn scalar(&mut self, scalar: Scalar<'_>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    Map,
    List,
}

/// A value that comes in one piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    Null,
    Bool(bool),
    /// A number as JSON writes it.
    Digits(&'a str),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

/// Reads the tokens of consecutive messages, wherever their bytes are split.
pub trait Tokens {
    /// Returns the number of these bytes that precede the beginning of a message.
    fn blanks(&self, bytes: &[u8]) -> usize;

    /// Continues to read a message. Bytes that were not taken must be passed again, with more after them.
    fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Read;

    /// Drops the message being read.
    fn restart(&mut self);

    /// Returns the number of bytes to skip after malformed data until a message can begin; `None` if that place is not
    /// among them.
    fn garbage(&self, bytes: &[u8]) -> Option<usize>;
}

/// Extent of a read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Read {
    /// Bytes that need not be shown again.
    pub(crate) taken: usize,
    pub(crate) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum State {
    Unfinished,
    Complete,
    /// The first byte that was not taken is malformed; this was expected there.
    Malformed {
        expected: &'static str,
        /// True if that byte begins the next message.
        begins: bool,
    },
}

impl Read {
    pub(crate) const fn unfinished(taken: usize) -> Self {
        let state = State::Unfinished;
        Self { taken, state }
    }

    pub(crate) const fn malformed(taken: usize, expected: &'static str) -> Self {
        let begins = false;
        let state = State::Malformed { expected, begins };
        Self { taken, state }
    }
}

/// Limit of nesting in a message: that of serde_json.
pub(crate) const NESTING_LIMIT: usize = 127;

//! Recognizes the debugger's own lines in the output of a program.
//!
//! ```text
//! 1E token ' ' literal ' ' literal … ('\r')? '\n'
//! ```
//!
//! The token is random for each session, so similar lines printed by the program count as output.

mod literal;

use alloc::{format, vec::Vec};

use memchr::memchr;

pub(super) use crate::literal::{bytes as quote_bytes, text as quote};
pub(super) use literal::Literal;

const MARK: u8 = 0x1e;
/// Length limit of a message. The longest returns typed input, at most 64 KiB of it, each byte of which may take four
/// in quotes.
const LIMIT: usize = 320 * 1024;

/// Separates messages from output, however they are split.
#[derive(Debug)]
pub(super) struct Wire {
    start: Vec<u8>,
    held: Vec<u8>,
}

/// Unit of received data.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Incoming {
    Output(Vec<u8>),
    Message(Vec<Literal>),
}

impl Wire {
    pub(super) fn new(token: &str) -> Self {
        Self {
            start: format!("{}{token} ", char::from(MARK)).into_bytes(),
            held: Vec::new(),
        }
    }

    /// Takes data from the board.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Incoming> {
        self.held.extend_from_slice(bytes);
        let mut incoming = Vec::new();
        loop {
            let (used, one) = self.next();
            let taken: Vec<u8> = self.held.drain(..used).collect();
            match one {
                Found::Nothing => {}
                Found::Output => add_output(&mut incoming, &taken),
                Found::Message => match self.parse(&taken) {
                    Some(message) => incoming.push(Incoming::Message(message)),
                    None => add_output(&mut incoming, &taken),
                },
            }
            if used == 0 {
                return incoming;
            }
        }
    }

    /// Returns the data held back at the end of the stream.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.held)
    }

    /// Returns the kind and length of the next piece of the held data.
    fn next(&self) -> (usize, Found) {
        let Some(at) = memchr(MARK, &self.held) else {
            return (
                self.held.len(),
                if self.held.is_empty() {
                    Found::Nothing
                } else {
                    Found::Output
                },
            );
        };
        if at > 0 {
            return (at, Found::Output);
        }
        let known = self.held.len().min(self.start.len());
        if self.held[..known] != self.start[..known] {
            return (1, Found::Output);
        }
        match memchr(b'\n', &self.held) {
            Some(end) => (end + 1, Found::Message),
            None if self.held.len() > LIMIT => (1, Found::Output),
            None => (0, Found::Nothing),
        }
    }

    fn parse(&self, line: &[u8]) -> Option<Vec<Literal>> {
        let text = core::str::from_utf8(line.get(self.start.len()..)?).ok()?;
        Literal::parse_all(text)
    }
}

enum Found {
    Nothing,
    Output,
    Message,
}

fn add_output(incoming: &mut Vec<Incoming>, bytes: &[u8]) {
    match incoming.last_mut() {
        Some(Incoming::Output(output)) => output.extend_from_slice(bytes),
        _ => incoming.push(Incoming::Output(bytes.to_vec())),
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use super::*;

    fn play(bytes: &[u8], size: usize) -> Vec<Incoming> {
        let mut wire = Wire::new("ab12");
        let mut all: Vec<Incoming> = Vec::new();
        for one in bytes.chunks(size).flat_map(|chunk| wire.push(chunk)) {
            match (all.last_mut(), one) {
                (Some(Incoming::Output(before)), Incoming::Output(more)) => before.extend(more),
                (_, one) => all.push(one),
            }
        }
        all
    }

    #[test]
    fn messages_are_found_wherever_the_bytes_are_split() {
        let bytes = b"a\x1e?b\x1eab12 's' 5\r\n\x1eab13 's'\nend";
        let expected = [
            Incoming::Output(b"a\x1e?b".to_vec()),
            Incoming::Message(vec![Literal::Text("s".to_string()), Literal::Int(5)]),
            Incoming::Output(b"\x1eab13 's'\nend".to_vec()),
        ];
        for size in [100, 7, 1] {
            assert_eq!(play(bytes, size), expected);
        }
    }

    #[test]
    fn a_message_without_end_becomes_output() {
        let mut wire = Wire::new("ab12");
        wire.push(b"\x1eab12 '");
        let long = vec![b'x'; LIMIT];
        assert!(matches!(wire.push(&long).as_slice(), [Incoming::Output(_)]));
    }

    #[test]
    fn a_line_that_is_no_message_is_output() {
        assert_eq!(
            play(b"\x1eab12 [1\n", 3),
            [Incoming::Output(b"\x1eab12 [1\n".to_vec())]
        );
    }
}

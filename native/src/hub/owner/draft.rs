//! Keeps what a person has typed since the board's prompt, so that the hub can type it again.

/// Input of a tool since the board's prompt: half a line, or several lines of a block.
#[derive(Debug, Default)]
pub(super) struct Draft {
    bytes: Vec<u8>,
    /// True if the board's prompt came between two lines, or the limit was exceeded: typing it again would repeat a
    /// statement, or lose a part.
    is_spoiled: bool,
    /// True if input has followed the last key that ends a line.
    is_open: bool,
    /// Number of prompts that the board had shown.
    prompts: u64,
}

impl Draft {
    /// Starts with the draft of a tool that gets its turn, at a board that has shown this many prompts.
    pub(super) const fn start(bytes: Vec<u8>, prompts: u64) -> Self {
        Self {
            is_open: !bytes.is_empty(),
            bytes,
            is_spoiled: false,
            prompts,
        }
    }

    /// Adds input.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.is_open = match last_end(bytes) {
            Some(end) => end + 1 < bytes.len(),
            None => self.is_open || !bytes.is_empty(),
        };
        if self.bytes.len() + bytes.len() > LIMIT {
            self.is_spoiled = true;
            self.bytes.clear();
        }
        if !self.is_spoiled {
            self.bytes.extend(bytes);
        }
    }

    /// Records output of the board: the number of prompts that it has shown in all, and true if it is at one and has
    /// answered everything.
    pub(super) fn answered(&mut self, prompts: u64, is_idle: bool) {
        // Input that the board has not shown yet belongs to its next line.
        if is_idle && !self.is_open {
            *self = Self::start(Vec::new(), prompts);
            return;
        }
        if prompts == self.prompts {
            return;
        }
        self.prompts = prompts;
        // A completion shows the prompt again, with the line; it ends no line.
        if let Some(end) = last_end(&self.bytes) {
            let rest = self.bytes.split_off(end + 1);
            // The one line that has ended led to the prompt; of several lines, it is not known which one.
            let is_one = last_end(&self.bytes[..end]).is_none() && !self.bytes.contains(&b'\t');
            self.is_spoiled |= !is_one && !rest.is_empty();
            self.bytes = rest;
        }
    }

    /// Returns true if the input can be typed again, with the same effect.
    pub(super) const fn can_return(&self) -> bool {
        !self.is_spoiled && !self.bytes.is_empty()
    }

    /// Takes the input.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

fn last_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| ENDS.contains(byte))
}

/// Limit of a draft, in bytes.
const LIMIT: usize = 4096;
/// Keys that end a line: Enter, Ctrl-C, Ctrl-D, and Ctrl-A and Ctrl-B, which switch between the prompts.
const ENDS: [u8; 6] = [b'\r', b'\n', 3, 4, 1, 2];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_and_an_open_block_can_be_typed_again() {
        for typed in ["pri", "for i in x:\r  pri", "pri\t"] {
            let mut draft = Draft::default();
            draft.add(typed.as_bytes());
            assert!(draft.can_return(), "{typed:?}");
            assert_eq!(draft.take(), typed.as_bytes());
        }
    }

    #[test]
    fn a_completion_keeps_the_line_and_a_finished_statement_does_not() {
        let mut draft = Draft::default();
        draft.add(b"pri\t");
        draft.answered(1, false);
        assert!(draft.can_return());
        draft.add(b"nt()\r");
        draft.answered(2, false);
        assert!(!draft.can_return());
        draft.add(b"x");
        assert_eq!((draft.can_return(), draft.take()), (true, b"x".to_vec()));
    }

    #[test]
    fn input_ahead_of_a_prompt_is_not_repeated() {
        let mut draft = Draft::default();
        draft.add(b"first()\rsecond()\rth");
        draft.answered(1, false);
        assert!(!draft.can_return());
        draft.answered(1, true);
        draft.add(b"ird()\r");
        assert!(!draft.can_return());
        // The board is at its prompt, and nothing is under way.
        draft.answered(2, true);
        draft.add(b"fourth");
        assert_eq!(draft.take(), b"fourth");
        // Of one line, what follows it is the next one.
        let mut draft = Draft::default();
        draft.add(b"first()\rsec");
        draft.answered(1, true);
        assert_eq!((draft.can_return(), draft.take()), (true, b"sec".to_vec()));
    }

    #[test]
    fn a_draft_has_a_limit() {
        let mut draft = Draft::default();
        draft.add(&[b'x'; LIMIT]);
        assert!(draft.can_return());
        draft.add(b"x");
        assert!(!draft.can_return());
    }
}

//! Input of a program.

use alloc::string::String;

/// Lines typed for a program that it has not read yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    text: String,
    /// Start of unread text.
    start: usize,
    /// Start of the text not yet searched for a line end.
    searched: usize,
    /// End of the first line, if it is whole.
    line_end: Option<usize>,
    /// True if no more input follows for now: a program that reads gets the end of the input.
    ended: bool,
}

impl Lines {
    /// Appends typed text, including line ends.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.search();
    }

    /// Makes the next read without input return the end of the input.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns true if a program can read without waiting.
    pub(crate) fn is_ready(&self) -> bool {
        self.ended || self.line_end.is_some()
    }

    /// Returns the next line, without its end, which the last line may lack; `None` once at the end of the input.
    pub(crate) fn next(&mut self) -> Option<String> {
        let Some(end) = self.line_end.take() else {
            let rest = self.text.split_off(self.start);
            *self = Self {
                ended: self.ended && !rest.is_empty(),
                ..Self::default()
            };
            return Some(rest).filter(|rest| !rest.is_empty());
        };
        let line = &self.text[self.start..end];
        let line = String::from(line.strip_suffix('\r').unwrap_or(line));
        self.start = end + 1;
        self.search();
        self.forget_read();
        Some(line)
    }

    /// Returns the number of unread bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() - self.start
    }

    /// Searches for the end of the first line, examining each byte only once.
    fn search(&mut self) {
        if self.line_end.is_none() {
            let from = self.searched.max(self.start);
            let found = self.text.as_bytes()[from..]
                .iter()
                .position(|byte| *byte == b'\n');
            self.line_end = found.map(|offset| from + offset);
            self.searched = self.line_end.map_or(self.text.len(), |end| end + 1);
        }
    }

    /// Releases the memory of text already read once it is half of the text, so that each byte is moved at most once.
    fn forget_read(&mut self) {
        if self.start * 2 > self.text.len() {
            self.text.drain(..self.start);
            self.searched -= self.start;
            self.line_end = self.line_end.map(|end| end - self.start);
            self.start = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_typed_and_the_end_is_seen_once() {
        let mut lines = Lines::default();
        assert!(!lines.is_ready());
        lines.push("one\r\ntw");
        assert!(lines.is_ready());
        assert_eq!(lines.next().as_deref(), Some("one"));
        assert!(!lines.is_ready());
        lines.push("o\n\nrest");
        assert_eq!(lines.next().as_deref(), Some("two"));
        assert_eq!(lines.next().as_deref(), Some(""));
        assert!(!lines.is_ready());
        lines.end();
        assert!(lines.is_ready());
        assert_eq!(lines.next().as_deref(), Some("rest"));
        assert!(lines.is_ready());
        assert_eq!(lines.next(), None);
        assert!(!lines.is_ready());
    }

    #[test]
    fn many_lines_that_were_typed_at_once_are_read_in_time_proportional_to_them() {
        let mut lines = Lines::default();
        let line = "x".repeat(20) + "\n";
        lines.push(&line.repeat(500_000));
        let mut count = 0;
        while lines.is_ready() {
            assert_eq!(lines.next().as_deref(), Some(&line[..20]));
            count += 1;
        }
        assert_eq!((count, lines.bytes()), (500_000, 0));
        // A long line that arrives byte by byte.
        for _ in 0..1_000_000 {
            lines.push("y");
            assert!(!lines.is_ready());
        }
        lines.push("\n");
        assert_eq!(lines.next().map(|line| line.len()), Some(1_000_000));
    }
}

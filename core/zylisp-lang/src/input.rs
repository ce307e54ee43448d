//! What a program reads.

use alloc::string::String;

/// The lines that were typed for a program and that it has not read yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    text: String,
    /// Whether nothing follows for now: a program that reads sees the end.
    ended: bool,
}

impl Lines {
    /// Takes in what was typed, line ends included.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Lets the next reading that finds nothing see the end.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether a program that reads need not wait.
    pub(crate) fn is_ready(&self) -> bool {
        self.ended || self.text.contains('\n')
    }

    /// The next line, without its end; the last one needs none. At the end there is none, once.
    pub(crate) fn next(&mut self) -> Option<String> {
        let Some(end) = self.text.find('\n') else {
            let rest = core::mem::take(&mut self.text);
            self.ended &= !rest.is_empty();
            return Some(rest).filter(|rest| !rest.is_empty());
        };
        let line: String = self.text.drain(..=end).collect();
        let line = line.strip_suffix('\n').unwrap_or(&line);
        Some(line.strip_suffix('\r').unwrap_or(line).into())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
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
}

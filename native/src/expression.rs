//! A question to a board whose answer nobody else can give.

use crate::random_hex;

/// An expression on its way to a board, and its value on the way back.
///
/// The value travels in hexadecimal behind a mark that is drawn anew for each question, so neither what the
/// expression prints nor a value with control bytes in it can be mistaken for the answer or end it.
#[derive(Debug)]
pub(crate) struct Question {
    source: String,
    mark: String,
    /// From the first byte that may belong to the mark.
    held: Vec<u8>,
    marked: bool,
}

impl Question {
    pub(crate) fn new(expression: &str) -> Self {
        let mark = format!("{}:", random_hex::<8>());
        // The second pair of parentheses takes `1, 2`, the line end takes a comment, and the pieces of the mark keep
        // it out of the source that a traceback or a program could repeat. Old boards have no `str.encode`.
        let (start, end) = mark.split_at(8);
        let source = format!(
            "print('{start}'+'{end}'+''.join('%02x'%b for b in bytes(repr(({expression}\n)),'utf8')))"
        );
        Self {
            source,
            mark,
            held: Vec::new(),
            marked: false,
        }
    }

    /// The program to run.
    pub(crate) fn source(&self) -> Vec<u8> {
        self.source.clone().into_bytes()
    }

    /// Takes in output; gives back what the expression itself printed, as far as that is sure.
    pub(crate) fn push(&mut self, output: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(output);
        if self.marked {
            return Vec::new();
        }
        let mark = self.mark.as_bytes();
        let found = self.held.windows(mark.len()).position(|at| at == mark);
        self.marked = found.is_some();
        let printed = found.unwrap_or_else(|| self.held.len() - self.may_begin_the_mark());
        let rest = self.held.split_off(printed);
        std::mem::replace(&mut self.held, rest)
    }

    /// The value, once the program has ended.
    pub(crate) fn answer(&self) -> Option<String> {
        let text = std::str::from_utf8(&self.held).ok()?;
        let digits = text.strip_prefix(self.mark.as_str())?.trim_end();
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(from_hex).collect();
        String::from_utf8(bytes?).ok()
    }

    /// How many of the last bytes held are the first of the mark.
    fn may_begin_the_mark(&self) -> usize {
        let longest = self.held.len().min(self.mark.len());
        (1..=longest)
            .rev()
            .find(|&length| self.held.ends_with(&self.mark.as_bytes()[..length]))
            .unwrap_or(0)
    }
}

fn from_hex(pair: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(pair)
        .ok()
        .filter(|text| text.len() == 2)?;
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(chunk: usize, printed: &str, value: &str) -> (String, Option<String>) {
        let mut question = Question::new("x");
        let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        let output = format!("{printed}{}{hex}\r\n", question.mark);
        let mut heard = Vec::new();
        for piece in output.as_bytes().chunks(chunk) {
            heard.extend(question.push(piece));
        }
        (String::from_utf8(heard).unwrap(), question.answer())
    }

    #[test]
    fn the_value_comes_back_however_the_output_is_split() {
        for chunk in [1, 7, 1000] {
            let (printed, value) = ask(chunk, "printed\n0000", "'ä\\x04'");
            assert_eq!(printed, "printed\n0000");
            assert_eq!(value.as_deref(), Some("'ä\\x04'"));
        }
    }

    #[test]
    fn output_that_looks_like_an_answer_is_output() {
        let (printed, value) = ask(3, "0123456789abcdef:31\r\n", "2");
        assert_eq!(printed, "0123456789abcdef:31\r\n");
        assert_eq!(value.as_deref(), Some("2"));
    }

    #[test]
    fn a_cut_answer_is_none() {
        let mut question = Question::new("x");
        let cut = format!("{}3", question.mark);
        question.push(cut.as_bytes());
        assert_eq!(question.answer(), None);
    }

    #[test]
    fn the_mark_is_not_in_the_source() {
        let question = Question::new("x");
        assert!(!question.source.contains(&question.mark));
    }
}

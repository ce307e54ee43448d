//! A query to a board whose answer no program can forge.

use flylead_core::raw_repl::own;

use crate::random_hex;

/// Expression sent to a board, and the value received.
///
/// The value is enclosed by marks chosen at random for each query, so that nothing printed by the expression can be
/// mistaken for it, and is sent twice, so that output of a thread of the board in the middle of it is noticed. The
/// board writes it as an element of a list, piece by piece, and thus needs no memory for the whole text.
#[derive(Debug)]
pub(crate) struct Question {
    source: String,
    mark: String,
    /// Bytes held back, from the first one that may belong to the mark.
    held: Vec<u8>,
    marked: bool,
    is_too_long: bool,
}

/// Reason why a value did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// Other output came in the middle of it: a thread printed, or the program ended.
    Spoiled,
    /// Its text has more than [`VALUE_LIMIT`] bytes.
    TooLong,
}

impl Question {
    pub(crate) fn new(expression: &str) -> Self {
        // The line end takes a comment.
        let line = format!("{expression}\n");
        Self::printed_by("__import__('builtins').print", &line, |program| {
            // With brackets around it, `1)+(2` would have a value: alone, it gets the board's syntax error.
            let program = if closes_too_much(expression) {
                expression
            } else {
                program
            };
            program.to_owned()
        })
    }

    /// Creates a query with an expression of one line, whose built-in names are the board's own.
    pub(crate) fn own(expression: &str) -> Self {
        Self::printed_by("print", expression, own)
    }

    fn printed_by(print: &str, expression: &str, program: impl FnOnce(&str) -> String) -> Self {
        let digits = random_hex::<8>();
        let (start, end) = digits.split_at(8);
        // The parentheses take `1, 2`, and the mark is not in the source, where a traceback or a program could repeat
        // it. The board forgets the mark's text: strings of up to ten bytes in a source are kept forever (MicroPython
        // v1.29 `py/parse.c`, `MICROPY_ALLOC_PARSE_INTERN_STRING_LEN`).
        let source = format!(
            "(lambda v,m:{print}(m,v,m,v,m,sep=''))([({expression})],'{start}%s{end}'%':')"
        );
        Self {
            source: program(&source),
            mark: format!("{start}:{end}"),
            held: Vec::new(),
            marked: false,
            is_too_long: false,
        }
    }

    /// Returns the program to run.
    pub(crate) fn source(&self) -> Vec<u8> {
        self.source.clone().into_bytes()
    }

    /// Takes output; returns the part that was certainly printed by the expression itself.
    pub(crate) fn push(&mut self, output: &[u8]) -> Vec<u8> {
        let room = (2 * VALUE_LIMIT).saturating_sub(self.held.len());
        if self.marked && output.len() > room {
            self.is_too_long = true;
            self.held = Vec::new();
        }
        if self.is_too_long {
            return Vec::new();
        }
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

    /// Returns the value once the program has ended.
    pub(crate) fn answer(&self) -> Result<String, NoValue> {
        match self.is_too_long {
            true => Err(NoValue::TooLong),
            false => self.whole_answer().ok_or(NoValue::Spoiled),
        }
    }

    fn whole_answer(&self) -> Option<String> {
        let text = std::str::from_utf8(&self.held).ok()?;
        let mut parts = text.split(self.mark.as_str()).skip(1);
        let (one, other) = (parts.next()?, parts.next()?);
        parts.next().filter(|_| one == other)?;
        // A line end that a `__repr__` returns is sent as a terminal's.
        Some(
            one.strip_prefix('[')?
                .strip_suffix(']')?
                .replace("\r\n", "\n"),
        )
    }

    /// Returns the number of trailing held bytes that may begin the mark.
    fn may_begin_the_mark(&self) -> usize {
        let longest = self.held.len().min(self.mark.len());
        (1..=longest)
            .rev()
            .find(|&length| self.held.ends_with(&self.mark.as_bytes()[..length]))
            .unwrap_or(0)
    }
}

/// Returns true if an expression closes a bracket that it has not opened.
fn closes_too_much(expression: &str) -> bool {
    let mut rest = expression;
    let mut open = 0_usize;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => string_length(rest, first),
            _ => first.len_utf8(),
        };
        match first {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' if open == 0 => return true,
            ')' | ']' | '}' => open -= 1,
            _ => {}
        }
        rest = &rest[length..];
    }
    false
}

/// Returns the length of the string literal at the start of a text, up to the text's end if nothing closes it.
fn string_length(text: &str, quote: char) -> usize {
    let long = quote.to_string().repeat(3);
    let end = match text.starts_with(&long) {
        true => long.as_str(),
        false => &long[..1],
    };
    let mut at = end.len();
    while let Some(next) = text[at..].chars().next() {
        if text[at..].starts_with(end) {
            return at + end.len();
        }
        at += next.len_utf8();
        // Also in a raw string, a backslash keeps a quote from closing it.
        if next == '\\' {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    text.len()
}

/// Longest text of a value, in bytes.
pub(crate) const VALUE_LIMIT: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(chunk: usize, printed: &str, value: &str) -> (String, Result<String, NoValue>) {
        let mut question = Question::new("x");
        let mark = &question.mark;
        let output = format!("{printed}{mark}[{value}]{mark}[{value}]{mark}\r\n");
        let mut shown = Vec::new();
        for piece in output.as_bytes().chunks(chunk) {
            shown.extend(question.push(piece));
        }
        (String::from_utf8(shown).unwrap(), question.answer())
    }

    #[test]
    fn the_value_comes_back_however_the_output_is_split() {
        for chunk in [1, 7, 1000] {
            let (printed, value) = ask(chunk, "printed\n0000", "'ä\\x04'\r\n");
            assert_eq!(printed, "printed\n0000");
            assert_eq!(value.as_deref(), Ok("'ä\\x04'\n"));
        }
    }

    #[test]
    fn output_that_looks_like_an_answer_is_output() {
        let (printed, value) = ask(3, "0123456789abcdef:[3]\r\n", "2");
        assert_eq!(printed, "0123456789abcdef:[3]\r\n");
        assert_eq!(value.as_deref(), Ok("2"));
    }

    #[test]
    fn an_answer_that_is_cut_spoiled_or_too_long_is_none() {
        for answer in ["M[3", "M[3]M", "M[3]M[3", "M[3]M[tick\r\n3]M", "MtickM3M"] {
            let mut question = Question::new("x");
            question.push(answer.replace('M', &question.mark).as_bytes());
            assert_eq!(question.answer(), Err(NoValue::Spoiled), "{answer}");
        }
        let mut question = Question::new("x");
        question.push(question.mark.clone().as_bytes());
        for _ in 0..=(2 * VALUE_LIMIT) >> 16 {
            question.push(&[b'x'; 1 << 16]);
        }
        assert_eq!(question.answer(), Err(NoValue::TooLong));
        assert_eq!(question.held.capacity(), 0);
    }

    #[test]
    fn brackets_around_an_expression_do_not_complete_it() {
        for wrong in [
            "1)+(2",
            "1],[2",
            "')' + f(1))",
            "(1]}",
            "'''a''')",
            r"r'\''])",
        ] {
            assert!(closes_too_much(wrong), "{wrong}");
            assert_eq!(Question::new(wrong).source, wrong);
        }
        for right in [
            "(1)+(2)",
            "')'",
            "f(']', \"}\")",
            "'''a')'''",
            r"r'\')'",
            "1 # :)",
            "(1",
            "'",
            r"'a\",
            "{'ä)': [1]}",
            "''",
        ] {
            assert!(!closes_too_much(right), "{right}");
            assert!(Question::new(right).source.contains(right));
        }
    }

    #[test]
    fn the_mark_is_not_in_the_source() {
        let question = Question::new("x");
        assert!(!question.source.contains(&question.mark));
    }
}

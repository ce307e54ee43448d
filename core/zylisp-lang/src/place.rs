//! Place in a source.

use alloc::{string::String, sync::Arc, vec::Vec};

/// A position in a source. Both numbers begin at 1; the column counts bytes, like the original implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Byte in that line.
    pub column: u32,
}

impl Place {
    /// Start of a source that is not a part of another one.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A program, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Text: any number of forms.
    pub code: String,
    /// Name in errors: usually that of a file.
    pub name: Option<Arc<str>>,
    /// Position in that file at which the text begins.
    pub start: Place,
    /// True to report each form's value, rather than only the last one's: see [`Step::Form`](crate::Step::Form).
    pub each_form: bool,
}

impl Source {
    /// Creates a program from the whole of a file. A byte order mark is not part of it, and a first line that begins
    /// with `#!` is a comment.
    #[must_use]
    pub fn of_file(name: &str, code: impl Into<String>) -> Self {
        let mut code = code.into();
        if code.starts_with('\u{feff}') {
            code.drain(..'\u{feff}'.len_utf8());
        }
        if code.starts_with("#!") {
            code.replace_range(..2, ";;");
        }
        Self {
            name: Some(name.into()),
            ..Self::from(code)
        }
    }
}

impl From<String> for Source {
    fn from(code: String) -> Self {
        Self {
            code,
            name: None,
            start: Place::START,
            each_form: false,
        }
    }
}

impl From<&str> for Source {
    fn from(code: &str) -> Self {
        String::from(code).into()
    }
}

impl From<&String> for Source {
    fn from(code: &String) -> Self {
        code.as_str().into()
    }
}

/// Converts offsets in a source to places.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    start: Place,
    /// The offset after each line end.
    starts: Vec<u32>,
}

impl Lines {
    pub(crate) const fn new(start: Place) -> Self {
        Self {
            start,
            starts: Vec::new(),
        }
    }

    /// Records that a line begins at this offset. Offsets must come in order.
    pub(crate) fn begin_line(&mut self, offset: u32) {
        self.starts.push(offset);
    }

    pub(crate) fn place(&self, offset: u32) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let (begins, column) = match line.checked_sub(1) {
            Some(before) => (self.starts[before], 1),
            None => (0, self.start.column),
        };
        Place {
            line: self.start.line + u32::try_from(line).unwrap_or(u32::MAX),
            column: column + (offset - begins),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.starts.capacity() * size_of::<u32>()
    }
}

/// Data shared by the units of one source: its name, and the starts of its lines.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) lines: Lines,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_and_systems_put_in_front_of_a_file_is_no_part_of_its_program() {
        let table = [
            ("\u{feff}(a)", "(a)"),
            ("#!/usr/bin/env zylisp\n(a)", ";;/usr/bin/env zylisp\n(a)"),
            ("\u{feff}#! x\n(a)", ";; x\n(a)"),
            ("(a) #!", "(a) #!"),
        ];
        for (file, code) in table {
            assert_eq!(Source::of_file("f", file).code, code);
        }
    }

    #[test]
    fn an_offset_is_a_line_and_a_column_and_a_part_of_a_file_begins_where_it_does() {
        // "ab\nc\n\nd" at line 10, column 5 of a file.
        let mut lines = Lines::new(Place {
            line: 10,
            column: 5,
        });
        [3, 5, 6].iter().for_each(|start| lines.begin_line(*start));
        let places = [
            (0, (10, 5)),
            (1, (10, 6)),
            (3, (11, 1)),
            (4, (11, 2)),
            (5, (12, 1)),
            (6, (13, 1)),
            (7, (13, 2)),
        ];
        for (offset, (line, column)) in places {
            assert_eq!(lines.place(offset), Place { line, column }, "{offset}");
        }
    }
}

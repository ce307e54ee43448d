//! Programs as editors send them: their last expression, and the positions of their lines.

use std::{collections::BTreeSet, fmt::Write as _, ops::Range, sync::Arc};

use flylead_core::{
    raw_repl::{Frame, Traceback},
    zylisp::lang::{Call, Place, Source},
};
use ruff_python_ast::Stmt;
use ruff_text_size::Ranged as _;

use super::names::{Definition, definitions};
use crate::os::stack::on_deep_stack;

/// Size of the longest program that is read, in bytes.
pub(super) const READ_LIMIT: usize = 256 << 10;

/// A program for the board.
#[derive(Debug)]
pub(super) struct Program {
    code: String,
    name: Option<Arc<str>>,
    /// First line in the editor's file.
    first: u32,
    /// The last statement, if it is an expression.
    expression: Option<Range<usize>>,
    pub(super) definitions: Vec<Definition>,
}

impl Program {
    /// Reads a program. One that is too long to be read runs without the value of its last expression.
    pub(super) fn new(source: &Source) -> Self {
        let mut program = Self::unread(source);
        if program.code.len() <= READ_LIMIT {
            on_deep_stack(program.code.len(), || program.read());
        }
        program
    }

    fn unread(source: &Source) -> Self {
        Self {
            code: source.code.clone(),
            name: source.name.clone(),
            first: source.start.line.max(1),
            expression: None,
            definitions: Vec::new(),
        }
    }

    fn read(&mut self) {
        let parsed = ruff_python_parser::parse_module(&self.code).or_else(|error| {
            // A region from the middle of a block.
            let code = dedented(&self.code).ok_or(error)?;
            let parsed = ruff_python_parser::parse_module(&code)?;
            self.code = code;
            Ok::<_, ruff_python_parser::ParseError>(parsed)
        });
        // The board reports the errors of a program that is not Python, and may accept syntax that is new to the
        // parser.
        let Ok(parsed) = parsed else {
            return;
        };
        let body = parsed.into_suite();
        self.definitions = definitions(&body, &self.code, "");
        // As in Clojure, the value of a program is that of its last expression.
        if let Some(Stmt::Expr(last)) = body.last() {
            self.expression = Some(last.range().to_std_range());
        }
    }

    /// Returns true if the program's own text may read input, or define something that does.
    pub(super) fn mentions_input(&self) -> bool {
        self.code.contains("input")
    }

    /// Returns the text of the expression whose value is the program's.
    pub(super) fn expression(&self) -> Option<&str> {
        Some(&self.code[self.expression.clone()?])
    }

    pub(super) fn name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    /// Returns the line in the editor's file for a line of the code.
    pub(super) fn line(&self, line: u32) -> u32 {
        line.saturating_add(self.first - 1)
    }

    /// Returns the program to send: its lines have the editor's numbers if a board can count that far, and the
    /// expression is replaced by one that prints its value.
    pub(super) fn code(&self, question: Option<Vec<u8>>) -> Vec<u8> {
        let mut code = vec![b'\n'; self.padding() as usize];
        match (question, &self.expression) {
            (Some(question), Some(range)) => {
                code.extend_from_slice(&self.code.as_bytes()[..range.start]);
                code.extend_from_slice(&question);
            }
            _ => code.extend_from_slice(self.code.as_bytes()),
        }
        code
    }

    /// Returns the number of empty lines before the program. They keep functions on their lines, so that a traceback
    /// usually distinguishes two files.
    fn padding(&self) -> u32 {
        match (&self.name, self.first - 1) {
            (Some(_), lines @ ..=PADDING_LIMIT) => lines,
            _ => 0,
        }
    }
}

/// Returns the code without the indentation of its first line; `None` if that line has none.
fn dedented(code: &str) -> Option<String> {
    let first = code.lines().find(|line| !line.trim().is_empty())?;
    let indent = &first[..first.len() - first.trim_start().len()];
    (!indent.is_empty()).then(|| {
        let lines = code.split_inclusive('\n');
        lines
            .map(|line| line.strip_prefix(indent).unwrap_or(line))
            .collect()
    })
}

/// Programs that have run on a board, whose tracebacks call each of them `<stdin>`.
#[derive(Debug, Default)]
pub(super) struct Origins(Vec<Origin>);

#[derive(Debug)]
struct Origin {
    name: Option<Arc<str>>,
    /// Lines as counted by the board.
    lines: Range<u32>,
    /// Offset from the board's lines to the editor's.
    shift: u32,
    functions: BTreeSet<String>,
}

impl Origins {
    /// Keeps the program that runs next.
    pub(super) fn add(&mut self, program: &Program) {
        if self.0.len() == ORIGINS_LIMIT {
            self.0.remove(0);
        }
        let start = 1 + program.padding();
        let count = u32::try_from(program.code.lines().count()).unwrap_or(u32::MAX);
        let functions = program.definitions.iter();
        self.0.push(Origin {
            name: program.name.clone(),
            lines: start..start.saturating_add(count),
            shift: program.first - start,
            functions: functions
                .map(Definition::last_name)
                .map(Into::into)
                .collect(),
        });
    }

    /// Locates frames in the editor's files, in the frames' order. Code outside of functions belongs to the program
    /// that ran last; a function, to the last program that defined a function of its name on its line.
    pub(super) fn locate(&self, frames: &[Frame]) -> Vec<Call> {
        frames.iter().map(|frame| self.call(frame)).collect()
    }

    fn call(&self, frame: &Frame) -> Call {
        let function = frame.function.clone().filter(|name| name != "<module>");
        let call = |source, line| Call {
            function: function.clone(),
            source,
            place: Place { line, column: 1 },
        };
        if frame.file != STDIN {
            return call(Some(frame.file.as_str().into()), frame.line);
        }
        let defined = |origin: &&Origin| match &function {
            None => true,
            Some(name) => {
                origin.lines.contains(&frame.line)
                    && (name.starts_with('<') || origin.functions.contains(name))
            }
        };
        match self.0.iter().rev().find(defined) {
            Some(origin) => call(origin.name.clone(), frame.line + origin.shift),
            None => call(None, frame.line),
        }
    }

    /// Returns the traceback's text with these places.
    pub(super) fn rewrite(traceback: &Traceback, calls: &[Call]) -> String {
        let mut calls = calls.iter();
        let mut text = String::new();
        for line in traceback.text.trim_end().lines() {
            let is_frame = line.trim_start().starts_with("File \"") && line.contains("\", line ");
            match is_frame.then(|| calls.next()).flatten() {
                Some(call) => {
                    let file = call.source.as_deref().unwrap_or(STDIN);
                    let _ = write!(text, "  File \"{file}\", line {}", call.place.line);
                    if let Some((_, function)) = line.split_once(", in ") {
                        let _ = write!(text, ", in {function}");
                    }
                }
                None => text += line,
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }
}

const STDIN: &str = "<stdin>";

/// Largest line number that a program is sent with, as empty lines before it.
const PADDING_LIMIT: u32 = 10_000;

/// Limit of programs kept for tracebacks.
const ORIGINS_LIMIT: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn program(code: &str, name: Option<&str>, line: u32) -> Program {
        Program::new(&Source {
            name: name.map(Into::into),
            start: Place { line, column: 1 },
            ..Source::from(code)
        })
    }

    #[test]
    fn a_deep_program_is_read() {
        let signs = format!("{}1", "-".repeat(100_000));
        assert_eq!(program(&signs, None, 1).expression(), Some(&*signs));
        let sum = format!("1{}", "+1".repeat(100_000));
        assert_eq!(program(&sum, None, 1).expression(), Some(&*sum));
        let longest = format!("{}1", "-".repeat(READ_LIMIT - 1));
        assert!(program(&longest, None, 1).expression().is_some());
        let longer = format!("-{longest}");
        assert_eq!(program(&longer, None, 1).expression(), None);
    }

    #[test]
    fn the_last_expression_of_a_region_is_found_and_statements_have_none() {
        let table = [
            ("x = 1\nx + 1", Some("x + 1")),
            ("x = 1; x + 1  # it", Some("x + 1")),
            ("(1 +\n 2)\n", Some("(1 +\n 2)")),
            ("  y = 2\n  y", Some("y")),
            ("1, 2", Some("1, 2")),
            ("x = 1", None),
            ("x += 1", None),
            ("x: int", None),
            ("if x:\n  x", None),
            ("# nothing", None),
            ("1 +", None),
        ];
        for (code, expected) in table {
            assert_eq!(program(code, None, 1).expression(), expected, "{code}");
        }
    }

    #[test]
    fn a_program_of_a_file_is_sent_with_the_lines_it_has_there() {
        let program = program("a = 1\na", Some("main.py"), 3);
        let code = program.code(Some(b"ask".to_vec()));
        assert_eq!(code, b"\n\na = 1\nask");
        let far = self::program("a = 1", Some("main.py"), 100_000);
        assert_eq!(far.code(None), b"a = 1");
    }

    #[test]
    fn a_traceback_has_the_editors_files_and_lines_also_in_functions_of_earlier_programs() {
        let mut origins = Origins::default();
        origins.add(&program("def f():\n  1/0", Some("main.py"), 40));
        origins.add(&program("def f():\n  pass", Some("other.py"), 1));
        origins.add(&program("def far():\n  f()", Some("far.py"), 50_000));
        origins.add(&program("far()", Some("main.py"), 90));
        let text = "Traceback (most recent call last):\n  File \"<stdin>\", line 90, in <module>\n  File \"<stdin>\", line 2, in far\n  File \"<stdin>\", line 41, in f\n  File \"lib.py\", line 7, in g\nZeroDivisionError: divide by zero\n";
        let traceback = Traceback::parse(text.as_bytes());
        let calls = origins.locate(&traceback.frames);
        let text = Origins::rewrite(&traceback, &calls);
        let expected = "Traceback (most recent call last):\n  File \"main.py\", line 90, in <module>\n  File \"far.py\", line 50001, in far\n  File \"main.py\", line 41, in f\n  File \"lib.py\", line 7, in g\nZeroDivisionError: divide by zero";
        assert_eq!(text, expected);
        assert_eq!(calls[2].function.as_deref(), Some("f"));
    }
}

//! Error for text that is not valid Python.

use alloc::string::{String, ToString};
use core::fmt;

use ruff_python_parser::ParseError;
use ruff_text_size::Ranged;

/// Error: the text is not valid Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// Message of the parser.
    pub message: String,
}

impl SyntaxError {
    pub(super) fn new(text: &str, error: &ParseError) -> Self {
        let before = &text[..error.start().to_usize().min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: number(before.matches('\n').count()),
            column: number(before[line_start..].chars().count()),
            message: error.error.to_string(),
        }
    }
}

fn number(before: usize) -> u32 {
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.message
        )
    }
}

impl core::error::Error for SyntaxError {}

//! Stands in for the names of all Unicode characters in what is built from this repository.
//!
//! The parser of Python that the debugger uses asks for them where a string has `\N{BULLET}`, and for that alone. They are
//! 0.9 MB, more than half of what a page would load to debug a program. No MicroPython has them either: its lexer raises
//! `NotImplementedError: unicode name escapes` there (`py/lexer.c` of 1.28, `parse_string_literal`). So any name is taken
//! for one here, and the board says what it says. The character is of no consequence, as the program is sent as it is
//! written.
#![no_std]

/// The character of this name, as far as it matters.
#[must_use]
pub const fn character(_name: &str) -> Option<char> {
    Some(char::REPLACEMENT_CHARACTER)
}

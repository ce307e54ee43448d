//! Replaces the names of all Unicode characters in builds of this repository.
//!
//! The debugger's Python parser needs them only for strings such as `\N{BULLET}`. They take 0.9 MB, more than half of
//! the data that a page would load to debug a program. MicroPython lacks them as well: its lexer raises
//! `NotImplementedError: unicode name escapes` there (`py/lexer.c` of 1.28, `parse_string_literal`). Every name is
//! therefore accepted here, and the board reports its own error. The character is irrelevant, as the program is sent as
//! written.
#![no_std]

/// Returns a placeholder for the character of this name.
#[must_use]
pub const fn character(_name: &str) -> Option<char> {
    Some(char::REPLACEMENT_CHARACTER)
}

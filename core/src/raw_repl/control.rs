//! Control characters that are sent in more than one state.

/// Ctrl-C.
pub(super) const INTERRUPT: [u8; 1] = [0x03];
/// Ctrl-D. To the board it ends the program, and resets the interpreter where there is none; from the board it ends stdout,
/// then the traceback, and says in raw-paste mode that no more of the program is taken.
pub(super) const END: u8 = 0x04;
/// Ctrl-C, which stops a program and drops a half-typed line, and Ctrl-A, which asks for raw mode. No carriage return: it would
/// run what somebody left on the prompt.
pub(super) const ENTER: &[u8] = b"\x03\x01";
/// Ctrl-A alone, which a board answers at its prompt and a program reads.
pub(crate) const QUESTION: &[u8] = b"\x01";
/// Ctrl-B, which leaves raw mode.
pub(super) const EXIT_RAW: &[u8] = b"\x02";
/// Ctrl-U, which empties a line that is not (MicroPython v1.29 `shared/readline/readline.c`).
pub(crate) const EMPTY_LINE: u8 = 0x15;

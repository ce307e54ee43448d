//! Control characters that are sent in more than one state.

/// Ctrl-C.
pub(super) const INTERRUPT: [u8; 1] = [0x03];
/// Ctrl-D. To the board, it ends the program, or resets the interpreter if there is no program; from the board, it ends
/// stdout, then the traceback, and in raw-paste mode it means that the board accepts no more of the program.
pub(super) const END: u8 = 0x04;
/// Ctrl-C, which stops a program and drops a half-typed line, and Ctrl-A, which requests raw mode. A carriage return is
/// omitted: it would run a line left at the prompt.
pub(super) const ENTER: &[u8] = b"\x03\x01";
/// Ctrl-A alone, which a board answers at its prompt and a program reads.
pub(crate) const QUESTION: &[u8] = b"\x01";
/// Ctrl-B, which leaves raw mode.
pub(super) const EXIT_RAW: &[u8] = b"\x02";
/// Ctrl-U, which clears a non-empty line (MicroPython v1.29 `shared/readline/readline.c`).
pub(crate) const EMPTY_LINE: u8 = 0x15;

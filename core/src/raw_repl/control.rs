//! Control characters that are sent in more than one state.

/// Ctrl-C.
pub(super) const INTERRUPT: [u8; 1] = [0x03];
/// Ctrl-D, which ends the program in raw mode.
pub(super) const EXECUTE: u8 = 0x04;
/// Ctrl-B, which leaves raw mode.
pub(super) const EXIT_RAW: &[u8] = b"\x02";

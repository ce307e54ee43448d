//! MicroPython on each kind of board.

pub(super) mod browser;
pub(super) mod kind;
pub(super) mod microbit;
pub(super) mod pico;
pub(super) mod unix;

//! Text that several protocols share: lines, digits, Python's literals, and names that Windows reserves.

pub(crate) mod hexadecimal;
pub mod lines;
#[cfg(feature = "board")]
pub(crate) mod literal;
#[cfg(any(feature = "agent", feature = "export"))]
pub(crate) mod windows;

//! Tools shared by the suites: transcripts, pairs of machines under virtual time, boards.

pub mod bench;
#[cfg(unix)]
pub mod boards;
pub mod device;
pub mod dice;
pub mod editors;
pub mod memory;
pub mod pair;
pub mod transcript;
pub mod zylisp;

//! Programs on boards: from a mounted folder, in a debugger, and under test.

#[cfg(feature = "debug")]
pub mod debug;
pub mod mount;
pub mod testing;

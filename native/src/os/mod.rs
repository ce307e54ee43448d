//! What every part uses of the operating system.

pub mod disk;
pub(crate) mod random;
pub mod state;
#[cfg(unix)]
pub(crate) mod unix_socket;

//! Files, folders, sockets and random numbers of this computer, for every room.

pub mod disk;
pub(crate) mod random;
pub mod state;
#[cfg(unix)]
pub(crate) mod unix_socket;

//! Files, folders, sockets, timers and random numbers of this computer, for all other modules.

pub mod disk;
pub(crate) mod random;
#[cfg(any(feature = "editors", feature = "testing"))]
pub(crate) mod stack;
pub mod state;
pub(crate) mod time;
#[cfg(unix)]
pub(crate) mod unix_socket;

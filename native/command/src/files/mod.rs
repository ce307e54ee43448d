//! Commands that move files between this computer and a board, and change those there.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod deploy;
pub(crate) mod edit;
pub(crate) mod fs;
pub(crate) mod install;
pub(crate) mod romfs;
pub(crate) mod scratch;

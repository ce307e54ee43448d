//! Commands that save what devices record and print.

pub(crate) mod export;
pub(crate) mod log;

//! Text around commands and in their bodies, which could be mistaken for a command.

pub(super) mod debris;
pub(super) mod doubt;
pub(super) mod drafts;
pub(super) mod fence;
pub(super) mod foreign;
pub(super) mod invented;
pub(super) mod marks;
pub(super) mod omitted;
pub(super) mod plain;
pub(super) mod quoted;
pub(super) mod shown;
pub(super) mod words;

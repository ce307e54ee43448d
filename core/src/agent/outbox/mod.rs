//! The message to the LLM.

mod contents;
mod line;
mod map;
pub(super) mod markers;
pub mod output;
mod render;

pub use contents::{CONTENTS_LIMIT, Contents, show};
pub use map::{Mapped, is_mappable, map};
pub use render::{CONTINUE, FileEntry, Outbox, PROTOCOL, render, split};

#![doc = include_str!("README.md")]

mod block;
mod change;
mod command;
mod copies;
pub mod edit;
mod fault;
mod inbox;
mod made;
mod outbox;
pub mod output;
mod parser;
pub mod path;
mod session;
mod tags;
mod text;
mod turn;

pub use change::{CONTENTS_LIMIT, Change, plan, sha, show};
pub use command::{Command, Kind, LineRange, ReadRequest, render};
pub use fault::{Fault, Note, Reason, Rejected, Unfit};
pub use inbox::{
    BODY_LIMIT, COMMAND_LIMIT, Echo, Inbox, Item, LINE_LIMIT, MESSAGE_LIMIT, Reading, Word, parse,
};
pub use outbox::{
    CONTINUE, Contents, FileEntry, Outbox, PROTOCOL, render as render_outbox, split as split_outbox,
};
pub use session::{CommandResult, Commands, Session, SessionError, VERSION, is_session_id};
pub use text::decode;
pub use turn::{Numbering, Outcome, Task, Turn};

#[cfg(test)]
mod tests;

#![doc = include_str!("README.md")]

mod block;
mod command;
mod copies;
pub mod edit;
mod fault;
mod inbox;
mod outbox;
pub mod output;
mod parser;
pub mod path;
mod session;
mod tags;
mod text;

pub use command::{Command, Kind, LineRange, ReadRequest, render};
pub use fault::{Fault, Note, Reason, Rejected};
pub use inbox::{
    BODY_LIMIT, COMMAND_LIMIT, Echo, Inbox, Item, LINE_LIMIT, MESSAGE_LIMIT, Reading, parse,
};
pub use outbox::{
    CONTINUE, Contents, FileEntry, Outbox, PROTOCOL, render as render_outbox, split as split_outbox,
};
pub use session::{CommandResult, Session, SessionError, VERSION, is_session_id};
pub use text::decode;

#[cfg(test)]
mod tests;

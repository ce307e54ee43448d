//! The copy-paste protocol between a coding agent and an LLM.

mod block;
mod command;
mod copies;
pub mod edit;
mod fault;
mod inbox;
mod parser;
pub mod path;
mod tags;
mod text;

pub use command::{Command, Kind, LineRange, ReadRequest, render};
pub use fault::{Fault, Note, Reason, Rejected};
pub use inbox::{
    BODY_LIMIT, COMMAND_LIMIT, Echo, Inbox, Item, LINE_LIMIT, MESSAGE_LIMIT, Reading, parse,
};
pub use text::decode;

#[cfg(test)]
mod tests;

#![doc = include_str!("README.md")]

mod apply;
mod characters;
mod command;
mod outbox;
mod parse;
mod secrets;
mod session;
mod settings;
mod sha;

pub use apply::{
    Approval, Change, Edit, Failure, FileCommand, Host, Outcome, Overrides, Ran, Step, Task, Turn,
    Unfit, edit, path, plan,
};
pub use command::{Command, Kind, LineRange, ReadRequest, Replacement};
pub use outbox::{
    CONTENTS_LIMIT, CONTINUE, Contents, FileEntry, Mapped, Outbox, PROTOCOL, is_mappable, map,
    output, render as render_outbox, show, split as split_outbox,
};
pub use parse::{
    BODY_LIMIT, COMMAND_LIMIT, Echo, Fault, Form, Inbox, Item, LINE_LIMIT, MESSAGE_LIMIT, Note,
    ParseOptions, Reason, Rejected, decode, parse, render,
};
pub use secrets::{is_named_secret, looks_secret};
pub use session::{CommandResult, Session, SessionError, VERSION, is_session_id};
pub use settings::{Commands, Eol, Numbering, Truncate};
pub use sha::{sha, short_sha};

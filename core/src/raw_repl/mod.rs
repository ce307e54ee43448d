#![doc = include_str!("README.md")]

mod command;
mod config;
mod context;
mod control;
mod entering;
mod event;
mod machine;
mod running;
mod sending;
mod state;
#[cfg(test)]
mod tests;
mod traceback;

pub(crate) use command::check_source;
pub use command::{Command, CommandError};
pub use config::Config;
pub(crate) use control::{EMPTY_LINE, QUESTION};
pub(crate) use entering::banner::{Find, RawBanner};
pub use entering::peer::Peer;
pub use event::{Event, LostReason, Mode, Outcome};
pub use machine::RawRepl;
pub use running::frames::{DataFrame, FrameKind};
pub(crate) use running::{INTERRUPT_AGAIN, Traffic};
pub use sending::own::own;
pub(crate) use sending::own::{FORGET, KEPT};
pub use traceback::{ErrorKind, Frame, Recovery, Traceback};

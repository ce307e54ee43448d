#![doc = include_str!("README.md")]

mod banner;
mod between;
mod command;
mod config;
mod context;
mod control;
mod doubt;
mod enter;
mod event;
mod frames;
mod loading;
mod machine;
mod own;
mod pace;
mod paste;
mod peer;
mod reception;
mod reply;
mod restart;
mod running;
mod sending;
mod state;
#[cfg(test)]
mod tests;
mod traceback;

pub(crate) use banner::{Find, RawBanner};
pub(crate) use command::check_source;
pub use command::{Command, CommandError};
pub use config::Config;
pub(crate) use control::{EMPTY_LINE, QUESTION};
pub use event::{Event, LostReason, Mode, Outcome};
pub use frames::{DataFrame, FrameKind};
pub use machine::RawRepl;
pub use own::own;
pub(crate) use own::{FORGET, KEPT};
pub use peer::Peer;
pub(crate) use running::{INTERRUPT_AGAIN, Traffic};
pub use traceback::{ErrorKind, Frame, Recovery, Traceback};

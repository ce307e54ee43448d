#![doc = include_str!("README.md")]

mod checksum;
mod collector;
mod command;
mod encoder;
mod event;
mod failure;
mod framing;
mod line;
mod reset;
mod run_id;
mod tail;
mod transfer;

pub use checksum::{Checksum, ChecksumKind, Tally};
pub use collector::Collector;
pub use command::{Command, CommandParseError};
pub use encoder::{EncodeError, Encoder};
pub use event::{CommandError, Config, Event, Integrity, Phase, Receipt, Warning};
pub use failure::{Failure, Hint};
pub use framing::{Decoder, Framing, Header, Piece};
pub use reset::is_boot_banner;
pub use run_id::{RunId, RunIdError};

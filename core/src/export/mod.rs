#![doc = include_str!("README.md")]

mod collect;
mod command;
mod doubt;
mod encoder;
mod event;
mod failure;
mod receipt;
mod reply;
mod run_id;

pub use collect::session::Collector;
pub use command::{Command, CommandParseError};
pub use doubt::{Doubt, Quote, UnknownDoubt};
pub use encoder::{EncodeError, Encoder};
pub use event::{CommandError, Config, Event, Phase};
pub use failure::{Failure, Hint};
pub use receipt::{Integrity, Receipt, UnknownIntegrity, Warning};
pub use reply::checksum::{Checksum, ChecksumKind, Digest};
pub use reply::decoder::{Decoder, Piece};
pub use reply::header::{Framing, Header};
pub use reply::line::Answer;
pub use reply::naming::Naming;
pub use reply::restart::is_boot_banner;
pub use run_id::{RunId, RunIdError};

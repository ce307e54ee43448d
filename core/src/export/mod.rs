#![doc = include_str!("README.md")]

mod body;
mod checksum;
mod command;
mod decoder;
mod doubt;
mod encoder;
mod event;
mod failure;
mod header;
mod judge;
mod late;
mod line;
mod naming;
mod receipt;
mod restart;
mod run_id;
mod session;
mod stray;
mod tail;
mod transfer;
mod unanswered;

pub use checksum::{Checksum, ChecksumKind, Digest};
pub use command::{Command, CommandParseError};
pub use decoder::{Decoder, Piece};
pub use doubt::{Doubt, Quote, UnknownDoubt};
pub use encoder::{EncodeError, Encoder};
pub use event::{CommandError, Config, Event, Phase};
pub use failure::{Failure, Hint};
pub use header::{Framing, Header};
pub use line::Answer;
pub use naming::Naming;
pub use receipt::{Integrity, Receipt, UnknownIntegrity, Warning};
pub use restart::is_boot_banner;
pub use run_id::{RunId, RunIdError};
pub use session::Collector;

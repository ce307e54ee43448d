//! The Zylisp remote REPL.

pub mod address;
pub mod codec;
pub mod lang;
pub mod message;

pub use address::{Address, AddressError};
pub use codec::{Decoder, Encoding, Malformed, MalformedReason};
pub use message::{Message, Status};

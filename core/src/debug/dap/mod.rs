//! The Debug Adapter Protocol, by which editors drive debuggers.
//!
//! ```text
//!  editor ──► Content-Length: 119⏎⏎{"seq":1,"type":"request","command":"initialize",…} ──► Adapter ──► Want
//!                                                                                raw REPL's events ──►
//! ```
//!
//! An [`Adapter`] is one conversation with an editor and one run of a program, or one program that editors
//! [attach](Adapter::host) to one after the other. It reads no file and opens no port: it
//! [requests](Want) such actions, and receives their results. The protocol's specification and schema are
//! <https://microsoft.github.io/debug-adapter-protocol/specification>, version 1.68.

mod adapter;
mod attach;
mod framing;
mod inspect;
mod outcome;
mod request;
mod run;
mod sources;
mod stops;

pub use adapter::{Adapter, LaunchRequest, Want};
pub use framing::{FramingError, farewell};

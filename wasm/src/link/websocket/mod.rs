//! WebSockets: a board's WebREPL, whose password prompt is answered before the application gets any bytes, a board
//! behind `flylead serve`, a Zylisp server.
//!
//! ```no_run
//! # async fn example() -> Result<(), flylead_wasm::Error> {
//! use flylead_wasm::{Board, link::websocket::{self, Password, SocketOptions}};
//!
//! let mut options = SocketOptions::default();
//! options.password = Some(Password::Text("secret".into()));
//! let link = websocket::connect("ws://192.168.4.1:8266".into(), Some(options.into())).await?;
//! let board = Board::attach((&link).into(), None)?;
//! # Ok(()) }
//! ```

mod connection;
#[cfg(feature = "links")]
mod login;
#[cfg(feature = "links")]
mod socket;

pub(crate) use connection::{Connection, Send};
#[cfg(feature = "links")]
pub use socket::{Password, SocketLink, SocketOptions, connect};

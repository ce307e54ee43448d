//! The Zylisp remote REPL over sockets: [`Server`] and [`Client`].
//!
//! ```
//! # use flylead::zylisp::{Client, ReplyOutcome, Server, ServerConfig};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind(ServerConfig::at(["127.0.0.1:0"])?).await?;
//! let client = Client::connect(&server.addresses()[0]).await?;
//! let reply = client.eval("(+ 1 2)").await?;
//! assert!(matches!(reply.outcome, ReplyOutcome::Value { value, .. } if value == 3));
//! server.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! Each connection has an environment of its own and is one task, which reads between two slices of evaluation: an
//! interrupt is seen within fractions of a millisecond, and no client keeps another one waiting for long.

mod board;
mod client;
mod connection;
mod files;
mod listener;
mod server;
mod transport;
#[cfg(unix)]
mod unix;

pub use board::board_evaluator;
pub use client::{Client, ClientError, ClientOptions, Evaluation};
pub use flylead_core::zylisp::*;
pub use server::{BindError, EvaluatorFactory, Server, ServerConfig};

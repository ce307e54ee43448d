//! The Zylisp remote REPL over sockets: [`Server`] and [`Client`].
//!
//! ```
//! # use flylead_native::zylisp::{Client, ReplyOutcome, Server, ServerConfig};
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
//! Each connection has an environment of its own. A short evaluation runs in the task that reads it; a longer one
//! continues in a pool of threads, so that no client keeps another one waiting, and an interrupt is seen at once.

#[cfg(feature = "editors")]
mod board;
mod client;
mod config;
mod connection;
mod files;
mod frames;
mod listener;
mod pool;
mod registry;
mod resident;
mod server;
mod shared;

#[cfg(feature = "editors")]
pub use board::SharedBoard;
pub use client::{Client, ClientError, ClientOptions, Evaluation, Printed};
pub use config::ServerConfig;
pub use flylead_core::zylisp::*;
pub use listener::BindError;
pub use resident::release_pages;
pub use server::Server;

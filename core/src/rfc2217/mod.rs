#![doc = include_str!("README.md")]

mod client;
mod com_port;
mod server;
mod telnet;
#[cfg(test)]
mod tests;
mod wire;

pub use client::{Client, Event as ClientEvent, LostReason, NotNow};
pub use com_port::{Control, FlowControl, Message, Purge};
pub use server::{Event as ServerEvent, Server};

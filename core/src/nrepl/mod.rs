#![doc = include_str!("README.md")]

mod bencode;
mod dialect;
mod reply;

pub use dialect::{NreplDialect, NreplServer};
pub use reply::refuse;

#[cfg(test)]
mod tests;

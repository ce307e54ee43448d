#![doc = include_str!("README.md")]

mod block;
mod family;
mod file;
mod fit;
#[cfg(test)]
mod tests;

pub use block::{BLOCK_LENGTH, Block, MAX_DATA};
pub use family::Family;
pub use file::{Error, FAMILIES_LIMIT, File, Image, SPAN_LIMIT, build};
pub use fit::Fit;

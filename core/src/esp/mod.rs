#![doc = include_str!("README.md")]

mod chip;
mod image;
#[cfg(test)]
mod tests;

pub use chip::Chip;
pub use image::{Error, Image, Program};

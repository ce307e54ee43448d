#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod compile;
mod error;
mod input;
mod interpreter;
mod lexer;
mod machine;
mod manual;
mod place;
mod primitive;
mod print;
mod reader;
mod strings;

pub use error::{Call, Error, ErrorKind};
pub use interpreter::{Interpreter, Limits, Step};
pub use machine::budget::{Budget, Share};
pub use machine::names::{Name, NameKind};
pub use manual::{Entry, MANUAL};
pub use place::{Place, Source};
pub use print::{Item, quoted};
pub use reader::is_unfinished;

#[cfg(test)]
mod tests;

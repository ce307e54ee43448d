#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod budget;
mod call;
mod collect;
mod compile;
mod error;
mod heap;
mod input;
mod interpreter;
mod lexer;
mod manual;
mod memory;
mod names;
mod op;
mod page;
mod place;
mod primitive;
mod print;
mod reader;
mod results;
mod strings;
mod symbol;
mod trace;
mod value;
mod vm;

pub use budget::{Budget, Share};
pub use error::{Call, Error, ErrorKind};
pub use interpreter::{Interpreter, Limits, Step};
pub use manual::{Entry, MANUAL};
pub use names::{Name, NameKind};
pub use place::{Place, Source};
pub use print::{Item, quoted};
pub use reader::is_unfinished;

#[cfg(test)]
mod tests;

#![doc = include_str!("README.md")]

mod answer;
mod frames;
mod install;
mod machine;
mod question;
mod reset;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Content, Errno, Found, Module};
pub use install::{Config, PathError};
pub use machine::{Event, Failure, Mount, QuestionId};
pub use question::{Access, OpenMode, Question};

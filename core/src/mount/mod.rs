#![doc = include_str!("README.md")]

mod answer;
mod bundle;
mod event;
mod frames;
mod imports;
mod install;
mod listing;
mod machine;
mod question;
mod reset;
#[cfg(test)]
mod tests;
mod typed;

pub use answer::{Along, Answer, Content, Errno, Found, Module};
pub use bundle::{Bundler, Look};
pub use event::{Event, Failure, QuestionId};
pub use install::{Config, PathError};
pub use listing::{LONGEST_READ, module_endings, page};
pub use machine::Mount;
pub use question::{Access, OpenMode, Question};
pub use typed::Typed;

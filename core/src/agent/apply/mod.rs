//! Carries out the commands of a reply.

mod answer;
mod change;
pub mod edit;
mod edits;
mod host;
mod outcome;
pub mod path;
mod replace;
mod turn;

pub use answer::{Overrides, Unfit};
pub use change::{Change, Edit, FileCommand, plan};
pub use host::{Approval, Failure, Host, Ran};
pub use outcome::Outcome;
pub use turn::{Step, Task, Turn};

#[cfg(test)]
mod tests;

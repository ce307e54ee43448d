//! What the commands of a reply do.

mod answer;
mod change;
pub mod edit;
pub mod path;
mod turn;

pub use answer::{Overrides, Unfit};
pub use change::{Change, plan};
pub use turn::{Outcome, Step, Turn};

#[cfg(test)]
mod tests;

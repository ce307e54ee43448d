//! Tests that run on boards: files of plain `test_*` functions and of `unittest.TestCase` classes.
//!
//! ```text
//!   find ──► TestFile::read ──► run ──► Event, Event, …
//!            its tests,          │      one Report a test
//!            what it imports     └─ boards take files from one queue
//!                                     soft reset · sync · Runner · the file · one program a test
//! ```
//!
//! What goes to the board beside the tests is in [`Runner`], which is all that there is of this module without the feature
//! `testing`; [its README](https://github.com/flylead/flylead/blob/main/native/src/testing/board/README.md) says what it
//! does there.

#[cfg(feature = "testing")]
mod boards;
#[cfg(feature = "testing")]
mod collect;
#[cfg(feature = "testing")]
mod event;
#[cfg(feature = "testing")]
mod file;
#[cfg(feature = "testing")]
mod imports;
#[cfg(feature = "testing")]
mod report;
#[cfg(feature = "testing")]
mod run;
mod runner;
#[cfg(feature = "testing")]
mod select;
#[cfg(feature = "testing")]
mod sync;

#[cfg(feature = "testing")]
pub use boards::{Running, run};
#[cfg(feature = "testing")]
pub use collect::{NoPython, collect};
#[cfg(feature = "testing")]
pub use event::Event;
#[cfg(feature = "testing")]
pub use file::{FileError, TestFile, find};
#[cfg(feature = "testing")]
pub use imports::modules;
#[cfg(feature = "testing")]
pub use report::{Report, Status};
#[cfg(feature = "testing")]
pub use run::Options;
pub use runner::{Runner, SENT, Said};
#[cfg(feature = "testing")]
pub use select::{Selection, SelectionError};
#[cfg(feature = "testing")]
pub use sync::{SyncError, sync};

/// A test in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The `unittest.TestCase` that it belongs to, if it is no function of its own.
    pub class: Option<String>,
    /// The name of the function or method.
    pub function: String,
    /// The line of its `def`, from 1.
    pub line: u32,
}

impl Test {
    /// Its name within the file, such as `test_pins` or `TestPins::test_high`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.class {
            Some(class) => format!("{class}::{}", self.function),
            None => self.function.clone(),
        }
    }
}

//! Tests that run on boards: files of plain `test_*` functions, of plain `Test*` classes and of `unittest.TestCase`
//! classes.
//!
//! ```text
//!   find ──► TestFile::read ──► run ──► Event, Event, …
//!            its tests,          │      one Report a test
//!            what it imports     └─ boards take files from one queue
//!                                     soft reset · sync · Runner · the file · one program a test
//! ```
//!
//! [`Runner`] contains the code that goes to the board besides the tests. Without the feature `testing` it is all of
//! this module; [its README](https://github.com/flylead/flylead/blob/main/native/src/testing/board/README.md) describes
//! what it does on the board.

#[cfg_attr(
    not(feature = "testing"),
    allow(
        dead_code,
        reason = "they are made of files, which are read by that feature"
    )
)]
mod asserts;
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
mod rewrite;
#[cfg(feature = "testing")]
mod run;
mod runner;
#[cfg(feature = "testing")]
mod select;

pub use asserts::Asserts;
#[cfg(feature = "testing")]
pub use boards::{Running, run};
#[cfg(feature = "testing")]
pub use collect::{Collection, NoPython, Remark, collect};
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

/// Test in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Class of the test, if any; nested ones as `TestOuter.TestInner`.
    pub class: Option<String>,
    /// Name of the function or method.
    pub function: String,
    /// Line of its `def`, from 1.
    pub line: u32,
    /// Effect of calling the test.
    pub form: Form,
    /// True for a method of a `unittest.TestCase`, false for one of a plain class.
    pub is_case: bool,
    /// True if the file may not define the test, as below `if`; it is skipped on boards that lack it.
    pub is_conditional: bool,
}

/// Effect of calling a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The call runs the test.
    Plain,
    /// The call makes a coroutine, which `asyncio.run` runs.
    Coroutine,
    /// The call makes a generator, and runs nothing.
    Generator,
}

impl Test {
    /// Returns the name within the file, such as `test_pins` or `TestPins::test_high`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.class {
            Some(class) => format!("{}::{}", class.replace('.', "::"), self.function),
            None => self.function.clone(),
        }
    }

    /// Returns the reason why the test cannot run on any board.
    #[must_use]
    pub const fn refusal(&self) -> Option<&'static str> {
        match self.form {
            Form::Plain | Form::Coroutine => None,
            Form::Generator => Some(
                "it has a yield, so calling it makes a generator and runs nothing; write it without yield",
            ),
        }
    }

    #[cfg(feature = "testing")]
    fn is_named_as(&self, other: &Self) -> bool {
        self.class == other.class && self.function == other.function
    }
}

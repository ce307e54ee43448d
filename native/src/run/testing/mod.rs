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
//! this module; [its README](https://github.com/flylead/flylead/blob/main/native/src/run/testing/board/README.md) describes
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
pub use boards::{Restart, Running, run};
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
pub use run::{Options, Reset};
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
    /// Fixtures and parameters; `None` in a file without pytest's own means.
    pub request: Option<Request>,
}

/// Fixtures and parameters of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Names of the arguments.
    pub arguments: Vec<String>,
    /// Names of all fixtures, in the order of their setup.
    pub fixtures: Vec<String>,
    /// Identifier of the parameters, in brackets behind the name; `None` for a test without parameters.
    pub id: Option<String>,
    /// Position of the values in each `parametrize`; `None` in an empty list.
    pub values: Vec<Option<usize>>,
    /// Fixtures with `params`, by their names and definitions, and the position of the value.
    pub params: Vec<(String, Fixture, Option<usize>)>,
    /// Names of the marks, such as `slow` of `@pytest.mark.slow`.
    pub marks: Vec<String>,
    /// True if the parameters are unknown before the file runs.
    pub is_computed: bool,
}

/// Definition of a fixture: a function that provides a value to tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// Name by which tests request the fixture.
    pub name: String,
    /// Place of the definition.
    pub owner: Owner,
    /// Name of the function.
    pub function: String,
    /// Names of the function's arguments, without `self`.
    pub arguments: Vec<String>,
    /// Effect of calling the function.
    pub form: Form,
    /// True for a coroutine or an asynchronous generator.
    pub is_async: bool,
    /// True with `autouse=True`.
    pub is_auto: bool,
    /// Rank of the scope: 0 for a session, up to 4 for a function.
    pub scope: u8,
    /// Identifiers of the values in `params`; `None` if there are none, an empty list if they are unknown.
    pub ids: Option<Vec<String>>,
}

/// Place of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The test file.
    File,
    /// A class of the test file; nested ones as `TestOuter.TestInner`.
    Class(String),
    /// The `conftest.py` with this number; 0 is the nearest one.
    Conftest(usize),
}

#[cfg(feature = "testing")]
impl Owner {
    /// Returns the name that the `conftest.py` with this number has as a module of the board.
    pub(crate) fn module(number: usize) -> String {
        format!("_fl_conftest{number}")
    }
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
            Some(class) => format!("{}::{}", class.replace('.', "::"), self.title()),
            None => self.title(),
        }
    }

    /// Returns the name without its class, such as `test_high[1-2]`.
    #[must_use]
    pub fn title(&self) -> String {
        match self.request.as_ref().and_then(|it| it.id.as_ref()) {
            Some(id) => format!("{}[{id}]", self.function),
            None => self.function.clone(),
        }
    }

    /// Returns the reason why the test cannot run on any board.
    #[must_use]
    pub fn refusal(&self) -> Option<&'static str> {
        if self.request.as_ref().is_some_and(|it| it.is_computed) {
            return Some(
                "its parameters are computed, so their number is unknown; write them as a list of literals",
            );
        }
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

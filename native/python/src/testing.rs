//! Runs tests on boards for the pytest plugin: the files and the runner of `flylead test`.

use std::path::PathBuf;

use flylead_core::raw_repl::Traceback;
use flylead_native::testing::{self, FileError, Test};
use pyo3::{exceptions::PySyntaxError, prelude::*};

use crate::request::{Request, Task};

/// A test's own output, its duration in seconds by the board's clock, its failed `subTest`s, each with its description
/// and traceback; true if its setup failed; and the tracebacks of its teardown.
type Said = (
    String,
    Option<f64>,
    Vec<(String, String)>,
    bool,
    Vec<String>,
);

/// A test's class, function and line; the programs that run the test and its class's setup and teardown; the reason
/// why it cannot run; and its marks.
type Place = (
    Option<String>,
    String,
    u32,
    String,
    Option<String>,
    Option<String>,
    Option<&'static str>,
    Vec<String>,
);

/// A test file of this computer that was read; see `flylead_native::testing::TestFile`.
#[pyclass(frozen, module = "flylead._flylead")]
pub(crate) struct TestFile(testing::TestFile);

#[pymethods]
impl TestFile {
    /// Reads a test file. Modules that it imports are searched for beside it, and then below `roots`.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, roots: Vec<PathBuf>) -> PyResult<Self> {
        let read = py.detach(|| testing::TestFile::read(&path, &roots));
        read.map(Self).map_err(|error| match error {
            FileError::Unreadable(error) => error.into(),
            FileError::NoPython(error) => PySyntaxError::new_err(error.to_string()),
        })
    }

    #[getter]
    fn source(&self) -> &str {
        &self.0.source
    }

    #[getter]
    fn tests(&self) -> Vec<Place> {
        let place = |test: &Test| {
            (
                test.class.clone(),
                test.title(),
                test.line,
                testing::Runner::call(test),
                testing::Runner::set_up_class(test),
                testing::Runner::tear_down_class(test),
                test.refusal(),
                marks(test),
            )
        };
        self.0.tests.iter().map(place).collect()
    }

    /// Returns the lines and reasons of code that looks like a test but does not run.
    #[getter]
    fn remarks(&self) -> Vec<(u32, &str)> {
        let remarks = self.0.remarks.iter();
        remarks
            .map(|remark| (remark.line, remark.message.as_str()))
            .collect()
    }

    /// Returns the program that reports the facts about a board that `Runner` needs.
    #[getter]
    fn probe(&self) -> String {
        testing::Runner::probe(&self.0.source, &self.0.tests)
    }

    /// Returns the program that tears down the fixtures of the file.
    #[getter]
    fn finish(&self) -> Option<&'static str> {
        testing::Runner::finish(&self.0.tests)
    }

    /// Sends the modules that the file imports and that differ from those on the board.
    fn sync(&self) -> Request {
        let modules = self.0.modules.clone();
        Request(Task::Sync { modules })
    }
}

fn marks(test: &Test) -> Vec<String> {
    let request = test.request.as_ref();
    request.map(|it| it.marks.clone()).unwrap_or_default()
}

/// The runner for one test file; see `flylead_native::testing::Runner`.
#[pyclass(frozen, module = "flylead._flylead")]
pub(crate) struct Runner(testing::Runner);

#[pymethods]
impl Runner {
    #[classattr]
    const LEAVE: &'static str = testing::Runner::LEAVE;

    #[new]
    #[pyo3(signature = (file, probed, rewrites=true))]
    fn new(file: &TestFile, probed: &str, rewrites: bool) -> Self {
        let file = &file.0;
        let asserts = rewrites.then_some(&file.asserts);
        Self(testing::Runner::new(
            &file.source,
            &file.tests,
            &file.fixtures,
            asserts,
            probed,
        ))
    }

    /// Returns the test file as it is sent to the board.
    #[getter]
    fn file(&self) -> &str {
        self.0.file()
    }

    /// Replaces the mark of a failed assert by the values that it compared.
    fn explain(&self, text: &str) -> String {
        self.0.explain(text)
    }

    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    fn read(&self, output: &[u8]) -> Said {
        let said = self.0.read(output);
        let parts = said.failed_parts.into_iter();
        let parts = parts.map(|(words, traceback)| (words, traceback.text));
        let seconds = said.took.map(|took| took.as_secs_f64());
        let torn = said.torn.into_iter().map(|it| it.text);
        (
            said.printed,
            seconds,
            parts.collect(),
            said.in_setup,
            torn.collect(),
        )
    }

    /// Returns a traceback with the names of this computer's files, and without the runner's own calls.
    fn tidy(&self, traceback: &str, file: &TestFile) -> String {
        let traceback = Traceback::parse(traceback.as_bytes());
        let name = |on_board: &str| Some(file.0.path_of(on_board)?.display().to_string());
        self.0.tidy(traceback, name).text
    }
}

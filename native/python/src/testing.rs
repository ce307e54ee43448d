//! What runs tests on boards, for the pytest plugin: the runner of `flylead test`.

use flylead::testing::{self, SENT, Test};
use flylead_core::raw_repl::Traceback;
use pyo3::prelude::*;

/// A test's own output, its seconds by the board's clock, and its failed `subTest`s, each with its words and traceback.
type Said = (String, Option<f64>, Vec<(String, String)>);

/// The runner for one test file; `flylead::testing::Runner` says more.
#[pyclass(frozen, module = "flylead._flylead")]
pub(crate) struct Runner(testing::Runner);

#[pymethods]
impl Runner {
    #[classattr]
    const PROBE: &'static str = testing::Runner::PROBE;
    #[classattr]
    const LEAVE: &'static str = testing::Runner::LEAVE;

    #[new]
    #[pyo3(signature = (file, probed=None))]
    fn new(file: &str, probed: Option<&str>) -> Self {
        Self(testing::Runner::new(file, probed))
    }

    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    #[staticmethod]
    fn call(class_name: Option<String>, function: String) -> String {
        let line = 1;
        let class = class_name;
        testing::Runner::call(&Test {
            class,
            function,
            line,
        })
    }

    #[staticmethod]
    fn set_up_class(class_name: &str) -> String {
        testing::Runner::set_up_class(class_name)
    }

    #[staticmethod]
    fn tear_down_class(class_name: &str) -> String {
        testing::Runner::tear_down_class(class_name)
    }

    fn read(&self, output: &[u8]) -> Said {
        let said = self.0.read(output);
        let parts = said.failed_parts.into_iter();
        let parts = parts.map(|(words, traceback)| (words, traceback.text));
        let seconds = said.took.map(|took| took.as_secs_f64());
        (said.printed, seconds, parts.collect())
    }

    /// A traceback with the name of this computer's file, and without the runner's own calls.
    fn tidy(&self, traceback: &str, file: &str) -> String {
        let traceback = Traceback::parse(traceback.as_bytes());
        let name = |sent: &str| (sent == SENT).then(|| file.to_owned());
        self.0.tidy(traceback, name).text
    }
}

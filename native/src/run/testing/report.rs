//! Results of tests.

use std::{fs, path::Path, time::Duration};

use flylead_core::raw_repl::Traceback;

use super::{Runner, Said, Test, TestFile, runner::BARE};

/// Result of a test, or the reason why a file's tests did not run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// Test; `None` if the report is about the file as a whole.
    pub test: Option<Test>,
    /// Status of the test.
    pub status: Status,
    /// Duration by the board's clock, or by ours if the board has none.
    pub took: Duration,
    /// Output of the test.
    pub printed: String,
    /// Reason why the test did not pass, or was skipped, in one or a few lines.
    pub message: String,
    /// Tracebacks, with the names and lines of this computer's files.
    pub details: String,
    /// Line of the file at which the test failed, from 1.
    pub line: Option<u32>,
}

/// Status of a test, in pytest's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The test passed.
    Passed,
    /// The test raised an exception, had a failed `subTest`, or exceeded its time limit.
    Failed,
    /// The test did not run, or the board was lost during it.
    Error,
    /// The test reported that it cannot run here.
    Skipped,
    /// The test was expected to fail, and did.
    ExpectedFailure,
    /// The test was expected to fail, and passed.
    UnexpectedPass,
}

impl Report {
    pub(super) fn new(test: Option<&Test>, status: Status, message: impl ToString) -> Self {
        Self {
            test: test.cloned(),
            status,
            took: Duration::ZERO,
            printed: String::new(),
            message: message.to_string(),
            details: String::new(),
            line: None,
        }
    }

    /// Adds the runner's results; a failed `subTest` makes the test fail.
    pub(super) fn with(mut self, said: Said, ours: Duration, tracebacks: &Tracebacks<'_>) -> Self {
        self.took = said.took.unwrap_or(ours);
        self.printed = said.printed;
        if self.status == Status::Passed && !said.failed_parts.is_empty() {
            self.status = Status::Failed;
            let (words, traceback) = &said.failed_parts[0];
            self.message = format!(
                "subTest {words}: {}",
                headline(&tracebacks.tidy(traceback.clone()))
            );
        }
        if self.status == Status::Failed && said.in_setup {
            self.status = Status::Error;
        }
        if self.status == Status::Failed {
            for (words, traceback) in said.failed_parts {
                self.details += &format!("subTest {words}\n");
                self.add(traceback, tracebacks);
            }
        }
        self
    }

    /// Adds the traceback of the failure.
    pub(super) fn add(&mut self, traceback: Traceback, tracebacks: &Tracebacks<'_>) {
        let traceback = tracebacks.tidy(traceback);
        let file = tracebacks.file.path.display().to_string();
        let in_file = traceback.frames.iter().rev().find(|at| at.file == file);
        self.line = self.line.or(in_file.map(|frame| frame.line));
        self.details += &tracebacks.with_sources(&traceback);
    }

    /// Creates a report whose message is the exception's name and message.
    pub(super) fn raised(
        test: Option<&Test>,
        status: Status,
        traceback: Traceback,
        tracebacks: &Tracebacks<'_>,
    ) -> Self {
        let why = headline(&tracebacks.tidy(traceback.clone()));
        let mut report = Self::new(test, status, why);
        report.add(traceback, tracebacks);
        report
    }
}

/// Formats an exception like `ValueError: bad pin`.
fn headline(traceback: &Traceback) -> String {
    match (traceback.exception.as_str(), traceback.message.as_str()) {
        ("", _) => traceback.text.trim().to_owned(),
        (BARE, message) => message.trim().to_owned(),
        (exception, "") => exception.to_owned(),
        // pytest also omits the exception here.
        ("AssertionError", message) if message.starts_with("assert ") => message.to_owned(),
        (exception, message) => format!("{exception}: {message}"),
    }
}

/// Facts about the files that tracebacks name.
pub(super) struct Tracebacks<'a> {
    pub(super) file: &'a TestFile,
    pub(super) runner: &'a Runner,
}

impl Tracebacks<'_> {
    fn tidy(&self, traceback: Traceback) -> Traceback {
        let name = |on_board: &str| Some(self.file.path_of(on_board)?.display().to_string());
        self.runner.tidy(traceback, name)
    }

    /// Formats a traceback, each call with its line of the source, as Python itself does.
    fn with_sources(&self, traceback: &Traceback) -> String {
        let mut text = String::new();
        let mut frames = traceback.frames.iter();
        for line in traceback.text.lines() {
            text += line;
            text.push('\n');
            if line.starts_with("  File \"")
                && let Some(frame) = frames.next()
                && let Some(source) = self.source(&frame.file, frame.line)
            {
                text += &format!("    {}\n", source.trim());
            }
        }
        text
    }

    fn source(&self, file: &str, line: u32) -> Option<String> {
        let at = (line as usize).checked_sub(1)?;
        let is_test = Path::new(file) == self.file.path;
        if is_test {
            return self.file.source.lines().nth(at).map(str::to_owned);
        }
        let mut modules = self.file.modules.values();
        let module = modules.find(|path| Path::new(file) == path.as_path())?;
        let source = fs::read_to_string(module).ok()?;
        source.lines().nth(at).map(str::to_owned)
    }
}

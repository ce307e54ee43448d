//! Results of all tests.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use flylead_native::testing::{Event, FileError, Remark, Report, Status, TestFile};

use super::Exit;

/// Results of all tests so far.
#[derive(Debug)]
pub(super) struct Results {
    /// Files that could not be run.
    pub(super) broken: Vec<(PathBuf, FileError)>,
    /// Code that looks like a test and does not run.
    pub(super) remarks: Vec<(PathBuf, Remark)>,
    pub(super) reports: Vec<Ended>,
    pub(super) counts: BTreeMap<Status, usize>,
    began: Instant,
    pub(super) took: Duration,
}

/// A completed test.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) board: Option<usize>,
    pub(super) file: usize,
    pub(super) report: Report,
}

impl Ended {
    /// Returns a name such as `tests/test_a.py::TestPins::test_high`.
    pub(super) fn name(&self, files: &[TestFile]) -> String {
        report_name(&files[self.file], &self.report)
    }
}

impl Results {
    pub(super) fn new(broken: Vec<(PathBuf, FileError)>, remarks: Vec<(PathBuf, Remark)>) -> Self {
        let mut counts = BTreeMap::new();
        if !broken.is_empty() {
            counts.insert(Status::Error, broken.len());
        }
        Self {
            broken,
            remarks,
            reports: Vec::new(),
            counts,
            began: Instant::now(),
            took: Duration::ZERO,
        }
    }

    pub(super) fn add(&mut self, event: Event) {
        if let Event::Ended {
            board,
            file,
            report,
        } = event
        {
            *self.counts.entry(report.status).or_default() += 1;
            self.reports.push(Ended {
                board,
                file,
                report: *report,
            });
        }
    }

    pub(super) fn end(&mut self) {
        self.took = self.began.elapsed();
    }

    /// Iterates over the results of one kind.
    pub(super) fn of(&self, status: Status) -> impl Iterator<Item = &Ended> {
        self.reports
            .iter()
            .filter(move |ended| ended.report.status == status)
    }

    pub(super) fn count(&self, status: Status) -> usize {
        self.counts.get(&status).copied().unwrap_or_default()
    }

    pub(super) fn exit(&self) -> Exit {
        if self.count(Status::Failed) + self.count(Status::Error) > 0 {
            return Exit::TestsFailed;
        }
        match self.reports.is_empty() {
            true => Exit::NoTests,
            false => Exit::Done,
        }
    }
}

/// Returns a name such as `tests/test_a.py::TestPins::test_high`, or that of the file alone.
pub(super) fn report_name(file: &TestFile, report: &Report) -> String {
    let path = name(&file.path);
    match &report.test {
        Some(test) => format!("{path}::{}", test.name()),
        None => path,
    }
}

/// Returns a file's name as it was given.
pub(super) fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Returns pytest's words for a status, and its letter.
pub(super) const fn words(status: Status) -> (&'static str, &'static str, char) {
    match status {
        Status::Passed => ("PASSED", "passed", '.'),
        Status::Failed => ("FAILED", "failed", 'F'),
        Status::Error => ("ERROR", "error", 'E'),
        Status::Skipped => ("SKIPPED", "skipped", 's'),
        Status::ExpectedFailure => ("XFAIL", "xfailed", 'x'),
        Status::UnexpectedPass => ("XPASS", "xpassed", 'X'),
    }
}

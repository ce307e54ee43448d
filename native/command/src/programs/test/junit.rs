//! Results as JUnit's XML, for CI systems.

use std::{collections::BTreeMap, fmt::Write as _, path::Path, time::Duration};

use flylead_native::testing::{Report as TestReport, Status, TestFile};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{
    Exit, Failure,
    results::{Ended, Results, name},
};
use crate::files::fs::save;

/// Writes the file completely or not at all.
pub(super) async fn write(
    path: &Path,
    results: &Results,
    files: &[TestFile],
    boards: &[String],
) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| {
        Failure::new(Exit::TestsUsage, format!("{}: {error}", path.display()))
    };
    let text = report(results, files, boards)
        .to_string()
        .map_err(|error| fault(&error))?;
    save(path, text.into_bytes())
        .await
        .map_err(|error| fault(&error))
}

/// Builds the report, with one suite for each file and board.
fn report(results: &Results, files: &[TestFile], boards: &[String]) -> Report {
    let mut suites: BTreeMap<(usize, Option<usize>), Vec<&Ended>> = BTreeMap::new();
    for ended in &results.reports {
        let suite = suites.entry((ended.file, ended.board)).or_default();
        suite.push(ended);
    }
    let mut report = Report::new("flylead");
    report.set_time(results.took);
    for ((file, board), all) in suites {
        let mut suite = TestSuite::new(name(&files[file].path));
        if let Some(board) = board {
            suite.add_property(("board", boards[board].as_str()));
        }
        suite.set_time(all.iter().map(|ended| ended.report.took).sum::<Duration>());
        suite.add_test_cases(
            all.into_iter()
                .map(|ended| case(&files[file], &ended.report)),
        );
        report.add_test_suite(suite);
    }
    for (path, error) in &results.broken {
        let mut suite = TestSuite::new(name(path));
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(xml(&error.to_string()));
        suite.add_test_case(TestCase::new(name(path), status));
        report.add_test_suite(suite);
    }
    report
}

fn case(file: &TestFile, report: &TestReport) -> TestCase {
    let module = name(&file.path.with_extension("")).replace(['/', '\\'], ".");
    let (class, function) = match &report.test {
        Some(test) => (test.class.as_deref(), test.title()),
        None => (None, name(&file.path)),
    };
    let mut case = TestCase::new(function, status(report));
    case.set_classname(match class {
        Some(class) => format!("{module}.{class}"),
        None => module,
    });
    case.set_time(report.took);
    if !report.printed.is_empty() {
        case.set_system_out(xml(&report.printed));
    }
    let line = report.line.or(report.test.as_ref().map(|test| test.line));
    case.extra.insert("file".into(), name(&file.path).into());
    if let Some(line) = line {
        case.extra.insert("line".into(), line.to_string().into());
    }
    case
}

fn status(report: &TestReport) -> TestCaseStatus {
    let mut status = match report.status {
        Status::Passed | Status::UnexpectedPass => return TestCaseStatus::success(),
        Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Status::Skipped | Status::ExpectedFailure => TestCaseStatus::skipped(),
    };
    status.set_message(xml(&report.message));
    if !report.details.is_empty() {
        status.set_description(xml(&report.details));
    }
    status
}

/// Returns a text in which characters that no XML document may have are replaced as in pytest: `#xFFFE` (XML 1.0, 2.2
/// Characters).
fn xml(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => {
                clean.push(character);
            }
            _ => {
                let _ = write!(clean, "#x{:02X}", u32::from(character));
            }
        }
    }
    clean
}

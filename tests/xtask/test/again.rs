//! Tests that failed are run again, alone: those of Node, pytest and browsers. Rust's have [a runner](crate::test::nextest)
//! that does so.
//!
//! A whole run starts thousands of processes, boards and browsers on two cores, and a test that is right may fail there
//! for what runs beside it. One that fails alone, too, is a failure. One that passes then is named at the end of the run,
//! with what it said when it failed: it has a race, or the program has one, and either is worth a look.

use crate::shell::Shell;
use crate::test::nextest;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Runs tests of Node's in a folder: `options`, and what a failing file is run with alone.
pub(crate) fn node(shell: &Shell, folder: &Path, options: &[&str]) -> Result<()> {
    let run = |more: &[&str]| {
        let mut tests = shell.command("node", &["--test", "--test-reporter=tap"]);
        tests.args(options).args(more).current_dir(folder);
        tests
    };
    let Some((said, error)) = fails(shell, &mut run(&[]))? else {
        return Ok(());
    };
    let files = failed_files(&said);
    if !(1..=MOST).contains(&files.len()) {
        return Err(error);
    }
    for file in files {
        shell.run(&mut run(&["--test-concurrency=1", &file]))?;
        passed(shell, &file)?;
    }
    Ok(())
}

/// Runs tests of pytest's, which knows itself what failed.
pub(crate) fn pytest(shell: &Shell, tests: impl Fn() -> Command) -> Result<()> {
    let Some((said, error)) = fails(shell, &mut tests())? else {
        return Ok(());
    };
    let failed = failed_by_pytest(&said);
    if !(1..=MOST).contains(&failed.len()) {
        return Err(error);
    }
    shell.run(tests().arg("--last-failed"))?;
    failed.iter().try_for_each(|test| passed(shell, test))
}

/// Runs what cannot be taken apart a second time if it fails.
pub(crate) fn whole(shell: &Shell, name: &str, run: impl Fn() -> Result<()>) -> Result<()> {
    if run().is_ok() {
        return Ok(());
    }
    run()?;
    passed(shell, name)
}

/// The tests of a step's log that failed, and passed when they were run again.
pub(crate) fn passed_alone(log: &str) -> Vec<String> {
    let lines = log.lines().filter_map(|line| line.strip_prefix(MARK));
    lines
        .map(str::to_owned)
        .chain(nextest::flaky(log))
        .collect()
}

/// Returns the output of a command that failed, and its error.
fn fails(shell: &Shell, command: &mut Command) -> Result<Option<(String, anyhow::Error)>> {
    let before = shell.said()?.len();
    let Err(error) = shell.run(command) else {
        return Ok(None);
    };
    let said = shell.said()?.split_off(before);
    Ok(Some((said, error)))
}

fn passed(shell: &Shell, test: &str) -> Result<()> {
    shell.note(&format!("{MARK}{test}"))
}

/// Reads the places that Node names below each `not ok`.
fn failed_files(said: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut has_failed = false;
    for line in said.lines().map(str::trim_start) {
        if line.starts_with("not ok ") {
            has_failed = true;
        } else if line.starts_with("ok ") {
            has_failed = false;
        }
        let place = line.strip_prefix("location: '").filter(|_| has_failed);
        let file = place.and_then(|place| place.rsplitn(3, ':').nth(2));
        files.extend(file.map(str::to_owned));
    }
    files
}

/// `FAILED tests/test_board.py::test_it - AssertionError`, in its summary.
fn failed_by_pytest(said: &str) -> BTreeSet<String> {
    let lines = said.lines().filter_map(|line| {
        let failed = line
            .strip_prefix("FAILED ")
            .or_else(|| line.strip_prefix("ERROR "))?;
        failed.split(" - ").next()
    });
    lines
        .filter(|name| name.contains("::"))
        .map(str::to_owned)
        .collect()
}

/// Before the name of a test that passed alone, in a step's log.
const MARK: &str = "passed alone: ";
/// Limit of repeated tests: if more fail, something is broken.
const MOST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_failures_are_read_and_of_nothing_else() {
        let said = "    not ok 2 - bad\n      ---\n      location: '/a/b.test.js:3:1'\n      ...\n\
                    not ok 1 - of it\n  location: '/a/b.test.js:1:1'\nok 3 - good\n  location: '/a/c.test.js:1:1'\n";
        assert_eq!(failed_files(said), ["/a/b.test.js".to_owned()].into());
    }

    #[test]
    fn the_failures_of_pytest_are_read() {
        let said = "FAILED tests/test_a.py::test_b - AssertionError: x - y\nERROR tests/test_a.py::test_c\n\
                    ERROR: not a test\n1 failed, 3 passed in 2.00s\n";
        let expected = ["tests/test_a.py::test_b", "tests/test_a.py::test_c"];
        assert_eq!(failed_by_pytest(said), expected.map(str::to_owned).into());
    }
}

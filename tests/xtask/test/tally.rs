//! Counting what the test runners said they ran.

/// Counts the passed tests in a step's log, by the closing lines of their runners.
pub(crate) fn passed(log: &str) -> usize {
    log.lines()
        .filter_map(|line| {
            cargo(line)
                .or_else(|| nextest(line))
                .or_else(|| node(line))
                .or_else(|| pytest(line))
        })
        .sum()
}

/// `test result: ok. 12 passed; 0 failed; …`
fn cargo(line: &str) -> Option<usize> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    counts.split_once(" passed")?.0.parse().ok()
}

/// `     Summary [   1.234s] 12 tests run: 12 passed (1 flaky), 3 skipped`
fn nextest(line: &str) -> Option<usize> {
    let (_, counts) = line
        .trim_start()
        .strip_prefix("Summary [")?
        .split_once(" run: ")?;
    counts.split_once(" passed")?.0.parse().ok()
}

/// `# pass 12`, or `ℹ pass 12` on a terminal.
fn node(line: &str) -> Option<usize> {
    let count = line
        .strip_prefix("# pass ")
        .or_else(|| line.strip_prefix("ℹ pass "))?;
    count.trim().parse().ok()
}

/// `12 passed, 1 skipped in 3.45s`
fn pytest(line: &str) -> Option<usize> {
    let (counts, time) = line.split_once(" in ")?;
    time.ends_with('s').then_some(())?;
    let mut counts = counts.split(", ").filter_map(|count| count.split_once(' '));
    let (count, _) = counts.find(|(_, word)| *word == "passed")?;
    count.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::passed;

    #[test]
    fn closing_lines_of_all_runners_are_counted() {
        let log = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored\n\
                   test result: FAILED. 3 passed; 1 failed; 0 ignored\n\
                   \u{20}    Summary [   1.234s] 8 tests run: 7 passed (1 flaky), 1 failed, 3 skipped\n# pass 4\nℹ pass 5\n# fail 1\n\
                   1 failed, 6 passed, 2 skipped in 1.23s";
        assert_eq!(passed(log), 27);
    }

    #[test]
    fn a_program_that_prints_about_passing_is_not_counted() {
        assert_eq!(passed("12 passed\npass 3\n"), 0);
    }
}

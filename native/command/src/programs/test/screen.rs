//! Results for a person, in the style of pytest.

use std::{collections::BTreeMap, fmt::Write as _, io, path::Path};

use flylead_native::testing::{Event, Report, Status, TestFile};

use super::{
    files::Collected,
    results::{Ended, Results, name, report_name, words},
};
use crate::terminal::{print, print_line, say};

/// Shows events as they happen, and the results at the end.
#[derive(Debug)]
pub(super) struct Screen {
    boards: Vec<String>,
    verbose: bool,
    total: usize,
    /// Ended tests of each file, by its number.
    ended: BTreeMap<usize, usize>,
    /// One line for each board: a file, then a letter for each test. A single board's line is printed as it grows.
    lines: Vec<String>,
}

impl Screen {
    pub(super) fn new(boards: Vec<String>, verbose: bool, total: usize) -> Self {
        Self {
            lines: vec![String::new(); boards.len()],
            boards,
            verbose,
            total,
            ended: BTreeMap::new(),
        }
    }

    pub(super) fn begin(&self, collected: &Collected) -> io::Result<()> {
        let mut text = format!("collected {}", counted(self.total, "test"));
        let _ = write!(text, " in {}", counted(collected.files.len(), "file"));
        if collected.deselected > 0 {
            let _ = write!(text, ", {} deselected", collected.deselected);
        } else if self.total == 0 && collected.broken.is_empty() {
            text.push_str(SOUGHT);
        }
        print_line(text)
    }

    pub(super) fn tell(&mut self, event: &Event, files: &[TestFile]) -> io::Result<()> {
        match event {
            Event::Began { board, file } => self.begin_file(*board, &files[*file].path),
            Event::Ended {
                board,
                file,
                report,
            } => {
                self.count(*file, files[*file].tests.len(), report.test.is_some());
                match (self.verbose, board) {
                    (true, _) => self.line(*board, &files[*file], report),
                    (false, Some(board)) => self.letter(*board, report.status),
                    (false, None) => Ok(()),
                }
            }
            Event::Restarted { board, why } => {
                self.end_line(*board)?;
                say(format_args!(
                    "flylead: {} was lost and restarted: {why}",
                    self.boards[*board]
                ));
                Ok(())
            }
            Event::Lost { board, why } => {
                self.end_line(*board)?;
                say(format_args!(
                    "flylead: {} was lost: {why}",
                    self.boards[*board]
                ));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin_file(&mut self, board: usize, path: &Path) -> io::Result<()> {
        if self.verbose {
            return Ok(());
        }
        self.end_line(board)?;
        self.lines[board] = format!("{} ", name(path));
        match self.is_alone() {
            true => print(&self.lines[board]),
            false => Ok(()),
        }
    }

    fn letter(&mut self, board: usize, status: Status) -> io::Result<()> {
        let (_, _, letter) = words(status);
        self.lines[board].push(letter);
        match self.is_alone() {
            true => print(letter),
            false => Ok(()),
        }
    }

    /// Ends the line of a board's file, with the overall progress.
    fn end_line(&mut self, board: usize) -> io::Result<()> {
        let line = std::mem::take(&mut self.lines[board]);
        if line.is_empty() {
            return Ok(());
        }
        let far = format!("[{:>3}%]", self.percent());
        let room = WIDTH.saturating_sub(line.chars().count());
        match self.is_alone() {
            true => print_line(format_args!("{far:>room$}")),
            false => print_line(format_args!("{line}{far:>room$}")),
        }
    }

    fn line(&self, board: Option<usize>, file: &TestFile, report: &Report) -> io::Result<()> {
        let (word, _, _) = words(report.status);
        let name = report_name(file, report);
        let board = board.filter(|_| !self.is_alone());
        let board = board.map_or(String::new(), |board| format!("[{}] ", self.boards[board]));
        let why = match report.status == Status::Skipped {
            true => format!(" ({})", report.message),
            false => String::new(),
        };
        let line = format!("{board}{name} {word}{why}");
        let far = format!("[{:>3}%]", self.percent());
        let room = WIDTH
            .saturating_sub(line.chars().count())
            .max(far.len() + 1);
        print_line(format_args!("{line}{far:>room$}"))
    }

    /// Counts an ended test of a file, or all of them for a file that cannot go on.
    fn count(&mut self, file: usize, tests: usize, is_test: bool) {
        let ended = self.ended.entry(file).or_default();
        *ended = if is_test { *ended + 1 } else { tests };
    }

    fn percent(&self) -> usize {
        let ended: usize = self.ended.values().sum();
        (ended * 100)
            .checked_div(self.total)
            .unwrap_or(100)
            .min(100)
    }

    fn is_alone(&self) -> bool {
        self.boards.len() == 1
    }

    pub(super) fn end(
        &mut self,
        results: &Results,
        files: &[TestFile],
        durations: Option<usize>,
        interrupted: bool,
    ) -> io::Result<()> {
        for board in 0..self.boards.len() {
            self.end_line(board)?;
        }
        self.failures("ERRORS", Status::Error, results, files)?;
        self.failures("FAILURES", Status::Failed, results, files)?;
        slowest(results, files, durations)?;
        warnings(results)?;
        short_summary(results, files)?;
        let interrupted = if interrupted { "interrupted, " } else { "" };
        print_line(rule('=', &format!("{interrupted}{}", totals(results))))
    }

    fn failures(
        &self,
        heading: &str,
        status: Status,
        results: &Results,
        files: &[TestFile],
    ) -> io::Result<()> {
        let broken = match status == Status::Error {
            true => results.broken.as_slice(),
            false => &[],
        };
        if results.count(status) > 0 {
            print_line(rule('=', heading))?;
        }
        for (path, error) in broken {
            print_line(format_args!("{}\n{error}", rule('_', &name(path))))?;
        }
        for ended in results.of(status) {
            print_line(self.failure(ended, files))?;
        }
        Ok(())
    }

    fn failure(&self, ended: &Ended, files: &[TestFile]) -> String {
        let Ended { file, report, .. } = ended;
        let path = name(&files[*file].path);
        let heading = match &report.test {
            Some(test) => test.name(),
            None => path.clone(),
        };
        let mut text = rule('_', &heading);
        let _ = write!(text, "\n{}", report.details);
        // A traceback contains the message already.
        if !report.details.contains(&report.message) {
            let _ = writeln!(text, "{}", report.message);
        }
        let line = report.line.or(report.test.as_ref().map(|test| test.line));
        if let Some(line) = line {
            let _ = write!(text, "{path}:{line}");
        }
        if let (false, Some(board)) = (self.is_alone(), ended.board) {
            let _ = write!(text, " on {}", self.boards[board]);
        }
        if !report.printed.is_empty() {
            let printed = report.printed.trim_end_matches('\n');
            let _ = write!(text, "\n{}\n{printed}", rule('-', "printed on the board"));
        }
        text
    }
}

fn slowest(results: &Results, files: &[TestFile], durations: Option<usize>) -> io::Result<()> {
    let Some(count) = durations else {
        return Ok(());
    };
    let mut tests: Vec<_> = results.reports.iter().collect();
    tests.retain(|ended| ended.report.test.is_some());
    tests.sort_by_key(|ended| std::cmp::Reverse(ended.report.took));
    print_line(rule('=', &format!("slowest {}", counted(count, "test"))))?;
    for ended in tests.into_iter().take(count) {
        let seconds = ended.report.took.as_secs_f64();
        print_line(format_args!("{seconds:.3}s {}", ended.name(files)))?;
    }
    Ok(())
}

/// Prints the code that looks like a test and did not run.
fn warnings(results: &Results) -> io::Result<()> {
    if results.remarks.is_empty() {
        return Ok(());
    }
    print_line(rule('=', "warnings summary"))?;
    for (path, remark) in &results.remarks {
        print_line(format_args!(
            "{}:{}: {}",
            name(path),
            remark.line,
            remark.message
        ))?;
    }
    Ok(())
}

fn short_summary(results: &Results, files: &[TestFile]) -> io::Result<()> {
    let mut lines = Vec::new();
    for ended in results.of(Status::Failed).chain(results.of(Status::Error)) {
        let (word, _, _) = words(ended.report.status);
        let why = ended.report.message.lines().next().unwrap_or_default();
        lines.push(format!("{word} {} - {why}", ended.name(files)));
    }
    for (path, error) in &results.broken {
        lines.push(format!("ERROR {} - {error}", name(path)));
    }
    if lines.is_empty() {
        return Ok(());
    }
    print_line(rule('=', "short test summary info"))?;
    lines.into_iter().try_for_each(print_line)
}

/// Returns totals such as `1 failed, 2 passed in 0.52s`.
fn totals(results: &Results) -> String {
    let order = [
        Status::Failed,
        Status::Passed,
        Status::Skipped,
        Status::ExpectedFailure,
        Status::UnexpectedPass,
        Status::Error,
    ];
    let counts = order
        .into_iter()
        .filter(|status| results.count(*status) > 0);
    let counts = counts.map(|status| {
        let (_, word, _) = words(status);
        match (status, results.count(status)) {
            (Status::Error, count) => counted(count, word),
            (_, count) => format!("{count} {word}"),
        }
    });
    let warned = results.remarks.len();
    let warned = (warned > 0).then(|| counted(warned, "warning"));
    let counts = counts.chain(warned).collect::<Vec<_>>().join(", ");
    let counts = if counts.is_empty() {
        "no tests ran"
    } else {
        &counts
    };
    format!("{counts} in {:.2}s", results.took.as_secs_f64())
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// Returns a heading in the middle of a line.
fn rule(line: char, heading: &str) -> String {
    let room = WIDTH.saturating_sub(heading.chars().count() + 2).max(6);
    let line = |count: usize| line.to_string().repeat(count);
    format!("{} {heading} {}", line(room / 2), line(room - room / 2))
}

/// Width of the output, in characters.
const WIDTH: usize = 80;
/// Rules by which tests are found, for those who wonder why there are none.
const SOUGHT: &str = "; a test is a function test* or a method test* of a class Test*, in a file test_*.py or *_test.py";

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn a_file_that_cannot_go_on_counts_with_all_its_tests() {
        let mut screen = Screen::new(vec!["board".into()], false, 4);
        screen.count(0, 3, true);
        assert_eq!(screen.percent(), 25);
        screen.count(0, 3, false);
        assert_eq!(screen.percent(), 75);
        screen.count(1, 1, true);
        assert_eq!(screen.percent(), 100);
    }
}

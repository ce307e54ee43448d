//! Runs the tests of one file on one board.

use std::time::{Duration, Instant};

use flylead_core::raw_repl::{ErrorKind, Outcome, Traceback};

use super::{
    Report, Runner, Status, Test, TestFile, boards::Restart, event::Teller, report::Tracebacks,
};
use crate::{
    Board, BoardError,
    deploy::{self, Fault},
};

/// Options of a test run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Tests that get a fresh interpreter, by a soft reset before them.
    pub reset: Reset,
    /// True to send the modules that a file imports, if they differ from those on the board.
    pub sync: bool,
    /// Time limit of each test, and of loading each file, after which it is interrupted.
    pub timeout: Option<Duration>,
    /// True to stop after the first failure.
    pub stop_at_failure: bool,
    /// Way to get a lost board back. Without one, a lost board runs no more tests.
    pub restart: Option<Restart>,
}

/// Tests that get a fresh interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reset {
    /// None: all of them continue in the interpreter as it is.
    Never,
    /// The first file of each board.
    Session,
    /// Each file.
    File,
    /// Each test. The fixtures and the class of a test are set up and torn down with it.
    Test,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reset: Reset::File,
            sync: true,
            timeout: Some(Duration::from_secs(60)),
            stop_at_failure: false,
            restart: None,
        }
    }
}

/// Runs the tests of a file, and reports how each one ended. `is_first` is true for the first file of a board.
///
/// # Errors
/// The board is gone. Tests that did not run because of that were reported.
pub(super) async fn run_file(
    board: &mut Board,
    file: &TestFile,
    is_first: bool,
    options: &Options,
    teller: &Teller,
) -> Result<(), BoardError> {
    let mut run = Run {
        board,
        is_first,
        file,
        options,
        teller,
        runner: Runner::new("", &[], &[], None, ""),
        left: &file.tests,
    };
    let ended = run.tests().await;
    if let Err(error) = &ended {
        let left = run.left.iter().enumerate();
        for (number, test) in left {
            let message = match number {
                0 => format!("the board was lost: {error}"),
                _ => "it did not run: the board was lost".to_owned(),
            };
            let report = Report::new(Some(test), Status::Error, message);
            teller.tell(report).await;
        }
    }
    ended
}

struct Run<'a> {
    board: &'a mut Board,
    /// True for the first file of the board.
    is_first: bool,
    file: &'a TestFile,
    options: &'a Options,
    teller: &'a Teller,
    runner: Runner,
    /// Tests that have not ended yet.
    left: &'a [Test],
}

/// Result of a program.
struct Ran {
    output: Vec<u8>,
    outcome: Outcome,
    took: Duration,
}

impl Run<'_> {
    async fn tests(&mut self) -> Result<(), BoardError> {
        let mut is_ready = self.prepare(self.resets_before()).await?;
        let mut class = None;
        while let Some(test) = self.left.first().filter(|_| is_ready) {
            if self.teller.is_over() {
                break;
            }
            if let Some(why) = test.refusal() {
                let report = Report::new(Some(test), Status::Error, why);
                self.teller.tell(report).await;
                self.left = &self.left[1..];
                continue;
            }
            if class.map(|of: &Test| &of.class) != Some(&test.class) {
                self.end_class(class.take()).await?;
                if !self.begin_class(test).await? {
                    continue;
                }
                class = Some(test);
            }
            let ran = self.exec(Runner::call(test)).await?;
            let is_lost = self.has_to_prepare(&ran.outcome);
            self.tell(Some(test), ran).await;
            self.left = &self.left[1..];
            let again = is_lost || self.options.reset == Reset::Test;
            if again && !self.left.is_empty() {
                if is_lost {
                    class = None;
                } else {
                    self.tear_down(class.take()).await?;
                }
                is_ready = self.prepare(self.options.reset != Reset::Never).await?;
            }
        }
        if is_ready {
            self.tear_down(class).await?;
        }
        // Also what a file whose import failed has left.
        self.exec(Runner::LEAVE.into()).await?;
        self.left = &[];
        Ok(())
    }

    /// Returns true if the file begins in a fresh interpreter.
    fn resets_before(&self) -> bool {
        match self.options.reset {
            Reset::Never => false,
            Reset::Session => self.is_first,
            Reset::File | Reset::Test => true,
        }
    }

    /// Tears down the class of the last test, and the fixtures of the file.
    async fn tear_down(&mut self, class: Option<&Test>) -> Result<(), BoardError> {
        self.end_class(class).await?;
        if let Some(finish) = Runner::finish(&self.file.tests) {
            let ran = self.exec(finish.into()).await?;
            self.tell_torn(self.file.tests.last(), &ran).await;
        }
        Ok(())
    }

    /// Returns true if the interpreter was replaced, or has not enough memory for more.
    fn has_to_prepare(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Exited | Outcome::BoardReset => true,
            Outcome::Raised(raised) => {
                raised.kind() == ErrorKind::Memory && self.options.reset != Reset::Never
            }
            Outcome::Completed | Outcome::TimedOut(_) => false,
        }
    }

    /// Prepares the board, the modules, the runner and the file. Returns `false` if that failed, which was then
    /// reported.
    async fn prepare(&mut self, reset: bool) -> Result<bool, BoardError> {
        let prepared = self.try_to_prepare(reset).await;
        match prepared {
            Ok(None) => Ok(true),
            Ok(Some(report)) => {
                self.teller.tell(report).await;
                Ok(false)
            }
            Err(error) => match is_gone(&error) {
                true => Err(error),
                false => {
                    let report = Report::new(None, Status::Error, error);
                    self.teller.tell(report).await;
                    Ok(false)
                }
            },
        }
    }

    /// Prepares the board; returns a report to use instead of the tests if it fails.
    async fn try_to_prepare(&mut self, reset: bool) -> Result<Option<Report>, BoardError> {
        if reset {
            self.board.soft_reset().await?;
        }
        if self.options.sync {
            let modules = deploy::files(&self.file.modules);
            match deploy::send_changed(self.board, modules, &mut ()).await {
                Err(Fault::Board(_, error)) if is_gone(&error) => return Err(*error),
                Err(error) => return Ok(Some(Report::new(None, Status::Error, error))),
                Ok(_) => {}
            }
        }
        let source = &self.file.source;
        let TestFile {
            tests,
            fixtures,
            asserts,
            ..
        } = self.file;
        let answer = self.exec(Runner::probe(source, tests)).await?;
        let probed = String::from_utf8_lossy(&answer.output).into_owned();
        self.runner = Runner::new(source, tests, fixtures, Some(asserts), &probed);
        for source in [self.runner.source(), self.runner.file()].map(str::to_owned) {
            let ran = self.exec(source).await?;
            if !matches!(ran.outcome, Outcome::Completed) {
                return Ok(Some(self.judge_file(ran)));
            }
        }
        Ok(None)
    }

    /// Returns the reason why the tests of a file do not run.
    fn judge_file(&self, ran: Ran) -> Report {
        let is_skipped = match &ran.outcome {
            // MicroPython's own tests do this (`tests/README.md`). The unix port is then restarted.
            Outcome::Exited | Outcome::BoardReset => {
                ran.output.split(u8::is_ascii_whitespace).next() == Some(b"SKIP")
            }
            Outcome::Raised(raised) => raised.exception == SKIP,
            Outcome::Completed | Outcome::TimedOut(_) => false,
        };
        let mut report = self.judge(None, ran);
        if is_skipped && report.status == Status::Error {
            report.message = "the file says that it cannot run on this board".to_owned();
            report.printed.clear();
        }
        report.status = match is_skipped {
            true => Status::Skipped,
            false => Status::Error,
        };
        report
    }

    /// Runs the `setUpClass` of a test's class, if it has both. Returns `false` if the tests of the class cannot run,
    /// which was then reported.
    async fn begin_class(&mut self, test: &Test) -> Result<bool, BoardError> {
        let Some(set_up) = Runner::set_up_class(test) else {
            return Ok(true);
        };
        let ran = self.exec(set_up).await?;
        if matches!(ran.outcome, Outcome::Completed) {
            return Ok(true);
        }
        let report = self.judge(None, ran);
        while let Some(test) = self.left.first().filter(|next| next.class == test.class) {
            let mut report = report.clone();
            report.test = Some(test.clone());
            if report.status == Status::Failed {
                report.status = Status::Error;
            }
            self.teller.tell(report).await;
            self.left = &self.left[1..];
        }
        Ok(false)
    }

    /// Runs the `tearDownClass` of the class of a test.
    async fn end_class(&mut self, last: Option<&Test>) -> Result<(), BoardError> {
        let Some(tear_down) = last.and_then(Runner::tear_down_class) else {
            return Ok(());
        };
        let ran = self.exec(tear_down).await?;
        if !matches!(ran.outcome, Outcome::Completed) {
            let mut report = self.judge(None, ran);
            report.status = Status::Error;
            let class = last.and_then(|test| test.class.as_deref());
            let class = class.unwrap_or_default();
            report.message = format!("{class}.tearDownClass: {}", report.message);
            self.teller.tell(report).await;
        } else {
            self.tell_torn(last, &ran).await;
        }
        Ok(())
    }

    async fn tell(&self, test: Option<&Test>, ran: Ran) {
        let torn = self.torn(test, &ran);
        self.teller.tell(self.judge(test, ran)).await;
        for report in torn {
            self.teller.tell(report).await;
        }
    }

    async fn tell_torn(&self, test: Option<&Test>, ran: &Ran) {
        for report in self.torn(test, ran) {
            self.teller.tell(report).await;
        }
    }

    /// Returns a report for each teardown that failed.
    fn torn(&self, test: Option<&Test>, ran: &Ran) -> Vec<Report> {
        let tracebacks = Tracebacks {
            file: self.file,
            runner: &self.runner,
        };
        let torn = self.runner.read(&ran.output).torn.into_iter();
        torn.map(|traceback| Report::raised(test, Status::Error, traceback, &tracebacks))
            .collect()
    }

    fn judge(&self, test: Option<&Test>, ran: Ran) -> Report {
        let tracebacks = Tracebacks {
            file: self.file,
            runner: &self.runner,
        };
        let raised = |status, raised| Report::raised(test, status, raised, &tracebacks);
        let report = match ran.outcome {
            Outcome::Completed => Report::new(test, Status::Passed, ""),
            Outcome::Raised(traceback) if traceback.exception == SKIP => {
                Report::new(test, Status::Skipped, traceback.message)
            }
            Outcome::Raised(traceback) if traceback.exception == EXPECTED => {
                let why = self.runner.explain(&traceback.message);
                Report::new(test, Status::ExpectedFailure, why)
            }
            Outcome::Raised(traceback) if traceback.exception == PASSED => {
                Report::new(test, Status::UnexpectedPass, traceback.message)
            }
            Outcome::Raised(traceback) => raised(Status::Failed, traceback),
            Outcome::TimedOut(traceback) => {
                let mut report = match traceback {
                    Some(traceback) => raised(Status::Failed, traceback),
                    None => Report::new(test, Status::Failed, ""),
                };
                let limit = self.options.timeout.unwrap_or_default().as_secs_f64();
                report.message =
                    format!("it exceeded its time limit of {limit} s and was interrupted");
                report
            }
            Outcome::Exited => Report::new(test, Status::Error, "it ended the interpreter"),
            Outcome::BoardReset => {
                Report::new(test, Status::Error, "the board restarted during the test")
            }
        };
        report.with(self.runner.read(&ran.output), ran.took, &tracebacks)
    }

    async fn exec(&mut self, source: String) -> Result<Ran, BoardError> {
        let start = Instant::now();
        let mut output = Vec::new();
        let mut program = match self.board.start(source, self.options.timeout).await {
            Err(BoardError::Refused(refusal)) => return Ok(refused(&refusal)),
            program => program?,
        };
        while let Some(piece) = program.next_output().await? {
            output.extend(piece);
            if output.len() > MOST_OUTPUT {
                output.drain(KEPT_OUTPUT..output.len() - KEPT_OUTPUT);
            }
        }
        let outcome = program.outcome().await?;
        let took = start.elapsed();
        Ok(Ran {
            output,
            outcome,
            took,
        })
    }
}

/// Returns the result of a program that could not be sent, like that of one that raised an exception.
fn refused(refusal: &impl ToString) -> Ran {
    Ran {
        output: Vec::new(),
        outcome: Outcome::Raised(Traceback::parse(refusal.to_string().as_bytes())),
        took: Duration::ZERO,
    }
}

/// Returns true if the board no longer answers.
fn is_gone(error: &BoardError) -> bool {
    matches!(error, BoardError::Lost(_) | BoardError::Over)
}

const SKIP: &str = "SkipTest";
const EXPECTED: &str = "_fl_Expected";
const PASSED: &str = "_fl_Passed";
/// Limit of a test's output in bytes, above which its middle is lost.
const MOST_OUTPUT: usize = 1 << 20;
const KEPT_OUTPUT: usize = MOST_OUTPUT / 4;

//! `flylead test`

mod events;
mod files;
mod junit;
mod results;
mod screen;

use std::{io, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};
use flylead_native::{
    Board,
    link::Address,
    testing::{self, Event, Options, Reset, Restart, Selection, TestFile},
};

use crate::{
    Common, Exit, Failure,
    common::{FOR_EVER, seconds},
    terminal::{interrupts::Interrupts, print_line},
};
use events::Events;
use files::{Collected, Selected};
use results::{Results, name};
use screen::Screen;

/// Run tests on boards
///
/// Each file gets a fresh interpreter and runs as a whole on one board: its functions and Test* classes with plain
/// assert, its coroutines, and its unittest.TestCase classes, also on boards that have no unittest. The modules of this
/// computer that it imports are sent first, if they differ from those on the board; the file itself is not stored
/// there. With -v, each test has a line.
///
/// Several boards, each given with -p, share the files: a free board takes the next one. If a board is lost, the others
/// run the files that it has not begun.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead test                             what is below this folder
  flylead test tests/test_pins.py::TestPins::test_high
  flylead test -k 'pins and not slow' -x   by name, up to the first failure
  flylead test -p /dev/ttyACM0 -p /dev/ttyACM1 --junit results.xml
  flylead test --pythonpath src            what the tests import is in src, too")]
pub(crate) struct Cmd {
    /// Files, folders with files test_*.py and *_test.py, or FILE::NAME for a single test or class [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// Board to use; repeat for several boards
    #[arg(
        short,
        long,
        value_name = "ADDRESS",
        env = "FLYLEAD_PORT",
        default_value = "auto",
        hide_env_values = true
    )]
    port: Vec<Address>,

    /// Time limit of each test in seconds, such as 30 or 1.5; 0 for none. A test that exceeds it is
    /// interrupted and fails, and the next one runs
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,

    /// Run the tests whose file, class or name contain these words, with and, or, not and parentheses
    #[arg(short = 'k', value_name = "EXPRESSION", value_parser = Selection::parse)]
    select: Option<Selection>,

    /// Run the tests with these marks, such as slow of @pytest.mark.slow
    #[arg(short = 'm', value_name = "EXPRESSION", value_parser = Selection::parse)]
    marks: Option<Selection>,

    /// Stop after the first failure
    #[arg(short = 'x', long = "exitfirst")]
    exit_first: bool,

    /// Give a fresh interpreter to each test, to each file, or to each board once
    #[arg(long, value_name = "WHEN", default_value = "file")]
    board_reset: When,

    /// Skip the soft reset before each file
    #[arg(long, conflicts_with = "board_reset")]
    no_reset: bool,

    /// Send no modules: the board already has the right ones
    #[arg(long)]
    no_sync: bool,

    /// Further folders to search for modules that tests import, besides the test's own folder and
    /// the current one
    #[arg(long, value_name = "FOLDER")]
    pythonpath: Vec<PathBuf>,

    /// Show the N slowest tests
    #[arg(long, value_name = "N")]
    durations: Option<usize>,

    /// Write the results to a file, as JUnit's XML
    #[arg(long, value_name = "FILE", visible_alias = "junitxml")]
    junit: Option<PathBuf>,

    /// List the tests and run none
    #[arg(long, visible_alias = "co")]
    collect_only: bool,
}

/// Beginnings of fresh interpreters, by the words of the pytest plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum When {
    Test,
    File,
    Session,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let selected = Selected {
            names: self.select.as_ref(),
            marks: self.marks.as_ref(),
        };
        let collected = Collected::new(&self.paths, &self.pythonpath, selected)?;
        if self.collect_only {
            return collected.list(common);
        }
        let mut interrupts = Interrupts::new()?;
        let mut boards = Vec::new();
        if !collected.files.is_empty() {
            let opened = interrupts.or(self.boards(common)).await;
            boards = opened.map_err(Failure::of_tests)?;
        }
        let mut output = self.output(common, &collected);
        output.begin(&collected)?;
        let mut results = Results::new(collected.broken, collected.remarks);
        let files = collected.files;
        let interrupted = self
            .run_on(
                boards,
                (&files, self.options(common)),
                &mut interrupts,
                &mut results,
                &mut output,
            )
            .await?;
        results.end();
        if let Some(path) = &self.junit {
            junit::write(path, &results, &files, &self.names()).await?;
        }
        let exit = match interrupted {
            true => Exit::TestsInterrupted,
            false => results.exit(),
        };
        output.end(&results, &files, self.durations, exit)?;
        Ok(exit)
    }

    async fn boards(&self, common: &Common) -> Result<Vec<Board>, Failure> {
        let mut boards = Vec::new();
        for (port, common) in self.port.iter().zip(self.each(common)) {
            boards.push(common.board().await.map_err(|failure| failure.at(port))?);
        }
        Ok(boards)
    }

    /// Returns the options of each board.
    fn each(&self, common: &Common) -> Vec<Common> {
        let at = |port: &Address| Common {
            port: port.clone(),
            // These options are for the tests.
            timeout: None,
            verbose: false,
            ..common.clone()
        };
        self.port.iter().map(at).collect()
    }

    /// Runs the tests. Returns true if Ctrl-C has ended them.
    async fn run_on(
        &self,
        boards: Vec<Board>,
        (files, options): (&[TestFile], Options),
        interrupts: &mut Interrupts,
        results: &mut Results,
        output: &mut Output,
    ) -> Result<bool, Failure> {
        let mut running = testing::run(boards, files.to_vec(), options);
        let mut interrupted = false;
        loop {
            let event = tokio::select! {
                biased;
                () = interrupts.next() => {
                    interrupted = true;
                    running.stop();
                    continue;
                }
                event = running.next() => event,
            };
            let Some(event) = event else {
                return Ok(interrupted);
            };
            output.tell(&event, files)?;
            results.add(event);
        }
    }

    fn options(&self, common: &Common) -> Options {
        let mut options = Options::default();
        options.reset = match (self.no_reset, self.board_reset) {
            (true, _) => Reset::Never,
            (false, When::Session) => Reset::Session,
            (false, When::File) => Reset::File,
            (false, When::Test) => Reset::Test,
        };
        options.sync = !self.no_sync;
        options.timeout = Some(self.timeout).filter(|timeout| *timeout != FOR_EVER);
        options.stop_at_failure = self.exit_first;
        options.restart = common.recover.clone().map(|way| {
            let each = self.each(common);
            Restart::new(move |board| {
                let (way, common) = (way.clone(), each[board].clone());
                async move {
                    let restarted = common.restarted(&way).await;
                    restarted.map_err(|failure| failure.message().to_owned())
                }
            })
        });
        options
    }

    fn output(&self, common: &Common, collected: &Collected) -> Output {
        let names = self.names();
        match common.json {
            true => Output::Events(Events::new(names)),
            false => Output::Screen(Screen::new(names, common.verbose, collected.count())),
        }
    }

    fn names(&self) -> Vec<String> {
        self.port.iter().map(ToString::to_string).collect()
    }
}

/// Form of the results as they arrive.
enum Output {
    Screen(Screen),
    Events(Events),
}

impl Output {
    fn begin(&mut self, collected: &Collected) -> io::Result<()> {
        match self {
            Self::Screen(screen) => screen.begin(collected),
            Self::Events(events) => events.begin(collected),
        }
    }

    fn tell(&mut self, event: &Event, files: &[TestFile]) -> io::Result<()> {
        match self {
            Self::Screen(screen) => screen.tell(event, files),
            Self::Events(events) => events.tell(event, files),
        }
    }

    fn end(
        &mut self,
        results: &Results,
        files: &[TestFile],
        durations: Option<usize>,
        exit: Exit,
    ) -> io::Result<()> {
        match self {
            Self::Screen(screen) => {
                screen.end(results, files, durations, exit == Exit::TestsInterrupted)
            }
            Self::Events(events) => events.end(results, exit),
        }
    }
}

impl Collected {
    /// Prints the names of all tests.
    fn list(&self, common: &Common) -> Result<Exit, Failure> {
        for file in &self.files {
            for test in &file.tests {
                print_line(format_args!("{}::{}", name(&file.path), test.name()))?;
            }
        }
        for (path, remark) in &self.remarks {
            let (path, line) = (name(path), remark.line);
            common.note(format_args!("{path}:{line}: {}", remark.message));
        }
        for (path, error) in &self.broken {
            common.note(format_args!("{}: {error}", path.display()));
        }
        Ok(match (self.broken.is_empty(), self.count()) {
            (false, _) => Exit::TestsFailed,
            (true, 0) => Exit::NoTests,
            (true, _) => Exit::Done,
        })
    }
}

/// Exit codes of `flylead test`, as its help lists them.
pub(crate) const EXIT_CODES: &str = "\
Exit codes, as pytest has them:
  0    all tests passed, or were skipped
  1    tests failed, or could not run because of a file, or of a board that was lost
  2    interrupted by Ctrl-C, or the command line cannot be read
  3    there is no such board, or the link to it could not be opened
  4    there is no such file or test, or a file cannot be written
  5    there are no tests
  7    another tool has its turn at the board, and --no-wait would not wait longer";

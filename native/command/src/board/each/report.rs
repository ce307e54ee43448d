//! Shows the progress of many boards to a person at a terminal, and to a script.

use std::{
    collections::HashMap,
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::{
    boards::Board,
    event::{Ended, Event, Output},
};
use crate::{
    Exit, Failure,
    terminal::{name, print_line, say, visible_line},
};

/// State of all boards so far.
pub(super) struct Report {
    boards: Vec<Heard>,
    json: bool,
    began: Instant,
    screen: Option<Screen>,
    /// Width of the longest name, which aligns the boards' output in one column.
    width: usize,
}

struct Heard {
    name: String,
    slug: String,
    began: Option<Instant>,
    took: Duration,
    ended: Option<Ended>,
}

impl Report {
    pub(super) fn new(boards: &[Board], json: bool, at_once: usize) -> Self {
        let width = boards.iter().map(|board| board.name.chars().count()).max();
        Self {
            screen: Screen::new(boards.len(), at_once).filter(|_| !json),
            boards: boards.iter().map(Heard::from).collect(),
            json,
            began: Instant::now(),
            width: width.unwrap_or(0).min(WIDEST_NAME),
        }
    }

    /// Shows what happened at a board.
    pub(super) fn tell(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Started(at, now) => self.started(at, now),
            Event::Line(at, output, line) => self.line(at, output, &line),
            Event::Ended(at, ended) => self.ended(at, ended),
        }
    }

    fn started(&mut self, at: usize, now: Instant) -> io::Result<()> {
        self.boards[at].began = Some(now);
        if let Some(screen) = &mut self.screen {
            screen.start(at, &self.boards[at].name, self.width);
        }
        self.event(at, "started", json!({}))
    }

    fn line(&mut self, at: usize, output: Output, line: &str) -> io::Result<()> {
        if self.json {
            return match (output, serde_json::from_str::<Value>(line)) {
                (Output::Stdout, Ok(result)) => {
                    self.event(at, "result", json!({ "result": result }))
                }
                (Output::Stdout, Err(_)) => self.event(at, "stdout", json!({ "line": line })),
                (Output::Stderr, _) => self.event(at, "stderr", json!({ "line": line })),
            };
        }
        let width = self.width;
        let board = &self.boards[at].name;
        let show = || match output {
            Output::Stdout => print_line(format_args!("{:width$}  {line}", name(board))),
            Output::Stderr => {
                say(format_args!("{:width$}  {line}", visible_line(board)));
                Ok(())
            }
        };
        match &mut self.screen {
            Some(screen) => screen.line(at, line, show),
            None => show(),
        }
    }

    fn ended(&mut self, at: usize, ended: Ended) -> io::Result<()> {
        let board = &mut self.boards[at];
        board.took = board.began.map_or(Duration::ZERO, |began| began.elapsed());
        let about = json!({ "exit": ended.code(), "end": ended.words(), "seconds": board.took.as_secs_f64() });
        board.ended = Some(ended);
        if let Some(screen) = &mut self.screen {
            screen.end(at);
        }
        self.event(at, "ended", about)
    }

    fn event(&self, at: usize, what: &str, mut about: Value) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let board = &self.boards[at];
        about["board"] = board.name.as_str().into();
        about["name"] = board.slug.as_str().into();
        about["event"] = what.into();
        print_line(about)
    }

    /// Shows the table, and returns the outcome of the whole command.
    pub(super) fn finish(self) -> Result<Exit, Failure> {
        drop(self.screen);
        let failed = self.boards.iter().filter(|board| !board.is_done()).count();
        let (all, took) = (self.boards.len(), self.began.elapsed().as_secs_f64());
        let summary =
            json!({ "event": "finished", "boards": all, "failed": failed, "seconds": took });
        if self.json {
            print_line(summary)?;
        } else {
            // With many boards, a person looks for those that failed.
            let shown = |board: &&Heard| all <= LONGEST_TABLE || !board.is_done();
            for board in self.boards.iter().filter(shown) {
                let (width, ended) = (self.width, board.words());
                let name = visible_line(&board.name);
                say(format_args!(
                    "{name:width$}  {:>7.2} s  {ended}",
                    board.took.as_secs_f64()
                ));
            }
            let done = all - failed;
            say(format_args!("{done} of {all} boards done in {took:.2} s"));
        }
        let mut exits = self.boards.iter().map(Heard::exit);
        let first = exits.find(|exit| *exit != Exit::Done);
        Ok(first.unwrap_or(Exit::Done))
    }
}

impl Heard {
    fn is_done(&self) -> bool {
        self.ended == Some(Ended::Code(0))
    }

    fn words(&self) -> String {
        self.ended
            .as_ref()
            .map_or_else(|| "not started".into(), Ended::words)
    }

    fn exit(&self) -> Exit {
        match &self.ended {
            Some(Ended::Code(code)) => Exit::with_code(*code).unwrap_or(Exit::Usage),
            Some(Ended::Failed(_)) => Exit::Usage,
            Some(Ended::NotStarted) | None => Exit::Interrupted,
        }
    }
}

impl From<&Board> for Heard {
    fn from(board: &Board) -> Self {
        Self {
            name: board.name.clone(),
            slug: board.slug.clone(),
            began: None,
            took: Duration::ZERO,
            ended: None,
        }
    }
}

/// Bars on a terminal: one for each board at work, with its last line, and one for the whole command.
struct Screen {
    bars: MultiProgress,
    all: ProgressBar,
    boards: HashMap<usize, ProgressBar>,
    room: usize,
}

impl Screen {
    fn new(boards: usize, at_once: usize) -> Option<Self> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let bars = MultiProgress::new();
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} boards  {elapsed}");
        let all = bars.add(ProgressBar::new(boards as u64));
        all.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        all.enable_steady_tick(TICK);
        Some(Self {
            bars,
            all,
            boards: HashMap::new(),
            room: at_once.min(MOST_BARS),
        })
    }

    fn start(&mut self, at: usize, name: &str, width: usize) {
        if self.boards.len() >= self.room {
            return;
        }
        let bar = self
            .bars
            .insert_before(&self.all, ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("{spinner} {prefix}  {elapsed}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_prefix(format!("{:width$}", visible_line(name)));
        bar.enable_steady_tick(TICK);
        self.boards.insert(at, bar);
    }

    fn line(&self, at: usize, line: &str, show: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if let Some(bar) = self.boards.get(&at) {
            bar.set_message(visible_line(line).into_owned());
        }
        self.bars.suspend(show)
    }

    fn end(&mut self, at: usize) {
        if let Some(bar) = self.boards.remove(&at) {
            bar.finish_and_clear();
        }
        self.all.inc(1);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}

/// Limit in columns; a longer name pushes its lines to the right.
const WIDEST_NAME: usize = 32;
/// Number of boards above which the final table lists only those that failed.
const LONGEST_TABLE: usize = 50;
/// Number of bars that fit on a terminal.
const MOST_BARS: usize = 16;
const TICK: Duration = Duration::from_millis(200);

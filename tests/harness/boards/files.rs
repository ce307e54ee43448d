//! A real board's files under our own client.

use std::{
    path::Path,
    time::{Duration, Instant as Clock},
};

use flylead_core::{
    Input, Instant, Pump,
    board::{Answer, Board, Config, Error, Event, Progress, Request},
    raw_repl::{Mode, Outcome},
};

use super::line::tty::Tty;

/// Drives a [`Board`] over a terminal, in real time. Dropping it is what a killed host is to the board: the line
/// falls silent.
#[derive(Debug)]
pub struct Files {
    tty: Tty,
    pump: Pump<Board>,
    started: Clock,
    events: Vec<Event>,
}

impl Files {
    /// Opens a board.
    ///
    /// # Panics
    ///
    /// When `path` is no terminal.
    #[must_use]
    pub fn open(path: &Path, config: Config) -> Self {
        Self {
            tty: Tty::open(path).expect("the board's pty can be opened"),
            pump: Pump::new(Board::new(config)),
            started: Clock::now(),
            events: Vec::new(),
        }
    }

    /// Asks for something, and waits for the answer.
    ///
    /// # Errors
    ///
    /// The board's own, as its answer has it.
    ///
    /// # Panics
    ///
    /// When the board is busy, or there is no answer for two minutes.
    pub fn ask(&mut self, request: Request) -> Result<Answer, Error> {
        self.begin(request);
        self.answer()
    }

    /// Asks for something that must succeed.
    ///
    /// # Panics
    ///
    /// When it fails.
    pub fn must(&mut self, request: Request) -> Answer {
        let name = request.to_string();
        self.ask(request)
            .unwrap_or_else(|error| panic!("{name}: {error} ({error:?})"))
    }

    /// Asks for something without waiting.
    ///
    /// # Panics
    ///
    /// When the board is busy or gone.
    pub fn begin(&mut self, request: Request) {
        let now = self.now();
        self.events.clear();
        self.pump
            .command(|board| board.request(now, request))
            .expect("nothing else is under way");
        self.settle();
    }

    /// Waits for the answer to what was begun.
    ///
    /// # Errors
    ///
    /// The board's own, as its answer has it.
    ///
    /// # Panics
    ///
    /// When there is none for two minutes.
    pub fn answer(&mut self) -> Result<Answer, Error> {
        let answered = |event: &Event| match event {
            Event::Answered(answer) => Some(answer.clone()),
            _ => None,
        };
        self.until(answered)
    }

    /// Waits until so many bytes of content are done; `false` when the request ended before.
    pub fn reach(&mut self, bytes: u64) -> bool {
        self.until(|event| match event {
            Event::Progress(Progress { done, .. }) if *done >= bytes => Some(true),
            Event::Answered(_) => Some(false),
            _ => None,
        })
    }

    /// Returns true if only a new connection helps, or the board is still busy with earlier work.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.pump.machine().mode() == Mode::Lost
    }

    /// Ctrl-C, or the end of the request under way.
    ///
    /// # Panics
    ///
    /// When the board is gone.
    pub fn interrupt(&mut self) {
        let now = self.now();
        self.pump
            .command(|board| board.interrupt(now))
            .expect("the board is there");
        self.settle();
    }

    /// Runs a program to its end: what it printed, and how it ended.
    ///
    /// # Panics
    ///
    /// When the board is busy or gone.
    pub fn exec(&mut self, source: &str) -> (Vec<u8>, Outcome) {
        self.start(source);
        let outcome = self.outcome();
        let stdout = self.events.iter().filter_map(|event| match event {
            Event::Stdout(bytes) => Some(bytes.as_slice()),
            _ => None,
        });
        (stdout.collect::<Vec<_>>().concat(), outcome)
    }

    /// Starts a program.
    ///
    /// # Panics
    ///
    /// When the board is busy or gone.
    pub fn start(&mut self, source: &str) {
        let (source, timeout) = (source.as_bytes().to_vec(), None);
        self.begin(Request::Exec { source, timeout });
    }

    /// Waits for the end of the program that was started.
    pub fn outcome(&mut self) -> Outcome {
        self.until(|event| match event {
            Event::Answered(Ok(Answer::Ran(outcome))) => Some(outcome.clone()),
            _ => None,
        })
    }

    /// Waits while the board does what it does.
    pub fn pass(&mut self, time: Duration) {
        let end = Clock::now() + time;
        while Clock::now() < end {
            self.step();
        }
    }

    /// Waits until the program that was started has printed something.
    ///
    /// # Panics
    ///
    /// When it does not, for two minutes.
    pub fn wait_for_output(&mut self) {
        self.until(|event| matches!(event, Event::Stdout(_)).then_some(()));
    }

    fn until<T>(&mut self, look: impl Fn(&Event) -> Option<T>) -> T {
        let give_up = Clock::now() + Duration::from_secs(120);
        let mut seen = 0;
        loop {
            if let Some(found) = self.events[seen..].iter().find_map(&look) {
                return found;
            }
            seen = self.events.len();
            assert!(Clock::now() < give_up, "no end: {:?}", self.pump);
            self.step();
        }
    }

    fn step(&mut self) {
        let arrived = self.tty.read(self.wait());
        let now = self.now();
        match arrived {
            Some(bytes) if bytes.is_empty() => self.pump.handle_input(now, Input::Closed),
            Some(bytes) => self.pump.handle_input(now, Input::Bytes(&bytes)),
            None => self.pump.handle_input(now, Input::Timeout),
        }
        self.settle();
    }

    /// Until the machine wants to be woken, and not long in any case.
    fn wait(&self) -> Duration {
        const LONGEST: Duration = Duration::from_millis(20);
        let now = self.now();
        let due = self.pump.deadline().map(|deadline| deadline - now);
        due.map_or(LONGEST, |due| due.min(LONGEST))
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }

    fn settle(&mut self) {
        let bytes = self.pump.take_transmit();
        if !bytes.is_empty() {
            // A board that is gone shows at the next read.
            let _ = self.tty.write_all(&bytes);
        }
        while let Some(event) = self.pump.poll_event() {
            self.events.push(event);
        }
    }
}

//! A real board under our own client, with the conversation written down.

use std::{
    path::Path,
    time::{Duration, Instant as Clock},
};

use flylead_core::{
    Input, Instant, Pump,
    raw_repl::{Command, CommandError, Config, Event, Outcome, RawRepl},
    trace::{Record, Writer},
};

use super::line::tty::Tty;

/// Drives a [`RawRepl`] over a terminal, in real time. Moments are whole milliseconds, so that the trace plays back
/// exactly.
#[derive(Debug)]
pub struct Session {
    tty: Tty,
    pump: Pump<RawRepl>,
    started: Clock,
    now: Instant,
    writer: Writer,
    trace: String,
    /// Everything the board has told so far, in order.
    pub events: Vec<Event>,
}

impl Session {
    /// Opens a board.
    ///
    /// # Panics
    ///
    /// When `path` is no terminal.
    #[must_use]
    pub fn open(path: &Path, config: Config) -> Self {
        Self {
            tty: Tty::open(path).expect("the board's pty can be opened"),
            pump: Pump::new(RawRepl::new(config)),
            started: Clock::now(),
            now: Instant::START,
            writer: Writer::new(Instant::START),
            trace: String::new(),
            events: Vec::new(),
        }
    }

    /// The conversation so far, in the transcripts' notation.
    #[must_use]
    pub fn trace(&self) -> &str {
        &self.trace
    }

    /// Gives a command.
    pub fn command(&mut self, command: &Command) -> Result<(), CommandError> {
        self.tick();
        self.note(&Record::Command(command.to_string()));
        let now = self.now;
        let answer = self.pump.command(|repl| repl.command(now, command));
        if let Err(refusal) = answer {
            self.note(&Record::Event(format!("Refused {refusal:?}")));
        }
        self.settle();
        answer
    }

    /// Runs a program to its end: what it printed, and how it ended.
    ///
    /// # Panics
    ///
    /// When the board is busy, or does not finish within a minute.
    pub fn exec(&mut self, source: &[u8]) -> (Vec<u8>, Outcome) {
        let source = source.to_vec();
        let timeout = None;
        let seen = self.events.len();
        self.command(&Command::Exec { source, timeout })
            .expect("one command at a time");
        self.until(|event| matches!(event, Event::Finished(_)));
        self.report(seen)
    }

    /// The output and the outcome among the events from number `from` on.
    ///
    /// # Panics
    ///
    /// When nothing has finished since.
    #[must_use]
    pub fn report(&self, from: usize) -> (Vec<u8>, Outcome) {
        let mut stdout = Vec::new();
        for event in &self.events[from..] {
            match event {
                Event::Stdout(bytes) => stdout.extend_from_slice(bytes),
                Event::Finished(outcome) => return (stdout, outcome.clone()),
                _ => {}
            }
        }
        panic!("nothing finished: {:?}", &self.events[from..])
    }

    /// Waits for an event.
    ///
    /// # Panics
    ///
    /// When the conversation ends otherwise, or a minute goes by.
    pub fn until(&mut self, wanted: impl Fn(&Event) -> bool) {
        let last = self.until_end(wanted);
        let is_lost = matches!(last, Event::Lost { .. });
        assert!(!is_lost, "{last}, after:\n{}", self.trace);
    }

    /// Waits for an event or the end of the conversation, whichever comes first.
    ///
    /// # Panics
    ///
    /// When a minute goes by without either.
    pub fn until_end(&mut self, wanted: impl Fn(&Event) -> bool) -> Event {
        let give_up = Clock::now() + Duration::from_secs(60);
        let mut seen = self.events.len();
        loop {
            while let Some(event) = self.events.get(seen) {
                seen += 1;
                if wanted(event) || matches!(event, Event::Lost { .. }) {
                    return event.clone();
                }
            }
            assert!(Clock::now() < give_up, "no end of:\n{}", self.trace);
            self.step();
        }
    }

    fn step(&mut self) {
        let arrived = self.tty.read(self.wait());
        self.tick();
        match arrived {
            Some(bytes) if bytes.is_empty() => {
                self.note(&Record::Closed);
                self.pump.handle_input(self.now, Input::Closed);
            }
            Some(bytes) => {
                self.note(&Record::Received(bytes.clone()));
                self.pump.handle_input(self.now, Input::Bytes(&bytes));
            }
            None => self.pump.handle_input(self.now, Input::Timeout),
        }
        self.settle();
    }

    /// Until the machine wants to be woken, and not long in any case.
    fn wait(&self) -> Duration {
        const LONGEST: Duration = Duration::from_millis(20);
        let elapsed = Instant::after_start(self.started.elapsed());
        let due = self.pump.deadline().map(|deadline| deadline - elapsed);
        // A millisecond more, as moments are cut down to whole ones.
        due.map_or(LONGEST, |due| (due + Duration::from_millis(1)).min(LONGEST))
    }

    fn tick(&mut self) {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.now = Instant::from_millis(millis);
    }

    fn settle(&mut self) {
        let bytes = self.pump.take_transmit();
        if !bytes.is_empty() {
            self.note(&Record::Sent(bytes.clone()));
            // A board that is gone shows at the next read.
            let _ = self.tty.write_all(&bytes);
        }
        while let Some(event) = self.pump.poll_event() {
            self.note(&Record::Event(event.to_string()));
            self.events.push(event);
        }
    }

    fn note(&mut self, record: &Record) {
        self.trace += &self.writer.line(self.now, record);
    }
}

//! A debugger with exclusive use of the board.

use alloc::collections::VecDeque;

use super::{Action, Event, Note, Session};
use crate::{
    Input, Instant, Machine, Output,
    raw_repl::{self, Config, RawRepl},
};

/// A [`Session`] with its own raw REPL: bytes in, bytes and events out.
///
/// A session on a board that is unplugged, with the one-page [driver](crate::Pump):
///
/// ```
/// use flylead_core::debug::{Debugger, Event, Exceptions, Launch, Project, Reach, Session};
/// use flylead_core::raw_repl::Config;
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// let (mut socket, board) = UnixStream::pair()?;
/// let launch = Launch {
///     stop_on_entry: false,
///     exceptions: Exceptions::default(),
///     reach: Reach::default(),
///     parts: false,
///     arguments: vec!["main.py".into()],
///     token: "5a17c0de".into(),
/// };
/// let session = Session::new(Project::new("main.py", "print(6 * 7)\n")?, launch);
/// let mut debugger = Pump::new(Debugger::new(session, Config::default()));
/// debugger.command(|debugger| debugger.session_mut().start());
/// drop(board);
/// let mut ended = false;
/// drive(&mut socket, &mut debugger, |_, event| {
///     ended |= matches!(event, Event::Ended(_));
///     true
/// })?;
/// assert!(ended);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Debugger {
    repl: RawRepl,
    session: Session,
    events: VecDeque<Event>,
    now: Instant,
    reset_first: bool,
    after_reset: Option<Action>,
}

impl Debugger {
    /// Creates a session that has not begun, on a board about which nothing is known.
    #[must_use]
    pub fn new(session: Session, config: Config) -> Self {
        Self {
            repl: RawRepl::new(config),
            session,
            events: VecDeque::new(),
            now: Instant::START,
            reset_first: false,
            after_reset: None,
        }
    }

    /// Sets whether the board is reset before the first request.
    pub const fn reset_first(&mut self, reset: bool) {
        self.reset_first = reset;
    }

    /// Begins another run of the program, which has ended, with the same breakpoints; `reset` is that of
    /// [`reset_first`](Self::reset_first).
    pub fn restart(&mut self, reset: bool) {
        self.session.rewind();
        self.reset_first = reset;
        self.session.start();
    }

    /// Returns the session, for inspection.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the session, for its commands.
    pub const fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Returns the REPL, for use after the session.
    pub const fn repl_mut(&mut self) -> &mut RawRepl {
        &mut self.repl
    }

    /// Resets the board, and continues with the action once the board is back.
    fn reset(&mut self, then: Action) {
        self.reset_first = false;
        self.after_reset = Some(then);
        if let Err(error) = self.repl.soft_reset(self.now) {
            self.session.refused(error);
        }
    }

    fn act(&mut self, action: Action) {
        let now = self.now;
        if self.reset_first && matches!(action, Action::Exec(_)) {
            return self.reset(action);
        }
        let done = match action {
            Action::Tell(event) => return self.events.push_back(event),
            Action::Exec(program) => self.repl.exec(now, &program, None),
            // A program that has ended in the meantime reads nothing more.
            Action::Send(bytes) => self.repl.send(&bytes).or(Ok(())),
            Action::Interrupt => self.repl.interrupt(now),
        };
        if let Err(error) = done {
            self.session.refused(error);
        }
    }
}

impl Machine for Debugger {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        self.repl.handle_input(now, input);
        self.session.handle_timeout(now);
    }

    fn poll_output(&mut self) -> Output<Event> {
        loop {
            while let Some(action) = self.session.poll_action() {
                self.act(action);
            }
            if let Some(event) = self.events.pop_front() {
                return Output::Event(event);
            }
            match self.repl.poll_output() {
                Output::Transmit(bytes) => return Output::Transmit(bytes),
                Output::Event(raw_repl::Event::SoftReset) if self.after_reset.is_some() => {
                    self.events.push_back(Event::Note(Note::Reset));
                    let action = self.after_reset.take();
                    action.into_iter().for_each(|action| self.act(action));
                }
                Output::Event(event) => self.session.handle_event(self.now, &event),
                Output::Idle(deadline) => return Output::Idle(self.earliest(deadline)),
            }
        }
    }
}

impl Debugger {
    fn earliest(&self, deadline: Option<Instant>) -> Option<Instant> {
        let both = [deadline, self.session.deadline()];
        both.into_iter().flatten().min()
    }
}

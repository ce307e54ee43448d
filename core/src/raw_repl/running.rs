//! Sending a program, and what follows until it has ended.

use alloc::vec::Vec;
use core::{mem, time::Duration};

use super::{
    CommandError, EXECUTE, Event, INTERRUPT, LostReason, Outcome, RAW_PASTE, RawRepl, Traceback,
    interrupted,
    loading::Loading,
    paste::Paste,
    reply::{End, Reply},
    state::{Launch, Program, State, Task},
};
use crate::Instant;

/// A program that must stop is interrupted again after this long: it may have caught the last one, or not run yet.
const INTERRUPT_AGAIN: Duration = Duration::from_millis(250);
/// What may come before `OK`; a board that says more is not answering.
const UNASKED_LIMIT: usize = 4096;

/// A program on the board.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) reply: Reply,
    /// When it has run too long.
    until: Option<Instant>,
    stopping: Option<Stopping>,
    /// Until it has read itself.
    pub(super) loading: Option<Loading>,
}

/// On the way to an end that the program may resist.
#[derive(Debug)]
struct Stopping {
    timed_out: bool,
    again_at: Instant,
    give_up: Instant,
}

/// Waits for the `OK` with which raw mode takes a program.
#[derive(Debug, Default)]
pub(super) struct Confirmation {
    seen: Vec<u8>,
}

impl Confirmation {
    /// Takes one byte; at `OK`, what came before it.
    pub(super) fn receive(&mut self, byte: u8) -> Option<Vec<u8>> {
        self.seen.push(byte);
        let before = self.seen.strip_suffix(b"OK")?.len();
        self.seen.truncate(before);
        Some(mem::take(&mut self.seen))
    }

    pub(super) fn is_nonsense(&self) -> bool {
        self.seen.len() > UNASKED_LIMIT
    }
}

/// Bytes 1 to 4 are raw mode's own, and 5 is where a line may begin with a question.
pub(crate) fn check_source(source: &[u8]) -> Result<(), CommandError> {
    let is_control = |(offset, &byte): (usize, &u8)| {
        matches!(byte, 0x01..=EXECUTE) || (offset == 0 && byte == RAW_PASTE)
    };
    match source.iter().enumerate().position(is_control) {
        Some(offset) => Err(CommandError::ControlByte { offset }),
        None => Ok(()),
    }
}

impl RawRepl {
    /// Sends the next piece of a program in raw mode, which has no flow control but time.
    pub(super) fn pace(&mut self, now: Instant) {
        let State::Pacing {
            program,
            sent,
            next_at,
        } = &mut self.state
        else {
            return;
        };
        let end = program
            .source
            .len()
            .min(*sent + self.config.pace_bytes.max(1));
        let mut bytes = program.source[*sent..end].to_vec();
        *sent = end;
        *next_at = now + self.config.pace_wait;
        if end == program.source.len() {
            bytes.push(EXECUTE);
            let launch = program.launch();
            self.confirm(now, launch);
        }
        self.transmit(&bytes);
    }

    /// Ctrl-C clears the line.
    pub(super) fn abandon_pacing(&mut self) {
        self.transmit(&[INTERRUPT]);
        self.settle(interrupted());
    }

    fn confirm(&mut self, now: Instant, launch: Launch) {
        let deadline = now + self.config.reply_timeout;
        self.state = State::Confirming {
            confirmation: Confirmation::default(),
            launch,
            deadline,
        };
    }

    pub(super) fn start_paste(&mut self, now: Instant, program: Program, window: u16) {
        let launch = program.launch();
        let mut paste = Paste::new(program.source, window);
        let bytes = paste.next_bytes();
        let deadline = now + self.config.reply_timeout;
        self.state = State::Pasting {
            paste,
            launch,
            since: now,
            deadline,
        };
        self.transmit(&bytes);
    }

    pub(super) fn receive_credit(&mut self, now: Instant, byte: u8) {
        let State::Pasting {
            paste,
            since,
            deadline,
            ..
        } = &mut self.state
        else {
            return;
        };
        *deadline = now + self.config.reply_timeout;
        let is_over = paste.receive(byte);
        if is_over && paste.has_ended() {
            self.paste_rate = self.paste_rate.max(paste.rate(now - *since));
        }
        let bytes = if is_over {
            paste.end()
        } else {
            paste.next_bytes()
        };
        self.transmit(&bytes);
        if is_over {
            self.run(now, Vec::new());
        }
    }

    /// The board has the program. What it said before that is not the program's.
    pub(super) fn run(&mut self, now: Instant, unasked: Vec<u8>) {
        let (State::Pasting { launch, .. } | State::Confirming { launch, .. }) = self.state else {
            return;
        };
        if !unasked.is_empty() {
            self.tell(Event::Terminal(unasked));
        }
        let limit = self.config.traceback_limit;
        let reply = if launch.transfer {
            Reply::framed(limit)
        } else {
            Reply::new(limit)
        };
        let until = launch.timeout.map(|timeout| now + timeout);
        self.state = State::Running(Running {
            reply,
            until,
            stopping: None,
            loading: self.load.as_ref().map(|load| Loading::new(load.len())),
        });
        if launch.interrupted {
            self.stop(now, false);
        }
    }

    /// Interrupts the program until it ends.
    fn stop(&mut self, now: Instant, timed_out: bool) {
        let State::Running(running) = &mut self.state else {
            return;
        };
        let give_up = now + self.config.reply_timeout;
        running.stopping = Some(Stopping {
            timed_out,
            again_at: now + INTERRUPT_AGAIN,
            give_up,
        });
        self.transmit(&[INTERRUPT]);
    }

    pub(super) fn finish(&mut self, now: Instant, end: End) {
        let State::Running(running) = &self.state else {
            return;
        };
        let timed_out = running
            .stopping
            .as_ref()
            .is_some_and(|stopping| stopping.timed_out);
        let was_loading = running.loading.is_some();
        self.load = None;
        match end {
            End::Prompt { traceback } => {
                let raised = (!traceback.is_empty()).then(|| Traceback::parse(&traceback));
                self.settle(Event::Finished(outcome(raised, timed_out)));
                // The rest of its source may be at the prompt now.
                self.state = State::Raw {
                    settled: !was_loading,
                };
            }
            End::SoftReset => {
                self.await_reset(now, Event::Finished(Outcome::Exited));
            }
            End::BoardReset => {
                self.state = State::Normal;
                self.tell(Event::Finished(Outcome::BoardReset));
            }
        }
    }
}

fn outcome(raised: Option<Traceback>, timed_out: bool) -> Outcome {
    match raised {
        raised if timed_out => Outcome::TimedOut(raised),
        Some(traceback) => Outcome::Raised(traceback),
        None => Outcome::Completed,
    }
}

/// What time does.
impl RawRepl {
    /// Does what is due at `now`.
    pub(super) fn wake(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        match &mut self.state {
            State::Entering { entering, .. } => {
                let progress = entering.wake(now);
                self.progress(now, progress);
            }
            State::Probing { .. } => self.wake_probing(now),
            State::Pacing { .. } => self.pace(now),
            State::Pasting { .. } | State::Confirming { .. } => {
                self.lose(LostReason::TimedOut {
                    after: self.config.reply_timeout,
                });
            }
            State::Running(_) => self.wake_running(now),
            State::Resetting { then, .. } => {
                let then = then.clone();
                self.resync(now, Task::AfterReset(then));
            }
            State::Normal | State::Raw { .. } | State::Lost => {}
        }
    }

    /// The moment at which [`wake`](Self::wake) has something to do.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Entering { entering, .. } => Some(entering.deadline()),
            State::Pacing { next_at, .. } => Some(*next_at),
            State::Running(running) => running.deadline(),
            State::Probing { deadline, .. }
            | State::Pasting { deadline, .. }
            | State::Confirming { deadline, .. }
            | State::Resetting { deadline, .. } => Some(*deadline),
            State::Normal | State::Raw { .. } | State::Lost => None,
        }
    }

    fn wake_probing(&mut self, now: Instant) {
        if let State::Probing { program, .. } = mem::replace(&mut self.state, State::Lost) {
            self.do_without_paste(now, program);
        }
    }

    fn wake_running(&mut self, now: Instant) {
        let State::Running(running) = &mut self.state else {
            return;
        };
        match &mut running.stopping {
            None => self.stop(now, true),
            Some(stopping) if now >= stopping.give_up && stopping.timed_out => {
                self.lose(LostReason::TimedOut {
                    after: self.config.reply_timeout,
                });
            }
            // It resists, and it may: only its own time-out decides for it.
            Some(stopping) if now >= stopping.give_up => running.stopping = None,
            Some(stopping) => {
                stopping.again_at = now + INTERRUPT_AGAIN;
                self.transmit(&[INTERRUPT]);
            }
        }
    }
}

impl Running {
    fn deadline(&self) -> Option<Instant> {
        match &self.stopping {
            Some(stopping) => Some(stopping.again_at.min(stopping.give_up)),
            None => self.until,
        }
    }
}

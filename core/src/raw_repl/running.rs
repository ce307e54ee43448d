//! A program on the board, from where the board has it to its end.

use alloc::vec::Vec;
use core::time::Duration;

use super::{
    Outcome, Traceback,
    context::Context,
    doubt::Asking,
    event::Event,
    loading::{Loading, Progress},
    paste::INTERRUPT,
    reply::{End, Reply},
};
use crate::Instant;

/// A program that must stop is interrupted again after this long: it may have caught the last Ctrl-C, or not run
/// yet.
pub(crate) const INTERRUPT_AGAIN: Duration = Duration::from_millis(250);

/// How the application wants a program to run, and what has happened to it while it was sent.
#[derive(Debug)]
pub(super) struct Launch {
    /// How long it may run.
    pub(super) timeout: Option<Duration>,
    /// What it exchanges with us.
    pub(super) traffic: Traffic,
    /// The rest of it, which the board will ask for.
    pub(super) load: Option<Vec<u8>>,
    /// Whether it is to be stopped as soon as it runs.
    pub(super) interrupted: bool,
}

/// Whose a program is, and what it exchanges with the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// It is the application's, and may print anything.
    Any,
    /// It is ours, and never prints `04`.
    Text,
    /// It is ours, and reads binary data.
    BinaryInput,
    /// It is ours, reads binary data, and its output begins with any number of frames.
    Frames,
}

/// A program on the board.
#[derive(Debug)]
pub(super) struct Running {
    reply: Reply,
    /// When it has run too long.
    until: Option<Instant>,
    stopping: Option<Stopping>,
    /// While it is not known whether it has ended.
    asking: Option<Asking>,
    /// Until it has read itself.
    loading: Option<Loading>,
}

/// The program is being interrupted, which it may resist.
#[derive(Debug)]
struct Stopping {
    timed_out: bool,
    again_at: Instant,
    give_up: Instant,
}

impl Running {
    pub(super) fn new(now: Instant, launch: Launch, context: &mut Context) -> Self {
        let limit = context.config.traceback_limit;
        let mut running = Self {
            reply: match launch.traffic {
                Traffic::Any => Reply::new(limit),
                Traffic::Text | Traffic::BinaryInput => Reply::strict(limit),
                Traffic::Frames => Reply::framed(limit),
            },
            until: launch.timeout.map(|timeout| now + timeout),
            stopping: None,
            asking: None,
            loading: launch.load.map(Loading::new),
        };
        if launch.interrupted {
            running.stop(now, false, context);
        }
        running
    }

    /// Takes in bytes up to the end of the program, if it is among them: how many, and the end.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        bytes: &[u8],
        context: &mut Context,
    ) -> (usize, Option<End>) {
        if let Some(loading) = &mut self.loading {
            match loading.receive(bytes) {
                Progress::Text(length) => return self.receive_text(now, &bytes[..length], context),
                Progress::Ready(source) => context.transmit(source),
                Progress::Loaded => {
                    self.loading = None;
                    context.report(Event::Loaded);
                }
            }
            return (1, None);
        }
        self.receive_text(now, bytes, context)
    }

    fn receive_text(
        &mut self,
        now: Instant,
        bytes: &[u8],
        context: &mut Context,
    ) -> (usize, Option<End>) {
        let mut stdout = Vec::new();
        let end = self.reply.push(bytes, &mut stdout);
        for frame in self.reply.take_frames() {
            context.report(Event::Frame(frame));
        }
        context.report_stdout(stdout);
        let asking = self.asking.take().unwrap_or_else(|| Asking::new(now));
        self.asking = self.reply.is_in_doubt().then_some(asking);
        match end {
            Some((end, used)) => (used, Some(end)),
            None => (bytes.len(), None),
        }
    }

    /// Ctrl-C, once; the program may catch it.
    pub(super) fn interrupt(&mut self, context: &mut Context) {
        if let Some(loading) = &mut self.loading {
            loading.cancel();
        }
        context.transmit(INTERRUPT);
    }

    /// Interrupts the program until it ends.
    fn stop(&mut self, now: Instant, timed_out: bool, context: &mut Context) {
        self.stopping = Some(Stopping {
            timed_out,
            again_at: now + INTERRUPT_AGAIN,
            give_up: now + context.config.reply_timeout,
        });
        self.interrupt(context);
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        let stop = match &self.stopping {
            Some(stopping) => Some(stopping.again_at.min(stopping.give_up)),
            None => self.until,
        };
        let ask = self.asking.as_ref().map(Asking::deadline);
        [stop, ask].into_iter().flatten().min()
    }

    /// Does what is due at `now`, which is not before the deadline. `false` when the program does not end.
    pub(super) fn wake(&mut self, now: Instant, context: &mut Context) -> bool {
        match &mut self.asking {
            Some(asking) if now >= asking.deadline() => {
                if !asking.wake(now, context) {
                    self.run_on(context);
                }
                true
            }
            _ => self.wake_stop(now, context),
        }
    }

    /// The board did not say that the program has ended.
    fn run_on(&mut self, context: &mut Context) {
        self.asking = None;
        let mut stdout = Vec::new();
        // What was held back has no end in it: it would have been seen.
        let _ = self.reply.decide(&mut stdout);
        context.report_stdout(stdout);
    }

    fn wake_stop(&mut self, now: Instant, context: &mut Context) -> bool {
        match &mut self.stopping {
            None => self.stop(now, true, context),
            Some(stopping) if now >= stopping.give_up && stopping.timed_out => return false,
            // It resists, and it may: only its own time-out decides for it.
            Some(stopping) if now >= stopping.give_up => self.stopping = None,
            Some(stopping) => {
                stopping.again_at = now + INTERRUPT_AGAIN;
                context.transmit(INTERRUPT);
            }
        }
        true
    }

    /// How many zero bytes end whatever it reads, if `filler` end its own reading.
    pub(super) fn filler(&self, filler: usize) -> usize {
        filler.max(self.loading.as_ref().map_or(0, Loading::length))
    }

    /// Whether the rest of its source may still be on its way.
    pub(super) const fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// How it has ended, with this text in its traceback's field.
    pub(super) fn outcome(&self, traceback: &[u8]) -> Outcome {
        let raised = Some(Traceback::parse(traceback)).filter(Traceback::is_raise);
        match (&self.stopping, raised) {
            (
                Some(Stopping {
                    timed_out: true, ..
                }),
                raised,
            ) => Outcome::TimedOut(raised),
            (_, Some(traceback)) => Outcome::Raised(traceback),
            (_, None) => Outcome::Completed,
        }
    }
}

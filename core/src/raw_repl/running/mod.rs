//! A program on the board, from its receipt to its end.

pub(super) mod doubt;
pub(super) mod frames;
pub(super) mod reply;

use alloc::vec::Vec;
use core::time::Duration;

use super::{
    Outcome, Traceback,
    context::Context,
    control::INTERRUPT,
    event::Event,
    sending::loading::{Loading, Progress},
};
use crate::Instant;
use doubt::Asking;
use reply::{End, Reply};

/// Time after which a program that must stop is interrupted again: it may have caught the last Ctrl-C, or may not have
/// run yet.
pub(crate) const INTERRUPT_AGAIN: Duration = Duration::from_millis(250);
/// Limit of input that is buffered before its program runs, in bytes.
const TYPED_LIMIT: usize = 64 * 1024;

/// Request to run a program, and events while it was being sent.
#[derive(Debug)]
pub(super) struct Launch {
    /// Time limit.
    pub(super) timeout: Option<Duration>,
    /// Kind of traffic with the host.
    pub(super) traffic: Traffic,
    /// The rest of the program, which the board will request.
    pub(super) load: Option<Vec<u8>>,
    /// True if it must be stopped as soon as it runs.
    pub(super) interrupted: bool,
    /// Input typed before the program ran.
    pub(super) typed: Vec<u8>,
}

impl Launch {
    /// Buffers typed input until the program runs; returns false if there is not enough space, or it is a program of
    /// this crate.
    pub(super) fn type_ahead(&mut self, bytes: &[u8]) -> bool {
        let fits = self.traffic == Traffic::Any && self.typed.len() + bytes.len() <= TYPED_LIMIT;
        if fits {
            self.typed.extend_from_slice(bytes);
        }
        fits
    }

    /// Reports the output of a timer or a thread while the program was sent, like their output while it runs. A program
    /// of this crate does not receive it.
    pub(super) fn report_others(&self, bytes: Vec<u8>, context: &mut Context) {
        match self.traffic {
            Traffic::Any => context.report_stdout(bytes),
            Traffic::Text | Traffic::BinaryInput | Traffic::Frames => {
                context.report_terminal(bytes);
            }
        }
    }
}

/// Owner of a program, and its traffic with the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// A program of the application, which may print anything.
    Any,
    /// A program of this crate that never prints `04`.
    Text,
    /// A program of this crate that reads binary data.
    BinaryInput,
    /// A program of this crate that reads binary data and whose output begins with any number of frames.
    Frames,
}

/// A program on the board.
#[derive(Debug)]
pub(super) struct Running {
    reply: Reply,
    /// Time at which its time limit passes.
    until: Option<Instant>,
    stopping: Option<Stopping>,
    /// Set while it is unknown whether the program has ended.
    asking: Option<Asking>,
    /// Time at which an apparent end is reported as output, unless more of it arrives.
    disclose_at: Option<Instant>,
    /// Set until the program has been loaded.
    loading: Option<Loading>,
    /// True if input was sent that the program may leave unread: the prompt would then read it.
    is_typed_to: bool,
    /// True if the board was queried about the program, and may still answer.
    was_asked: bool,
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
            disclose_at: None,
            loading: launch.load.map(Loading::new),
            is_typed_to: false,
            was_asked: false,
        };
        if !launch.typed.is_empty() {
            running.send(&launch.typed, context);
        }
        if launch.interrupted {
            running.stop(now, false, context);
        }
        running
    }

    /// Takes bytes up to the end of the program, if they contain it. Returns their number, and the end.
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
        self.asking = self.reply.question().map(|question| {
            let asking = self.asking.take();
            let mut asking = asking
                .filter(|asking| asking.question() == question)
                .unwrap_or_else(|| Asking::new(now, question, self.reply.is_strict()));
            asking.put_off(now);
            asking
        });
        self.disclose_at = self.reply.patience().map(|patience| now + patience);
        match end {
            Some((end, used)) => (used, Some(end)),
            None => (bytes.len(), None),
        }
    }

    /// Types into the program's stdin.
    pub(super) fn send(&mut self, bytes: &[u8], context: &mut Context) {
        self.is_typed_to |= !self.reply.is_strict();
        context.transmit(bytes);
    }

    /// Sends Ctrl-C once; the program may catch it.
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
        [stop, ask, self.disclose_at].into_iter().flatten().min()
    }

    /// Performs work due at `now`, which is not before the deadline. Returns false if the program does not end.
    pub(super) fn wake(&mut self, now: Instant, context: &mut Context) -> bool {
        if self.disclose_at.is_some_and(|at| now >= at) {
            self.disclose_at = None;
            let mut stdout = Vec::new();
            self.reply.disclose(&mut stdout);
            context.report_stdout(stdout);
            return true;
        }
        match &mut self.asking {
            Some(asking) if now >= asking.deadline() => {
                let typed = self.is_typed_to || self.reply.is_strict();
                if asking.wake(now, typed, context) {
                    self.reply.ask();
                    self.was_asked = true;
                } else {
                    self.run_on(context);
                }
                true
            }
            _ => self.wake_stop(now, context),
        }
    }

    /// Handles a query without confirmation that the program has ended.
    fn run_on(&mut self, context: &mut Context) {
        self.asking = None;
        let mut stdout = Vec::new();
        // The held bytes do not contain an end: it would have been detected.
        let _ = self.reply.decide(&mut stdout);
        self.reply.disclose(&mut stdout);
        context.report_stdout(stdout);
    }

    fn wake_stop(&mut self, now: Instant, context: &mut Context) -> bool {
        match &mut self.stopping {
            None => self.stop(now, true, context),
            Some(stopping) if now >= stopping.give_up && stopping.timed_out => return false,
            // The program resists, as it may: only its own time-out decides.
            Some(stopping) if now >= stopping.give_up => self.stopping = None,
            Some(stopping) => {
                stopping.again_at = now + INTERRUPT_AGAIN;
                context.transmit(INTERRUPT);
            }
        }
        true
    }

    /// Number of zero bytes that complete any read of the program, if `filler` complete those of
    /// its own.
    pub(super) fn filler(&self, filler: usize) -> usize {
        filler.max(self.loading.as_ref().map_or(0, Loading::length))
    }

    /// Returns true if bytes for the program may arrive at the prompt after its end: the rest of its source, typed
    /// input, or a query.
    pub(super) const fn may_leave_bytes(&self) -> bool {
        self.loading.is_some() || self.is_typed_to || self.was_asked
    }

    /// Returns the outcome, given the text in its traceback's field.
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

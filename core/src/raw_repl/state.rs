//! State of a conversation. Each state holds only its own data; its responses to bytes, time and
//! Ctrl-C are defined here, each in one place.

use alloc::{vec, vec::Vec};
use core::mem;

use super::{
    Event, LostReason, Mode, Outcome,
    context::Context,
    control::{END, ENTER, EXIT_RAW, INTERRUPT},
    entering::{
        banner::{FriendlyBanner, RawBanner},
        between::Between,
        enter::{Entering, Progress},
        peer::SYNC,
    },
    running::{Launch, Running, Traffic, reply::End},
    sending::{
        Interrupted, Sending, Wake,
        pace::Pacing,
        paste::{Answer, PROBE, Paste, Probe},
        reception::Reception,
    },
};
use crate::Instant;

#[derive(Debug)]
pub(super) enum State {
    /// At the friendly prompt, or running whatever was started there.
    Normal,
    Entering {
        entering: Entering,
        goal: Goal,
    },
    /// In raw mode; `settled` until the board sends unexpected data; the next command then enters raw mode again.
    Raw {
        settled: bool,
    },
    Probing {
        probe: Probe,
        program: Program,
        deadline: Instant,
    },
    Sending {
        sending: Sending,
        launch: Launch,
    },
    Running(Running),
    Resetting(Resetting),
    Lost,
}

/// Restart of the interpreter.
#[derive(Debug)]
pub(super) struct Resetting {
    raw: RawBanner,
    friendly: FriendlyBanner,
    /// Output of `boot.py`.
    between: Between,
    /// Event to report at the end.
    then: Event,
    deadline: Instant,
}

/// Next action once the board is in raw mode.
#[derive(Debug)]
pub(super) enum Goal {
    /// Report this to the application.
    Report(Event),
    Run(Program),
    /// Report of a program that was interrupted before it was sent.
    ReportInterrupted,
    Reset,
}

/// A program to send.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) source: Vec<u8>,
    pub(super) launch: Launch,
}

/// Initial states.
impl State {
    /// Enters raw mode, whatever the board's state.
    pub(super) fn enter(now: Instant, goal: Goal, context: &mut Context) -> Self {
        context.transmit(ENTER);
        let timeout = context.config.enter_timeout;
        Self::Entering {
            entering: Entering::new(now, timeout, mem::take(&mut context.is_unanswered)),
            goal,
        }
    }

    /// Continues to the goal for which raw mode was entered.
    pub(super) fn begin(now: Instant, goal: Goal, context: &mut Context) -> Self {
        match goal {
            Goal::Report(event) => Self::settle(event, context),
            Goal::ReportInterrupted => {
                context.report_interrupted();
                Self::Raw { settled: true }
            }
            Goal::Reset => {
                // Ctrl-C clears the line and prints nothing: Ctrl-D resets only on an empty one.
                context.transmit([INTERRUPT[0], END]);
                Self::reset(now, Event::SoftReset, context)
            }
            Goal::Run(program)
                if context.has_raw_paste == Some(false) || program.is_short(context) =>
            {
                let mut pacing = Pacing::new(now, program.source, context);
                pacing.wake(now, context);
                Self::sending(Sending::Pacing(pacing), program.launch)
            }
            Goal::Run(program) => Self::probe(now, Probe::default(), program, context),
        }
    }

    /// Waits for a command, and reports the reason to the application.
    fn settle(event: Event, context: &mut Context) -> Self {
        context.report(event);
        Self::Raw { settled: true }
    }

    fn reset(now: Instant, then: Event, context: &Context) -> Self {
        Self::Resetting(Resetting {
            raw: RawBanner::default(),
            friendly: FriendlyBanner::default(),
            between: Between::after_reset(),
            then,
            deadline: now + context.config.reset_timeout,
        })
    }

    fn probe(now: Instant, probe: Probe, program: Program, context: &mut Context) -> Self {
        context.transmit(PROBE);
        Self::Probing {
            probe,
            program,
            deadline: now + context.config.probe_timeout,
        }
    }

    const fn sending(sending: Sending, launch: Launch) -> Self {
        Self::Sending { sending, launch }
    }

    /// Handles a board that has restarted and has answered in raw mode.
    fn answered_after_restart(context: &mut Context) -> Self {
        context.transmit(EXIT_RAW);
        context.report(Event::Finished(Outcome::BoardReset));
        Self::Normal
    }

    pub(super) fn lose(reason: LostReason, context: &mut Context) -> Self {
        context.report_lost(reason);
        Self::Lost
    }
}

impl Program {
    fn is_short(&self, context: &Context) -> bool {
        matches!(self.launch.traffic, Traffic::Any | Traffic::Text)
            && self.source.len() <= context.config.short_program
    }
}

/// Responses to bytes.
impl State {
    /// Takes some of the bytes, at least one of them present, and may give way to the next state. Returns that state,
    /// and the number of bytes taken.
    pub(super) fn receive(
        self,
        now: Instant,
        bytes: &[u8],
        context: &mut Context,
    ) -> (Self, usize) {
        match self {
            Self::Normal => {
                context.report_terminal(bytes);
                (self, bytes.len())
            }
            // A timer or a thread prints after its program has ended, or the board's state was misjudged.
            Self::Raw { .. } => {
                context.report_terminal(bytes);
                (Self::Raw { settled: false }, bytes.len())
            }
            Self::Entering { mut entering, goal } => {
                let (used, is_entered) = entering.receive(now, bytes);
                context.report_terminal(entering.take_others(is_entered));
                if is_entered {
                    context.owes_banners = false;
                    return (Self::begin(now, goal, context), used);
                }
                (Self::Entering { entering, goal }, used)
            }
            Self::Probing {
                mut probe,
                program,
                deadline,
            } => match probe.receive(bytes) {
                Some((answer, used)) => {
                    program.launch.report_others(probe.take_others(), context);
                    (Self::on_answer(now, answer, program, context), used)
                }
                None => {
                    program.launch.report_others(probe.take_surplus(), context);
                    let state = Self::Probing {
                        probe,
                        program,
                        deadline,
                    };
                    (state, bytes.len())
                }
            },
            Self::Sending {
                mut sending,
                launch,
            } => {
                let (used, reception) = sending.receive(now, bytes, context);
                launch.report_others(sending.take_others(), context);
                let state = match reception {
                    Reception::Wait => Self::sending(sending, launch),
                    Reception::Taken => {
                        context.owes_banners = false;
                        Self::Running(Running::new(now, launch, context))
                    }
                    Reception::Restarted => Self::answered_after_restart(context),
                };
                (state, used)
            }
            Self::Running(mut running) => match running.receive(now, bytes, context) {
                (used, Some(end)) => (Self::on_end(now, end, &running, context), used),
                (used, None) => (Self::Running(running), used),
            },
            Self::Resetting(resetting) => Self::receive_banner(now, bytes, resetting, context),
            Self::Lost => (Self::Lost, bytes.len()),
        }
    }

    fn on_answer(now: Instant, answer: Answer, program: Program, context: &mut Context) -> Self {
        match answer {
            Answer::Window(window) => {
                context.has_raw_paste = Some(true);
                context.window = Some(window);
                let paste = Paste::begin(now, program.source, window, context);
                Self::sending(Sending::Pasting(paste), program.launch)
            }
            Answer::AskAgain => Self::probe(now, Probe::again(), program, context),
            Answer::Refused => {
                context.has_raw_paste = Some(false);
                Self::begin(now, Goal::Run(program), context)
            }
            Answer::Nonsense => Self::do_without_paste(now, program, context),
        }
    }

    /// Handles an unknown or missing answer of the board, after which its state is unknown too.
    fn do_without_paste(now: Instant, program: Program, context: &mut Context) -> Self {
        context.has_raw_paste = Some(false);
        Self::enter(now, Goal::Run(program), context)
    }

    fn on_end(now: Instant, end: End, running: &Running, context: &mut Context) -> Self {
        match end {
            End::Prompt { traceback } => {
                context.report(Event::Finished(running.outcome(&traceback)));
                Self::Raw {
                    settled: !running.may_leave_bytes(),
                }
            }
            End::SoftReset => Self::reset(now, Event::Finished(Outcome::Exited), context),
            End::BoardReset => Self::answered_after_restart(context),
        }
    }

    /// Reads the end of a soft reset, which is in raw mode. A board that restarts completely is at its friendly prompt,
    /// and is entered again.
    fn receive_banner(
        now: Instant,
        bytes: &[u8],
        mut resetting: Resetting,
        context: &mut Context,
    ) -> (Self, usize) {
        for (&byte, used) in bytes.iter().zip(1..) {
            let is_raw = resetting.raw.push(byte);
            if is_raw || resetting.friendly.push(byte) {
                resetting.between.push(&bytes[..used]);
                context.report_terminal(resetting.between.take_rest());
                let state = match is_raw {
                    true => Self::settle(resetting.then, context),
                    false => Self::enter(now, Goal::Report(resetting.then), context),
                };
                return (state, used);
            }
        }
        resetting.between.push(bytes);
        context.report_terminal(resetting.between.take());
        (Self::Resetting(resetting), bytes.len())
    }
}

/// Responses to time.
impl State {
    /// Returns the time at which [`wake`](Self::wake) has work to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Entering { entering, .. } => Some(entering.deadline()),
            Self::Sending { sending, .. } => Some(sending.deadline()),
            Self::Running(running) => running.deadline(),
            Self::Probing { deadline, .. } => Some(*deadline),
            Self::Resetting(resetting) => Some(resetting.deadline),
            Self::Normal | Self::Raw { .. } | Self::Lost => None,
        }
    }

    /// Performs work due at `now`, which is not before the deadline.
    pub(super) fn wake(self, now: Instant, context: &mut Context) -> Self {
        match self {
            Self::Entering { mut entering, goal } => match entering.wake(now) {
                Progress::TryAgain { filler } => {
                    context.transmit([&vec![0; filler], ENTER].concat());
                    Self::Entering { entering, goal }
                }
                Progress::AskRom => {
                    context.transmit(SYNC);
                    Self::Entering { entering, goal }
                }
                Progress::Entered => {
                    context.report_terminal(entering.take_others(true));
                    context.owes_banners = true;
                    Self::begin(now, goal, context)
                }
                Progress::GiveUp => {
                    context.report_terminal(entering.take_others(true));
                    let after = context.config.enter_timeout;
                    let (said, peer) = (entering.said(), entering.peer());
                    Self::lose(LostReason::NotEntered { after, said, peer }, context)
                }
            },
            Self::Probing { program, .. } => Self::do_without_paste(now, program, context),
            Self::Sending {
                mut sending,
                launch,
            } => match sending.wake(now, context) {
                Wake::GoesOn => Self::sending(sending, launch),
                Wake::TimedOut => Self::time_out(context),
            },
            Self::Running(mut running) => match running.wake(now, context) {
                true => Self::Running(running),
                false => Self::time_out(context),
            },
            Self::Resetting(mut resetting) => {
                context.report_terminal(resetting.between.take_rest());
                Self::enter(now, Goal::Report(resetting.then), context)
            }
            Self::Normal | Self::Raw { .. } | Self::Lost => self,
        }
    }

    fn time_out(context: &mut Context) -> Self {
        let after = context.config.reply_timeout;
        Self::lose(LostReason::TimedOut { after }, context)
    }
}

/// Responses to the application.
impl State {
    pub(super) const fn mode(&self) -> Mode {
        match self {
            Self::Normal => Mode::Normal,
            Self::Entering { .. } => Mode::Entering,
            Self::Raw { .. } => Mode::Raw,
            Self::Probing { .. } | Self::Sending { .. } | Self::Running(_) => Mode::Running,
            Self::Resetting(_) => Mode::Resetting,
            Self::Lost => Mode::Lost,
        }
    }

    /// Types bytes, if a program or prompt will read them.
    pub(super) fn send(&mut self, bytes: &[u8], context: &mut Context) -> bool {
        match self {
            Self::Normal => context.transmit(bytes),
            Self::Running(running) => running.send(bytes, context),
            Self::Entering {
                goal: Goal::Run(program),
                ..
            }
            | Self::Probing { program, .. } => return program.launch.type_ahead(bytes),
            Self::Sending { launch, .. } => return launch.type_ahead(bytes),
            Self::Entering { .. } | Self::Raw { .. } | Self::Resetting(_) | Self::Lost => {
                return false;
            }
        }
        true
    }

    /// Sends Ctrl-C, if there is anything to end.
    pub(super) fn interrupt(mut self, now: Instant, context: &mut Context) -> Self {
        match &mut self {
            Self::Normal | Self::Raw { .. } | Self::Resetting(_) => context.transmit(INTERRUPT),
            Self::Running(running) => running.interrupt(context),
            Self::Entering { entering, goal } if goal.is_program() => {
                context.report_terminal(entering.take_others(true));
                context.is_unanswered = true;
                context.report_interrupted();
                return Self::Normal;
            }
            Self::Entering { .. } => {}
            Self::Probing { .. } => return Self::enter(now, Goal::ReportInterrupted, context),
            Self::Sending { sending, launch } => match sending.interrupt(context) {
                Interrupted::Now => return Self::begin(now, Goal::ReportInterrupted, context),
                Interrupted::Soon => {}
                Interrupted::WhenRunning => launch.interrupted = true,
            },
            Self::Lost => {}
        }
        self
    }
}

impl Goal {
    /// Returns true if a program is pending or was ended.
    const fn is_program(&self) -> bool {
        matches!(self, Self::Run(_) | Self::ReportInterrupted)
    }
}

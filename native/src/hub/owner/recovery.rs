//! Brings a board back to the prompt that the next tool expects, between two turns.

use tokio::time::{Duration, Instant};

use crate::hub::watch::Watch;

/// Attempts to bring the board to its prompt, until it is there or the limit is reached.
#[derive(Debug)]
pub(super) struct Recovery {
    stage: Stage,
    /// Time of the next step.
    next: Instant,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    /// The tool left the board at its prompt, as far as is known, and output may still be on its way.
    Settling,
    /// The tool left the board in the raw REPL, which was asked to end.
    LeavingRaw,
    /// The tool vanished: the board has been interrupted this many times.
    Interrupting(u32),
}

/// Next step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing yet.
    Wait,
    Send(Vec<u8>),
    Done,
}

impl Recovery {
    /// Starts the recovery after a tool that left.
    pub(super) fn settle(now: Instant) -> Self {
        Self {
            stage: Stage::Settling,
            next: now + SETTLE,
        }
    }

    /// Starts the recovery after a tool that vanished, or whose turn was ended.
    pub(super) fn interrupt(now: Instant) -> Self {
        Self {
            stage: Stage::Interrupting(0),
            next: now,
        }
    }

    /// Returns the time at which to act if the board stays silent.
    pub(super) fn due(&self, heard: Instant, watch: &Watch) -> Instant {
        match watch.is_at_prompt() {
            true => self.next.min(heard + QUIET),
            false => self.next,
        }
    }

    /// Returns the next step; `heard` is the time of the board's last output.
    pub(super) fn step(&mut self, now: Instant, heard: Instant, watch: &mut Watch) -> Step {
        let is_asked = !matches!(self.stage, Stage::Interrupting(0));
        if is_asked && watch.is_at_prompt() {
            return match heard + QUIET <= now {
                true => Step::Done,
                false => Step::Wait,
            };
        }
        if now < self.next {
            return Step::Wait;
        }
        match self.stage {
            Stage::Settling if watch.is_at_raw_prompt() => {
                self.stage = Stage::LeavingRaw;
                self.next = now + SETTLE;
                watch.expect_prompt();
                Step::Send(LEAVE_RAW.to_vec())
            }
            // A program that the tool left running goes on, as on a port that is not shared.
            Stage::Settling | Stage::LeavingRaw => Step::Done,
            Stage::Interrupting(ATTEMPTS) => Step::Done,
            Stage::Interrupting(attempt) => {
                let (bytes, time) = interruption(attempt);
                self.stage = Stage::Interrupting(attempt + 1);
                self.next = now + time;
                watch.expect_prompt();
                Step::Send(bytes)
            }
        }
    }
}

/// Returns the bytes of an attempt, and the time for its answer: Ctrl-C twice, Enter and Ctrl-B, which lead to the
/// friendly prompt from either REPL.
///
/// A file transfer to the board with Ctrl-C disabled (`core/src/board/python/stream/put.py`) is ended by empty blocks. Only
/// each third attempt sends them, because a program that reads no input would leave them in the way of the Ctrl-C
/// behind them.
fn interruption(attempt: u32) -> (Vec<u8>, Duration) {
    let mut bytes = Vec::new();
    let ends_a_file = attempt % 3 == 2;
    if ends_a_file {
        bytes.resize(EMPTY_BLOCKS[usize::from(attempt > 2)], 0);
    }
    bytes.extend(b"\x03\x03\r\x02");
    (bytes, if ends_a_file { GIVING_UP } else { ATTEMPT })
}

/// Time after its last byte at which a board at its prompt counts as idle.
const QUIET: Duration = Duration::from_millis(40);
/// Time limit of the prompt that a tool requested before it left.
const SETTLE: Duration = Duration::from_millis(300);
/// Time that a board has to answer an interruption before the next one.
const ATTEMPT: Duration = Duration::from_millis(150);
/// Longer time, for a board that gives up a file: it exceeds the silence that the board then waits
/// for (`core/src/channel/python/channel.py`), which the next attempt would restart.
const GIVING_UP: Duration = Duration::from_millis(400);
const ATTEMPTS: u32 = 24;
/// Sizes in bytes that exceed most blocks of a file, and all of them.
const EMPTY_BLOCKS: [usize; 2] = [8 * 1024, 64 * 1024];
const LEAVE_RAW: &[u8] = b"\r\x02";

//! A program on the board: its output on the way out, input and interrupts on the way in.

use std::{collections::VecDeque, time::Duration};

use flylead_core::raw_repl::CommandError;
use tokio::time::{Instant, sleep, sleep_until};

use super::{
    Job, News,
    input::{Marks, answers_a_read},
};
use crate::{BoardError, Program, board::expression::Question};

/// Way in which a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The program ended, perhaps by an interrupt.
    Itself { interrupted: bool },
    /// The program continues, however often it was interrupted.
    Refused,
}

/// Passes on a program's output until the program has ended.
///
/// A program may catch Ctrl-C and go on, so each interrupt is sent; for a client that has left, once a second. After
/// more than [`INTERRUPTS`] of them, it gives up, and the board is to be reset.
pub(super) async fn follow(
    program: &mut Program<'_>,
    job: &mut Job,
    marks: &mut Marks,
    question: &mut Option<Question>,
) -> Result<Ending, BoardError> {
    let mut interrupts = 0;
    let mut left_at: Option<Instant> = None;
    let mut interrupted_at: Option<Instant> = None;
    let mut typed = Typed::default();
    loop {
        if interrupts > INTERRUPTS {
            return Ok(Ending::Refused);
        }
        let again = left_at.unwrap_or_else(Instant::now);
        tokio::select! {
            output = program.next_output() => {
                let Some(output) = output? else {
                    let rest = marks.rest();
                    if !rest.is_empty() {
                        let rest = shown(question, &rest);
                        let _ = job.news.send(News::Output(rest)).await;
                    }
                    return Ok(Ending::Itself { interrupted: interrupts > 0 });
                };
                for piece in marks.split(&output) {
                    let news = match piece {
                        Some(text) => News::Output(shown(question, &text)),
                        None if typed.reads() => News::NeedsInput,
                        None => continue,
                    };
                    if matches!(&news, News::Output(text) if text.is_empty()) {
                        continue;
                    }
                    // A client that reads slowly slows the board down; a client that has left does not.
                    let _ = job.news.send(news).await;
                }
            }
            Some(text) = job.input.recv(), if left_at.is_none() => typed.add(marks.lines(&text)),
            () = sleep_until(typed.due().unwrap_or(again)), if typed.due().is_some() => {
                send(program, typed.next()).await?;
            }
            () = job.interrupt.notified(), if left_at.is_none() => {
                interrupts += 1;
                interrupted_at = Some(Instant::now());
                if interrupts <= INTERRUPTS {
                    program.interrupt().await?;
                }
            }
            // A session that is closed interrupts its program first: the program has time to clean up.
            () = job.news.closed(), if left_at.is_none() => {
                let next = interrupted_at.map(|at| at + INTERRUPT_AGAIN);
                left_at = Some(next.unwrap_or_else(Instant::now));
            }
            () = sleep_until(again), if left_at.is_some() => {
                interrupts += 1;
                if interrupts <= INTERRUPTS {
                    program.interrupt().await?;
                }
                left_at = Some(Instant::now() + INTERRUPT_AGAIN);
            }
        }
    }
}

/// Lines on their way to a program. Each answers one read; the last one may lack its end, and then answers none.
#[derive(Debug, Default)]
struct Typed {
    lines: VecDeque<Vec<u8>>,
    /// Time at which the first of the waiting lines was added.
    added: Option<Instant>,
    /// Time since which the program has been waiting for a line that was not sent yet.
    reads_since: Option<Instant>,
    /// Number of lines that were sent before the program reported that it reads.
    ahead: usize,
}

impl Typed {
    /// Notes that the program reads. Returns true if no whole line is waiting for it.
    fn reads(&mut self) -> bool {
        if self.ahead > 0 {
            self.ahead -= 1;
            return false;
        }
        self.reads_since = Some(Instant::now());
        !self.lines.iter().any(|line| answers_a_read(line))
    }

    fn add(&mut self, lines: impl Iterator<Item = Vec<u8>>) {
        if self.lines.is_empty() {
            self.added = Some(Instant::now());
        }
        self.lines.extend(lines);
    }

    /// Returns the time at which to send the next line.
    ///
    /// MicroPython on unix drops input that arrives before it has set up its terminal for reading (v1.29
    /// `ports/unix/unix_mphal.c`, `mp_hal_stdio_mode_raw`), so lines wait for that; but not for long, as programs also
    /// read `sys.stdin`, which reports nothing.
    fn due(&self) -> Option<Instant> {
        let added = self.added.filter(|_| !self.lines.is_empty())?;
        Some(match self.reads_since {
            Some(since) => since + READY_AFTER,
            None => added + UNASKED_AFTER,
        })
    }

    fn next(&mut self) -> Vec<u8> {
        let line = self.lines.pop_front().unwrap_or_default();
        if answers_a_read(&line) && self.reads_since.take().is_none() {
            self.ahead += 1;
        }
        line
    }
}

fn shown(question: &mut Option<Question>, output: &[u8]) -> Vec<u8> {
    match question {
        Some(question) => question.push(output),
        None => output.to_vec(),
    }
}

/// Sends bytes to a program. A program that has ended in the meantime no longer needs them; its end is the next output.
async fn send(program: &mut Program<'_>, bytes: Vec<u8>) -> Result<(), BoardError> {
    match program.send(bytes).await {
        Err(BoardError::Refused(CommandError::NotRunning)) => Ok(()),
        sent => sent,
    }
}

/// Ends a program that catches Ctrl-C: some of many interrupts arrive while it handles the previous one, where nothing
/// catches them. Returns false if the program continues.
///
/// Sends single interrupts first, as the second of two that arrive at once ends MicroPython itself on unix (v1.29
/// `ports/unix/unix_mphal.c`, `sighandler`); then bursts.
pub(super) async fn force(program: &mut Program<'_>) -> Result<bool, BoardError> {
    for round in 0..ROUNDS {
        let count = if round < ROUNDS / 2 { 1 } else { 16 };
        send(program, vec![CTRL_C; count]).await?;
        // Irregular pauses, as the program could be in step with a regular rhythm.
        let pause = sleep(Duration::from_millis(3 + u64::from(round) * 7 % 23));
        tokio::pin!(pause);
        loop {
            tokio::select! {
                output = program.next_output() => if output?.is_none() {
                    return Ok(true);
                },
                () = &mut pause => break,
            }
        }
    }
    Ok(false)
}

/// Time that a program needs between reporting a read and reading.
const READY_AFTER: Duration = Duration::from_millis(50);

/// Time that a line waits for a program to report a read.
const UNASKED_AFTER: Duration = Duration::from_millis(500);

/// Number of Ctrl-Cs that a program may catch before the board is reset.
const INTERRUPTS: u32 = 3;

/// Time that a program has to end after a Ctrl-C before the next one, once its client has left.
const INTERRUPT_AGAIN: Duration = Duration::from_secs(1);

const ROUNDS: u32 = 400;
const CTRL_C: u8 = 3;

//! A session with editors, and the board on which its program runs.

use std::{future::pending, time::Duration};

use flylead_core::{
    Instant,
    debug::{Action, dap::Adapter},
    raw_repl::{self, CommandError, RawRepl},
};
use tokio::time;

use crate::Driver;

/// A session with editors, and its board.
pub(super) struct Conversation {
    pub(super) adapter: Adapter,
    pub(super) board: Option<Driver<RawRepl>>,
    started: time::Instant,
    /// Time at which a program that was asked to end is abandoned.
    pub(super) give_up: Option<time::Instant>,
}

impl Conversation {
    pub(super) fn new(adapter: Adapter, board: Option<Driver<RawRepl>>) -> Self {
        Self {
            adapter,
            board,
            started: time::Instant::now(),
            give_up: None,
        }
    }

    pub(super) fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }

    /// Time of the adapter's next work, if it has any.
    pub(super) fn due(&self) -> Option<time::Instant> {
        let due = self.adapter.deadline();
        due.map(|due| self.started + due.since_start())
    }

    /// Sets the time at which a program that was asked to end is abandoned.
    pub(super) fn end_soon(&mut self) {
        self.give_up = Some(time::Instant::now() + GIVE_UP);
    }

    /// Waits for the board's next event; forever if there is no board, or no longer one.
    pub(super) async fn event(&mut self) -> raw_repl::Event {
        let event = match &mut self.board {
            Some(board) => board.next_event().await,
            None => None,
        };
        match event {
            Some(event) => event,
            None => pending().await,
        }
    }

    pub(super) fn heard(&mut self, event: &raw_repl::Event) {
        let now = self.now();
        self.adapter.handle_event(now, event);
    }

    pub(super) fn time_out(&mut self) {
        let now = self.now();
        self.adapter.handle_timeout(now);
    }

    /// Resets the board before another run.
    pub(super) async fn reset(&mut self) {
        let Some(board) = &mut self.board else { return };
        if let Err(error) = reset(board).await {
            self.adapter.refused(error);
        }
    }

    pub(super) async fn act(&mut self, action: Action) {
        let Some(board) = &self.board else { return };
        let done = board
            .command(move |repl, now| perform(repl, now, &action))
            .await;
        if let Ok(Err(error)) = done {
            self.adapter.refused(error);
        }
    }

    /// Leaves the board at its prompt, if it still answers.
    pub(super) async fn leave(self) {
        let Some(board) = self.board else { return };
        let _ = board.command(|repl, _| repl.leave()).await;
        board.close().await;
    }
}

fn perform(repl: &mut RawRepl, now: Instant, action: &Action) -> Result<(), CommandError> {
    match action {
        Action::Exec(program) => repl.exec(now, program, None),
        // A program that has ended meanwhile reads no more input.
        Action::Send(bytes) => repl.send(bytes).or(Ok(())),
        Action::Interrupt => repl.interrupt(now),
        Action::Tell(_) => Ok(()),
    }
}

pub(super) async fn reset(driver: &mut Driver<RawRepl>) -> Result<(), String> {
    let asked = driver.command(|repl, now| repl.soft_reset(now)).await;
    asked
        .map_err(|_| "the board is gone".to_owned())?
        .map_err(|error| error.to_string())?;
    loop {
        match driver.next_event().await {
            Some(raw_repl::Event::SoftReset) => return Ok(()),
            Some(raw_repl::Event::Lost { reason }) => return Err(reason.to_string()),
            Some(_) => {}
            None => return Err("the board is gone".to_owned()),
        }
    }
}

/// Time that a program has to end once its editor is gone.
const GIVE_UP: Duration = Duration::from_secs(5);

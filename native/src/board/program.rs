//! Programs on a board.

use std::time::Duration;

use flylead_core::{
    board::{Answer, Event, Request},
    raw_repl::{self, Outcome},
};

use super::Board;
use crate::{BoardError, board::expression, literal::Literal};

/// Program running on a [`Board`].
///
/// Dropping it does not end the program: the board stays busy until [`Board::stop`] or the program's own end.
#[derive(Debug)]
#[must_use = "the board is busy until the program has ended"]
pub struct Program<'a> {
    board: &'a mut Board,
    outcome: Option<Outcome>,
}

/// Methods that run programs.
impl Board {
    /// Starts a program, interrupting whatever runs on the board. The program is interrupted in turn once it exceeds
    /// `timeout`, if given.
    ///
    /// # Errors
    /// The board is lost or busy, or the source contains bytes that cannot be sent.
    pub async fn start(
        &mut self,
        source: impl Into<Vec<u8>>,
        timeout: Option<Duration>,
    ) -> Result<Program<'_>, BoardError> {
        let source = source.into();
        self.begin(Request::Exec { source, timeout }).await?;
        Ok(Program {
            board: self,
            outcome: None,
        })
    }

    /// Runs a program to its end, and returns its output.
    ///
    /// # Errors
    /// The program did not reach its end: it raised an exception, or the board was lost or restarted.
    pub async fn exec(&mut self, source: impl Into<Vec<u8>>) -> Result<Vec<u8>, BoardError> {
        let mut program = self.start(source, None).await?;
        let mut written = Vec::new();
        while let Some(output) = program.next_output().await? {
            written.extend(output);
        }
        success(program.outcome().await?)?;
        Ok(written)
    }

    /// Returns the value of an expression, as Python's `repr` writes it.
    ///
    /// Output of the expression itself cannot be mistaken for its value; it is dropped.
    ///
    /// # Errors
    /// The expression raised an exception, or the board was lost or restarted.
    pub async fn eval(&mut self, expression: &str) -> Result<String, BoardError> {
        self.eval_with(expression, None, |_| ()).await
    }

    /// Like [`eval`](Self::eval), with a time limit, and passing on the expression's own output.
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval), and [`BoardError::TimedOut`].
    pub async fn eval_with(
        &mut self,
        expression: &str,
        timeout: Option<Duration>,
        printed: impl FnMut(&[u8]),
    ) -> Result<String, BoardError> {
        self.ask(expression::Question::new(expression), timeout, printed)
            .await
    }

    /// Like [`eval`](Self::eval), for an expression of one line that uses only built-in names: those of the board's user
    /// do not affect it, as in programs of [`own`](flylead_core::raw_repl::own).
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval).
    pub async fn eval_own(&mut self, expression: &str) -> Result<String, BoardError> {
        self.ask(expression::Question::own(expression), None, |_| ())
            .await
    }

    /// Returns the value of such an expression; `None` if it raises an exception.
    ///
    /// # Errors
    /// The board was lost or restarted.
    pub async fn value_of_own(&mut self, expression: &str) -> Result<Option<Literal>, BoardError> {
        match self.eval_own(expression).await {
            Ok(value) => Ok(Some(Literal::parse(&value))),
            Err(BoardError::Raised(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn ask(
        &mut self,
        mut question: expression::Question,
        timeout: Option<Duration>,
        mut printed: impl FnMut(&[u8]),
    ) -> Result<String, BoardError> {
        let mut program = self.start(question.source(), timeout).await?;
        while let Some(output) = program.next_output().await? {
            printed(&question.push(&output));
        }
        match success(program.outcome().await?)? {
            Ending::Returned => question.answer().map_err(|_| BoardError::Unreadable),
            Ending::Exited => Err(BoardError::Exited),
        }
    }
}

impl Program<'_> {
    /// Returns the next piece of output as it arrives; `None` once the program has ended.
    ///
    /// Cancel safe: no output is lost when this future is dropped.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn next_output(&mut self) -> Result<Option<Vec<u8>>, BoardError> {
        while self.outcome.is_none() {
            match self.board.next_event().await? {
                Event::Stdout(output) => return Ok(Some(output)),
                Event::Answered(answer) => self.outcome = Some(outcome(answer?)?),
                Event::Terminal(_)
                | Event::Progress(_)
                | Event::Content(_)
                | Event::Stopped(_)
                | Event::Released(_)
                | Event::Lost { .. } => {}
            }
        }
        Ok(None)
    }

    /// Waits for the outcome. Remaining output is dropped.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn outcome(mut self) -> Result<Outcome, BoardError> {
        while self.next_output().await?.is_some() {}
        self.outcome.take().ok_or(BoardError::Over)
    }

    /// Presses Ctrl-C.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn interrupt(&mut self) -> Result<(), BoardError> {
        self.board.interrupt().await
    }

    /// Types into the program's stdin.
    ///
    /// # Errors
    /// The board is lost, or the program has ended.
    pub async fn send(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), BoardError> {
        let bytes = bytes.into();
        self.board
            .trace_command(&raw_repl::Command::Send(bytes.clone()));
        self.board.command(move |board, _| board.send(&bytes)).await
    }
}

/// Way in which a program ended.
enum Ending {
    Returned,
    Exited,
}

/// Converts an outcome to an error unless it is a success.
fn success(outcome: Outcome) -> Result<Ending, BoardError> {
    match outcome {
        Outcome::Completed => Ok(Ending::Returned),
        Outcome::Exited => Ok(Ending::Exited),
        Outcome::Raised(traceback) => Err(BoardError::Raised(traceback)),
        Outcome::TimedOut(_) => Err(BoardError::TimedOut),
        Outcome::BoardReset => Err(BoardError::Restarted),
    }
}

fn outcome(answer: Answer) -> Result<Outcome, BoardError> {
    let Answer::Ran(outcome) = answer else {
        return Err(BoardError::Unreadable);
    };
    Ok(outcome)
}

//! A program on the board, at this terminal.

use std::{
    io::{self, Write as _},
    time::Duration,
};

use clap::Args;
use flylead::{Board, BoardError};
use flylead_core::raw_repl::{CommandError, LostReason, Outcome, Traceback};

use super::{Common, Exit, Failure, interrupts::Interrupts};

/// The options of everything that runs a program.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Options {
    /// Soft-reset the board first, so that nothing is left of earlier programs
    #[arg(long, overrides_with = "no_reset")]
    reset: bool,

    /// Leave the board as it is; this is the default
    #[arg(long, overrides_with = "reset")]
    no_reset: bool,
}

/// What to run.
#[derive(Debug)]
pub(crate) struct Program {
    /// The Python source.
    pub(crate) source: Vec<u8>,
    /// What tracebacks shall call it.
    pub(crate) file: Option<String>,
}

impl Program {
    /// Runs it on the board that `common` names, with its output on stdout and its traceback on stderr. The board is
    /// left at its prompt.
    pub(crate) async fn run(self, common: &Common, options: Options) -> Result<Exit, Failure> {
        let mut interrupts = Interrupts::new()?;
        let mut board = common.board().await?;
        let done = self.reset_and_run(&mut board, &mut interrupts, common, options);
        let done = done.await;
        common.leave(board).await;
        done
    }

    async fn reset_and_run(
        &self,
        board: &mut Board,
        interrupts: &mut Interrupts,
        common: &Common,
        options: Options,
    ) -> Result<Exit, Failure> {
        if options.reset {
            common.say("soft-resetting the board");
            board.soft_reset().await?;
        }
        self.run_on(board, interrupts, common.limit()).await
    }

    async fn run_on(
        &self,
        board: &mut Board,
        interrupts: &mut Interrupts,
        timeout: Option<Duration>,
    ) -> Result<Exit, Failure> {
        let mut program = board
            .start(self.source.as_slice(), timeout)
            .await
            .map_err(|error| self.refusal(error))?;
        let mut interrupted = false;
        loop {
            tokio::select! {
                biased;
                output = program.next_output() => match output? {
                    Some(output) => print(&output)?,
                    None => break,
                },
                () = interrupts.next() => {
                    if interrupted {
                        return Ok(Exit::Interrupted);
                    }
                    interrupted = true;
                    program.interrupt().await?;
                }
            }
        }
        self.report(program.outcome().await, interrupted)
    }

    fn report(
        &self,
        outcome: Result<Outcome, BoardError>,
        interrupted: bool,
    ) -> Result<Exit, Failure> {
        match outcome {
            Ok(Outcome::Completed | Outcome::Exited) => Ok(Exit::Done),
            // A process on a terminal ends with its interpreter; a board would have started a new one.
            Err(BoardError::Lost(LostReason::Closed)) => Ok(Exit::Done),
            Ok(Outcome::Raised(traceback)) => {
                self.show(&traceback);
                Ok(match interrupted && traceback.is_interrupt() {
                    true => Exit::Interrupted,
                    false => Exit::Raised,
                })
            }
            Ok(Outcome::TimedOut(traceback)) => {
                traceback.iter().for_each(|traceback| self.show(traceback));
                Err(BoardError::TimedOut.into())
            }
            Ok(Outcome::BoardReset) => Err(BoardError::Restarted.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Prints a traceback as Python would for a program of this name.
    fn show(&self, traceback: &Traceback) {
        let text = traceback.text.trim_end();
        match &self.file {
            Some(file) => eprintln!("{}", text.replace(STDIN_FRAME, &format!("File \"{file}\""))),
            None => eprintln!("{text}"),
        }
    }

    fn refusal(&self, error: BoardError) -> Failure {
        match error {
            BoardError::Refused(CommandError::ControlByte { offset }) => {
                let line = 1 + self.source[..offset]
                    .iter()
                    .filter(|&&byte| byte == b'\n')
                    .count();
                let file = self.file.as_deref().unwrap_or("the program");
                Failure::new(
                    Exit::Usage,
                    format!(
                        "{file}, line {line}: a control byte cannot be sent; write it as an escape such as \\x04"
                    ),
                )
            }
            error => error.into(),
        }
    }
}

/// Passes output on as it comes, byte for byte.
pub(crate) fn print(output: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(output)?;
    stdout.flush()
}

/// How MicroPython names the program that was sent.
const STDIN_FRAME: &str = "File \"<stdin>\"";

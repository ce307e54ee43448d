//! A program on the board, at this terminal.

use std::{io, time::Duration};

use clap::Args;
use flylead_core::raw_repl::{CommandError, LostReason, Outcome, Traceback, own};
use flylead_native::{Board, BoardError, sleep_until};
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::{
    Common, Exit, Failure,
    terminal::{
        input::{INTERRUPT, Input},
        interrupts::Interrupts,
        print_line, print_raw, say,
    },
};

/// The options of everything that runs a program.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Options {
    /// Soft-reset the board first, which ends the state of earlier programs
    #[arg(long, overrides_with = "no_reset")]
    reset: bool,

    /// Leave the board as it is; this is the default
    #[arg(long, overrides_with = "reset")]
    no_reset: bool,

    /// Start the program and leave it running, without its output; the next command that needs the board's attention interrupts
    /// it
    #[arg(long)]
    no_follow: bool,

    /// True to reload modules of the mounted folder.
    #[arg(skip)]
    reloads_modules: bool,
}

impl Options {
    /// Reloads modules of the mounted folder.
    pub(crate) fn reloading_modules(self) -> Self {
        let reloads_modules = true;
        Self {
            reloads_modules,
            ..self
        }
    }
}

/// Program to run.
#[derive(Debug)]
pub(crate) struct Program {
    /// The Python source.
    pub(crate) source: Vec<u8>,
    /// Name for tracebacks.
    pub(crate) file: Option<String>,
    /// Value of `sys.argv`; `None` leaves it unchanged.
    pub(crate) argv: Option<Vec<String>>,
    /// True to pass stdin to the program.
    pub(crate) reads_stdin: bool,
}

impl Program {
    /// Runs the program on the board that `common` names, with its output on stdout and its traceback on stderr. The
    /// board is left at its prompt.
    pub(crate) async fn run(self, common: &Common, options: Options) -> Result<Exit, Failure> {
        let mut interrupts = Interrupts::new()?;
        let mut board = interrupts.or(common.board()).await?;
        if options.no_follow {
            let set_off = self.set_off(&mut board, common, options);
            match interrupts.or(set_off).await {
                Ok(Started::Runs) => {
                    board.close().await;
                    return Output::new(common.json).end("started");
                }
                Ok(Started::HasEnded) => {
                    common.leave(board).await;
                    return Output::new(common.json).end("started");
                }
                // The program is not valid Python: running it reports the error.
                Ok(Started::Not) => {}
                Err(failure) => {
                    common.leave(board).await;
                    return Err(failure);
                }
            }
        }
        let done = self.prepare_and_run(&mut board, &mut interrupts, common, options);
        let done = done.await;
        common.leave(board).await;
        done
    }

    /// Starts the program, and waits until it runs.
    async fn set_off(
        &self,
        board: &mut Board,
        common: &Common,
        options: Options,
    ) -> Result<Started, Failure> {
        self.prepare(board, common, options).await?;
        let source = [SIGN_OF_LIFE, &self.source].concat();
        let started = board.start(source, None).await;
        let mut program = started.map_err(|error| {
            let BoardError::Refused(CommandError::ControlByte { offset }) = error else {
                return error.into();
            };
            let offset = offset - SIGN_OF_LIFE.len();
            self.refusal(BoardError::Refused(CommandError::ControlByte { offset }))
        })?;
        while let Some(said) = program.next_output().await? {
            if said.contains(&SIGN) {
                // A program that ends now leaves the board in raw mode, where people find no prompt.
                let ended = timeout(A_MOMENT, program.outcome()).await;
                return Ok(ended.map_or(Started::Runs, |_| Started::HasEnded));
            }
        }
        Ok(Started::Not)
    }

    async fn prepare_and_run(
        &self,
        board: &mut Board,
        interrupts: &mut Interrupts,
        common: &Common,
        options: Options,
    ) -> Result<Exit, Failure> {
        let input = interrupts.or(self.prepare(board, common, options)).await?;
        let output = Output::new(common.json);
        self.run_on(board, interrupts, common.limit(), input, output)
            .await
    }

    async fn prepare(
        &self,
        board: &mut Board,
        common: &Common,
        options: Options,
    ) -> Result<Input, Failure> {
        if options.reset {
            common.say("soft-resetting the board");
            board.soft_reset().await?;
        }
        if options.reloads_modules {
            board.exec(own(FORGET_MODULES)).await?;
        }
        let Some(argv) = &self.argv else {
            return Ok(Input::none());
        };
        let platform = set_argv(board, argv).await?;
        let reads_stdin = self.reads_stdin && !options.no_follow && !common.leaves_stdin;
        Ok(match reads_stdin {
            true => Input::stdin(&platform)?,
            false => Input::none(),
        })
    }

    async fn run_on(
        &self,
        board: &mut Board,
        interrupts: &mut Interrupts,
        limit: Option<Duration>,
        mut input: Input,
        mut output: Output,
    ) -> Result<Exit, Failure> {
        let mut program = board
            .start(self.source.as_slice(), limit)
            .await
            .map_err(|error| self.refusal(error))?;
        let mut interrupted = false;
        let mut patience = None;
        loop {
            tokio::select! {
                biased;
                said = program.next_output() => match said? {
                    Some(said) => {
                        input.answer();
                        output.print(&said)?;
                    }
                    None => break,
                },
                () = interrupts.next() => {
                    if interrupted {
                        return Err(Failure::interrupted());
                    }
                    interrupted = true;
                    program.interrupt().await?;
                    patience = Some(Instant::now() + PATIENCE);
                }
                () = sleep_until(patience) => {
                    patience = None;
                    say("flylead: the program does not end on Ctrl-C; press it again to leave");
                }
                piece = input.next() => match piece? {
                    piece if piece == [INTERRUPT] => {
                        interrupted = true;
                        input.sent();
                        program.interrupt().await?;
                    }
                    piece => match program.send(piece).await {
                    Err(BoardError::Refused(CommandError::NotRunning)) => input.wait(),
                    sent => {
                        sent?;
                        input.sent();
                    }
                    }
                },
            }
        }
        drop(input);
        self.report(program.outcome().await, interrupted, output)
    }

    fn report(
        &self,
        outcome: Result<Outcome, BoardError>,
        interrupted: bool,
        output: Output,
    ) -> Result<Exit, Failure> {
        match outcome {
            Ok(Outcome::Completed) => output.end("completed"),
            Ok(Outcome::Exited) => output.end("exited"),
            // A process on a terminal ends with its interpreter; a board would have started a new one.
            Err(BoardError::Lost(LostReason::Closed)) => output.end("closed"),
            Ok(Outcome::Raised(traceback)) => {
                let exit = match interrupted && traceback.is_interrupt() {
                    true => Exit::Interrupted,
                    false => Exit::Raised,
                };
                Err(Failure::raised(exit, self.name_file(traceback)))
            }
            Ok(Outcome::TimedOut(traceback)) => {
                let failure = Failure::from(BoardError::TimedOut);
                Err(match traceback {
                    Some(traceback) => failure.with_traceback(self.name_file(traceback)),
                    None => failure,
                })
            }
            Ok(Outcome::BoardReset) => Err(BoardError::Restarted.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the traceback as Python would write it for a program of this name.
    fn name_file(&self, mut traceback: Traceback) -> Traceback {
        if let Some(file) = &self.file {
            traceback.text = traceback
                .text
                .replace(STDIN_FRAME, &format!("File \"{file}\""));
            let own = traceback
                .frames
                .iter_mut()
                .filter(|frame| frame.file == "<stdin>");
            own.for_each(|frame| frame.file.clone_from(file));
        }
        traceback
    }

    fn refusal(&self, error: BoardError) -> Failure {
        let BoardError::Refused(CommandError::ControlByte { offset }) = error else {
            return error.into();
        };
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
}

/// Sets the program's arguments, and returns the platform on which it will run.
async fn set_argv(board: &mut Board, argv: &[String]) -> Result<String, Failure> {
    // JSON texts, and lists of them, are valid Python.
    let (words, has_words) = (json!(argv), argv.len() > 1);
    let source = format!(
        "import sys\nprint(sys.platform)\ntry:\n sys.argv.clear()\n sys.argv.extend({words})\nexcept AttributeError:\n if {}:raise\n",
        if has_words { "True" } else { "False" },
    );
    match board.exec(own(&source)).await {
        Ok(platform) => Ok(String::from_utf8_lossy(&platform).trim().to_owned()),
        Err(BoardError::Raised(traceback)) if traceback.exception == "AttributeError" => {
            Err(Failure::new(
                Exit::Usage,
                "this board has no sys.argv, so the program takes no arguments",
            ))
        }
        Err(error) => Err(error.into()),
    }
}

/// State of a program that is not followed.
enum Started {
    Runs,
    HasEnded,
    Not,
}

/// Form of the output: raw, or lines of JSON.
struct Output {
    json: bool,
    /// First bytes of a character that is not complete yet.
    partial: Vec<u8>,
}

impl Output {
    const fn new(json: bool) -> Self {
        let partial = Vec::new();
        Self { json, partial }
    }

    fn print(&mut self, output: &[u8]) -> io::Result<()> {
        if !self.json {
            return print_raw(output);
        }
        self.partial.extend_from_slice(output);
        let whole = match str::from_utf8(&self.partial) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.partial.len(),
        };
        let text: Vec<_> = self.partial.drain(..whole).collect();
        print_text(&text)
    }

    fn end(self, outcome: &str) -> Result<Exit, Failure> {
        if self.json {
            print_text(&self.partial)?;
            let line = json!({ "ok": true, "outcome": outcome });
            print_line(line)?;
        }
        Ok(Exit::Done)
    }
}

fn print_text(text: &[u8]) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let line = json!({ "stdout": String::from_utf8_lossy(text) });
    print_line(line)
}

/// Program that removes the modules loaded from files in the current folder; frozen ones are loaded again just as fast.
const FORGET_MODULES: &str = "def _f(m):
 import os
 for n in list(m):
  f=getattr(m[n],'__file__','/')
  if f[:1]!='/' or f.startswith(os.getcwd()):del m[n]
_f(__import__('sys').modules)
";
/// First output of a program that is not followed: the board then has all of it, and has compiled
/// it.
const SIGN_OF_LIFE: &[u8] = b"print(end='\\x16')\n";
const SIGN: u8 = 0x16;
const A_MOMENT: Duration = Duration::from_millis(50);
/// Time that a program has to end on Ctrl-C before the person is shown how to leave.
const PATIENCE: Duration = Duration::from_secs(3);
/// Name of a program that was sent, in MicroPython's tracebacks.
const STDIN_FRAME: &str = "File \"<stdin>\"";

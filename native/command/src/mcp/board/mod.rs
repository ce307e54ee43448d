//! A MicroPython board, opened for a single call.

pub(crate) mod files;
pub(crate) mod folders;

use std::{sync::Arc, time::Duration};

use flylead_core::raw_repl::{Config, LostReason, Outcome};
use flylead_native::{Board, BoardError};
use tokio::{sync::Notify, time};
use tokio_util::sync::CancellationToken;

use super::{
    answer::{BoardAnswer, Fault},
    arguments::{ExecArguments, PortArguments, ResetArguments},
    gate::{
        self, Deed, Passed, Restart,
        confirm::{Call, Stop, cancelled},
    },
    outputs::{Outputs, Printed, Shown},
    port::{Port, turn::Held},
    ports::{self, Ports},
    progress::Progress,
};

pub(super) async fn exec(
    ports: &Ports,
    call: &Call<'_>,
    arguments: ExecArguments,
) -> Result<BoardAnswer, Stop> {
    let port = &arguments.port;
    let passed = gate::pass(ports, call, &port.port, &Deed::Run(&arguments.code)).await?;
    let usual = match arguments.background {
        true => BACKGROUND_TIMEOUT,
        false => ports.settings.timeout.unwrap_or(PROGRAM_TIMEOUT),
    };
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    let timeout = arguments.timeout_s.map_or(usual, seconds);
    let progress = Progress::new(call.context);
    let mut open = Open::new(ports, call, port).await?;
    let program = run(
        open.board.changing(&passed),
        arguments.code,
        (timeout, arguments.background),
        progress,
        &ports.outputs,
    );
    let done = open.cancel.or(program).await;
    match &done {
        Ok(answer) if answer.running.is_some() => open.listen_on(ports, ports.baud(port)?).await?,
        _ => open.release().await,
    }
    done
}

async fn run(
    board: &mut Board,
    code: String,
    (timeout, background): (Duration, bool),
    mut progress: Progress<'_>,
    outputs: &Outputs,
) -> Result<BoardAnswer, Stop> {
    let limit = (!background).then_some(timeout);
    let mut program = board.start(code, limit).await.map_err(fault)?;
    let end = time::Instant::now() + timeout;
    let mut output = Printed::default();
    loop {
        let printed = tokio::select! {
            printed = program.next_output() => printed.map_err(fault)?,
            () = time::sleep_until(end), if background => {
                return Ok(BoardAnswer {
                    running: Some(true),
                    ..of_output(output, outputs)
                });
            }
            () = progress.is_due() => {
                progress.send_output().await;
                continue;
            }
        };
        let Some(bytes) = printed else { break };
        progress.printed(&bytes);
        output.push(&bytes);
    }
    let fault = ending(program.outcome().await.map_err(fault)?);
    Ok(BoardAnswer {
        ok: fault.is_none(),
        error: fault,
        ..of_output(output, outputs)
    })
}

/// Returns an answer with the output of a board.
fn of_output(output: Printed, outputs: &Outputs) -> BoardAnswer {
    let length = output.length;
    let Shown { text, resource } = outputs.show(output);
    BoardAnswer {
        ok: true,
        truncated: resource.is_some().then_some(true),
        resource,
        untrusted: (!text.is_empty()).then_some(true),
        output: Some(text),
        bytes: Some(length),
        ..BoardAnswer::default()
    }
}

/// Converts an outcome to a fault, unless it is a success.
fn ending(outcome: Outcome) -> Option<Fault> {
    match outcome {
        Outcome::Completed | Outcome::Exited => None,
        Outcome::Raised(traceback) => {
            Some(Fault::quoting("raised", traceback.text.trim_end(), false))
        }
        Outcome::TimedOut(_) => Some(Fault::new(
            "timed_out",
            "the program exceeded its time limit and was interrupted",
            false,
        )),
        Outcome::BoardReset => Some(Fault::new(
            "board_reset",
            "the board restarted in the middle of the program",
            false,
        )),
    }
}

pub(super) async fn reset(
    ports: &Ports,
    call: &Call<'_>,
    arguments: ResetArguments,
) -> Result<BoardAnswer, Stop> {
    let port = &arguments.port;
    if arguments.hard && arguments.listen_s.is_some() {
        let message = "listen_s works only without hard, which closes the port";
        return Err(Fault::argument(message).into());
    }
    if arguments.listen_s.is_some_and(|it| it > LONGEST_LISTEN_S) {
        let message =
            format!("listen_s is at most {LONGEST_LISTEN_S}; monitor_read_next goes on listening");
        return Err(Fault::argument(message).into());
    }
    let restart = match (arguments.hard, arguments.listen_s) {
        (true, _) => Restart::Hard,
        (false, Some(_)) => Restart::WithMain,
        (false, None) => Restart::Soft,
    };
    let passed = gate::pass(ports, call, &port.port, &Deed::Reset(restart)).await?;
    let mut open = Open::new(ports, call, port).await?;
    let board = open.board.changing(&passed);
    if let Some(seconds) = arguments.listen_s {
        let mut heard = Printed::default();
        let time = Duration::from_secs(seconds.into());
        let restarted = open.cancel.or(listen(board, time, &mut heard)).await;
        open.close().await;
        let is_heard = heard.length > 0;
        let answer = of_output(heard, &ports.outputs);
        return match restarted {
            Ok(()) => Ok(answer),
            // The board's last output is the reason, as for a program that resets the board.
            Err(Stop::Fault(error)) if is_heard => Ok(BoardAnswer {
                ok: false,
                error: Some(error),
                ..answer
            }),
            Err(stop) => Err(stop),
        };
    }
    let reset = async {
        match arguments.hard {
            true => hard_reset(board).await?,
            false => in_time(RESET_TIMEOUT, board.soft_reset()).await?,
        }
        Ok(done())
    };
    let done = open.cancel.or(reset).await;
    open.release().await;
    done
}

/// Restarts a board like Ctrl-D at its prompt, which runs boot.py and main.py, and collects its output for this time.
async fn listen(board: &mut Board, time: Duration, heard: &mut Printed) -> Result<(), Stop> {
    board.type_at_prompt(SOFT_RESET).await.map_err(fault)?;
    let end = time::Instant::now() + time;
    while let Ok(said) = time::timeout_at(end, board.next_at_prompt()).await {
        heard.push(&said.map_err(fault)?);
    }
    Ok(())
}

/// Resets a board. A board that restarts falls silent, closes its link, or prints as it boots; a board that cannot
/// restart reports an error.
async fn hard_reset(board: &mut Board) -> Result<(), Fault> {
    match time::timeout(RESET_TIMEOUT, board.exec(HARD_RESET)).await {
        Ok(Err(BoardError::Restarted | BoardError::Lost(LostReason::Closed))) => Ok(()),
        Ok(Err(error)) => Err(fault(error)),
        Ok(Ok(_)) | Err(_) => Err(Fault::new(
            "not_reset",
            "the board was asked to reset, but did not",
            false,
        )),
    }
}

pub(super) fn done() -> BoardAnswer {
    BoardAnswer {
        ok: true,
        ..BoardAnswer::default()
    }
}

/// A board that is open for one call.
pub(super) struct Open<'a> {
    pub(super) board: Gated,
    pub(super) cancel: Cancel<'a>,
    running: Running,
}

/// A board that only callers with proof of having passed the gate can change.
pub(super) struct Gated(Board);

impl Gated {
    /// Returns the board for operations that change nothing on it.
    pub(super) const fn reading(&mut self) -> &mut Board {
        &mut self.0
    }

    /// Returns the board for all other operations.
    pub(super) const fn changing(&mut self, _: &Passed) -> &mut Board {
        &mut self.0
    }
}

/// Signals that cancel a call: its client's, and another call's.
pub(super) struct Cancel<'a> {
    client: &'a CancellationToken,
    other: Arc<Notify>,
}

/// Guard that marks the port as used for a board until dropped.
struct Running {
    port: Arc<Port>,
    held: Option<Held>,
}

impl<'a> Open<'a> {
    /// Opens a board after closing the port's worker. Interrupts the program that runs there, so a recording board is
    /// refused.
    pub(super) async fn new(
        ports: &Ports,
        call: &Call<'a>,
        arguments: &PortArguments,
    ) -> Result<Self, Fault> {
        let baud = ports.baud(arguments)?;
        let (port, mut held) = ports.take(&arguments.port).await?;
        port.check_not_recording()?;
        if let Some(worker) = held.take() {
            worker.close().await;
        }
        let link = ports::open(&port, &port.name, baud).await?;
        let other = port.begin_running();
        let mut config = Config::default();
        let limit = ports.settings.timeout.unwrap_or(config.enter_timeout);
        config.enter_timeout = limit.min(config.enter_timeout);
        Ok(Self {
            board: Gated(Board::attach(link, config, ports.settings.trace.clone())),
            cancel: Cancel {
                client: &call.context.ct,
                other,
            },
            running: Running {
                port,
                held: Some(held),
            },
        })
    }

    /// Closes the port without stopping the program on the board.
    async fn close(self) {
        self.board.0.close().await;
    }

    /// Lets the program on the board go on, and listens to the port from now on.
    async fn listen_on(self, ports: &Ports, baud: u32) -> Result<(), Fault> {
        let Self {
            board, mut running, ..
        } = self;
        board.0.close().await;
        let (port, held) = (Arc::clone(&running.port), running.held.take());
        drop(running);
        if let Some(mut held) = held {
            *held = Some(ports.start(&port, None, baud).await?);
            port.goes_on();
        }
        Ok(())
    }

    /// Stops a running program, leaves the board at its prompt, and closes the port.
    pub(super) async fn release(self) {
        // A lost board has no prompt, and the call has already reported the loss.
        let _ = self.board.0.release().await;
    }
}

impl Cancel<'_> {
    /// Waits until the work is done, or until the call is cancelled.
    pub(super) async fn or<T>(
        &self,
        work: impl Future<Output = Result<T, Stop>>,
    ) -> Result<T, Stop> {
        tokio::select! {
            done = work => done,
            () = self.client.cancelled() => Err(cancelled().into()),
            () = self.other.notified() => Err(cancelled().into()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.port.end_running();
    }
}

pub(super) async fn in_time<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, BoardError>>,
) -> Result<T, Fault> {
    match time::timeout(limit + MARGIN, asked).await {
        Ok(answer) => answer.map_err(fault),
        Err(_) => {
            let message = format!("the board took longer than {} s", limit.as_secs());
            Err(Fault::new("timed_out", message, true))
        }
    }
}

pub(super) fn fault(error: BoardError) -> Fault {
    match error {
        BoardError::File(error) => Fault::quoting("refused", error, false),
        BoardError::Raised(_) | BoardError::Exited => Fault::quoting("raised", error, false),
        BoardError::Lost(_)
        | BoardError::Refused(_)
        | BoardError::TimedOut
        | BoardError::Restarted
        | BoardError::Unreadable
        | BoardError::Over => Fault::new("board", error, true),
    }
}

/// Time added to a call's limit so that the board's own limit expires first: its error says what is at the port instead
/// of a board.
pub(super) const MARGIN: Duration = Duration::from_millis(500);
/// Default time limit of a program.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(30);
/// Default time for which the first output of a program in the background is awaited.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that a board has to show signs of a restart.
const RESET_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of the time to listen to a restarted board, in seconds.
const LONGEST_LISTEN_S: u32 = 20;
/// Ctrl-D on an empty line (MicroPython, "The interactive mode", Soft reset).
const SOFT_RESET: &[u8] = b"\x04";
const HARD_RESET: &str = "import machine\nmachine.reset()\n";

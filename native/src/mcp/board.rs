//! A MicroPython board, for as long as one call takes.

use std::{sync::Arc, time::Duration};

use flylead::{Board, BoardError};
use flylead_core::raw_repl::{Config, LostReason, Outcome};
use tokio::{sync::Notify, time};
use tokio_util::sync::CancellationToken;

use super::{
    answer::{BoardAnswer, Fault},
    arguments::{ExecArguments, PortArguments, ResetArguments},
    confirm::{Call, Stop, cancelled},
    gate::{self, Deed, Passed},
    port::Port,
    ports::{self, Ports},
    progress::Progress,
    turn::Held,
};

pub(super) async fn exec(
    ports: &Ports,
    call: &Call<'_>,
    arguments: ExecArguments,
) -> Result<BoardAnswer, Stop> {
    let port = &arguments.port;
    let passed = gate::pass(ports, call, &port.port, &Deed::Run(&arguments.code)).await?;
    let usual = ports.settings.timeout.unwrap_or(PROGRAM_TIMEOUT);
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    let timeout = arguments.timeout_s.map_or(usual, seconds);
    let progress = Progress::new(call.context);
    let mut open = Open::new(ports, call, port).await?;
    let program = run(
        open.board.changing(&passed),
        arguments.code,
        timeout,
        progress,
    );
    let done = open.cancel.or(program).await;
    open.release().await;
    done
}

async fn run(
    board: &mut Board,
    code: String,
    timeout: Duration,
    mut progress: Progress<'_>,
) -> Result<BoardAnswer, Stop> {
    let mut program = board.start(code, Some(timeout)).await.map_err(fault)?;
    let (mut output, mut length) = (Vec::new(), 0);
    loop {
        let printed = tokio::select! {
            printed = program.next_output() => printed.map_err(fault)?,
            () = progress.is_due() => {
                progress.send_output().await;
                continue;
            }
        };
        let Some(bytes) = printed else { break };
        progress.printed(&bytes);
        length += bytes.len() as u64;
        let room = LONGEST_OUTPUT.saturating_sub(output.len());
        output.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
    let fault = ending(program.outcome().await.map_err(fault)?);
    Ok(BoardAnswer {
        ok: fault.is_none(),
        truncated: (length > output.len() as u64).then_some(true),
        output: Some(String::from_utf8_lossy(&output).replace("\r\n", "\n")),
        bytes: Some(length),
        error: fault,
        ..BoardAnswer::default()
    })
}

/// What of a program's ends is a fault.
fn ending(outcome: Outcome) -> Option<Fault> {
    match outcome {
        Outcome::Completed | Outcome::Exited => None,
        Outcome::Raised(traceback) => Some(Fault::new("raised", traceback.text.trim_end(), false)),
        Outcome::TimedOut(_) => Some(Fault::new(
            "timed_out",
            "the program ran past its time and was interrupted",
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
    let passed = gate::pass(ports, call, &port.port, &Deed::Reset).await?;
    let mut open = Open::new(ports, call, port).await?;
    let board = open.board.changing(&passed);
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

/// A board that restarts is silent, closes its link, or talks as it boots; one that cannot, says so.
async fn hard_reset(board: &mut Board) -> Result<(), Fault> {
    match time::timeout(RESET_TIMEOUT, board.exec(HARD_RESET)).await {
        Ok(Err(BoardError::Restarted | BoardError::Lost(LostReason::Closed))) => Ok(()),
        Ok(Err(error)) => Err(fault(error)),
        Ok(Ok(_)) | Err(_) => Err(Fault::new(
            "not_reset",
            "the board was asked to reset, and did not",
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
    _running: Running,
}

/// A board that is changed by those alone who have passed the gate.
pub(super) struct Gated(Board);

impl Gated {
    /// For what leaves everything on the board as it is.
    pub(super) const fn reading(&mut self) -> &mut Board {
        &mut self.0
    }

    /// For everything else.
    pub(super) const fn changing(&mut self, _: &Passed) -> &mut Board {
        &mut self.0
    }
}

/// The ways in which a call is taken back: by its client, and by another call.
pub(super) struct Cancel<'a> {
    client: &'a CancellationToken,
    other: Arc<Notify>,
}

/// The port is used for a board, until this is dropped.
struct Running {
    port: Arc<Port>,
    _held: Held,
}

impl<'a> Open<'a> {
    /// Opens a board, the port's owner having made room. Interrupts what runs there, so a board that records is refused.
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
        Ok(Self {
            board: Gated(Board::attach(
                link,
                Config::default(),
                ports.settings.trace.clone(),
            )),
            cancel: Cancel {
                client: &call.context.ct,
                other,
            },
            _running: Running { port, _held: held },
        })
    }

    /// Ends what still runs, leaves the board at its prompt, and closes the port.
    pub(super) async fn release(self) {
        // A board that is lost is at no prompt, and the call has said so.
        let _ = self.board.0.release().await;
    }
}

impl Cancel<'_> {
    /// Works until that is done, or until the call is taken back.
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
    match time::timeout(limit, asked).await {
        Ok(answer) => answer.map_err(fault),
        Err(_) => {
            let message = format!("the board took longer than {} s", limit.as_secs());
            Err(Fault::new("timed_out", message, true))
        }
    }
}

pub(super) fn fault(error: BoardError) -> Fault {
    match error {
        BoardError::File(error) => Fault::new("refused", error, false),
        BoardError::Raised(_) | BoardError::Exited => Fault::new("raised", error, false),
        BoardError::Lost(_)
        | BoardError::Refused(_)
        | BoardError::TimedOut
        | BoardError::Restarted
        | BoardError::Unreadable
        | BoardError::Over => Fault::new("board", error, true),
    }
}

/// How long a program may run when the call does not say.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(30);
/// What is kept of what a program prints, in bytes.
const LONGEST_OUTPUT: usize = 2 * 1024 * 1024;
/// How long a board may take to show that it restarts.
const RESET_TIMEOUT: Duration = Duration::from_secs(5);
const HARD_RESET: &str = "import machine\nmachine.reset()\n";

//! `flylead reset`

use std::time::Duration;

use clap::Args;
use flylead_core::{
    board::Request,
    raw_repl::{LostReason, Outcome, Traceback},
};
use flylead_native::{
    Board, BoardError, Program,
    link::{self, Address},
};
use serde_json::json;
use tokio::time::{self, Instant, timeout_at};

use crate::{
    Common, Exit, Failure,
    terminal::{interrupts::Interrupts, print},
};

/// Reset the board
///
/// A soft reset restarts the interpreter: all variables are gone, boot.py runs, main.py does not. A hard reset is like
/// the button on the board: the board disappears and comes back, and main.py runs. The command succeeds once it has
/// seen the restart: the port disappeared and came back, or the board printed something as it started. A board is in
/// its bootloader when its port disappears, or the bootloader of an ESP answers at it; a board that does not answer may
/// have ignored the request.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Reset the whole board, as its button does
    #[arg(long, conflicts_with = "bootloader")]
    pub(crate) hard: bool,

    /// Restart the board in its bootloader, ready for new firmware
    #[arg(long)]
    pub(crate) bootloader: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let kind = match (self.hard, self.bootloader) {
            (true, _) => hard(common).await.map(|()| "hard"),
            (_, true) => enter_boot_loader(common).await.map(|()| "bootloader"),
            _ => soft_reset(common).await.map(|()| "soft"),
        }?;
        if common.json {
            let line = json!({ "reset": kind });
            print(format!("{line}\n"))?;
        }
        Ok(Exit::Done)
    }
}

/// Restarts the board in its boot loader.
pub(super) async fn enter_boot_loader(common: &Common) -> Result<(), Failure> {
    restart(common, BOOTLOADER, finish_bootloader).await
}

/// Restarts the whole board, and waits until it is back.
pub(super) async fn hard(common: &Common) -> Result<(), Failure> {
    restart(common, HARD, finish_hard).await
}

async fn soft_reset(common: &Common) -> Result<(), Failure> {
    let reset = async |board: &mut Board| {
        board.soft_reset().await?;
        Ok(Exit::Done)
    };
    common.with_board(reset).await.map(drop)
}

/// Sign of a board that was asked to restart.
enum Sign {
    /// The board's port is gone.
    Gone,
    /// The board restarted and is at its prompt, or its program or its bootloader prints something.
    Spoke {
        at_prompt: bool,
    },
    Nothing,
    /// The bootloader has answered.
    Greeted,
}

/// Restarts the board with `source`, once it is known to be a board.
async fn restart(
    common: &Common,
    source: &str,
    finish: impl AsyncFnOnce(&Common, Board, Sign, Instant) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut interrupts = Interrupts::new()?;
    let restarting = async {
        let mut board = common.board().await?;
        board.request(Request::Enter, |_| ()).await?;
        let deadline = Instant::now() + common.timeout.unwrap_or(RESTART_TIMEOUT);
        let program = board.start(source, None).await?;
        let sign = match watch(program, deadline, source == BOOTLOADER).await {
            Ok(sign) => sign,
            Err(failure) => {
                common.leave(board).await;
                return Err(failure);
            }
        };
        finish(common, board, sign, deadline).await
    };
    interrupts.or(restarting).await
}

/// Waits for a sign, and greets a bootloader if there may be one.
async fn watch(mut program: Program<'_>, deadline: Instant, greets: bool) -> Result<Sign, Failure> {
    let heard = timeout_at(deadline, program.next_output()).await;
    if greets && matches!(heard, Err(_) | Ok(Ok(Some(_)))) && greets_back(&mut program).await {
        return Ok(Sign::Greeted);
    }
    let ended = match heard {
        Err(_) => return Ok(Sign::Nothing),
        Ok(Ok(Some(_))) => return Ok(Sign::Spoke { at_prompt: false }),
        Ok(Ok(None)) => program.outcome().await,
        Ok(Err(error)) => Err(error),
    };
    match ended {
        Err(BoardError::Lost(LostReason::Closed)) => Ok(Sign::Gone),
        Ok(Outcome::BoardReset) => Ok(Sign::Spoke { at_prompt: true }),
        Ok(Outcome::Raised(traceback)) => Err(refused(traceback, greets)),
        Ok(Outcome::Completed | Outcome::Exited | Outcome::TimedOut(_)) => {
            Err(not_seen("its reset function returned"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the failure of a board that lacks the function for a restart, or whose function raised an exception.
fn refused(traceback: Traceback, is_bootloader: bool) -> Failure {
    if !traceback.is_missing() {
        return Failure::raised(Exit::Raised, traceback);
    }
    Failure::new(
        Exit::Refused,
        match is_bootloader {
            true => "this board's MicroPython has no machine.bootloader(); use the board's buttons",
            false => {
                "this board's MicroPython has no machine.reset(); press the board's reset button"
            }
        },
    )
}

async fn finish_hard(
    common: &Common,
    board: Board,
    sign: Sign,
    deadline: Instant,
) -> Result<(), Failure> {
    board.close().await;
    common.let_go().await;
    match sign {
        Sign::Gone => come_back(common, deadline).await,
        Sign::Spoke { .. } | Sign::Greeted => Ok(()),
        Sign::Nothing => Err(not_seen(
            "it printed nothing; perhaps its main.py prints nothing either",
        )),
    }
}

/// Checks that the board is in its bootloader: its port is gone, or the bootloader has answered. A silent board may
/// still be running its program.
async fn finish_bootloader(
    common: &Common,
    mut board: Board,
    sign: Sign,
    _: Instant,
) -> Result<(), Failure> {
    let found = match sign {
        Sign::Gone | Sign::Greeted => Ok(()),
        Sign::Spoke { at_prompt: true } => Err("it is at its prompt"),
        Sign::Spoke { at_prompt: false } | Sign::Nothing => ask(&mut board).await,
    };
    board.close().await;
    common.let_go().await;
    found.map_err(not_seen)
}

/// Checks that Python answers at the port.
async fn ask(board: &mut Board) -> Result<(), &'static str> {
    match board.stop(STOP_TIMEOUT).await {
        Ok(()) => Err("it is at its prompt"),
        Err(BoardError::Lost(LostReason::Closed)) => Ok(()),
        Err(_) => Err(
            "its port is still there, but neither Python nor a bootloader answers; look at the board, or press its reset button",
        ),
    }
}

/// Greets the bootloader in an ESP's ROM, until it answers or the time is over. A running program receives the greeting
/// on its stdin.
async fn greets_back(program: &mut Program<'_>) -> bool {
    let mut answer = Vec::new();
    for _ in 0..GREETINGS {
        if program.send(greeting()).await.is_err() {
            return false;
        }
        let heard = async {
            while let Ok(Some(bytes)) = program.next_output().await {
                answer.extend(bytes);
                if answer.windows(GREETED.len()).any(|piece| piece == GREETED) {
                    return true;
                }
            }
            false
        };
        if let Ok(heard) = time::timeout(GREETING_PAUSE, heard).await {
            return heard;
        }
    }
    false
}

/// Returns the command `SYNC` of an ESP's ROM, from which the ROM also learns the rate (Espressif, esptool, Serial
/// Protocol).
fn greeting() -> Vec<u8> {
    let head = b"\xc0\0\x08\x24\0\0\0\0\0\x07\x07\x12\x20";
    [&head[..], &[0x55; 32], b"\xc0"].concat()
}

fn not_seen(why: &str) -> Failure {
    let message = format!("the board was asked to restart, but no restart was seen: {why}");
    Failure::new(Exit::Lost, message)
}

/// Waits until the board can be connected to again, wherever it reappears.
async fn come_back(common: &Common, deadline: Instant) -> Result<(), Failure> {
    let address = common.address();
    if let Address::Process(_) = address {
        return Err(not_seen("the process has ended"));
    }
    loop {
        let opened = link::open_within(&address, deadline - Instant::now());
        let Err(error) = opened.await else {
            return Ok(());
        };
        if Instant::now() >= deadline {
            let message = format!("the board began to restart, but did not come back: {error}");
            return Err(Failure::new(Exit::Lost, message));
        }
        time::sleep(RETRY_PAUSE).await;
    }
}

const HARD: &str = "import machine\nmachine.reset()\n";
const BOOTLOADER: &str = "import machine\nmachine.bootloader()\n";
/// Time limit of a board's restart: one on USB needs two or three seconds, one on a network more.
const RESTART_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that a board which has not restarted has to answer Ctrl-C.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Number of greetings to a bootloader, and the time to answer each: the first may be lost while it
/// starts.
const GREETINGS: u8 = 4;
const GREETING_PAUSE: Duration = Duration::from_millis(500);
/// Beginning of the answer to a greeting.
const GREETED: &[u8] = b"\xc0\x01\x08";
const RETRY_PAUSE: Duration = Duration::from_millis(100);

//! A MicroPython board, for as long as one call takes.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use flylead::{Board, BoardError};
use flylead_core::{
    board::{Entry, EntryKind},
    raw_repl::{Config, Outcome},
};
use tokio::{sync::OwnedMutexGuard, time};

use super::{
    answer::{
        BoardAnswer, Data, ExecArguments, Fault, PathArguments, PortArguments, WriteFileArguments,
    },
    ports::{self, Ports},
    worker::Worker,
};

pub(super) async fn exec(ports: &Ports, arguments: ExecArguments) -> Result<BoardAnswer, Fault> {
    let timeout = Duration::from_secs(arguments.timeout_s.unwrap_or(30).into());
    let ran = run(ports, &arguments.port, &arguments.code, timeout).await?;
    Ok(BoardAnswer {
        ok: ran.fault.is_none(),
        output: Some(ran.output),
        error: ran.fault,
        ..BoardAnswer::default()
    })
}

pub(super) async fn list_files(
    ports: &Ports,
    arguments: PathArguments,
) -> Result<BoardAnswer, Fault> {
    let (_slot, mut board) = open(ports, &arguments.port).await?;
    let listed = in_time(board.list(arguments.path)).await;
    close(board).await;
    Ok(BoardAnswer {
        ok: true,
        files: Some(listed?.into_iter().map(name).collect()),
        ..BoardAnswer::default()
    })
}

fn name(entry: Entry) -> String {
    match entry.kind {
        EntryKind::File => entry.name,
        EntryKind::Directory => entry.name + "/",
    }
}

pub(super) async fn read_file(
    ports: &Ports,
    arguments: PathArguments,
) -> Result<BoardAnswer, Fault> {
    let (_slot, mut board) = open(ports, &arguments.port).await?;
    let read = read(&mut board, &arguments.path).await;
    close(board).await;
    let bytes = read?;
    let length = bytes.len() as u64;
    let (text, base64) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(BASE64_STANDARD.encode(error.as_bytes()))),
    };
    Ok(BoardAnswer {
        ok: true,
        text,
        base64,
        bytes: Some(length),
        ..BoardAnswer::default()
    })
}

async fn read(board: &mut Board, path: &str) -> Result<Vec<u8>, Fault> {
    // A board that cannot tell a file's size has no room for a long one.
    if in_time(board.capabilities()).await?.stat {
        let size = in_time(board.stat(path)).await?.size;
        if size > LONGEST_FILE as u64 {
            return Err(Fault::argument("the file is longer than 1 MiB"));
        }
    }
    in_time(board.read(path, |_| ())).await
}

/// The old file stays until the new one is whole on the board.
pub(super) async fn write_file(
    ports: &Ports,
    arguments: WriteFileArguments,
) -> Result<BoardAnswer, Fault> {
    let data = data(arguments.data)?;
    if data.len() > LONGEST_FILE {
        return Err(Fault::argument("the file is longer than 1 MiB"));
    }
    let (_slot, mut board) = open(ports, &arguments.file.port).await?;
    let written = in_time(board.write(arguments.file.path, data, |_| ())).await;
    close(board).await;
    Ok(BoardAnswer {
        ok: true,
        bytes: Some(written?.bytes),
        ..BoardAnswer::default()
    })
}

async fn in_time<T>(asked: impl Future<Output = Result<T, BoardError>>) -> Result<T, Fault> {
    match time::timeout(FILE_TIMEOUT, asked).await {
        Ok(answer) => answer.map_err(fault),
        Err(_) => Err(Fault::new(
            "timed_out",
            "the board took longer than two minutes",
            true,
        )),
    }
}

/// The bytes that an assistant means.
pub(super) fn data(data: Data) -> Result<Vec<u8>, Fault> {
    match data {
        Data::Text(text) => Ok(text.into_bytes()),
        Data::Binary { base64 } => BASE64_STANDARD.decode(base64).map_err(Fault::argument),
    }
}

/// What a program has come to.
struct Ran {
    output: String,
    fault: Option<Fault>,
}

async fn run(
    ports: &Ports,
    port: &PortArguments,
    code: &str,
    timeout: Duration,
) -> Result<Ran, Fault> {
    let (_slot, mut board) = open(ports, port).await?;
    let ran = run_on(&mut board, code, timeout).await;
    close(board).await;
    ran
}

/// A board, the port's owner having made room; and the port's place, which is held meanwhile.
async fn open(
    ports: &Ports,
    port: &PortArguments,
) -> Result<(OwnedMutexGuard<Option<Worker>>, Board), Fault> {
    let baud = ports.baud(port)?;
    let mut slot = ports.slot(&port.port).await?;
    if let Some(worker) = slot.as_ref() {
        worker.check_free()?;
    }
    if let Some(worker) = slot.take() {
        worker.close().await;
    }
    let link = ports::open(&port.port, baud).await?;
    Ok((slot, Board::attach(link, Config::default(), None)))
}

/// Ends what still runs, and leaves the board at its prompt. One that is lost is at none, and the call has said so.
async fn close(board: Board) {
    let _ = board.release().await;
}

async fn run_on(board: &mut Board, code: &str, timeout: Duration) -> Result<Ran, Fault> {
    let mut program = board.start(code, Some(timeout)).await.map_err(fault)?;
    let mut output = Vec::new();
    while let Some(bytes) = program.next_output().await.map_err(fault)? {
        let room = LONGEST_OUTPUT.saturating_sub(output.len());
        output.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
    let fault = match program.outcome().await.map_err(fault)? {
        Outcome::Completed | Outcome::Exited => None,
        Outcome::Raised(traceback) => Some(Fault::new("raised", traceback.text.trim_end(), false)),
        Outcome::TimedOut(_) => Some(Fault::new("timed_out", BoardError::TimedOut, false)),
        Outcome::BoardReset => Some(Fault::new("restarted", BoardError::Restarted, true)),
    };
    let output = String::from_utf8_lossy(&output).replace("\r\n", "\n");
    Ok(Ran { output, fault })
}

fn fault(error: BoardError) -> Fault {
    match error {
        BoardError::File(error) => Fault::new("refused", error, false),
        error => Fault::new("board", error, true),
    }
}

const FILE_TIMEOUT: Duration = Duration::from_secs(120);
const LONGEST_FILE: usize = 1024 * 1024;
/// What is kept of what a program prints.
const LONGEST_OUTPUT: usize = 2 * LONGEST_FILE;

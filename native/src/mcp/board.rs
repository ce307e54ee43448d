//! A MicroPython board, for as long as one call takes.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use flylead::{Board, BoardError};
use flylead_core::raw_repl::{Config, Outcome};

use super::{
    answer::{
        BoardAnswer, Data, ExecArguments, Fault, PathArguments, PortArguments, WriteFileArguments,
    },
    ports::{self, Ports},
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
    let path = literal(arguments.path.as_bytes());
    let code = format!(
        "import os\nfor e in os.ilistdir({path}.decode()):\n print(e[0] + ('/' if e[1] & 0x4000 else ''))\n"
    );
    let output = run(ports, &arguments.port, &code, FILE_TIMEOUT)
        .await?
        .completed()?;
    let mut files: Vec<_> = output.lines().map(str::to_owned).collect();
    files.sort();
    Ok(BoardAnswer {
        ok: true,
        files: Some(files),
        ..BoardAnswer::default()
    })
}

pub(super) async fn read_file(
    ports: &Ports,
    arguments: PathArguments,
) -> Result<BoardAnswer, Fault> {
    let path = literal(arguments.path.as_bytes());
    let code = format!(
        "import binascii\nwith open({path}.decode(), 'rb') as f:\n n = {LONGEST_FILE}\n while n > 0:\n  \
         b = f.read(192)\n  if not b: break\n  n -= len(b)\n  print(binascii.b2a_base64(b).decode(), end='')\n \
         if f.read(1): raise OSError('the file is longer than 1 MiB')\n"
    );
    let output = run(ports, &arguments.port, &code, FILE_TIMEOUT)
        .await?
        .completed()?;
    let bytes = decode(&output)?;
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

/// Writes to a file beside it first, so that a lost board keeps the old one.
pub(super) async fn write_file(
    ports: &Ports,
    arguments: WriteFileArguments,
) -> Result<BoardAnswer, Fault> {
    let data = data(arguments.data)?;
    if data.len() > LONGEST_FILE {
        return Err(Fault::argument("the file is longer than 1 MiB"));
    }
    let path = literal(arguments.file.path.as_bytes());
    let mut code = format!(
        "import os\np = {path}.decode()\nwith open(p + '.part', 'wb') as f:\n f.write(b'')\n"
    );
    for block in data.chunks(256) {
        code += &format!(" f.write({})\n", literal(block));
    }
    code += "os.rename(p + '.part', p)\n";
    run(ports, &arguments.file.port, &code, FILE_TIMEOUT)
        .await?
        .completed()?;
    Ok(BoardAnswer {
        ok: true,
        bytes: Some(data.len() as u64),
        ..BoardAnswer::default()
    })
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

impl Ran {
    fn completed(self) -> Result<String, Fault> {
        match self.fault {
            None => Ok(self.output),
            Some(fault) => Err(fault),
        }
    }
}

/// Runs a program, the port's owner having made room.
async fn run(
    ports: &Ports,
    port: &PortArguments,
    code: &str,
    timeout: Duration,
) -> Result<Ran, Fault> {
    let baud = ports.baud(port)?;
    let mut slot = ports.slot(&port.port).await?;
    if let Some(worker) = slot.as_ref() {
        worker.check_free()?;
    }
    if let Some(worker) = slot.take() {
        worker.close().await;
    }
    let link = ports::open(&port.port, baud).await?;
    let mut board = Board::attach(link, Config::default(), None);
    let ran = run_on(&mut board, code, timeout).await;
    // A board that is lost is at no prompt, and the call has said so.
    let _ = board.leave().await;
    board.close().await;
    ran
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
        _ => Some(Fault::new(
            "timed_out",
            "the program ran past its time and was interrupted",
            false,
        )),
    };
    let output = String::from_utf8_lossy(&output).replace("\r\n", "\n");
    Ok(Ran { output, fault })
}

fn fault(error: BoardError) -> Fault {
    Fault::new("board", error, true)
}

fn decode(lines: &str) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    for line in lines.lines() {
        let block = BASE64_STANDARD.decode(line);
        bytes.extend(
            block.map_err(|_| {
                Fault::new("board", "the board sent something else in between", true)
            })?,
        );
    }
    Ok(bytes)
}

/// Bytes as a Python literal, every one of them escaped.
fn literal(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("b'{escaped}'")
}

const FILE_TIMEOUT: Duration = Duration::from_secs(120);
const LONGEST_FILE: usize = 1024 * 1024;
/// Twice what a file needs: base64 and its line ends.
const LONGEST_OUTPUT: usize = 2 * LONGEST_FILE;

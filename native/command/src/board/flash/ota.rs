//! Updates over the air: a running MicroPython writes the program into the other partition of an ESP32, and confirms it
//! once it has started; a program that is not confirmed gives way to the one before at the next reset.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use flylead_core::{board::Progress, esp, raw_repl::own, to_hexadecimal};
use flylead_native::{Board, BoardError, flash::Firmware};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::{Duration, Instant, sleep};

use super::{super::reset, Common, Exit, Failure, visible_line};
use crate::{files::fs::Bar, terminal::print_line};

/// Partitions of a board.
struct Partitions {
    /// Label of the one that runs.
    running: String,
    /// Label of the one that gets an update.
    next: String,
    /// Length of that one, in bytes.
    size: usize,
    /// Name of the board and of its chip.
    machine: String,
}

/// Writes the program of a firmware into the partition that does not run, and starts it.
pub(super) async fn update(common: &Common, firmware: &Firmware) -> Result<Exit, Failure> {
    let program = program(firmware)?;
    let mut label = String::new();
    let write = async |board: &mut Board| {
        let partitions = prepare(board).await?;
        let written = write(board, common, &partitions, &program).await;
        if written.is_err() {
            // The board may be lost, too.
            let _ = board.exec(own("del __fl__\n")).await;
        }
        written?;
        label.clone_from(&partitions.next);
        Ok(Exit::Done)
    };
    common.with_board(write).await?;
    start(common, &label).await?;
    let bytes = program.bytes.len();
    report(
        common,
        &label,
        Some(bytes),
        &format!("{bytes} bytes written to {label} and verified; the board runs them"),
    )
}

/// Starts the program in the partition that does not run now.
pub(super) async fn back(common: &Common) -> Result<Exit, Failure> {
    let mut label = String::new();
    let choose = async |board: &mut Board| {
        let partitions = prepare(board).await?;
        boot(board, "there is no other program to go back to").await?;
        label.clone_from(&partitions.next);
        Ok(Exit::Done)
    };
    common.with_board(choose).await?;
    start(common, &label).await?;
    report(
        common,
        &label,
        None,
        &format!("the board runs the program in {label}"),
    )
}

fn report(common: &Common, label: &str, bytes: Option<usize>, said: &str) -> Result<Exit, Failure> {
    print_line(match common.json {
        true => json!({ "partition": label, "bytes": bytes }).to_string(),
        false => visible_line(said).into_owned(),
    })?;
    Ok(Exit::Done)
}

fn program(firmware: &Firmware) -> Result<esp::Program<'_>, Failure> {
    let program = esp::Program::parse(&firmware.bytes).and_then(Result::ok);
    program.ok_or_else(|| {
        let message = "--ota is only for the ESP32: it takes the .app-bin file of a firmware, or its .bin file. Nothing was written";
        Failure::new(Exit::Usage, message)
    })
}

/// Finds the partitions, and keeps the one for updates on the board.
async fn prepare(board: &mut Board) -> Result<Partitions, Failure> {
    let said = match board.exec(own(PREPARE)).await {
        Ok(said) => String::from_utf8_lossy(&said).into_owned(),
        Err(BoardError::Raised(traceback)) => {
            return Err(match traceback.exception.as_str() {
                "ImportError" | "ModuleNotFoundError" => {
                    refused("--ota is only for the ESP32, and this board is not one")
                }
                "OSError" => refused(
                    "this board has no second partition for a program. Flash firmware with two of them first, such as MicroPython's \
                     ESP32_GENERIC-OTA",
                ),
                _ => BoardError::Raised(traceback).into(),
            });
        }
        Err(error) => return Err(error.into()),
    };
    let mut lines = said.lines().map(str::trim);
    let mut next = || lines.next().unwrap_or_default().to_owned();
    let [running, label, size, machine] = [(); 4].map(|()| next());
    let size = size.parse();
    let size = size
        .map_err(|_| refused("the board does not describe its partitions as MicroPython does"))?;
    Ok(Partitions {
        running,
        next: label,
        size,
        machine,
    })
}

async fn write(
    board: &mut Board,
    common: &Common,
    partitions: &Partitions,
    program: &esp::Program<'_>,
) -> Result<(), Failure> {
    let Partitions {
        next,
        size,
        machine,
        ..
    } = partitions;
    let chip = machine.rsplit_once(" with ").map(|(_, chip)| chip);
    if chip.is_some_and(|chip| !program.chip.may_be(chip)) {
        return Err(refused(&format!(
            "the firmware is for the {}, not for {machine}; nothing was written. Get the file for that board",
            program.chip.name
        )));
    }
    let length = program.bytes.len();
    if length > *size {
        return Err(refused(&format!(
            "the program has {length} bytes, but {next} has only {size}; nothing was written"
        )));
    }
    let bar = Bar::new(common, next, Some(length as u64));
    for (number, block) in program.bytes.chunks(BLOCK).enumerate() {
        let mut block = block.to_vec();
        block.resize(BLOCK, 0xff);
        let data = BASE64.encode(&block);
        let write = format!("__fl__['w']({number},b'{data}')");
        board.exec(own(&write)).await?;
        bar.set(Progress {
            done: ((number + 1) * BLOCK).min(length) as u64,
            total: None,
            entries: 0,
        });
    }
    bar.clear();
    let check = CHECK.replace("LENGTH", &length.to_string());
    let said = board.exec(own(&check)).await?;
    if String::from_utf8_lossy(&said).trim() != to_hexadecimal(&Sha256::digest(program.bytes)) {
        return Err(refused(&format!(
            "{next} does not hold the data written to it, so the board stays with {}; run this command again",
            partitions.running
        )));
    }
    boot(board, "the board does not accept the program").await
}

/// Chooses the partition for the next start. The board verifies the program in it.
async fn boot(board: &mut Board, why: &str) -> Result<(), Failure> {
    match board
        .exec(own("__fl__['n'].set_boot()\ndel __fl__\n"))
        .await
    {
        Ok(_) => Ok(()),
        Err(BoardError::Raised(traceback)) => {
            let _ = board.exec(own("del __fl__\n")).await;
            Err(refused(&format!(
                "{why} ({}: {}), and keeps the current one",
                traceback.exception, traceback.message
            )))
        }
        Err(error) => Err(error.into()),
    }
}

/// Restarts the board, and confirms its new program once it answers.
async fn start(common: &Common, label: &str) -> Result<(), Failure> {
    common.note("restarting the board with the other program");
    let unconfirmed = |failure: Failure| {
        failure.advising(
            "The new program is not confirmed yet: the next reset starts the previous one, and so does `flylead flash --ota --back`.",
        )
    };
    reset::hard(common).await.map_err(unconfirmed)?;
    let limit = Instant::now() + common.limit().unwrap_or(START_TIME);
    loop {
        match common
            .with_board(async |board| confirm(board, label).await)
            .await
        {
            Ok(_) => return Ok(()),
            Err(failure)
                if matches!(failure.exit(), Exit::NoLink | Exit::Lost | Exit::InUse)
                    && Instant::now() < limit =>
            {
                sleep(LOOK_AGAIN).await;
            }
            Err(failure) if failure.exit() == Exit::Refused => return Err(failure),
            Err(failure) => return Err(unconfirmed(failure)),
        }
    }
}

async fn confirm(board: &mut Board, label: &str) -> Result<Exit, Failure> {
    let said = board.exec(own(RUNNING)).await?;
    let running = String::from_utf8_lossy(&said);
    if running.trim() != label {
        return Err(refused(&format!(
            "the board did not start the program in {label} and is back at the one in {}",
            visible_line(running.trim())
        )));
    }
    board.exec(own(CONFIRM)).await?;
    Ok(Exit::Done)
}

fn refused(message: &str) -> Failure {
    Failure::new(Exit::Refused, message)
}

/// Length of a block of an ESP32's partitions (MicroPython, `ports/esp32/esp32_partition.c`, `NATIVE_BLOCK_SIZE_BYTES`).
const BLOCK: usize = 4096;
/// Time limit for the start of a program.
const START_TIME: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Program that prints the labels, the size and the board's name. A block that is written is erased before.
const PREPARE: &str = "import esp32,sys
from binascii import a2b_base64 as a
r=esp32.Partition(esp32.Partition.RUNNING)
n=r.get_next_update()
print(r.info()[4])
print(n.info()[4])
print(n.info()[3])
print(getattr(sys.implementation,'_machine',''))
__fl__={'n':n,'w':lambda o,b:n.writeblocks(o,a(b))}
";
const CHECK: &str = "import hashlib
h=hashlib.sha256()
b=bytearray(4096)
l=LENGTH
o=0
while l>0:
 __fl__['n'].readblocks(o,b)
 h.update(memoryview(b)[:min(l,4096)])
 l-=4096
 o+=1
print(''.join('%02x'%c for c in h.digest()))
";
const RUNNING: &str = "import esp32\nprint(esp32.Partition(esp32.Partition.RUNNING).info()[4])\n";
const CONFIRM: &str = "import esp32\nesp32.Partition.mark_app_valid_cancel_rollback()\n";

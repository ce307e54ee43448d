//! Copies firmware to a drive, whose board restarts as soon as it has received all of it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    thread,
    time::{Duration, Instant},
};

use flylead_core::uf2::BLOCK_LENGTH;

use super::daplink;
use crate::flash::{Drive, Firmware, Kind, Presence, WriteError};

/// State of the drive after the board has taken the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The drive has gone: the board starts its new firmware.
    Restarted,
    /// The drive is still there, or there again: DAPLink keeps it while the firmware runs.
    Stays,
}

/// Copies firmware to a drive; `tell` receives the number of bytes that the drive has taken.
///
/// It blocks as long as the drive does. Writing a second file beside the old one, as elsewhere, is pointless on such a
/// drive: it keeps nothing, and the board takes only complete blocks.
///
/// # Errors
/// The drive has no space, cannot be written, vanishes before it has all data, is still there afterwards, or reports
/// that it refused the file.
pub fn write(
    drive: &Drive,
    firmware: &Firmware,
    tell: impl FnMut(u64),
) -> Result<Ended, WriteError> {
    let before = match drive.kind {
        Kind::Uf2 => None,
        Kind::Daplink => daplink::failure(drive),
    };
    let before = before.as_deref();
    let mut copy = Writing {
        done: 0,
        has_all: false,
        tell,
    };
    let total = firmware.bytes.len() as u64;
    let copied = copy.run(drive, &firmware.bytes);
    let has_gone = copied.is_err() && is_gone(drive);
    let answer = || daplink::ended(drive, before, RESTART_TIME);
    match (copied, drive.kind) {
        (Ok(()), Kind::Uf2) => restarted(drive, RESTART_TIME),
        (Ok(()), Kind::Daplink) => answer(),
        // A board that has its last block does not wait until the system has written the directory.
        (Err(_), Kind::Uf2) if has_gone && copy.has_all => Ok(Ended::Restarted),
        (Err(_), Kind::Daplink) if has_gone => match answer() {
            Err(refused @ WriteError::Refused(_)) => Err(refused),
            answer if copy.has_all => answer,
            _ => Err(copy.vanished(total)),
        },
        (Err(_), _) if has_gone => Err(copy.vanished(total)),
        (Err(error), Kind::Daplink) => Err(match daplink::new_failure(drive, before) {
            Some(why) => WriteError::Refused(why),
            None => reason(error, total),
        }),
        (Err(error), Kind::Uf2) => Err(reason(error, total)),
    }
}

/// Copy in progress.
struct Writing<T> {
    /// Number of bytes that the drive has taken.
    done: u64,
    /// True once all data was given to the drive.
    has_all: bool,
    tell: T,
}

impl<T: FnMut(u64)> Writing<T> {
    fn run(&mut self, drive: &Drive, bytes: &[u8]) -> io::Result<()> {
        let path = drive.path.join(match drive.kind {
            Kind::Uf2 => "FIRMWARE.UF2",
            Kind::Daplink => daplink::FILE,
        });
        // The last block is written alone, so that a board that has gone by then had all others.
        let (body, end) = bytes.split_at(bytes.len().saturating_sub(BLOCK_LENGTH));
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).open(path)?;
        let mut given = 0;
        for piece in body.chunks(PIECE).chain([end]) {
            file.write_all(piece)?;
            given += piece.len();
            self.has_all = given == bytes.len();
            // Otherwise the system would cache the data, and the progress would be unknown.
            sync(&file)?;
            self.done = given as u64;
            (self.tell)(self.done);
        }
        Ok(())
    }

    fn vanished(&self, total: u64) -> WriteError {
        let done = self.done;
        WriteError::Vanished { done, total }
    }
}

/// Flushes written bytes to the drive. A file that cannot be synchronized, such as a pipe, has them already.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

fn reason(error: io::Error, total: u64) -> WriteError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            WriteError::Full { total }
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => WriteError::ReadOnly,
        _ => WriteError::Io(error),
    }
}

/// Returns true if the drive was pulled out. A system may need a moment to notice.
fn is_gone(drive: &Drive) -> bool {
    let give_up = Instant::now() + NOTICE_TIME;
    while drive.presence() != Presence::Gone {
        if Instant::now() > give_up {
            return false;
        }
        thread::sleep(LOOK_AGAIN);
    }
    true
}

fn restarted(drive: &Drive, limit: Duration) -> Result<Ended, WriteError> {
    let give_up = Instant::now() + limit;
    loop {
        match drive.presence() {
            Presence::Gone => return Ok(Ended::Restarted),
            Presence::There if Instant::now() > give_up => {
                return Err(WriteError::still_there(drive));
            }
            Presence::Silent if Instant::now() > give_up => return Err(WriteError::Unanswered),
            Presence::There | Presence::Silent => thread::sleep(LOOK_AGAIN),
        }
    }
}

/// Number of bytes written to the drive at once.
const PIECE: usize = 32 << 10;
/// Time limit for noticing that a drive has gone.
const NOTICE_TIME: Duration = Duration::from_secs(2);
/// Time limit for a board's restart after the last byte.
const RESTART_TIME: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use std::fs;

    use flylead_core::uf2::{Family, Image, build};

    use super::*;
    use crate::flash::drive::tests::{PICO, drive};

    fn one_block() -> Firmware {
        let (start, bytes) = (0x1000_0000, vec![1; 256]);
        Firmware::read("a.uf2", build(&Image { start, bytes }, Family::RP2040)).unwrap()
    }

    #[test]
    fn a_drive_that_left_before_the_first_byte_has_taken_nothing() {
        let (folder, pico) = drive("INFO_UF2.TXT", PICO);
        fs::remove_dir_all(folder.path()).unwrap();
        let ended = write(&pico, &one_block(), |_| ()).unwrap_err();
        let vanished = matches!(
            ended,
            WriteError::Vanished {
                done: 0,
                total: 512
            }
        );
        assert!(vanished, "{ended}");
    }

    #[cfg(unix)]
    #[test]
    fn a_drive_that_does_not_answer_has_not_restarted() {
        let (_folder, pico) = drive("INFO_UF2.TXT", PICO);
        let _pipe = crate::flash::drive::tests::hang(&pico);
        let ended = restarted(&pico, Duration::from_millis(1));
        assert!(matches!(ended, Err(WriteError::Unanswered)), "{ended:?}");
    }
}

//! Keeps the files of a board while it gets other firmware.

use std::path::PathBuf;

use chrono::Local;
use flylead_native::{
    Board,
    backup::{self, Backup},
    deploy::Content,
    disk, state,
};
use tokio::time::{Duration, Instant, sleep};

use super::{Common, Exit, Failure, Target};
use crate::files::{
    backup::{back_up, put_back},
    fs::{here, in_thread},
};

/// The files of a board, in memory and in a file of this computer.
pub(super) struct Files {
    backup: Backup,
    file: PathBuf,
}

/// Saves all files of the board that runs MicroPython.
pub(super) async fn save(common: &Common, target: &Target) -> Result<Files, Failure> {
    if let Target::Drive(drive) = target {
        let message = format!(
            "the files of {drive} cannot be read in its boot loader, so nothing was written; unplug the board, plug it in again \
             without holding a button, and run this command again"
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    let mut made = None;
    let read = async |board: &mut Board| {
        made = Some(back_up(board, None, common).await?);
        Ok(Exit::Done)
    };
    common.with_board(read).await?;
    let backup = made.ok_or_else(|| Failure::new(Exit::Lost, "the files were not read"))?;
    let file = place()?;
    let (to, zip) = (file.clone(), backup.zip.clone());
    // The file may contain the passwords of networks, as the board may.
    let saved = in_thread(move || disk::replace_private(&to, &zip)).await;
    saved.map_err(here(&file))?;
    common.note(format_args!(
        "{} files, {} bytes are saved in {}",
        backup.files,
        backup.bytes,
        file.display()
    ));
    Ok(Files { backup, file })
}

/// Returns a new file for a backup, in the person's folder for data of programs.
fn place() -> Result<PathBuf, Failure> {
    let folder = state::data_folder().ok_or_else(|| {
        let message = "there is no folder for a backup: set HOME, or save the files with `flylead backup` first";
        Failure::new(Exit::Usage, message)
    })?;
    let folder = folder.join("flylead/backups");
    std::fs::create_dir_all(&folder).map_err(here(&folder))?;
    let time = Local::now().format("%Y-%m-%d-%H%M%S");
    let random = flylead_native::random_hex::<2>();
    Ok(folder.join(format!("board-{time}-{random}.zip")))
}

impl Files {
    /// Returns the instructions for restoring the files later.
    pub(super) fn advice(&self) -> String {
        format!(
            "The files of the board are in {0}: `flylead restore {0}` puts them back.",
            self.file.display()
        )
    }

    /// Waits for the board to return, restores its files, and reads them again to compare.
    pub(super) async fn put_back(&self, common: &Common) -> Result<(), Failure> {
        common.note("waiting for the board to start its new firmware");
        let limit = Instant::now() + common.limit().unwrap_or(START_TIME);
        loop {
            let done = common.with_board(async |board| self.restore(board, common).await);
            match done.await {
                Ok(_) => break,
                Err(failure)
                    if matches!(failure.exit(), Exit::NoLink | Exit::Lost | Exit::InUse)
                        && Instant::now() < limit =>
                {
                    sleep(LOOK_AGAIN).await;
                }
                Err(failure) => return Err(failure.advising(self.advice())),
            }
        }
        common.note(format_args!(
            "{} files were restored and compared byte by byte",
            self.backup.files
        ));
        Ok(())
    }

    async fn restore(&self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let is_flat = !board.capabilities().await?.stat;
        let items = backup::items(&self.backup.zip, is_flat)?;
        put_back(board, items, common, |_, _| Ok(())).await?;
        self.compare(board, is_flat).await?;
        Ok(Exit::Done)
    }

    /// Compares all files by reading them again: a hash on the board would be computed by the new firmware.
    async fn compare(&self, board: &mut Board, is_flat: bool) -> Result<(), Failure> {
        for item in backup::items(&self.backup.zip, is_flat)? {
            let Content::Bytes(expected, _) = &item.content else {
                continue;
            };
            let read = board.read(&item.path, |_| ()).await?;
            if read != *expected {
                let message = format!("{} differs from the saved file", item.path);
                return Err(Failure::new(Exit::Refused, message));
            }
        }
        Ok(())
    }
}

/// Time limit for a board's first start, in which it may make a file system.
const START_TIME: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(500);

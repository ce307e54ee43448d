//! Turns for flashing, of which each user has one at a time: a drive may not show at which port its board was, and two
//! copies to one drive would mix.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::Path,
    time::Duration,
};

use flylead_native::state;
use tokio::time::{Instant, sleep};

use super::{Common, Exit, Failure};
use crate::files::fs::here;

/// The turn to flash a board, until dropped or until the process ends.
#[derive(Debug)]
pub(super) struct Turn {
    _lock: Option<File>,
}

impl Turn {
    /// Waits until no other flylead of this user is about to flash a board.
    pub(super) async fn take(common: &Common) -> Result<Self, Failure> {
        let Some(folder) = state::folder() else {
            return Ok(Self { _lock: None });
        };
        let path = folder.join("flylead/flash.lock");
        let lock = open(&path).map_err(here(&path))?;
        let late = Instant::now() + LIMIT;
        let mut is_told = false;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { _lock: Some(lock) }),
                // Some file systems have no locks.
                Err(TryLockError::Error(_)) => return Ok(Self { _lock: None }),
                Err(TryLockError::WouldBlock) if Instant::now() < late => {}
                Err(TryLockError::WouldBlock) => {
                    let message =
                        "another flylead has been flashing a board for ten minutes; end it first";
                    return Err(Failure::new(Exit::InUse, message));
                }
            }
            if !is_told {
                is_told = true;
                common
                    .note("waiting for another flylead that is flashing a board; Ctrl-C gives up");
            }
            sleep(LOOK_AGAIN).await;
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).open(path)
}

/// Time limit of waiting for the turn.
const LIMIT: Duration = Duration::from_secs(600);
const LOOK_AGAIN: Duration = Duration::from_millis(200);

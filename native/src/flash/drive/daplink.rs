//! DAPLink's response to a file (DAPLink, `docs/MSD_COMMANDS.md`): its drive disappears and comes back, without the
//! file, and with a `FAIL.TXT` if it refused the file. `FAIL.TXT` stays until the next file.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use crate::{
    flash::{Drive, Ended, Presence, WriteError},
    os::disk,
};

/// Name under which the file is written.
pub(super) const FILE: &str = "FIRMWARE.HEX";

/// Returns DAPLink's message about the last file that it refused.
pub(super) fn failure(drive: &Drive) -> Option<String> {
    let text = disk::read_text(&drive.path.join("FAIL.TXT"), FAILURE_LIMIT).ok()?;
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    Some(lines.join(" ").trim().to_owned())
}

/// Returns a failure that differs from the one before.
pub(super) fn new_failure(drive: &Drive, before: Option<&str>) -> Option<String> {
    failure(drive).filter(|why| Some(why.as_str()) != before)
}

/// Waits until the drive reports the outcome; `before` is the failure that it showed earlier.
pub(super) fn ended(
    drive: &Drive,
    before: Option<&str>,
    limit: Duration,
) -> Result<Ended, WriteError> {
    let give_up = Instant::now() + limit;
    let mut has_gone = false;
    loop {
        // Read before the drive is looked for: one that goes in between would seem to be back without the file.
        let is_listed = is_listed(drive);
        let presence = drive.presence();
        has_gone |= presence == Presence::Gone;
        let is_back = match presence {
            Presence::Gone => drive.is_back(),
            Presence::There => has_gone || !is_listed,
            Presence::Silent => false,
        };
        if is_back {
            return match failure(drive) {
                Some(why) => Err(WriteError::Refused(why)),
                None => Ok(Ended::Stays),
            };
        }
        if presence == Presence::There
            && let Some(why) = new_failure(drive, before)
        {
            return Err(WriteError::Refused(why));
        }
        if Instant::now() >= give_up {
            return Err(match presence {
                Presence::There => WriteError::still_there(drive),
                Presence::Gone | Presence::Silent => WriteError::Unanswered,
            });
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Returns true while the copied file is still listed: the drive comes back without it.
fn is_listed(drive: &Drive) -> bool {
    fs::exists(drive.path.join(FILE)).unwrap_or(false)
}

const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Size limit of DAPLink's message, in bytes.
const FAILURE_LIMIT: u64 = 4096;

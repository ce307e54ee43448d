//! The run that a device records, known to every program.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use flylead_core::export::RunId;
use serde_json::{Value, json};

use super::place::Place;
use crate::{disk, link::Address};

/// A run that a device records: `START` was sent, and since then neither `STOP` nor anything that shows its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recording {
    /// The run.
    pub run_id: RunId,
    /// Time since its beginning.
    pub age: Duration,
}

/// The run that is recorded by the device at this port, whichever program began it. Talking to a board interrupts the
/// program that records, so ask before that.
///
/// A recording is forgotten after a day, for the device may have been used without this computer since.
#[must_use]
pub fn recording(address: &Address) -> Option<Recording> {
    Mark::of(address)?.read()
}

/// Forgets the recording at this port, as after a reset by hand.
pub fn forget_recording(address: &Address) {
    if let Some(mark) = Mark::of(address) {
        mark.end();
    }
}

/// Notes for all programs that a device records.
#[derive(Debug, Clone)]
pub struct Mark(PathBuf);

impl Mark {
    /// The mark of a port; `None` for an address that may lead to any device, and without a folder for state.
    #[must_use]
    pub fn of(address: &Address) -> Option<Self> {
        Some(Self(Place::of(address)?.file("recording", "json")))
    }

    /// The device records this run.
    pub fn begin(&self, run_id: &RunId) {
        let mark = json!({ "run_id": run_id.as_str(), "since": now().as_secs() });
        let folder = self.0.parent().map(fs::create_dir_all);
        // Whoever cannot write it down keeps the promise for this program alone.
        if matches!(folder, Some(Ok(()))) {
            let _ = disk::replace(&self.0, mark.to_string().as_bytes());
        }
    }

    /// The device records no more.
    pub fn end(&self) {
        // There is none as a rule.
        let _ = fs::remove_file(&self.0);
    }

    /// The run that is recorded.
    #[must_use]
    pub fn read(&self) -> Option<Recording> {
        let mark: Value = serde_json::from_str(&disk::read_text(&self.0, LONGEST).ok()?).ok()?;
        let age = now().saturating_sub(Duration::from_secs(mark["since"].as_u64()?));
        let run_id = RunId::new(mark["run_id"].as_str()?).ok()?;
        (age < OLDEST).then_some(Recording { run_id, age })
    }
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

const OLDEST: Duration = Duration::from_secs(24 * 3600);
/// Of a mark, in bytes.
const LONGEST: u64 = 4096;

//! The run that a device records, shared by all programs.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use flylead_core::export::RunId;
use serde_json::{Value, json};

use super::place::Place;
use crate::{link::Address, os::disk};

/// A run that a device records: `START` was sent, and since then neither `STOP` nor any sign of an end was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recording {
    /// The run.
    pub run_id: RunId,
    /// Time since its start.
    pub age: Duration,
}

/// Returns the run that the device at this port records, regardless of the program that began it. Talking to a board
/// interrupts the program that records, so check before that.
///
/// A recording is forgotten after a day, because the device may have been used without this computer since.
#[must_use]
pub fn recording(address: &Address) -> Option<Recording> {
    Mark::of(address)?.read()
}

/// Forgets the recording at this port, for example after a reset by hand.
pub fn forget_recording(address: &Address) {
    if let Some(mark) = Mark::of(address) {
        mark.end();
    }
}

/// Note to all programs that a device records.
#[derive(Debug, Clone)]
pub struct Mark(PathBuf);

impl Mark {
    /// Returns the mark of a port; `None` for an address that may lead to any device, and without a folder for state.
    #[must_use]
    pub fn of(address: &Address) -> Option<Self> {
        Some(Self(Place::of(address)?.file("recording", "json")))
    }

    /// Notes that the device records this run.
    pub fn begin(&self, run_id: &RunId) {
        let mark = json!({ "run_id": run_id.as_str(), "since": now().as_secs() });
        let folder = self.0.parent().map(fs::create_dir_all);
        // If the mark cannot be written, only this program knows about the recording.
        if matches!(folder, Some(Ok(()))) {
            let _ = disk::replace(&self.0, mark.to_string().as_bytes());
        }
    }

    /// Notes that the device no longer records.
    pub fn end(&self) {
        // Usually there is no mark.
        let _ = fs::remove_file(&self.0);
    }

    /// Returns the run that is being recorded.
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
/// Limit of a mark, in bytes.
const LONGEST: u64 = 4096;

//! Output of a device that is not part of its log.

use std::{io, io::Write as _};

use cap_std::fs::{Dir, File, OpenOptions};
use flylead_core::export::RunId;

/// `artifacts/RUN_ID/serial.log`, to which each export appends, up to a limit.
///
/// If writing fails, this log ends; the export goes on.
#[derive(Debug)]
pub(in crate::export) struct SerialLog {
    file: Option<File>,
    room: usize,
}

impl SerialLog {
    pub(in crate::export) fn open(artifacts: &Dir, run_id: &RunId) -> io::Result<Self> {
        artifacts.create_dir_all(run_id.as_str())?;
        let path = format!("{run_id}/serial.log");
        let file = artifacts.open_with(path, OpenOptions::new().create(true).append(true))?;
        Ok(Self {
            file: Some(file),
            room: LONGEST,
        })
    }

    pub(in crate::export) fn write(&mut self, chatter: &[u8]) {
        let kept = &chatter[..chatter.len().min(self.room)];
        self.room -= kept.len();
        if let Some(mut file) = self.file.take() {
            self.file = file.write_all(kept).is_ok().then_some(file);
        }
    }
}

/// Limit of an export's contribution. A device that logs without end must not fill the disk.
const LONGEST: usize = 4 * 1024 * 1024;

//! Part of a log received so far.

use std::{io, path::Path};

use flylead_core::export::{Doubt, Failure, Framing, Header, Quote, RunId};

use super::line_ends::LineEnds;
use crate::export::{Error, Manifest, Options, Saved, Saver};

/// Refusal of a log, as the receiver reports it.
#[derive(Debug)]
pub(in crate::export) struct Refused {
    pub(in crate::export) failure: Failure,
    pub(in crate::export) doubts: Vec<Doubt>,
    pub(in crate::export) quotes: Vec<Quote>,
}

/// A log on its way to the disk, in the requested form.
#[derive(Debug)]
pub(in crate::export) struct Part<'a> {
    options: &'a Options,
    saver: Saver,
    line_ends: Option<LineEnds>,
    received: u64,
}

impl<'a> Part<'a> {
    pub(in crate::export) fn begin(options: &'a Options, run_id: &RunId) -> io::Result<Self> {
        let saver = Saver::begin(&options.artifacts, run_id)?;
        Ok(Self {
            options,
            saver,
            line_ends: None,
            received: 0,
        })
    }

    /// Prepares for the log that this header announces. Refuses a log that does not fit on the disk before any byte is
    /// written.
    pub(super) fn begun(&mut self, header: &Header) -> io::Result<()> {
        match header.framing {
            Framing::Sized { size } => {
                let free = free_space(&self.options.artifacts)?;
                check_room(size, free, self.options.keep_free)
            }
            Framing::Marked { .. } => {
                self.line_ends = self.options.normalize_eol.then(LineEnds::default);
                Ok(())
            }
        }
    }

    pub(in crate::export) fn body(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.received += bytes.len() as u64;
        match &mut self.line_ends {
            Some(ends) => self.saver.write(&ends.convert(bytes)),
            None => self.saver.write(bytes),
        }
    }

    /// Keeps the received data for a person to look at.
    pub(super) fn failed(mut self, refused: Refused) -> io::Result<Error> {
        let Refused {
            failure,
            doubts,
            quotes,
        } = refused;
        if let Some(mut ends) = self.line_ends.take() {
            self.saver.write(ends.finish())?;
        }
        let kept = match (self.received, doubts.is_empty()) {
            (0, _) => None,
            (_, true) => Some(self.saver.keep_partial()?),
            (_, false) => Some(self.saver.keep_suspect()?),
        };
        Ok(Error::Failed {
            failure,
            doubts,
            quotes,
            kept,
        })
    }

    pub(in crate::export) fn publish(mut self, manifest: Manifest) -> io::Result<Saved> {
        let Some(mut ends) = self.line_ends.take() else {
            return self.saver.publish(manifest);
        };
        self.saver.write(ends.finish())?;
        self.saver
            .publish(manifest.describing(&ends.digest, ends.converted))
    }
}

fn free_space(folder: &Path) -> io::Result<u64> {
    fs4::available_space(folder)
}

fn check_room(size: u64, free: u64, keep_free: u64) -> io::Result<()> {
    if size.saturating_add(keep_free) <= free {
        return Ok(());
    }
    let message = format!(
        "not enough disk space: the log has {size} bytes, and {free} are free, of which {keep_free} must stay free"
    );
    Err(io::Error::new(io::ErrorKind::StorageFull, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f4_a_log_that_the_disk_has_no_room_for_is_refused() {
        assert!(check_room(80, 100, 20).is_ok());
        assert!(check_room(81, 100, 20).is_err());
        assert!(check_room(u64::MAX, 100, 1).is_err());
        // A small card has space for a small log.
        let usual = Options::default().keep_free;
        assert!(check_room(4 * 1024 * 1024, 5 * 1024 * 1024, usual).is_ok());
        let error = check_room(80, 70, usual).unwrap_err().to_string();
        assert!(
            error.contains("80 bytes") && error.contains("70 are free"),
            "{error}"
        );
        let folder = tempfile::tempdir().unwrap();
        assert!(free_space(folder.path()).unwrap() > 0);
    }
}

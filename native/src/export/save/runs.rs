//! Saved logs, and checks that they are unchanged.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use cap_std::fs::Dir;
use flylead_core::{
    export::{Digest, RunId},
    to_hexadecimal,
};

use super::open_root;
use crate::export::Manifest;

/// A log on disk: the newest of its run, or an earlier one that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Log {
    /// The run.
    pub run_id: RunId,
    /// 0 for `log.csv`, 1 for `log.csv.1`, and so on.
    pub copy: u32,
    /// Path of the log.
    pub path: PathBuf,
    /// Manifest of the log, if there is a readable one.
    pub manifest: Option<Manifest>,
    artifacts: PathBuf,
}

/// Result of comparing a log with its manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The log is as received, and the device's checksum proves that.
    Proven,
    /// The log is as received, and the device's checksum proves the bytes before their line ends were converted; these
    /// cannot be restored, because the device mixed line ends.
    ProvenBefore,
    /// The log is as received, but nothing proves that it matches the device's data.
    Unproven,
    /// The log differs from what was received: it was changed, or it is damaged.
    Changed,
    /// The log has no readable manifest.
    Unknown,
}

impl Check {
    /// Returns the stable name of the result, for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::ProvenBefore => "proven-before",
            Self::Unproven => "unproven",
            Self::Changed => "changed",
            Self::Unknown => "unknown",
        }
    }

    /// Returns false for a log that differs, or may differ, from what was received.
    #[must_use]
    pub const fn is_fine(self) -> bool {
        matches!(self, Self::Proven | Self::ProvenBefore | Self::Unproven)
    }
}

/// Returns all logs in the folder of all runs, or those of one run, sorted by the names of their runs, newest first
/// within a run.
///
/// # Errors
/// When the folder cannot be read. A missing folder has no logs.
pub fn logs(artifacts: &Path, run: Option<&RunId>) -> io::Result<Vec<Log>> {
    if !artifacts.exists() {
        return Ok(Vec::new());
    }
    let root = open_root(artifacts)?;
    let mut runs: Vec<RunId> = match run {
        Some(run) => vec![run.clone()],
        None => names(&root)?
            .filter_map(|name| RunId::new(&name).ok())
            .collect(),
    };
    runs.sort();
    let mut logs = Vec::new();
    for run_id in runs {
        // A file, or a link that leads out of the folder, is not a run.
        if let Ok(folder) = root.open_dir(format!("{run_id}/sd")) {
            logs.extend(logs_of(artifacts, &run_id, &folder)?);
        }
    }
    Ok(logs)
}

fn logs_of(artifacts: &Path, run_id: &RunId, folder: &Dir) -> io::Result<Vec<Log>> {
    let mut copies: Vec<u32> = names(folder)?.filter_map(|name| copy_of(&name)).collect();
    copies.sort_unstable_by_key(|copy| (*copy > 0, std::cmp::Reverse(*copy)));
    copies
        .into_iter()
        .map(|copy| {
            Ok(Log {
                run_id: run_id.clone(),
                copy,
                path: artifacts
                    .join(run_id.as_str())
                    .join("sd")
                    .join(numbered("log.csv", copy)),
                manifest: read_manifest(folder, &numbered("manifest.json", copy))?,
                artifacts: artifacts.to_owned(),
            })
        })
        .collect()
}

impl Log {
    /// Compares the log with its manifest.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn check(&self) -> io::Result<Check> {
        let folder = open_root(&self.artifacts)?.open_dir(format!("{}/sd", self.run_id))?;
        let name = numbered("log.csv", self.copy);
        let digest = digest(&folder, &name)?;
        let Some(manifest) = &self.manifest else {
            return Ok(Check::Unknown);
        };
        if !is(&digest, manifest.bytes, &manifest.sha256, &manifest.crc32) {
            return Ok(Check::Changed);
        }
        let Some(received) = &manifest.received else {
            return Ok(match manifest.proven {
                true => Check::Proven,
                false => Check::Unproven,
            });
        };
        let before = with_returns(&folder, &name)?;
        let is_before = is(&before, received.bytes, &received.sha256, &received.crc32);
        Ok(match (manifest.proven, is_before) {
            (true, true) => Check::Proven,
            (true, false) => Check::ProvenBefore,
            (false, _) => Check::Unproven,
        })
    }
}

fn is(digest: &Digest, bytes: u64, sha256: &str, crc32: &str) -> bool {
    digest.bytes() == bytes
        && to_hexadecimal(&digest.sha256()) == sha256
        && format!("{:08x}", digest.crc32()) == crc32
}

fn names(folder: &Dir) -> io::Result<impl Iterator<Item = String>> {
    let entries = folder.entries()?.filter_map(Result::ok);
    Ok(entries.filter_map(|entry| entry.file_name().into_string().ok()))
}

fn copy_of(name: &str) -> Option<u32> {
    match name.strip_prefix("log.csv")? {
        "" => Some(0),
        rest => rest
            .strip_prefix('.')?
            .parse()
            .ok()
            .filter(|copy| *copy > 0),
    }
}

fn numbered(name: &str, copy: u32) -> String {
    match copy {
        0 => name.to_owned(),
        copy => format!("{name}.{copy}"),
    }
}

/// Reads a manifest; `None` if there is no readable one.
pub(super) fn read_manifest(folder: &Dir, name: &str) -> io::Result<Option<Manifest>> {
    let file = match folder.open(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = Vec::new();
    file.take(LONGEST_MANIFEST).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).ok())
}

/// Returns the length and checksums of a file.
pub(in crate::export) fn digest(folder: &Dir, name: &str) -> io::Result<Digest> {
    blocks(folder, name, |digest, block| digest.add(block))
}

/// Returns the length and checksums of a file with each `\n` converted to `\r\n`.
fn with_returns(folder: &Dir, name: &str) -> io::Result<Digest> {
    blocks(folder, name, |digest, block| {
        for line in block.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(row) => {
                    digest.add(row);
                    digest.add(b"\r\n");
                }
                None => digest.add(line),
            }
        }
    })
}

fn blocks(folder: &Dir, name: &str, add: impl Fn(&mut Digest, &[u8])) -> io::Result<Digest> {
    let mut file = folder.open(name)?;
    let (mut digest, mut block) = (Digest::default(), vec![0; BLOCK]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(digest),
            length => add(&mut digest, &block[..length]),
        }
    }
}

/// Limit of a manifest, in bytes.
const LONGEST_MANIFEST: u64 = 64 * 1024;
const BLOCK: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_logs_and_their_numbered_copies_are_logs() {
        let found: Vec<_> = [
            "log.csv",
            "log.csv.1",
            "log.csv.12",
            "log.csv.0",
            "log.csv.suspect",
            "log.csv.1x",
            "x",
        ]
        .map(copy_of)
        .to_vec();
        assert_eq!(found, [Some(0), Some(1), Some(12), None, None, None, None]);
    }
}

//! The logs that were saved, and whether they still are what they were.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use cap_std::fs::Dir;
use flylead_core::{
    export::{Digest, RunId},
    to_hexadecimal,
};

use super::{Manifest, save::open_root};

/// A log on disk: the newest of its run, or an earlier one that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Log {
    /// The run.
    pub run_id: RunId,
    /// 0 for `log.csv`, 1 for `log.csv.1`, and so on.
    pub copy: u32,
    /// Its path.
    pub path: PathBuf,
    /// Its manifest, if there is one that can be read.
    pub manifest: Option<Manifest>,
    artifacts: PathBuf,
}

/// A log compared with its manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// It is what came, and the device's checksum proves that.
    Proven,
    /// It is what came, and the device's checksum proves the bytes before their line ends were changed; these cannot be
    /// made again, for the device mixed line ends.
    ProvenBefore,
    /// It is what came, and nothing proves that this is what the device has.
    Unproven,
    /// It is not what came: somebody changed it, or it is damaged.
    Changed,
    /// It has no manifest that can be read.
    Unknown,
}

impl Check {
    /// The name that programs compare.
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

    /// False for a log that is not, or may not be, what came.
    #[must_use]
    pub const fn is_fine(self) -> bool {
        matches!(self, Self::Proven | Self::ProvenBefore | Self::Unproven)
    }
}

/// Every log in the folder of all runs, or those of one run, by the names of their runs and from the newest to the oldest.
///
/// # Errors
/// The folder cannot be read. One that is not there has no logs.
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
        // A file, or a link that leads out of the folder, is no run.
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
    /// It cannot be read.
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

/// A manifest; `None` when there is none that can be read.
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

/// Length and checksums of a file.
pub(super) fn digest(folder: &Dir, name: &str) -> io::Result<Digest> {
    blocks(folder, name, |digest, block| digest.add(block))
}

/// Length and checksums of a file with each `\n` made `\r\n`.
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

/// In bytes.
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

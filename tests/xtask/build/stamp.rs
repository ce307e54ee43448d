//! Doing nothing twice: a stamp remembers what a result was made from.

use crate::shell::Shell;
use anyhow::{Context, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Inputs of a result, and the file that records them.
pub(crate) struct Stamp {
    file: PathBuf,
    digest: String,
}

impl Stamp {
    /// The stamp `name` over the files at `sources` (files or folders, missing ones too).
    pub(crate) fn new(shell: &Shell, name: &str, sources: &[PathBuf]) -> Result<Self> {
        let file = shell.scratch()?.join(format!("{name}.stamp"));
        let digest = digest(sources)?;
        Ok(Self { file, digest })
    }

    /// Returns true if nothing has changed since the stamp was set, and `result` still exists.
    pub(crate) fn is_current(&self, result: &Path) -> bool {
        result.exists() && fs::read_to_string(&self.file).is_ok_and(|digest| digest == self.digest)
    }

    /// Remembers that the result was made.
    pub(crate) fn set(&self) -> Result<()> {
        fs::write(&self.file, &self.digest)
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

fn digest(sources: &[PathBuf]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    sources
        .iter()
        .try_for_each(|source| add(&mut hasher, source))?;
    Ok(format!("{:016x}", hasher.finish()))
}

fn add(hasher: &mut DefaultHasher, path: &Path) -> Result<()> {
    path.hash(hasher);
    if path.is_dir() {
        return entries(path)?
            .iter()
            .try_for_each(|entry| add(hasher, entry));
    }
    fs::read(path).ok().hash(hasher);
    Ok(())
}

/// The sources in a folder, in a fixed order, without what was installed, built or generated there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listing =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = listing
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.retain(|path| {
        !path
            .file_name()
            .is_some_and(|name| BUILT.iter().any(|built| *built == name))
    });
    paths.sort();
    Ok(paths)
}

/// `english.d.ts` is written by the build of the page, from sources beside it.
const BUILT: [&str; 4] = ["node_modules", "dist", "target", "english.d.ts"];

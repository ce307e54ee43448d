//! Files of a release and their hashes.

pub(crate) use crate::shell::write;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn hash(path: &Path) -> Result<String> {
    let content = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// The name of a file, without its folder.
pub(crate) fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The files of a folder that have this ending, by name.
pub(crate) fn with_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut paths = files(folder)?;
    paths.retain(|path| name(path).ends_with(ending));
    Ok(paths)
}

/// Writes the hash of every file of the folder into `SHA256SUMS`, as `sha256sum --check` reads it.
pub(crate) fn checksums(folder: &Path) -> Result<()> {
    let mut lines = String::new();
    for path in files(folder)? {
        if name(&path) != SUMS {
            lines += &format!("{}  {}\n", hash(&path)?, name(&path));
        }
    }
    write(&folder.join(SUMS), &lines)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    let mut files: Vec<_> = paths.into_iter().filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

const SUMS: &str = "SHA256SUMS";

#[cfg(test)]
mod tests {
    use super::hash;
    use std::{env, fs, process};

    #[test]
    fn a_hash_is_that_of_sha256sum() {
        let path = env::temp_dir().join(format!("flylead-hash-{}", process::id()));
        fs::write(&path, "abc").unwrap();
        let hash = hash(&path);
        fs::remove_file(&path).unwrap();
        assert_eq!(
            hash.unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}

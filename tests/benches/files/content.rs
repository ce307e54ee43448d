//! Content to send.

use std::{
    fs,
    path::{Path, PathBuf},
};

use flylead_tests::boards::venv;

use super::fail;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Random,
    Source,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Source => "source",
        }
    }

    /// Returns different content for each seed, so that no tool can skip existing data.
    pub(crate) fn content(self, seed: u64, size: usize) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(seed);
        match self {
            Self::Random => {
                let mut bytes = vec![0; size];
                rng.fill(&mut bytes);
                bytes
            }
            Self::Source => source(&mut rng, size),
        }
    }
}

/// The Python sources of the tools themselves, from a different one on for each seed.
fn source(rng: &mut fastrand::Rng, size: usize) -> Vec<u8> {
    let mut files = Vec::new();
    sources(&venv().join("lib"), &mut files);
    files.sort();
    let first = rng.usize(..files.len());
    let mut text = Vec::new();
    for file in files[first..].iter().chain(&files).cycle() {
        text.extend(fs::read(file).unwrap_or_else(fail));
        if text.len() >= size {
            break;
        }
    }
    text.truncate(size);
    text
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(fail).flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
}

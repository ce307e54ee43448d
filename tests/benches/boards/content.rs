//! Content of files: random bytes, and Python source as people write it.

use std::{fs, path::Path};

use flylead_tests::boards::venv;

use super::fail;

/// Kind of a file's content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Random,
    Source,
}

impl Content {
    pub(crate) const ALL: [Self; 2] = [Self::Random, Self::Source];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Source => "source",
        }
    }

    /// Other bytes for each seed, so that no tool finds them on the board already.
    pub(crate) fn bytes(self, seed: u64, size: usize) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(seed);
        match self {
            Self::Random => (0..size).map(|_| rng.u8(..)).collect(),
            Self::Source => {
                let text = source();
                let first = rng.usize(..text.len());
                text.iter()
                    .cycle()
                    .skip(first)
                    .take(size)
                    .copied()
                    .collect()
            }
        }
    }
}

/// Returns mpremote's own source without its few characters beyond ASCII, so that it can be cut at any byte.
fn source() -> Vec<u8> {
    let folder = venv().join("lib");
    let python = fs::read_dir(&folder).unwrap_or_else(fail).flatten().next();
    let python = python.unwrap_or_else(|| fail("the tests' environment has no Python"));
    let package = python.path().join("site-packages/mpremote");
    let read = |name: &str| fs::read(package.join(name)).unwrap_or_else(fail);
    let mut text = ["main.py", "commands.py", "transport_serial.py"]
        .map(read)
        .concat();
    text.retain(u8::is_ascii);
    text
}

/// A folder of files, each of another length.
pub(crate) fn tree(folder: &Path, files: usize, seed: u64) {
    fs::create_dir_all(folder).unwrap_or_else(fail);
    for number in 0..files {
        let content = Content::Source.bytes(seed * 1000 + number as u64, 200 + 41 * number);
        fs::write(folder.join(format!("file{number:02}.py")), content).unwrap_or_else(fail);
    }
}

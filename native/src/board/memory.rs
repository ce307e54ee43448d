//! Capabilities of the firmware at a port, kept from one program to the next.

use std::{fs, path::PathBuf};

use flylead_core::{board::Capabilities, to_hexadecimal};
use sha2::{Digest as _, Sha256};

use crate::{disk, link::Address, state};

/// A small file for a port. A disk that takes none stops no work: the board is asked again then.
#[derive(Debug)]
pub(crate) struct Memory {
    file: PathBuf,
    kept: Option<String>,
}

impl Memory {
    /// Memory of a serial port, in the person's folder for state. Other addresses may lead to another board each time, and have
    /// none.
    pub(crate) fn of(address: &Address) -> Option<Self> {
        let Address::Serial { path, .. } = address else {
            return None;
        };
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let name = to_hexadecimal(&Sha256::digest(path.as_os_str().as_encoded_bytes())[..8]);
        let folder = state::folder()?.join("flylead/firmware");
        let file = folder.join(name);
        let kept = disk::read_text(&file, LONGEST).ok();
        Some(Self { file, kept })
    }

    /// Capabilities of the board that was there.
    pub(crate) fn read(&self) -> Option<Capabilities> {
        let known = Capabilities::parse(self.kept.as_ref()?.as_bytes())?;
        (!known.build.is_empty()).then_some(known)
    }

    /// Keeps them, if they are other ones than before; free memory alone is no reason.
    pub(crate) fn keep(&mut self, known: &Capabilities) {
        let is_same = |before: &Capabilities| before.without_memory() == known.without_memory();
        if self.read().as_ref().is_some_and(is_same) || known.build.is_empty() {
            return;
        }
        let text = known.to_text();
        if text.len() as u64 > LONGEST {
            return;
        }
        let folder = self.file.parent().map(fs::create_dir_all);
        if folder.is_some_and(|made| made.is_ok())
            && disk::save(&self.file, text.as_bytes()).is_ok()
        {
            self.kept = Some(text);
        }
    }
}

/// In bytes; a real one has some 150.
const LONGEST: u64 = 1024;

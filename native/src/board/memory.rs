//! Capabilities of the firmware at a port, kept from one program to the next.

use std::{fs, path::PathBuf};

use flylead_core::{board::Capabilities, to_hexadecimal};
use sha2::{Digest as _, Sha256};

use crate::{
    link::Address,
    os::{disk, state},
};

/// Cache file for a port. If the disk cannot store it, work goes on, and the board is queried again.
#[derive(Debug)]
pub(crate) struct Memory {
    file: PathBuf,
    kept: Option<String>,
}

impl Memory {
    /// Returns the cache of a serial port, in the user's folder for state. Other addresses have none, as they may lead
    /// to another board each time.
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

    /// Returns the cached capabilities of the board at the port.
    pub(crate) fn read(&self) -> Option<Capabilities> {
        let known = Capabilities::parse(self.kept.as_ref()?.as_bytes())?;
        (!known.build.is_empty()).then_some(known)
    }

    /// Stores the capabilities if they have changed; a change of free memory alone does not count.
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

/// Size limit of the file, in bytes; a real one has about 150.
const LONGEST: u64 = 1024;

//! The name under which programs remember things about one port.

use std::{fs, path::PathBuf};

use flylead_core::to_hexadecimal;
use sha2::{Digest as _, Sha256};

use crate::{
    link::{self, Address},
    state,
};

/// A port as programs know it from one to the next: the device at it if that has a serial number, or else the port itself
/// for as long as the system has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    folder: PathBuf,
    key: String,
}

impl Place {
    /// `None` for an address that may lead to any device, and without a folder for state.
    pub(super) fn of(address: &Address) -> Option<Self> {
        // A name of a board, or the only one there is, is looked up.
        let Address::Serial { path, .. } = &link::find(address).ok()? else {
            return None;
        };
        let ports = link::ports().unwrap_or_default();
        let port = ports.iter().find(|port| port.path == *path);
        let key = match port.and_then(link::Port::id) {
            Some(id) => format!("usb {id}"),
            None => format!("port {path} {}", born(path)),
        };
        Some(Self {
            folder: state::folder()?.join("flylead"),
            key,
        })
    }

    /// A file about this port, in the folder for files of this kind.
    pub(super) fn file(&self, kind: &str, extension: &str) -> PathBuf {
        let name = to_hexadecimal(&Sha256::digest(&self.key)[..12]);
        self.folder.join(kind).join(format!("{name}.{extension}"))
    }
}

/// A number that another port of the same name does not have: pseudo-terminals are made again under old names.
#[cfg(unix)]
fn born(path: &str) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let is_terminal = fs::canonicalize(path).is_ok_and(|path| path.starts_with("/dev/pts"));
    match fs::metadata(path) {
        Ok(port) if is_terminal => format!("{} {}", port.ctime(), port.ctime_nsec()),
        _ => String::new(),
    }
}

#[cfg(not(unix))]
fn born(_path: &str) -> String {
    String::new()
}

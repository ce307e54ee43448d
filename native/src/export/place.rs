//! Name under which programs remember facts about one port.

use std::{fs, path::PathBuf};

use flylead_core::to_hexadecimal;
use sha2::{Digest as _, Sha256};

use crate::{
    link::{self, Address},
    os::state,
};

/// A port as successive programs recognize it: by the device's serial number, if it has one, or else by the port itself
/// for as long as the system keeps it; a remote port by its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    folder: PathBuf,
    key: String,
}

impl Place {
    /// Returns the place at an address; `None` for an address that may lead to any device, and without a folder for
    /// state.
    pub(super) fn of(address: &Address) -> Option<Self> {
        // A board's name, or the only board there is, is looked up.
        let key = match &link::find(address).ok()? {
            Address::Serial { path, .. } => key_of(path),
            Address::Rfc2217 { host, .. } => format!("rfc2217 {host}"),
            _ => return None,
        };
        Some(Self {
            folder: state::folder()?.join("flylead"),
            key,
        })
    }

    /// Returns the path of the file about this port in the folder for files of this kind.
    pub(super) fn file(&self, kind: &str, extension: &str) -> PathBuf {
        let name = to_hexadecimal(&Sha256::digest(&self.key)[..12]);
        self.folder.join(kind).join(format!("{name}.{extension}"))
    }
}

fn key_of(path: &str) -> String {
    let ports = link::ports().unwrap_or_default();
    let port = ports.iter().find(|port| port.path == *path);
    match port.and_then(link::Port::id) {
        Some(id) => format!("usb {id}"),
        None => format!("port {path} {}", born(path)),
    }
}

/// Returns a number that distinguishes ports of the same name: pseudo-terminals are created again under old names.
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

//! `.nrepl-port` in the working folder, from which editors learn the server's port
//! (<https://nrepl.org/nrepl/usage/server.html>, "Server Options").

use std::{fs, io, path::Path};

use flylead_native::{disk, zylisp::Address};

/// The file, which exists while the server runs.
pub(super) struct PortFile {
    port: String,
}

impl PortFile {
    /// Writes the port of the first address that speaks nREPL, if there is one.
    pub(super) fn write(addresses: &[Address]) -> io::Result<Option<Self>> {
        let port = addresses.iter().find_map(|address| {
            let Address::Nrepl(host) = address else {
                return None;
            };
            host.rsplit_once(':')
        });
        let Some((_, port)) = port else {
            return Ok(None);
        };
        // A reader sees either the old content or the new.
        disk::replace(Path::new(NAME), port.as_bytes())?;
        Ok(Some(Self { port: port.into() }))
    }
}

/// Removes the file, unless a server that was started later in the same folder wrote it.
impl Drop for PortFile {
    fn drop(&mut self) {
        if fs::read_to_string(NAME).is_ok_and(|port| port == self.port) {
            let _ = fs::remove_file(Path::new(NAME));
        }
    }
}

const NAME: &str = ".nrepl-port";

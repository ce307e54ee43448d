//! `.nrepl-port` in the working folder, by which editors find the server (<https://nrepl.org/nrepl/usage/server.html>,
//! "Server Options").

use std::{fs, io, path::Path};

use flylead::{disk, zylisp::Address};

/// The file, as long as the server runs.
pub(super) struct PortFile {
    port: String,
}

impl PortFile {
    /// Writes the port of the first address where nREPL is spoken, if there is one.
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
        // Whoever reads it meanwhile reads the old one or the new one.
        disk::replace(Path::new(NAME), port.as_bytes())?;
        Ok(Some(Self { port: port.into() }))
    }
}

/// The file of a server that was started later in the same folder stays.
impl Drop for PortFile {
    fn drop(&mut self) {
        if fs::read_to_string(NAME).is_ok_and(|port| port == self.port) {
            let _ = fs::remove_file(Path::new(NAME));
        }
    }
}

const NAME: &str = ".nrepl-port";

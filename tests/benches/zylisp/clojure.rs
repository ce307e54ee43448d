//! Clojure's own nREPL, of Debian's package `libnrepl-clojure`: its server is measured beside ours.

use std::{
    io::{self, BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::beside;

/// Starts Clojure's server, and measures it beside ours.
pub(crate) fn compare() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut clojure = Clojure::start(folder.path())?;
    beside::compare(&clojure.address()?)
}

/// The process of Clojure's server, which ends with this.
struct Clojure(Child);

impl Clojure {
    /// Starts it in a folder of its own, for it writes `.nrepl-port` there.
    fn start(folder: &Path) -> io::Result<Self> {
        let classes = JARS.map(|jar| format!("/usr/share/java/{jar}.jar"));
        let is_there = |jar: &String| Path::new(jar).exists();
        if !classes.iter().all(is_there) {
            return Err(io::Error::other(MISSING));
        }
        let server = Command::new("java")
            .args(["-cp", &classes.join(":"), "clojure.main"])
            .args(["-m", "nrepl.cmdline", "--bind", "127.0.0.1", "--port", "0"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        match server {
            Ok(server) => Ok(Self(server)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(io::Error::other(MISSING)),
            Err(error) => Err(error),
        }
    }

    /// Returns the address that it prints: `… - nrepl://127.0.0.1:PORT`.
    fn address(&mut self) -> io::Result<String> {
        let stdout = self.0.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        for line in BufReader::new(stdout).lines() {
            if let Some((_, address)) = line?.split_once(" - ") {
                return Ok(address.replace("localhost", "127.0.0.1"));
            }
        }
        Err(io::Error::other(
            "Clojure's server ended without saying where it listens",
        ))
    }
}

impl Drop for Clojure {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// nREPL and Clojure, as Debian names them.
const JARS: [&str; 4] = ["nrepl", "clojure", "spec.alpha", "core.specs.alpha"];

const MISSING: &str = "Clojure's nREPL is not installed: \
    apt-get install --no-install-recommends libnrepl-clojure default-jre-headless";

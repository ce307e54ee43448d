//! Registries on loopback, in place of npm's, PyPI and the release's page of downloads.

use crate::build::setup;
use crate::shell::{self, Shell};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A server on loopback, which lives as long as this value.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Verdaccio, with nothing behind it: it has what is published to it, and asks no other registry.
    pub(crate) fn npm(shell: &Shell, home: &Path) -> Result<Self> {
        let config = home.join("verdaccio.yaml");
        fs::write(&config, VERDACCIO)
            .with_context(|| format!("cannot write {}", config.display()))?;
        Self::start(shell, home, "verdaccio", |port| {
            let program = shell
                .path(FOLDER)
                .join("node_modules/verdaccio/bin/verdaccio");
            let mut command = shell.command("node", &[]);
            command.arg(program).arg("--config").arg(config);
            command.args(["--listen", &format!("127.0.0.1:{port}")]);
            command
        })
    }

    /// pypiserver, to which anyone may upload.
    pub(crate) fn python(shell: &Shell, home: &Path) -> Result<Self> {
        let packages = home.join("wheels");
        fs::create_dir_all(&packages)?;
        Self::start(shell, home, "pypiserver", |port| {
            let program = setup::python_program(shell, "pypi-server");
            let open = [
                "run",
                "--interface",
                "127.0.0.1",
                "--authenticate",
                ".",
                "--passwords",
                ".",
                "--disable-fallback",
                "--port",
            ];
            let mut command = shell.command(program, &open);
            command.arg(port.to_string()).arg(packages);
            command
        })
    }

    /// The files of a folder.
    pub(crate) fn files(shell: &Shell, home: &Path, folder: &Path) -> Result<Self> {
        Self::start(shell, home, "files", |port| {
            let python = setup::python_program(shell, "python");
            let mut command = shell.command(python, &["-m", "http.server", "--bind", "127.0.0.1"]);
            command.arg("--directory").arg(folder).arg(port.to_string());
            command
        })
    }

    /// Address of the server.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Address without the protocol, under which npm keeps tokens.
    pub(crate) fn host(&self) -> String {
        format!("//127.0.0.1:{}/", self.port)
    }

    fn start(
        shell: &Shell,
        home: &Path,
        name: &str,
        command: impl FnOnce(u16) -> Command,
    ) -> Result<Self> {
        let port = free_port()?;
        let path = home.join(format!("{name}.log"));
        let log = File::create(&path)?;
        let mut command = command(port);
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        shell::lead_a_group(&mut command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {name}: run `cargo xtask setup`"))?;
        let mut server = Self { child, port };
        if server.answers()? {
            return Ok(server);
        }
        shell.note(&fs::read_to_string(&path).unwrap_or_default())?;
        bail!("{name} does not start")
    }

    fn answers(&mut self) -> Result<bool> {
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline && self.child.try_wait()?.is_none() {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return Ok(true);
            }
            sleep(Duration::from_millis(50));
        }
        Ok(false)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        shell::kill(&mut self.child);
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

const VERDACCIO: &str = "\
storage: ./npm
packages:
  '**':
    access: $all
    publish: $all
uplinks: {}
max_body_size: 200mb
log: { type: stdout, format: pretty, level: warn }
";
const START_LIMIT: Duration = Duration::from_secs(60);
/// Folder of Verdaccio's own package.
pub(crate) const FOLDER: &str = "tests/tools/registry";

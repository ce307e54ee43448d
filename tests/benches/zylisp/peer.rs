//! The process that is measured: this program again, or any server that runs already.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use flylead_native::zylisp::{Address, Encoding};
use flylead_tests::bench::{flylead, kilobytes};

/// A server's process, and where it listens.
pub(crate) struct Peer {
    /// Our own, which ends with the measurement.
    child: Option<Child>,
    process: Option<u32>,
    pub(crate) addresses: Vec<String>,
}

impl Peer {
    pub(crate) fn start(encoding: Encoding, addresses: &[&str]) -> io::Result<Self> {
        let mut server = Command::new(std::env::current_exe()?);
        server.args(["--server", encoding.name()]).args(addresses);
        Self::spawn(server, addresses.len())
    }

    /// The command, as people start it.
    pub(crate) fn command(address: &str) -> io::Result<Self> {
        let mut server = Command::new(flylead());
        server
            .args(["zylisp", "serve", address])
            .current_dir(std::env::temp_dir())
            .stderr(Stdio::null());
        Self::spawn(server, 1)
    }

    fn spawn(mut server: Command, addresses: usize) -> io::Result<Self> {
        let mut child = server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let addresses = BufReader::new(stdout)
            .lines()
            .take(addresses)
            .map(|line| line.map(|line| line.replace("listening on ", "")))
            .collect::<io::Result<_>>()?;
        Ok(Self {
            process: Some(child.id()),
            child: Some(child),
            addresses,
        })
    }

    /// A server that runs already. What it uses is known if it runs on this computer, as this user, on Linux.
    pub(crate) fn at(address: &str) -> Self {
        Self {
            child: None,
            process: listener(address),
            addresses: [address.to_owned()].into(),
        }
    }

    /// Folders of its threads in /proc, named by their numbers. None where that cannot be told.
    pub(crate) fn threads(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let process = self.process.unwrap_or_default();
        let threads = fs::read_dir(format!("/proc/{process}/task"));
        let threads = threads.into_iter().flatten().flatten();
        threads.map(|thread| thread.path())
    }

    /// The processor time it has used, in steps of 10 ms. Zero where that cannot be told.
    pub(crate) fn processor(&self) -> Duration {
        let stat = self.read("stat");
        let fields: Vec<_> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let ticks = [11, 12]
            .iter()
            .filter_map(|at| fields.get(*at)?.parse::<u64>().ok());
        Duration::from_millis(10 * ticks.sum::<u64>())
    }

    /// The processor time of all its threads, to the nanosecond. Zero where that cannot be told.
    pub(crate) fn running_time(&self) -> Duration {
        let nanos = self.threads().filter_map(|thread| {
            let stat = fs::read_to_string(thread.join("schedstat")).ok()?;
            stat.split_whitespace().next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanos.sum())
    }

    /// Resident memory, in kB. Zero where that cannot be told.
    pub(crate) fn resident(&self) -> u64 {
        self.process
            .map_or(0, |process| kilobytes(process, "VmRSS"))
    }

    fn read(&self, file: &str) -> String {
        let process = self.process.unwrap_or_default();
        fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Closing its stdin ends it; this is for when it does not listen.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The process that listens on a TCP port of this computer: the one that has the socket open which /proc/net lists.
fn listener(address: &str) -> Option<u32> {
    let (_, port) = address.rsplit_once(':')?;
    let port = format!(":{:04X}", port.parse::<u16>().ok()?);
    let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    let sockets = sockets.into_iter().flatten().collect::<String>();
    let inode = sockets.lines().find_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        // 0A is a socket that listens (proc_pid_net(5), "/proc/net/tcp").
        (fields.get(1)?.ends_with(&port) && fields.get(3) == Some(&"0A"))
            .then(|| format!("socket:[{}]", fields.get(9).copied().unwrap_or_default()))
    })?;
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes
        .filter_map(|process| process.file_name().to_str()?.parse().ok())
        .find(|process| has_open(*process, &inode))
}

fn has_open(process: u32, file: &str) -> bool {
    let files = fs::read_dir(format!("/proc/{process}/fd"));
    let mut links = files
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok());
    links.any(|link| link.to_str() == Some(file))
}

pub(crate) trait Duplex: Read + Write + Send {}

impl<S: Read + Write + Send> Duplex for S {}

/// A connection on which a read waits for [`SILENCE`] at most.
pub(crate) fn open(address: &str) -> io::Result<Box<dyn Duplex>> {
    match address.parse() {
        #[cfg(unix)]
        Ok(Address::Unix(path)) => {
            let stream = std::os::unix::net::UnixStream::connect(path)?;
            stream.set_read_timeout(Some(SILENCE))?;
            Ok(Box::new(stream))
        }
        Ok(Address::Tcp(host) | Address::Nrepl(host)) => {
            let stream = TcpStream::connect(host)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(SILENCE))?;
            Ok(Box::new(stream))
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// A server that says nothing for this long has failed: what takes longest is a program of 4 MB beside three others.
pub(crate) const SILENCE: Duration = Duration::from_secs(60);

//! Processes of this computer: the devices they have open, and the addresses at which they listen.
//!
//! From `/proc` (proc(5)): `PID/comm`, the links in `PID/fd`, and for the master's end of a pseudo-terminal its number
//! in `PID/fdinfo`. Links of other users' processes can be read by root alone.

use std::{
    collections::{HashMap, HashSet},
    fmt, fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
};

/// Process, by its number and name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) id: u32,
    pub(super) name: String,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {})", self.name, self.id)
    }
}

/// All processes that this user may inspect, except this one.
#[derive(Debug, Default)]
pub(super) struct Processes {
    devices: HashMap<PathBuf, Vec<Process>>,
    sockets: HashMap<String, Process>,
    names: HashSet<String>,
    /// Number of processes whose open files this user may not list.
    pub(super) unseen: usize,
}

impl Processes {
    /// Reads `proc` below `root`.
    pub(super) fn read(root: &Path) -> Self {
        let mut all = Self::default();
        let entries = fs::read_dir(root.join("proc")).into_iter().flatten();
        for entry in entries.flatten() {
            let id = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            if let Some(id) = id.filter(|id| *id != std::process::id()) {
                all.add(id, &entry.path());
            }
        }
        all
    }

    /// Processes that have this device open.
    pub(super) fn users_of(&self, device: &Path) -> impl Iterator<Item = &Process> {
        let real = fs::canonicalize(device).unwrap_or_else(|_| device.to_owned());
        self.devices.get(&real).into_iter().flatten()
    }

    /// Returns true if a process has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Addresses at which processes of this name listen, from `/proc/net/tcp` and `tcp6` below `root`.
    pub(super) fn listening(&self, root: &Path, name: &str) -> Vec<(&Process, SocketAddr)> {
        let mut found = Vec::new();
        for table in ["proc/net/tcp", "proc/net/tcp6"] {
            let text = fs::read_to_string(root.join(table)).unwrap_or_default();
            let listening = text.lines().filter_map(listener);
            found.extend(listening.filter_map(|(address, socket)| {
                let process = self.sockets.get(&socket)?;
                (process.name == name).then_some((process, address))
            }));
        }
        found.sort_by_key(|(process, address)| (process.id, *address));
        found
    }

    fn add(&mut self, id: u32, folder: &Path) {
        // The process may have ended meanwhile.
        let Ok(name) = fs::read_to_string(folder.join("comm")) else {
            return;
        };
        let name = name.trim().to_owned();
        self.names.insert(name.clone());
        let Ok(files) = fs::read_dir(folder.join("fd")) else {
            self.unseen += 1;
            return;
        };
        let process = Process { id, name };
        let (mut open, mut made) = (HashSet::new(), HashSet::new());
        for file in files.flatten() {
            let Ok(target) = fs::read_link(file.path()) else {
                continue;
            };
            if let Some(socket) = target.to_str().and_then(|it| it.strip_prefix("socket:[")) {
                let number = socket.trim_end_matches(']').to_owned();
                self.sockets.insert(number, process.clone());
            } else if target.ends_with("ptmx") {
                made.extend(made_terminal(folder, &file.file_name()));
            } else if target.starts_with("/dev") {
                open.insert(target);
            }
        }
        // The process that made a pseudo-terminal acts as the device, and does not use it.
        for device in open.difference(&made) {
            let users = self.devices.entry(device.clone()).or_default();
            users.push(process.clone());
        }
    }
}

/// Returns the terminal whose master's end this file is, from the line `tty-index: N`, which Linux has had since 4.14.
fn made_terminal(process: &Path, file: &std::ffi::OsStr) -> Option<PathBuf> {
    let info = fs::read_to_string(process.join("fdinfo").join(file)).ok()?;
    let index = info
        .lines()
        .find_map(|line| line.strip_prefix("tty-index:"))?;
    Some(Path::new("/dev/pts").join(index.trim()))
}

/// Returns the address and socket number in a line of `/proc/net/tcp`, if the socket listens.
fn listener(line: &str) -> Option<(SocketAddr, String)> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let (address, state, socket) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
    let (ip, port) = address.split_once(':')?;
    let address = SocketAddr::new(ip_of(ip)?, u16::from_str_radix(port, 16).ok()?);
    (*state == LISTENS).then(|| (address, (*socket).to_owned()))
}

/// Parses an address of 4 or 16 bytes: words of 32 bits in this computer's byte order.
fn ip_of(digits: &str) -> Option<IpAddr> {
    let words = digits.as_bytes().chunks(8).map(|word| {
        let word = std::str::from_utf8(word).ok()?;
        Some(u32::from_str_radix(word, 16).ok()?.to_ne_bytes())
    });
    let bytes = words.collect::<Option<Vec<_>>>()?.concat();
    match bytes.len() {
        4 => Some(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?).into()),
        16 => Some(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into()),
        _ => None,
    }
}

/// State of a listening socket as in the table: `TCP_LISTEN` of `include/net/tcp_states.h`.
const LISTENS: &str = "0A";

#[cfg(test)]
pub(super) mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Adds a process with open files to a tree like `/proc`; a file of `ptmx:5` is the master's end of `/dev/pts/5`.
    pub(in crate::link::doctor) fn process(root: &Path, id: u32, name: &str, files: &[&str]) {
        let folder = root.join("proc").join(id.to_string());
        for inside in ["fd", "fdinfo"] {
            fs::create_dir_all(folder.join(inside)).unwrap();
        }
        fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
        for (number, file) in files.iter().enumerate() {
            let number = number.to_string();
            let (target, info) = match file.strip_prefix("ptmx:") {
                Some(index) => ("/dev/ptmx", format!("flags:\t02\ntty-index:\t{index}\n")),
                None => (*file, "flags:\t02\n".to_owned()),
            };
            symlink(target, folder.join("fd").join(&number)).unwrap();
            fs::write(folder.join("fdinfo").join(number), info).unwrap();
        }
    }

    #[test]
    fn who_has_a_port_open_is_found() {
        let root = tempfile::tempdir().unwrap();
        process(root.path(), 7, "thonny", &["/dev/null", "/dev/ttyNONE7"]);
        process(root.path(), 8, "board", &["ptmx:9999", "/dev/pts/9999"]);
        process(root.path(), 9, "screen", &["ptmx:9998", "/dev/pts/9999"]);
        let all = Processes::read(root.path());
        let users = |device: &str| -> Vec<_> {
            let users = all.users_of(Path::new(device));
            users.map(ToString::to_string).collect()
        };
        assert_eq!(users("/dev/ttyNONE7"), ["thonny (process 7)"]);
        assert_eq!(users("/dev/pts/9999"), ["screen (process 9)"]);
        assert!(users("/dev/ttyNONE8").is_empty());
        assert!(all.has("thonny") && !all.has("ModemManager"));
    }

    #[test]
    fn a_process_of_another_user_is_counted() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/12")).unwrap();
        fs::write(root.path().join("proc/12/comm"), "theirs\n").unwrap();
        assert_eq!(Processes::read(root.path()).unseen, 1);
    }

    /// The lines come from a 6.1 kernel on x86-64.
    #[test]
    #[cfg(target_endian = "little")]
    fn the_addresses_at_which_a_process_listens_are_read() {
        let root = tempfile::tempdir().unwrap();
        process(root.path(), 7, "flylead", &["socket:[31]", "socket:[32]"]);
        process(root.path(), 8, "other", &["socket:[33]"]);
        fs::create_dir_all(root.path().join("proc/net")).unwrap();
        let line = |address: &str, state: &str, socket: u32| {
            format!(
                "   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  1000        0 {socket} 1 0 100\n"
            )
        };
        let tcp = [
            "  sl  local_address rem_address   st tx_queue\n".to_owned(),
            line("0100007F:1F90", "0A", 31),
            line("0100007F:1F91", "01", 31),
            line("0100007F:1F92", "0A", 33),
        ];
        fs::write(root.path().join("proc/net/tcp"), tcp.concat()).unwrap();
        let six = line("00000000000000000000000001000000:1F93", "0A", 32);
        fs::write(root.path().join("proc/net/tcp6"), six).unwrap();
        let all = Processes::read(root.path());
        let listening = all.listening(root.path(), "flylead");
        let shown: Vec<_> = listening.iter().map(|(_, it)| it.to_string()).collect();
        assert_eq!(shown, ["127.0.0.1:8080", "[::1]:8083"]);
    }
}

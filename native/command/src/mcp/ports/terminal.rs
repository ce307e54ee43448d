//! Terminals of interactive sessions.

/// Returns true for the terminal of a session: a person's input and output pass through it, and a program that opens it
/// would share them.
///
/// Linux lists the terminal of each process in `/proc/PID/stat`, field 7 (proc_pid_stat(5)). `/dev/tty` and
/// `/dev/console` are other names for such a terminal.
#[cfg(target_os = "linux")]
pub(super) fn is_somebodys(port: &str) -> bool {
    use std::{fs, os::unix::fs::MetadataExt as _};

    let Ok(port) = fs::metadata(port) else {
        return false;
    };
    let number = port.rdev();
    rustix::fs::major(number) == ALIASES
        || fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|process| fs::read_to_string(process.path().join("stat")).ok())
            .any(|stat| terminal_of(&stat) == Some(number))
}

/// Returns the device number of a process's terminal; `None` for 0, which stands for no terminal. The process name
/// before it may contain blanks and brackets.
#[cfg(target_os = "linux")]
fn terminal_of(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let number: i32 = fields.split_ascii_whitespace().nth(4)?.parse().ok()?;
    // The minor number is in bits 31 to 20 and 7 to 0, the major one in bits 15 to 8.
    let number = number.cast_unsigned();
    let minor = (number & 0xff) | ((number >> 12) & 0xfff00);
    (number != 0).then(|| rustix::fs::makedev((number >> 8) & 0xff, minor))
}

/// The major number of `/dev/tty`, `/dev/console` and `/dev/ptmx` (Linux, Documentation/admin-guide/devices.txt).
#[cfg(target_os = "linux")]
const ALIASES: u32 = 5;

/// Returns true for the terminal of a session. The other systems of this family list each process with its terminal's
/// name.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn is_somebodys(port: &str) -> bool {
    let name = port.strip_prefix("/dev/").unwrap_or(port);
    let listed = std::process::Command::new("ps")
        .args(["-A", "-o", "tty="])
        .output();
    let listed = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    // If `ps` fails, any terminal might be in use.
    matches!(name, "tty" | "console" | "ptmx")
        || listed.map_or(true, |names| names.lines().any(|line| line.trim() == name))
}

/// Returns false: Windows has no terminals among its ports.
#[cfg(not(unix))]
pub(super) fn is_somebodys(_port: &str) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_of_a_process_is_read_from_its_line() {
        let line = |number: i32| format!("12 (a (odd) name) S 1 12 12 {number} 12 4194560 0");
        assert_eq!(terminal_of(&line(0)), None);
        // /dev/pts/3 is 136, 3; and /dev/pts/300 is 136, 300.
        assert_eq!(
            terminal_of(&line(0x8803)),
            Some(rustix::fs::makedev(136, 3))
        );
        assert_eq!(
            terminal_of(&line(0x0010_882c)),
            Some(rustix::fs::makedev(136, 300))
        );
    }

    #[test]
    fn other_names_of_ones_own_terminal_are_somebodys() {
        assert!(is_somebodys("/dev/tty") && is_somebodys("/dev/ptmx"));
        assert!(!is_somebodys("/dev/null") && !is_somebodys("/dev/none"));
    }
}

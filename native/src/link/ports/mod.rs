//! Lists the serial ports, and finds boards among them.

pub(crate) mod boot_loader;
#[cfg(target_os = "linux")]
pub(crate) mod permission;
pub(crate) mod port;

use std::io;
use std::path::Path;

use super::{error::OpenError, names::NamesError};
use boot_loader::boot_loaders;
use port::Port;

/// Lists the serial ports of this computer, by name.
///
/// # Errors
/// The system cannot list them.
pub fn ports() -> Result<Vec<Port>, OpenError> {
    // It may be missing in a container: there are no ports then, and serialport would panic (posix/enumerate.rs of
    // 4.10).
    if cfg!(target_os = "linux") && !Path::new("/sys/class/tty").is_dir() {
        return Ok(Vec::new());
    }
    let found =
        serialport::available_ports().map_err(|error| OpenError::Ports(io::Error::other(error)))?;
    let mut ports: Vec<_> = found.into_iter().map(Port::from).collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    // macOS lists each port twice; the call-out device is the one that opens without a carrier.
    ports.retain(|port| !port.path.starts_with("/dev/tty."));
    Ok(ports)
}

/// Returns the only board; that is, the only port on USB.
pub(super) fn only_board(ports: &[Port]) -> Result<&Port, OpenError> {
    let boards: Vec<_> = on_usb(ports).collect();
    match boards[..] {
        [board] => Ok(board),
        [] => Err(OpenError::NoBoard {
            others: ports.to_vec(),
            boot_loaders: boot_loaders(),
        }),
        _ => Err(OpenError::SeveralBoards {
            boards: boards.into_iter().cloned().collect(),
        }),
    }
}

/// Returns the board with this serial number; case does not matter.
pub(super) fn with_id<'a>(ports: &'a [Port], id: &str) -> Result<&'a Port, OpenError> {
    on_usb(ports)
        .find(|port| port.id().is_some_and(|own| own.eq_ignore_ascii_case(id)))
        .ok_or_else(|| OpenError::UnknownId {
            id: id.to_owned(),
            boards: on_usb(ports).cloned().collect(),
        })
}

/// Finds the board that was at `path` and had this serial number: there, or at another path.
#[must_use]
pub fn same_board<'a>(ports: &'a [Port], path: &str, id: Option<&str>) -> Option<&'a Port> {
    let there = ports.iter().find(|port| port.path == path);
    let is_same = |port: &&Port| id.is_none() || port.id() == id;
    there.filter(is_same).or_else(|| {
        let id = id?;
        on_usb(ports).find(|port| port.id() == Some(id))
    })
}

/// Returns the serial number of the board at this port, unless another board has the same one.
pub(super) fn own_id<'a>(ports: &'a [Port], path: &str) -> Option<&'a str> {
    let id = ports.iter().find(|port| port.path == path)?.id()?;
    let has_it = |port: &&Port| port.id() == Some(id);
    (ports.iter().filter(has_it).count() == 1).then_some(id)
}

/// Checks that no port of this computer has a path that ends in this name.
///
/// # Errors
/// A port has this name, or the system cannot list them.
pub fn check_is_no_port(name: &str) -> Result<(), OpenError> {
    let is_called = |port: &Port| {
        let last = port.path.rsplit(['/', '\\']).next();
        last.is_some_and(|last| last.eq_ignore_ascii_case(name))
    };
    match ports()?.iter().any(is_called) {
        true => Err(OpenError::Names(NamesError::Device(name.to_owned()))),
        false => Ok(()),
    }
}

fn on_usb(ports: &[Port]) -> impl Iterator<Item = &Port> {
    ports.iter().filter(|port| port.usb.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::ports::port::tests::board;

    fn plain(path: &str) -> Port {
        Port {
            path: path.into(),
            usb: None,
        }
    }

    #[test]
    fn the_only_board_is_chosen_among_other_ports() {
        let ports = [plain("/dev/ttyS0"), board("/dev/ttyACM0", "E66")];
        assert_eq!(only_board(&ports).unwrap().path, "/dev/ttyACM0");
    }

    #[test]
    fn a_board_that_was_pulled_out_is_found_by_its_serial_number() {
        let ports = [
            plain("/dev/ttyS0"),
            board("/dev/ttyACM1", "E66"),
            board("/dev/ttyACM2", "E67"),
        ];
        let now = |path, id| same_board(&ports, path, id).map(|port| port.path.as_str());
        assert_eq!(now("/dev/ttyACM0", Some("E66")), Some("/dev/ttyACM1"));
        assert_eq!(now("/dev/ttyACM1", Some("E66")), Some("/dev/ttyACM1"));
        assert_eq!(now("/dev/ttyACM1", Some("E67")), Some("/dev/ttyACM2"));
        assert_eq!(now("/dev/ttyACM1", Some("E68")), None);
        assert_eq!(now("/dev/ttyS0", None), Some("/dev/ttyS0"));
        assert_eq!(now("/dev/ttyACM0", None), None);
    }

    #[test]
    fn without_a_board_the_other_ports_are_named() {
        let error = only_board(&[plain("/dev/ttyS0")]).unwrap_err();
        assert!(error.to_string().ends_with("\n  /dev/ttyS0"), "{error}");
    }

    #[test]
    fn of_several_boards_none_is_guessed() {
        let ports = [board("/dev/ttyACM0", "E66"), board("/dev/ttyACM1", "E67")];
        let message = only_board(&ports).unwrap_err().to_string();
        assert_eq!(
            message,
            "there are 2 boards. Name one of them:\n  /dev/ttyACM0  2e8a:0005  id:E66  MicroPython\n  /dev/ttyACM1  2e8a:0005  id:E67  MicroPython"
        );
    }

    #[test]
    fn a_board_is_kept_by_its_serial_number_unless_another_has_the_same() {
        let ports = [
            plain("/dev/ttyS0"),
            board("/dev/ttyACM0", "E66"),
            board("/dev/ttyACM1", "0001"),
            board("/dev/ttyACM2", "0001"),
        ];
        assert_eq!(own_id(&ports, "/dev/ttyACM0"), Some("E66"));
        assert_eq!(own_id(&ports, "/dev/ttyACM1"), None);
        assert_eq!(own_id(&ports, "/dev/ttyS0"), None);
    }

    #[test]
    fn a_serial_number_finds_its_board_on_any_port() {
        let ports = [board("/dev/ttyACM0", "E66"), board("/dev/ttyACM1", "E67")];
        assert_eq!(with_id(&ports, "e67").unwrap().path, "/dev/ttyACM1");
        assert!(with_id(&ports, "E68").is_err());
    }
}

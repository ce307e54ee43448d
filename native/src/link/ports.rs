//! Which serial ports there are, and which of them is meant.

use std::{fmt, io};

use serialport::{SerialPortInfo, SerialPortType, UsbPortInfo};

use super::{Address, OpenError};
use crate::names::{Names, NamesError};

/// A serial port of this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Port {
    /// Its path or name, such as `/dev/ttyACM0` or `COM7`.
    pub path: String,
    /// What its USB device says of itself; `None` when it is not on USB.
    pub usb: Option<Usb>,
}

/// What a USB device says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usb {
    /// The vendor's number.
    pub vendor: u16,
    /// The vendor's number for the product.
    pub product: u16,
    /// The serial number, which stays with the board on any port.
    pub serial_number: Option<String>,
    /// The manufacturer's name.
    pub manufacturer: Option<String>,
    /// The product's name.
    pub name: Option<String>,
}

/// The serial ports of this computer, by name.
///
/// # Errors
/// The system does not tell.
pub fn ports() -> Result<Vec<Port>, OpenError> {
    let found =
        serialport::available_ports().map_err(|error| OpenError::Ports(io::Error::other(error)))?;
    let mut ports: Vec<_> = found.into_iter().map(Port::from).collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    // macOS lists each port twice; the call-out device is the one that opens without a carrier.
    ports.retain(|port| !port.path.starts_with("/dev/tty."));
    Ok(ports)
}

/// The only board; that is, the only port on USB.
pub(super) fn only_board(ports: &[Port]) -> Result<&Port, OpenError> {
    let boards: Vec<_> = on_usb(ports).collect();
    match boards[..] {
        [board] => Ok(board),
        [] => Err(OpenError::NoBoard {
            others: ports.to_vec(),
        }),
        _ => Err(OpenError::SeveralBoards {
            boards: boards.into_iter().cloned().collect(),
        }),
    }
}

/// The board with this serial number; case does not matter.
pub(super) fn with_id<'a>(ports: &'a [Port], id: &str) -> Result<&'a Port, OpenError> {
    on_usb(ports)
        .find(|port| port.id().is_some_and(|own| own.eq_ignore_ascii_case(id)))
        .ok_or_else(|| OpenError::UnknownId {
            id: id.to_owned(),
            boards: on_usb(ports).cloned().collect(),
        })
}

/// Where a board is now that was at `path` and had this serial number: there, or at another name.
#[must_use]
pub fn same_board<'a>(ports: &'a [Port], path: &str, id: Option<&str>) -> Option<&'a Port> {
    let there = ports.iter().find(|port| port.path == path);
    let is_same = |port: &&Port| id.is_none() || port.id() == id;
    there.filter(is_same).or_else(|| {
        let id = id?;
        on_usb(ports).find(|port| port.id() == Some(id))
    })
}

/// Where a board is: what it can be found by again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The port's path, or the whole address of what is no serial port.
    pub path: String,
    /// The USB serial number.
    pub id: Option<String>,
}

impl Place {
    /// Whether `id:…` means this board.
    pub(crate) fn has_id(&self, address: &str) -> bool {
        let id = self.id.as_deref().zip(address.strip_prefix("id:"));
        id.is_some_and(|(own, asked)| own.eq_ignore_ascii_case(asked))
    }
}

/// Where what is now at this address is.
pub(super) fn place(at: &Address) -> Place {
    let Address::Serial { path, .. } = at else {
        let path = at.to_string();
        return Place { path, id: None };
    };
    let ports = ports().unwrap_or_default();
    let port = ports.iter().find(|port| port.path == *path);
    let id = port.and_then(Port::id).map(str::to_owned);
    let path = real(path);
    Place { path, id }
}

/// The address that is meant: a name that the person has kept stands for another one.
///
/// # Errors
/// No board is named so, or the names cannot be read.
pub fn resolve(address: &Address) -> Result<Address, OpenError> {
    let Address::Named(name) = address else {
        return Ok(address.clone());
    };
    let names = Names::load().map_err(OpenError::Names)?;
    names.address(name).cloned().ok_or_else(|| {
        let all = names.iter();
        OpenError::UnknownName {
            name: name.clone(),
            names: all
                .map(|(name, address)| (name.to_owned(), address.clone()))
                .collect(),
        }
    })
}

/// The serial port where the board of a name, of a serial number or of `auto` is plugged in now; other addresses stand for
/// themselves.
///
/// # Errors
/// It is not plugged in, or unknown.
pub fn find(address: &Address) -> Result<Address, OpenError> {
    whereabouts(address, None)
}

/// The same address at this speed, if it is a serial port that has none of its own. A speed is a port's, so the board of
/// `auto` or of a serial number is found first; one that is not there is told when it is to be opened.
#[must_use]
pub fn at_baud(address: Address, baud: Option<u32>) -> Address {
    at_baud_among(address, baud, &ports)
}

fn at_baud_among(address: Address, baud: Option<u32>, ports: &Listing<'_>) -> Address {
    let found = match (&address, baud) {
        (Address::Auto | Address::Id(_), Some(_)) => whereabouts_among(&address, None, ports),
        _ => return address.or_baud(baud),
    };
    found.unwrap_or(address).or_baud(baud)
}

/// The address by which a board is found again wherever it is plugged in: its USB serial number, where it has one that no
/// other board has; else the port or whatever else is named.
///
/// # Errors
/// It is not there, or unknown.
pub fn lasting(address: &Address) -> Result<Address, OpenError> {
    let (path, baud) = match find(address)? {
        Address::Serial { path, baud } => (path, baud),
        Address::WebSocket { url, .. } => {
            let password = None;
            return Ok(Address::WebSocket { url, password });
        }
        other => return Ok(other),
    };
    let ports = ports()?;
    let path = real(&path);
    if std::fs::metadata(&path).is_err() && !ports.iter().any(|port| port.path == path) {
        let address = Address::Serial { path, baud };
        return Err(OpenError::NotFound { address });
    }
    Ok(match own_id(&ports, &path) {
        Some(id) => Address::Id(id.to_owned()),
        None => Address::Serial { path, baud },
    })
}

/// The serial number of the board at this port, unless another board has the same.
fn own_id<'a>(ports: &'a [Port], path: &str) -> Option<&'a str> {
    let id = ports.iter().find(|port| port.path == path)?.id()?;
    let has_it = |port: &&Port| port.id() == Some(id);
    (ports.iter().filter(has_it).count() == 1).then_some(id)
}

/// Whether a port of this computer is called so, by its path's last part.
///
/// # Errors
/// One is, or the system does not tell.
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

/// The serial port where a board is now, which may have been at another one before; other addresses stand for themselves.
pub(super) fn whereabouts(address: &Address, before: Option<&Place>) -> Result<Address, OpenError> {
    whereabouts_among(address, before, &ports)
}

fn whereabouts_among(
    address: &Address,
    before: Option<&Place>,
    ports: &Listing<'_>,
) -> Result<Address, OpenError> {
    let serial = |path: &str, baud| Address::Serial {
        path: path.to_owned(),
        baud,
    };
    let id = before.and_then(|before| before.id.as_deref());
    Ok(match (address, id) {
        (Address::Named(_), _) => whereabouts_among(&resolve(address)?, before, ports)?,
        (Address::Serial { path, baud }, Some(id)) => {
            let ports = ports()?;
            let now = same_board(&ports, path, Some(id));
            serial(now.map_or(path, |now| &now.path), *baud)
        }
        (Address::Auto, None) => serial(&only_board(&ports()?)?.path, None),
        (Address::Auto, Some(id)) => serial(&with_id(&ports()?, id)?.path, None),
        (Address::Id(id), _) => serial(&with_id(&ports()?, id)?.path, None),
        (other, _) => other.clone(),
    })
}

/// Lists the serial ports.
type Listing<'a> = dyn Fn() -> Result<Vec<Port>, OpenError> + 'a;

/// The names by which a hub may know what is meant.
pub(super) fn names_of(address: &Address) -> Vec<String> {
    let mut names = match address {
        Address::Named(name) => {
            let mut names = resolve(address).map_or_else(|_| Vec::new(), |meant| names_of(&meant));
            names.push(name.clone());
            return names;
        }
        Address::Serial { path, .. } => vec![path.clone()],
        other => vec![other.to_string()],
    };
    if let Ok(Address::Serial { path, .. }) = whereabouts(address, None) {
        names.push(real(&path));
    }
    names
}

/// A port's own path, where it was named by a link such as those in `/dev/serial/by-id`.
fn real(path: &str) -> String {
    let real = std::fs::canonicalize(path).ok();
    let real = real.and_then(|path| path.to_str().map(str::to_owned));
    real.unwrap_or_else(|| path.to_owned())
}

fn on_usb(ports: &[Port]) -> impl Iterator<Item = &Port> {
    ports.iter().filter(|port| port.usb.is_some())
}

impl Port {
    /// The USB serial number.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.usb.as_ref()?.serial_number.as_deref()
    }
}

impl From<SerialPortInfo> for Port {
    fn from(info: SerialPortInfo) -> Self {
        Self {
            path: info.port_name,
            usb: match info.port_type {
                SerialPortType::UsbPort(usb) => Some(usb.into()),
                _ => None,
            },
        }
    }
}

impl From<UsbPortInfo> for Usb {
    fn from(info: UsbPortInfo) -> Self {
        Self {
            vendor: info.vid,
            product: info.pid,
            serial_number: info.serial_number,
            manufacturer: info.manufacturer,
            name: info.product,
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match &self.usb {
            Some(usb) => write!(f, "  {usb}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Usb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:04x}", self.vendor, self.product)?;
        if let Some(id) = &self.serial_number {
            write!(f, "  id:{id}")?;
        }
        for name in [&self.manufacturer, &self.name].into_iter().flatten() {
            write!(f, "  {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(path: &str) -> Port {
        Port {
            path: path.into(),
            usb: None,
        }
    }

    fn board(path: &str, id: &str) -> Port {
        Port {
            path: path.into(),
            usb: Some(Usb {
                vendor: 0x2e8a,
                product: 5,
                serial_number: Some(id.into()),
                manufacturer: Some("MicroPython".into()),
                name: None,
            }),
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

    /// Listed as boards, as there may be none here; they are opened as every port is.
    #[cfg(unix)]
    #[tokio::test]
    async fn a_board_that_is_found_is_opened_at_the_speed_that_is_asked_for() {
        use crate::link::open_by_itself;
        use rustix::{
            pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
            termios::tcgetattr,
        };

        let pairs = [(); 2].map(|()| {
            let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
            grantpt(&master).unwrap();
            unlockpt(&master).unwrap();
            let path = ptsname(&master, Vec::new()).unwrap();
            (master, path.into_string().unwrap())
        });
        let [(auto, path), (with_id, other)] = &pairs;
        for (address, ports, end) in [
            ("auto", vec![board(path, "E66")], auto),
            (
                "id:e67",
                vec![board(path, "E66"), board(other, "E67")],
                with_id,
            ),
        ] {
            for (asked, speed) in [(Some(230_400), 230_400), (None, Address::DEFAULT_BAUD)] {
                let ports = || Ok(ports.clone());
                let address = at_baud_among(address.parse().unwrap(), asked, &ports);
                let port = whereabouts_among(&address, None, &ports).unwrap();
                let link = open_by_itself(&port, TIMEOUT).await.unwrap();
                assert_eq!(tcgetattr(end).unwrap().output_speed(), speed, "{address}");
                drop(link);
            }
        }
    }

    #[test]
    fn a_board_that_is_not_there_is_asked_for_as_it_was() {
        let none = || Ok(Vec::new());
        let address = at_baud_among(Address::Id("E66".into()), Some(9600), &none);
        assert_eq!(address, Address::Id("E66".into()));
    }

    #[cfg(unix)]
    const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);
}

//! Reasons why a link could not be opened.

use std::{fmt, io, time::Duration};

use flylead_core::{raw_repl::Peer, rfc2217::LostReason};

use super::{
    address::Address,
    names::NamesError,
    ports::{boot_loader::BootLoader, port::Port},
    speed::USUAL_SPEEDS,
    turn::Use,
};
use crate::link::labgrid::LabgridError;

/// Reason why a link could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// No board was found.
    NoBoard {
        /// Serial ports that are not boards.
        others: Vec<Port>,
        /// Boards in their boot loaders, which have no serial port.
        boot_loaders: Vec<BootLoader>,
    },
    /// Several boards were found, and the address selects none of them.
    SeveralBoards {
        /// Boards found.
        boards: Vec<Port>,
    },
    /// No port has this serial number.
    UnknownId {
        /// Requested number.
        id: String,
        /// Boards found.
        boards: Vec<Port>,
    },
    /// No board has this name.
    UnknownName {
        /// Requested name.
        name: String,
        /// Known names with their addresses.
        names: Vec<(String, Address)>,
    },
    /// A place of a lab cannot be used.
    Labgrid(LabgridError),
    /// The names of boards cannot be read.
    Names(NamesError),
    /// Another program has the port open.
    Busy {
        /// Address to open.
        address: Address,
    },
    /// Another tool has its turn at the hub that owns the board.
    InUse {
        /// Address to open.
        address: Address,
        /// Current user.
        by: Use,
    },
    /// The board is absent; the hub that owns it is looking for it.
    Away {
        /// Address to open.
        address: Address,
        /// Error of the system.
        why: String,
    },
    /// This user may not open the port.
    Forbidden {
        /// Address to open.
        address: Address,
        /// Step that lets this user open the port, if known.
        remedy: Option<String>,
    },
    /// No board or port has this name.
    NotFound {
        /// Address to open.
        address: Address,
    },
    /// The peer did not answer.
    TimedOut {
        /// Address to open.
        address: Address,
        /// Time waited.
        after: Duration,
    },
    /// The server grants no port, or none that passes every byte.
    NoPort {
        /// Address to open.
        address: Address,
        /// Reason for the loss.
        reason: LostReason,
        /// Message of the server.
        said: String,
    },
    /// The server set another speed than the requested one.
    OtherBaud {
        /// Address to open.
        address: Address,
        /// Speed that was set, in bits per second.
        baud: u32,
    },
    /// The peer answers at no usual speed.
    NoSpeed {
        /// Address to open.
        address: Address,
    },
    /// All sent bytes came back, at every usual speed.
    Loopback {
        /// Address to open.
        address: Address,
    },
    /// The link was closed during the search for its speed.
    Closed {
        /// Address to open.
        address: Address,
    },
    /// A password was given, but the server does not request one or ends the connection.
    NoLogin {
        /// Address to open.
        address: Address,
    },
    /// The peer requests a password, and none was given.
    PasswordWanted {
        /// Address to open.
        address: Address,
    },
    /// The peer rejects the password.
    PasswordDenied {
        /// Address to open.
        address: Address,
    },
    /// This system does not support this kind of link.
    Unsupported {
        /// Address to open.
        address: Address,
    },
    /// The system reported another error.
    Io {
        /// Address to open.
        address: Address,
        /// Error of the system.
        source: io::Error,
    },
    /// The system could not list the serial ports.
    Ports(io::Error),
}

impl OpenError {
    /// Classifies an error of the system.
    pub(crate) fn from_io(address: Address, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { address },
            io::ErrorKind::PermissionDenied => Self::Forbidden {
                remedy: remedy(&address),
                address,
            },
            io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock => Self::Busy { address },
            _ => Self::Io { address, source },
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBoard { boot_loaders, .. } if !boot_loaders.is_empty() => {
                f.write_str("there is no board with a serial port, but ")?;
                let all: Vec<_> = boot_loaders.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("; "))
            }
            Self::NoBoard { others, .. } if others.is_empty() => f.write_str(
                "there is no board: no serial port was found. Plug one in, or name its address. If one is plugged in, try another cable: many only supply power",
            ),
            Self::NoBoard { others, .. } => {
                write!(
                    f,
                    "there is no board on USB. Name one of the other serial ports:{}",
                    List(others)
                )
            }
            Self::SeveralBoards { boards } => {
                write!(
                    f,
                    "there are {} boards. Name one of them:{}",
                    boards.len(),
                    List(boards)
                )
            }
            Self::UnknownId { id, boards } if boards.is_empty() => {
                write!(
                    f,
                    "no board has the serial number {id}; there is no board on USB"
                )
            }
            Self::UnknownId { id, boards } => {
                write!(
                    f,
                    "no board has the serial number {id}. Available boards:{}",
                    List(boards)
                )
            }
            Self::UnknownName { name, names } => write!(
                f,
                "no board is named {name}. {}; `flylead ports name DEVICE {name}` names one. Other addresses have a prefix, as in /dev/ttyACM0 and tcp://host:port",
                Named(names)
            ),
            Self::Names(error) => write!(f, "{error}"),
            Self::Labgrid(error) => write!(f, "{error}"),
            Self::Busy { address } => {
                write!(
                    f,
                    "{address} is in use by another program, which `flylead ports --users` names; close it and try again"
                )
            }
            Self::InUse { address, by } => write!(f, "{address} is in use by {by}"),
            Self::Away { address, why } => {
                write!(
                    f,
                    "{address} is not connected; `flylead serve` is looking for it: {why}"
                )
            }
            Self::Forbidden { address, remedy } => {
                write!(f, "you do not have permission to open {address}")?;
                remedy.iter().try_for_each(|it| write!(f, ": {it}"))
            }
            Self::NotFound { address } => write!(f, "{address} does not exist"),
            Self::TimedOut { address, after } => {
                write!(
                    f,
                    "{address} did not answer within {} s",
                    after.as_secs_f32()
                )
            }
            Self::NoPort {
                address,
                reason,
                said,
            } => {
                write!(f, "{address}: {}", no_port(*reason))?;
                match said.trim() {
                    "" => Ok(()),
                    said => write!(f, "; the server says: {}", said.escape_debug()),
                }
            }
            Self::OtherBaud { address, baud } => {
                write!(f, "{address} runs at {baud} baud only; use --baud {baud}")
            }
            Self::NoSpeed { address } => {
                let speeds = USUAL_SPEEDS.map(|baud| baud.to_string()).join(", ");
                write!(
                    f,
                    "nothing at {address} answered at any of these speeds: {speeds} baud. Press the board's reset button and try again"
                )
            }
            Self::Loopback { address } => write!(f, "{address}: {}", Peer::Loopback),
            Self::Closed { address } => write!(
                f,
                "{address} closed during the search for its speed; was the board unplugged?"
            ),
            Self::NoLogin { address } => write!(
                f,
                "{address} does not ask for a password; is it a WebREPL? If not, omit the password"
            ),
            Self::PasswordWanted { address } => {
                write!(
                    f,
                    "{address} requires a password; write it into the address, as ws://:PASSWORD@host:8266"
                )
            }
            Self::PasswordDenied { address } => {
                write!(f, "{address} does not accept this password")
            }
            Self::Unsupported { address } => write!(f, "{address} cannot be opened on this system"),
            Self::Io { address, source } => write!(f, "{address} could not be opened: {source}"),
            Self::Ports(source) => write!(f, "the serial ports could not be listed: {source}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::Ports(source) => Some(source),
            Self::Names(source) => Some(source),
            Self::Labgrid(source) => Some(source),
            Self::NoBoard { .. }
            | Self::SeveralBoards { .. }
            | Self::UnknownId { .. }
            | Self::UnknownName { .. }
            | Self::Busy { .. }
            | Self::InUse { .. }
            | Self::Away { .. }
            | Self::Forbidden { .. }
            | Self::NotFound { .. }
            | Self::TimedOut { .. }
            | Self::NoPort { .. }
            | Self::OtherBaud { .. }
            | Self::NoSpeed { .. }
            | Self::Loopback { .. }
            | Self::Closed { .. }
            | Self::NoLogin { .. }
            | Self::PasswordWanted { .. }
            | Self::PasswordDenied { .. }
            | Self::Unsupported { .. } => None,
        }
    }
}

/// Returns the step that lets this user open a serial port.
fn remedy(address: &Address) -> Option<String> {
    match address {
        #[cfg(target_os = "linux")]
        Address::Serial { path, .. } => super::ports::permission::remedy(path.as_ref()),
        _ => None,
    }
}

fn no_port(reason: LostReason) -> &'static str {
    match reason {
        LostReason::Closed => "the server ended the connection",
        LostReason::NoPortControl => {
            "the server does not let clients set its port (in ser2net, add the option rfc2217); use tcp:// to connect without RFC 2217"
        }
        LostReason::NotBinary => {
            "the server does not transmit every byte (it refuses telnet's BINARY)"
        }
        LostReason::TimedOut => "the server did not agree within 5 s; does it support RFC 2217?",
    }
}

/// Formats names with their addresses.
struct Named<'a>(&'a [(String, Address)]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => return f.write_str("There are no names yet"),
            [..] => f.write_str("Known names")?,
        }
        let mut between = ": ";
        for (name, address) in self.0.iter().take(NAMES_SHOWN) {
            write!(f, "{between}{name} ({address})")?;
            between = ", ";
        }
        match self.0.len().checked_sub(NAMES_SHOWN) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " and {more} more"),
        }
    }
}

const NAMES_SHOWN: usize = 20;

/// Formats ports, each on an indented line of its own.
struct List<'a>(&'a [Port]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|port| write!(f, "\n  {port}"))
    }
}

//! Parses the address of a REPL.

use alloc::string::String;
use core::{fmt, str::FromStr};

/// The address of a REPL.
///
/// ```
/// use flylead_core::zylisp::Address;
///
/// assert_eq!("localhost:5555".parse(), Ok(Address::Tcp("localhost:5555".into())));
/// assert_eq!("./repl.sock".parse(), Ok(Address::Unix("./repl.sock".into())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// In the same process: `""` or `in-process`.
    InProcess,
    /// Path of a Unix socket: `/…`, `.…` or `unix://…`.
    Unix(String),
    /// A host and a port: `tcp://host:port` or `host:port`.
    Tcp(String),
    /// Full URL of a WebSocket: `ws://…` or `wss://…`.
    WebSocket(String),
    /// A host and a port of an nREPL server: `nrepl://host:port`.
    Nrepl(String),
}

/// Error: the text is not a valid address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// The scheme is not known, such as `ftp://`.
    UnknownScheme,
    /// The address has no port at its end.
    NoPort,
    /// The scheme is followed by nothing.
    Empty,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(address: &str) -> Result<Self, AddressError> {
        match address.split_once("://") {
            _ if matches!(address, "" | "in-process") => Ok(Self::InProcess),
            _ if address.starts_with(['/', '.']) => Ok(Self::Unix(address.into())),
            Some((_, "")) => Err(AddressError::Empty),
            Some(("unix", path)) => Ok(Self::Unix(path.into())),
            Some(("tcp", host)) => with_port(host).map(Self::Tcp),
            Some(("nrepl", host)) => with_port(host).map(Self::Nrepl),
            Some(("ws" | "wss", _)) => Ok(Self::WebSocket(address.into())),
            Some(_) => Err(AddressError::UnknownScheme),
            None => with_port(address).map(Self::Tcp),
        }
    }
}

fn with_port(host: &str) -> Result<String, AddressError> {
    match host.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => Ok(host.into()),
        _ => Err(AddressError::NoPort),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InProcess => f.write_str("in-process"),
            Self::Unix(path) => write!(f, "unix://{path}"),
            Self::Tcp(host) => write!(f, "tcp://{host}"),
            Self::Nrepl(host) => write!(f, "nrepl://{host}"),
            Self::WebSocket(url) => f.write_str(url),
        }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownScheme => {
                "not a valid address; write tcp://, unix://, ws://, wss:// or nrepl:// and an address, or host:port, or a path"
            }
            Self::NoPort => "the address has no port; write it like localhost:5555",
            Self::Empty => "the address has nothing after its scheme",
        })
    }
}

impl core::error::Error for AddressError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_address_is_told_from_the_others() {
        let unix = |path: &str| Ok(Address::Unix(path.into()));
        let tcp = |host: &str| Ok(Address::Tcp(host.into()));
        let table = [
            ("", Ok(Address::InProcess)),
            ("in-process", Ok(Address::InProcess)),
            ("/tmp/zylisp.sock", unix("/tmp/zylisp.sock")),
            ("./zy.sock", unix("./zy.sock")),
            ("../zy.sock", unix("../zy.sock")),
            ("unix:///tmp/zylisp.sock", unix("/tmp/zylisp.sock")),
            ("unix://zy.sock", unix("zy.sock")),
            ("tcp://localhost:5555", tcp("localhost:5555")),
            ("localhost:5555", tcp("localhost:5555")),
            (":5555", tcp(":5555")),
            ("[::1]:5555", tcp("[::1]:5555")),
            (
                "nrepl://localhost:7888",
                Ok(Address::Nrepl("localhost:7888".into())),
            ),
            ("nrepl://localhost", Err(AddressError::NoPort)),
            (
                "ws://localhost:5555/repl",
                Ok(Address::WebSocket("ws://localhost:5555/repl".into())),
            ),
            (
                "wss://bench.example",
                Ok(Address::WebSocket("wss://bench.example".into())),
            ),
            ("zy.sock", Err(AddressError::NoPort)),
            ("localhost:x", Err(AddressError::NoPort)),
            ("tcp://", Err(AddressError::Empty)),
            ("ftp://localhost:1", Err(AddressError::UnknownScheme)),
        ];
        for (text, expected) in table {
            assert_eq!(text.parse(), expected, "{text}");
        }
    }
}

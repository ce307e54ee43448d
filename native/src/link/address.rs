//! One syntax for the addresses of all links.

use std::{fmt, path::PathBuf, str::FromStr};

use super::names::name::is_name;

/// Address of a board or a server.
///
/// | Written | Means |
/// |---|---|
/// | `auto` | the only board there is |
/// | `greenhouse` | the board with this [name](super::names) given by the user |
/// | `id:E6614C311B7E6F35` | the board with this USB serial number |
/// | `labgrid:PLACE` | the serial port of a place of a [lab](crate::labgrid) that this user has acquired |
/// | `/dev/ttyACM0`, `COM7` | a serial port, 115200 baud |
/// | `serial:/dev/ttyUSB0?baud=9600` | a serial port at another speed |
/// | `tcp://host:port` | a TCP server |
/// | `rfc2217://host:port?baud=9600` | a serial port of another computer, by ser2net, pyserial or `flylead serve` |
/// | `unix:///run/zylisp.sock` | a Unix socket |
/// | `ws://:password@host:8266`, `wss://…` | a WebSocket, such as MicroPython's WebREPL |
/// | `process:COMMAND` | a child process on a pseudo-terminal, started by the shell |
///
/// ```
/// use flylead_native::link::Address;
///
/// let address: Address = "serial:/dev/ttyUSB0?baud=9600".parse()?;
/// assert_eq!(address, Address::Serial { path: "/dev/ttyUSB0".into(), baud: Some(9600) });
/// # Ok::<(), flylead_native::link::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// The only board there is.
    Auto,
    /// The board with this [name](super::names), given by the user.
    Named(String),
    /// The board with this USB serial number.
    Id(String),
    /// The serial port of a place of a [lab](crate::labgrid).
    Labgrid(String),
    /// A serial port.
    Serial {
        /// The device's path or name.
        path: String,
        /// Bits per second; `None` is [`DEFAULT_BAUD`](Self::DEFAULT_BAUD).
        baud: Option<u32>,
    },
    /// A TCP server, as `host:port`.
    Tcp(String),
    /// A serial port of another computer, by RFC 2217.
    Rfc2217 {
        /// The server, as `host:port`.
        host: String,
        /// Bits per second; `None` is [`DEFAULT_BAUD`](Self::DEFAULT_BAUD).
        baud: Option<u32>,
    },
    /// A WebSocket.
    WebSocket {
        /// The URL, without a password.
        url: String,
        /// The password that WebREPL asks for.
        password: Option<Secret>,
    },
    /// A Unix socket.
    Unix(PathBuf),
    /// A command line for the shell.
    Process(String),
}

/// Text that is never displayed, which keeps it out of logs and errors.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

/// Text that is not an [`Address`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// The text is empty.
    Empty,
    /// The scheme before the first `:` is unknown.
    UnknownScheme(String),
    /// This kind of address needs both a host and a port.
    NoPort {
        /// `tcp` or `rfc2217`.
        scheme: &'static str,
        /// Text in place of host and port.
        authority: String,
    },
    /// A `ws://` or `wss://` address needs a host.
    NoHost(String),
    /// The speed is not a number.
    BadBaud(String),
    /// An option after `?` is unknown.
    UnknownOption(String),
    /// Nothing follows the scheme.
    NothingAfter(&'static str),
}

impl Address {
    /// The speed of a serial port when none is given, in bits per second.
    pub const DEFAULT_BAUD: u32 = 115_200;

    /// Sets this password, if the address may be a WebREPL's and has no password. A WebREPL has no path and no query,
    /// unlike a board that `flylead serve` offers.
    #[must_use]
    pub fn or_password(mut self, default: Option<Secret>) -> Self {
        if let Self::WebSocket { url, password } = &mut self
            && url.ends_with('/')
            && url.matches('/').count() == 3
        {
            *password = password.take().or(default);
        }
        self
    }

    /// Sets this speed, if the address is a serial port, local or remote, without a speed.
    #[must_use]
    pub fn or_baud(mut self, default: Option<u32>) -> Self {
        if let Self::Serial { baud, .. } | Self::Rfc2217 { baud, .. } = &mut self {
            *baud = baud.or(default);
        }
        self
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        match text.split_once(':') {
            _ if text.is_empty() => Err(AddressError::Empty),
            _ if text == "auto" => Ok(Self::Auto),
            // `C:` is a drive; no scheme is one letter long.
            Some((scheme, rest)) if scheme.len() > 1 && !scheme.contains(['/', '\\']) => {
                with_scheme(scheme, rest)
            }
            _ if is_port_name(text) => Ok(Self::Serial {
                path: text.to_owned(),
                baud: None,
            }),
            _ if is_name(text) => Ok(Self::Named(text.to_owned())),
            _ => Err(AddressError::UnknownScheme(text.to_owned())),
        }
    }
}

fn with_scheme(scheme: &str, rest: &str) -> Result<Address, AddressError> {
    match scheme {
        "id" => required("id:", rest).map(Address::Id),
        "labgrid" => required("labgrid:", rest).map(Address::Labgrid),
        // mpremote's spelling of the same two schemes.
        "serial" | "port" => serial(rest),
        "process" => required("process:", rest).map(Address::Process),
        "tcp" => authority("tcp", rest.strip_prefix("//").unwrap_or(rest)).map(Address::Tcp),
        "rfc2217" => rfc2217(rest.strip_prefix("//").unwrap_or(rest)),
        "ws" | "wss" => websocket(scheme, rest.strip_prefix("//").unwrap_or(rest)),
        "unix" => required("unix:", rest.strip_prefix("//").unwrap_or(rest))
            .map(|path| Address::Unix(path.into())),
        _ => Err(AddressError::UnknownScheme(scheme.to_owned())),
    }
}

fn required(scheme: &'static str, rest: &str) -> Result<String, AddressError> {
    match rest {
        "" => Err(AddressError::NothingAfter(scheme)),
        rest => Ok(rest.to_owned()),
    }
}

fn serial(rest: &str) -> Result<Address, AddressError> {
    let (path, baud) = with_baud(rest)?;
    let path = required("serial:", path.strip_prefix("//").unwrap_or(path))?;
    Ok(Address::Serial { path, baud })
}

fn rfc2217(rest: &str) -> Result<Address, AddressError> {
    let (host, baud) = with_baud(rest)?;
    let host = authority("rfc2217", host)?;
    Ok(Address::Rfc2217 { host, baud })
}

/// Splits off `?baud=…`.
fn with_baud(rest: &str) -> Result<(&str, Option<u32>), AddressError> {
    let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
    let baud = match options.split_once('=') {
        None if options.is_empty() => None,
        Some(("baud", baud)) => Some(
            baud.parse()
                .map_err(|_| AddressError::BadBaud(baud.to_owned()))?,
        ),
        _ => return Err(AddressError::UnknownOption(options.to_owned())),
    };
    Ok((rest, baud))
}

/// Checks that the text is `host:port`, with both parts present.
fn authority(scheme: &'static str, authority: &str) -> Result<String, AddressError> {
    let authority = authority.trim_end_matches('/').to_owned();
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(authority),
        _ => Err(AddressError::NoPort { scheme, authority }),
    }
}

fn websocket(scheme: &str, rest: &str) -> Result<Address, AddressError> {
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    if host.is_empty() || host.starts_with(':') {
        return Err(AddressError::NoHost(format!("{scheme}://{host}{path}")));
    }
    // WebREPL ignores the name before the colon.
    let password = user.split_once(':').map(|(_name, password)| password);
    Ok(Address::WebSocket {
        url: format!(
            "{scheme}://{host}{}",
            if path.is_empty() { "/" } else { path }
        ),
        password: password.map(|text| Secret(unescape(text))),
    })
}

/// Decodes percent escapes: `%40` is `@`. Invalid escapes stay as they are.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after
            .split_at_checked(2)
            .filter(|_| first == b'%')
            .and_then(|(digits, after)| Some((hex(digits)?, after)));
        let (byte, after) = escaped.unwrap_or((first, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_port_name(text: &str) -> bool {
    let is_com = text
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("com"))
        && text[3..].parse::<u8>().is_ok();
    is_com || text.contains(['/', '\\'])
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Named(name) => f.write_str(name),
            Self::Id(id) => write!(f, "id:{id}"),
            Self::Labgrid(place) => write!(f, "labgrid:{place}"),
            Self::Serial { path, baud: None } => f.write_str(path),
            Self::Serial {
                path,
                baud: Some(baud),
            } => write!(f, "serial:{path}?baud={baud}"),
            Self::Tcp(authority) => write!(f, "tcp://{authority}"),
            Self::Rfc2217 { host, baud: None } => write!(f, "rfc2217://{host}"),
            Self::Rfc2217 {
                host,
                baud: Some(baud),
            } => write!(f, "rfc2217://{host}?baud={baud}"),
            Self::WebSocket { url, .. } => f.write_str(url),
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Process(command) => write!(f, "process:{command}"),
        }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the address is empty; write `auto`, a serial port's name, or a URL")
            }
            Self::UnknownScheme(scheme) => write!(
                f,
                "`{scheme}` is not a kind of address; these are: auto, id:, serial:, tcp://, rfc2217://, unix://, ws://, wss://, \
                 process:, labgrid:, the name of a serial port such as /dev/ttyACM0 or COM7, or a name that `flylead ports name` gave"
            ),
            Self::NoPort { scheme, authority } => {
                write!(
                    f,
                    "`{scheme}://{authority}` needs a host and a port: {scheme}://host:port"
                )
            }
            Self::NoHost(url) => write!(f, "`{url}` needs a host, as in ws://192.168.4.1:8266"),
            Self::BadBaud(baud) => {
                write!(
                    f,
                    "`{baud}` is not a speed; write a number, as in baud=115200"
                )
            }
            Self::UnknownOption(option) => {
                write!(
                    f,
                    "`{option}` is not an option of a serial port; the only option is baud=…"
                )
            }
            Self::NothingAfter(scheme) => write!(f, "`{scheme}` needs an address after it"),
        }
    }
}

impl std::error::Error for AddressError {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn websocket_at(url: &str, password: Option<&str>) -> Result<Address, AddressError> {
        Ok(Address::WebSocket {
            url: url.into(),
            password: password.map(|text| Secret(text.into())),
        })
    }

    fn serial_at(path: &str, baud: Option<u32>) -> Result<Address, AddressError> {
        Ok(Address::Serial {
            path: path.into(),
            baud,
        })
    }

    fn no_port(scheme: &'static str, authority: &str) -> AddressError {
        let authority = authority.into();
        AddressError::NoPort { scheme, authority }
    }

    fn rfc2217_at(host: &str, baud: Option<u32>) -> Result<Address, AddressError> {
        let host = host.into();
        Ok(Address::Rfc2217 { host, baud })
    }

    #[test]
    fn a_default_password_is_for_a_webrepl() {
        let table = [
            ("ws://host:8266", Some("secret")),
            ("ws://:own@host:8266/", Some("own")),
            ("ws://host:8123/board?token=1", None),
            ("tcp://host:1", None),
        ];
        for (text, expected) in table {
            let address: Address = text.parse().unwrap();
            let address = address.or_password(Some(Secret("secret".into())));
            let password = match address {
                Address::WebSocket { password, .. } => password,
                _ => None,
            };
            assert_eq!(password, expected.map(|text| Secret(text.into())), "{text}");
        }
    }

    #[test]
    fn every_kind_of_address_is_understood() {
        let table = [
            ("auto", Ok(Address::Auto)),
            ("greenhouse", Ok(Address::Named("greenhouse".into()))),
            ("id:E66", Ok(Address::Id("E66".into()))),
            ("labgrid:bench 1", Ok(Address::Labgrid("bench 1".into()))),
            ("/dev/ttyACM0", serial_at("/dev/ttyACM0", None)),
            (
                "/dev/serial/by-id/usb-a:b",
                serial_at("/dev/serial/by-id/usb-a:b", None),
            ),
            ("./pty", serial_at("./pty", None)),
            ("COM7", serial_at("COM7", None)),
            (r"\\.\COM12", serial_at(r"\\.\COM12", None)),
            (
                "serial:/dev/ttyS0?baud=9600",
                serial_at("/dev/ttyS0", Some(9600)),
            ),
            ("serial:COM3", serial_at("COM3", None)),
            ("tcp://[::1]:23", Ok(Address::Tcp("[::1]:23".into()))),
            (
                "tcp://board.local:23/",
                Ok(Address::Tcp("board.local:23".into())),
            ),
            ("rfc2217://lab:2217", rfc2217_at("lab:2217", None)),
            (
                "rfc2217://[::1]:2217?baud=9600",
                rfc2217_at("[::1]:2217", Some(9600)),
            ),
            (
                "unix:///run/a b.sock",
                Ok(Address::Unix("/run/a b.sock".into())),
            ),
            ("unix:a.sock", Ok(Address::Unix("a.sock".into()))),
            ("ws://host:8266", websocket_at("ws://host:8266/", None)),
            (
                "ws://:ä%40%2f%@h:1",
                websocket_at("ws://h:1/", Some("ä@/%")),
            ),
            (
                "wss://me:secret@h/repl?a=b@c",
                websocket_at("wss://h/repl?a=b@c", Some("secret")),
            ),
            ("process:cat -u", Ok(Address::Process("cat -u".into()))),
        ];
        for (text, address) in table {
            assert_eq!(text.parse::<Address>(), address, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        let table = [
            ("", AddressError::Empty),
            ("ttyACM0", AddressError::UnknownScheme("ttyACM0".into())),
            ("ssh://host", AddressError::UnknownScheme("ssh".into())),
            ("tcp://host", no_port("tcp", "host")),
            ("tcp://:23", no_port("tcp", ":23")),
            ("tcp://host:99999", no_port("tcp", "host:99999")),
            ("rfc2217://host?baud=9600", no_port("rfc2217", "host")),
            ("rfc2217://host:1?baud=x", AddressError::BadBaud("x".into())),
            (
                "serial:/dev/x?baud=fast",
                AddressError::BadBaud("fast".into()),
            ),
            (
                "serial:/dev/x?parity=e",
                AddressError::UnknownOption("parity=e".into()),
            ),
            ("process:", AddressError::NothingAfter("process:")),
        ];
        for (text, error) in table {
            assert_eq!(text.parse::<Address>(), Err(error), "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let address: Address = "ws://:hush@host:1/".parse().unwrap();
        assert_eq!(address.to_string(), "ws://host:1/");
        assert!(!format!("{address:?}").contains("hush"));
    }

    #[test]
    fn an_address_is_written_as_it_is_read() {
        for text in [
            "auto",
            "id:E66",
            "/dev/ttyACM0",
            "serial:/dev/ttyS0?baud=9600",
            "tcp://host:23",
            "rfc2217://host:23",
            "rfc2217://host:23?baud=9600",
            "unix:///run/x.sock",
            "process:cat -u",
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
    }
}

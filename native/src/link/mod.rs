//! From an address to a byte stream.
//!
//! ```no_run
//! # async fn talk() -> Result<(), flylead::link::OpenError> {
//! use flylead::link::{self, Address};
//!
//! let address: Address = "tcp://192.168.4.1:2323".parse().unwrap();
//! let link = link::open(&address).await?;
//! # drop(link);
//! # Ok(())
//! # }
//! ```
//!
//! Ports, passwords, baud rates and children are the business of this module, and of no driver and no protocol.

mod address;
pub(crate) mod buffers;
mod controls;
mod error;
mod place;
mod ports;
#[cfg(unix)]
mod process;
mod rfc2217;
#[cfg(unix)]
mod serial;
#[cfg(windows)]
#[path = "serial_windows.rs"]
mod serial;
mod socket;
#[cfg(unix)]
mod tty;
mod websocket;

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use crate::{
    hub::{self, Ask, News},
    labgrid::{self, NetworkPort},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};

pub use address::{Address, AddressError, Secret};
pub use controls::LinkControls;
pub use error::OpenError;
pub use place::{Place, at_baud, find, lasting, resolve};
pub use ports::{Port, check_is_no_port, ports, same_board};

/// An open byte stream to a peer.
///
/// Reads may split anywhere, and give nothing more once the peer is gone. Dropping it closes it: a serial port is free
/// for others again, a child is killed with everything it started.
pub struct Link {
    stream: Pin<Box<dyn Stream>>,
    text_only: bool,
    controls: Option<LinkControls>,
}

/// What a [`Link`] can be made of.
trait Stream: AsyncRead + AsyncWrite + Send {}

impl<S: AsyncRead + AsyncWrite + Send> Stream for S {}

impl Link {
    /// Makes a link of any byte stream.
    pub fn new(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        Self {
            stream: Box::pin(stream),
            text_only: false,
            controls: None,
        }
    }

    /// The same link, whose serial line can be set.
    #[must_use]
    pub fn with_controls(self, controls: LinkControls) -> Self {
        Self {
            controls: Some(controls),
            ..self
        }
    }

    /// What sets the serial line at its other end, if there is one.
    #[must_use]
    pub fn controls(&self) -> Option<LinkControls> {
        self.controls.clone()
    }

    /// The same link, known to carry nothing but text: bytes of a file must be written in letters.
    #[must_use]
    pub fn text_only(self) -> Self {
        Self {
            text_only: true,
            ..self
        }
    }

    /// Whether it carries nothing but text.
    #[must_use]
    pub const fn is_text_only(&self) -> bool {
        self.text_only
    }
}

/// How long [`open`] waits: ten seconds.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens what `address` names, within [`CONNECT_TIMEOUT`].
///
/// # Errors
/// There is no such peer, somebody else has it, or it does not answer in time.
pub async fn open(address: &Address) -> Result<Link, OpenError> {
    open_within(address, CONNECT_TIMEOUT).await
}

/// Opens what `address` names, and waits no longer than `within` for the connection and, where the peer asks for one,
/// for the password to be accepted.
///
/// # Errors
/// Those of [`open`].
pub async fn open_within(address: &Address, within: Duration) -> Result<Link, OpenError> {
    open_with(
        address,
        &Options {
            within,
            ..Options::default()
        },
    )
    .await
}

/// How to open a link.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// How long the connection may take.
    pub within: Duration,
    /// How long to wait for the turn, where a [hub] owns the board.
    pub turn_within: Option<Duration>,
    /// What to ask such a hub for.
    pub ask: Ask,
    /// Who is told about the turn.
    pub news: Option<NewsListener>,
}

/// Is told what concerns the turn of a tool.
pub type NewsListener = Arc<dyn Fn(&News) + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            within: CONNECT_TIMEOUT,
            turn_within: Some(CONNECT_TIMEOUT),
            ask: Ask::turn("a program"),
            news: None,
        }
    }
}

/// Opens what `address` names: through the hub of this user that owns the board, if one does, or else by itself.
///
/// # Errors
/// Those of [`open`], and [`OpenError::InUse`].
pub async fn open_with(address: &Address, options: &Options) -> Result<Link, OpenError> {
    if let Some(link) = hub::open(address, place::names_of(address), options).await? {
        return Ok(link);
    }
    open_by_itself(address, options.within).await
}

/// Opens a board that a hub of this user owns, if nobody uses it and it is at its prompt. No port is opened, and nobody is
/// interrupted or waited for. `who` asks, by the name that others are told meanwhile.
///
/// Its caller limits the time that it may take.
pub async fn open_idle(address: &Address, who: &str) -> Option<Link> {
    let options = Options {
        ask: Ask::idle(who),
        ..Options::default()
    };
    let opened = hub::open(address, place::names_of(address), &options).await;
    opened.ok().flatten()
}

async fn open_by_itself(address: &Address, within: Duration) -> Result<Link, OpenError> {
    let address = &where_it_is(address).await?;
    let opened = timeout(within, open_untimed(address)).await;
    opened.unwrap_or_else(|_| {
        Err(OpenError::TimedOut {
            address: address.clone(),
            after: within,
        })
    })
}

/// The address behind a name and a place of a lab, whose own command has a time of its own.
async fn where_it_is(address: &Address) -> Result<Address, OpenError> {
    match resolve(address)? {
        Address::Labgrid(place) => {
            let port = labgrid::port(&place).await.map_err(OpenError::Labgrid)?;
            let NetworkPort { host, baud } = port;
            Ok(Address::Rfc2217 { host, baud })
        }
        address => Ok(address),
    }
}

/// Opens a board that was at a place before, wherever it is now, and says where that is.
pub(crate) async fn open_where_it_is(
    address: &Address,
    before: Option<&Place>,
) -> Result<(Place, Link), OpenError> {
    let at = place::whereabouts(address, before)?;
    let link = open_by_itself(&at, CONNECT_TIMEOUT).await?;
    Ok((Place::of(&at), link))
}

/// Where a board is now, if that can be told.
pub(crate) fn place_of(address: &Address) -> Option<Place> {
    let at = place::whereabouts(address, None).ok()?;
    Some(Place::of(&at))
}

async fn open_untimed(address: &Address) -> Result<Link, OpenError> {
    match address {
        Address::Named(_) => Box::pin(open_untimed(&resolve(address)?)).await,
        // Its port was asked for before.
        Address::Labgrid(_) => Err(OpenError::Unsupported {
            address: address.clone(),
        }),
        Address::Auto => serial::open(&ports::only_board(&ports()?)?.path, None),
        Address::Id(id) => serial::open(&ports::with_id(&ports()?, id)?.path, None),
        Address::Serial { path, baud } => serial::open(path, *baud),
        Address::Tcp(host) => socket::tcp(host).await.map(Link::new),
        Address::Rfc2217 { host, baud } => rfc2217::open(host, *baud).await,
        Address::WebSocket { url, password } => websocket::open(url, password.as_ref()).await,
        #[cfg(unix)]
        Address::Unix(path) => socket::unix(path).await,
        #[cfg(unix)]
        Address::Process(command) => process::open(command),
        #[cfg(not(unix))]
        Address::Unix(_) | Address::Process(_) => Err(OpenError::Unsupported {
            address: address.clone(),
        }),
    }
}

impl AsyncRead for Link {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(context, buffer)
    }
}

impl AsyncWrite for Link {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Link")
    }
}

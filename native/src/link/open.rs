//! Opens links by their addresses.

use std::time::Duration;

use tokio::time::{Instant, timeout};

#[cfg(unix)]
use super::transport::process;
use super::{
    address::Address,
    error::OpenError,
    names::place::{self, Place, resolve},
    options::{CONNECT_TIMEOUT, Options},
    ports::{only_board, ports, with_id},
    speed::{self, NoSpeed},
    stream::Link,
    transport::{hub, rfc2217, serial, socket, websocket},
    turn::{Ask, BoardUse, News},
};
use crate::link::labgrid::{self, NetworkPort};

/// Opens the link that `address` names, within [`CONNECT_TIMEOUT`].
///
/// # Errors
/// The peer does not exist, is in use, or does not answer in time.
pub async fn open(address: &Address) -> Result<Link, OpenError> {
    open_within(address, CONNECT_TIMEOUT).await
}

/// Opens the link that `address` names, and waits no longer than `within` for the connection and, if the peer requests
/// one, for the password to be accepted.
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

/// Opens the link that `address` names, through the hub of this user that owns the board, if any, or else directly.
///
/// # Errors
/// Those of [`open`], and [`OpenError::InUse`].
pub async fn open_with(address: &Address, options: &Options) -> Result<Link, OpenError> {
    let end = Instant::now() + options.within;
    let mut link = loop {
        let is_slow = match hub::open(address, || place::names_of(address), options).await? {
            hub::Asked::Opened(link) => return Ok(link),
            hub::Asked::Nobody => false,
            hub::Asked::Slow => true,
        };
        match open_by_itself(address, options.within).await {
            // The hub that did not answer has the port, probably.
            Err(OpenError::Busy { .. }) if is_slow && Instant::now() < end => {}
            opened => break opened?,
        }
    };
    let began = Instant::now();
    if options.find_speed && link.controls().is_some() {
        let left = options.within.saturating_sub(began.elapsed());
        let found = speed::find(&mut link, left).await;
        let baud = found.map_err(|reason| no_speed(address.clone(), reason, options.within))?;
        options
            .news
            .iter()
            .for_each(|tell| tell(&News::Speed { baud }));
    }
    Ok(link)
}

fn no_speed(address: Address, reason: NoSpeed, after: Duration) -> OpenError {
    match reason {
        NoSpeed::Silent => OpenError::NoSpeed { address },
        NoSpeed::Loopback => OpenError::Loopback { address },
        NoSpeed::Closed => OpenError::Closed { address },
        NoSpeed::TimedOut => OpenError::TimedOut { address, after },
    }
}

/// Opens a board that a hub of this user owns, if it is unused and at its prompt. No port is opened, no program is
/// interrupted, and the call does not wait. Other tools see the requester as `who` meanwhile.
///
/// The caller must limit the time.
pub async fn open_idle(address: &Address, who: &str) -> Option<Link> {
    ask_idle(address, who).await.ok().flatten()
}

/// Like [`open_idle`], with the hub's reason. `None` if no hub has the board.
///
/// # Errors
/// [`OpenError::InUse`] or [`OpenError::Away`].
pub async fn ask_idle(address: &Address, who: &str) -> Result<Option<Link>, OpenError> {
    let options = Options {
        ask: Ask::idle(who),
        ..Options::default()
    };
    match hub::open(address, || place::names_of(address), &options).await? {
        hub::Asked::Opened(link) => Ok(Some(link)),
        hub::Asked::Nobody | hub::Asked::Slow => Ok(None),
    }
}

/// Returns the boards that the hubs of this user share, with the user of each one. It takes two seconds at most for each hub.
pub async fn shared() -> Vec<BoardUse> {
    hub::shared().await
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

/// Resolves a name, and a place of a lab, whose own command has a time limit of its own.
async fn where_it_is(address: &Address) -> Result<Address, OpenError> {
    let address = resolve(address)?;
    let Address::Labgrid(place) = &address else {
        return Ok(address);
    };
    let port = labgrid::port(place).await.map_err(OpenError::Labgrid)?;
    let NetworkPort { host, baud } = port;
    Ok(Address::Rfc2217 { host, baud })
}

/// Opens a board that was at a place before, wherever it is now, and returns its current place.
pub(crate) async fn open_where_it_is(
    address: &Address,
    before: Option<&Place>,
) -> Result<(Place, Link), OpenError> {
    let at = place::whereabouts(address, before)?;
    let link = open_by_itself(&at, CONNECT_TIMEOUT).await?;
    Ok((Place::of(&at), link))
}

async fn open_untimed(address: &Address) -> Result<Link, OpenError> {
    match address {
        Address::Named(_) => Box::pin(open_untimed(&resolve(address)?)).await,
        // The port was resolved before.
        Address::Labgrid(_) => Err(OpenError::Unsupported {
            address: address.clone(),
        }),
        Address::Auto => serial::open(&only_board(&ports()?)?.path, None),
        Address::Id(id) => serial::open(&with_id(&ports()?, id)?.path, None),
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

#[cfg(all(test, unix))]
mod tests {
    use rustix::{
        pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
        termios::tcgetattr,
    };

    use super::*;
    use crate::link::{
        names::place::{at_baud_among, whereabouts_among},
        ports::port::tests::board,
    };

    /// The ports are given as boards, as this computer may have none; they are opened like any port.
    #[tokio::test]
    async fn a_board_that_is_found_is_opened_at_the_speed_that_is_asked_for() {
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

    const TIMEOUT: Duration = Duration::from_secs(30);
}

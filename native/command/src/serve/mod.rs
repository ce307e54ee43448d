//! `flylead serve`

mod attached;
mod farm;
pub(crate) mod http;
mod packages;
pub(crate) mod page;
mod relay;
pub(crate) mod repl_server;
pub(crate) mod token;

use std::{
    future::pending,
    io, iter,
    net::{SocketAddr, UdpSocket},
    time::Duration,
};

use axum::Router;
use clap::Args;
use flylead_native::{
    hub::{self, Hub, SharedBoard},
    install::Source,
    link::{self, Address, OpenError},
};
use serde_json::json;
use tokio::{
    net::TcpListener,
    time::{sleep, timeout},
};

use super::{
    Common, Exit, Failure,
    files::install::MICROPYTHONS_INDEX,
    terminal::{interrupts::Interrupts, print},
};
use attached::Attached;
use page::Names;
use relay::Relay;
use token::{check_token, new_token};

/// Serve the page to browsers, and share boards among all tools of this computer
///
/// The page reaches boards through Web Serial or a WebSocket, or runs one in the browser. With --board, this command
/// also opens the board at --port, or other boards, and shares them: while it runs, all flylead commands use them under
/// the same names as before and take turns, and a repl and the page show what run and exec print. Browsers without Web
/// Serial use the first of these boards, with --allow-remote also browsers on other computers; the printed address
/// contains the token that they need. With --rfc2217, programs that speak RFC 2217, such as mpremote and pyserial, use
/// the boards. Ctrl-C ends the command.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Address to listen on; port 0 takes any free one
    #[arg(
        short,
        long,
        value_name = "[ADDRESS:]PORT",
        default_value = "127.0.0.1:8123",
        value_parser = listen_address
    )]
    listen: SocketAddr,

    /// Open a board and share it: the one at --port, or at this address; may be given several times. `all` shares the
    /// boards on USB as they come and go, and a pattern such as '/dev/ttyACM*' those that match
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    board: Vec<String>,

    /// Offer a board to programs that speak RFC 2217; may be given once for each board, in the order of the boards. The
    /// protocol has no authentication
    #[arg(long, value_name = "[ADDRESS:]PORT", requires = "board", value_parser = listen_address)]
    rfc2217: Vec<SocketAddr>,

    /// Let anyone who can reach this computer control the boards of --rfc2217, run programs on them, and read and
    /// remove their files, without a password
    #[arg(long, requires = "rfc2217")]
    rfc2217_open_to_network: bool,

    /// Token that clients must send [default: a new one, which is printed]
    #[arg(long, env = "FLYLEAD_SERVE_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Index of packages for the page: a URL or a folder
    #[arg(long, value_name = "FOLDER|URL", env = "FLYLEAD_INDEX", default_value = MICROPYTHONS_INDEX)]
    index: String,

    /// Allow --listen to listen beyond this computer
    #[arg(long, requires = "board")]
    allow_remote: bool,

    /// Name of this computer in the network, besides its addresses
    #[arg(long, value_name = "NAME", requires = "allow_remote")]
    host: Vec<String>,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        self.check()?;
        let index = Source::parse(&self.index, None)?;
        let mut interrupts = Interrupts::new()?;
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(|error| not_bound(self.listen, &error))?;
        let address = listener.local_addr()?;
        let attached = Attached::of(&self.board)?;
        let addresses = self.addresses(common)?;
        for address in &addresses {
            check_not_shared(address).await?;
        }
        let mut doors = Vec::new();
        for listen in &self.rfc2217 {
            let door = TcpListener::bind(listen).await;
            doors.push(door.map_err(|error| not_bound(*listen, &error))?);
        }
        let hub = Hub::new();
        let boards: Vec<_> = addresses.into_iter().map(|it| hub.add(it)).collect();
        let token = match self.board.is_empty() {
            false => Some(self.token.unwrap_or_else(new_token)),
            true => None,
        };
        if token.is_some() {
            share_with_commands(&hub, common).await;
        }
        let servers = share(&boards, doors)?;
        announce(address, token.as_deref(), &servers, common.json)?;
        let names = Names {
            any_address: self.allow_remote,
            more: self.host,
        };
        let absent = report_absent(&boards, common);
        let coming = attached.share(hub.clone(), common);
        let board = token.map(|token| Relay::new(hub, token).router());
        // Nothing is fetched from here for other computers in the network.
        let packages = match self.allow_remote {
            true => Router::new(),
            false => packages::router(index),
        };
        let beside = board.unwrap_or_else(Router::new).merge(packages);
        let router = page::router(names, beside);
        tokio::select! {
            served = http::serve(listener, router) => served?,
            failure = coming => return Err(failure),
            () = absent => {}
            () = interrupts.next() => {}
        }
        Ok(Exit::Done)
    }

    fn check(&self) -> Result<(), Failure> {
        if page::is_missing() && self.board.is_empty() {
            return Err(Failure::new(
                Exit::Usage,
                "this build does not contain the page; run `cargo xtask web`, then build again",
            ));
        }
        self.token.as_deref().map_or(Ok(()), check_token)?;
        let beyond = |listen: &&SocketAddr| !listen.ip().is_loopback();
        if let Some(listen) = self.rfc2217.iter().find(beyond)
            && !self.rfc2217_open_to_network
        {
            return Err(Failure::new(
                Exit::Usage,
                format!(
                    "RFC 2217 has no password, and {listen} can be reached from other computers; use --rfc2217-open-to-network to let all of them control the board"
                ),
            ));
        }
        if !self.listen.ip().is_loopback() && !self.allow_remote {
            return Err(Failure::new(
                Exit::Usage,
                format!(
                    "{} can be reached from other computers; use --board --allow-remote to allow that",
                    self.listen
                ),
            ));
        }
        Ok(())
    }

    /// Returns the addresses of the boards to own.
    fn addresses(&self, common: &Common) -> Result<Vec<Address>, Failure> {
        let named = self.board.iter().filter(|it| !attached::is_meant(it));
        let addresses = named.map(|address| match address.as_str() {
            "" => Ok(common.address()),
            address => {
                let address = link::resolve(&address.parse()?)?;
                Ok(link::at_baud(address, common.fixed_baud()?))
            }
        });
        let addresses: Vec<_> = addresses.collect::<Result<_, Failure>>()?;
        if self.rfc2217.len() > addresses.len() {
            let message = "there are more --rfc2217 options than boards; each needs a board that --board names by its own address";
            return Err(Failure::new(Exit::Usage, message));
        }
        let is_webrepl = |address: &Address| matches!(address, Address::WebSocket { .. });
        match addresses.iter().any(is_webrepl) {
            true => Err(Failure::new(
                Exit::Usage,
                "a WebREPL board is reached directly, at its own address",
            )),
            false => Ok(addresses),
        }
    }
}

/// Returns an error if another hub of this user shares the board.
async fn check_not_shared(address: &Address) -> Result<(), Failure> {
    let asked = timeout(HUB_TIMEOUT, link::ask_idle(address, "flylead serve")).await;
    match asked {
        Ok(Ok(Some(_)) | Err(OpenError::InUse { .. } | OpenError::Away { .. })) => {
            Err(Failure::new(
                Exit::InUse,
                format!(
                    "another `flylead serve` shares {address}: use that one, or end it first; `flylead doctor` names its process"
                ),
            ))
        }
        // Without a hub, or with one that hangs, opening the board says what is wrong.
        Ok(Ok(None) | Err(_)) | Err(_) => Ok(()),
    }
}

/// Reports the boards that cannot be opened, and never ends.
async fn report_absent(boards: &[SharedBoard], common: &Common) {
    sleep(FIRST_LOOK).await;
    for board in boards {
        if let Some(fault) = board.fault() {
            common.note(format_args!(
                "{fault}; it will be shared as soon as it is available"
            ));
        }
    }
    pending::<()>().await;
}

/// Time limit for the answer of another hub.
const HUB_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that boards have to be opened before the absent ones are reported.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// Shares the boards with clients of RFC 2217, and returns the addresses.
fn share(
    boards: &[SharedBoard],
    doors: Vec<TcpListener>,
) -> io::Result<Vec<(Address, SocketAddr)>> {
    let mut servers = Vec::new();
    for (door, board) in doors.into_iter().zip(boards) {
        servers.push((board.address().clone(), door.local_addr()?));
        tokio::spawn(hub::serve_rfc2217(board.clone(), door));
    }
    Ok(servers)
}

async fn share_with_commands(hub: &Hub, common: &Common) {
    match hub::Listener::bind().await {
        Ok(listener) => {
            common.say(format_args!("sharing at {}", listener.path().display()));
            tokio::spawn(listener.serve(hub.clone()));
        }
        Err(error) => common.note(format_args!(
            "other flylead commands cannot connect, and will find the boards in use: {error}"
        )),
    }
}

fn not_bound(listen: SocketAddr, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Usage,
        format!(
            "cannot listen on {listen}: {error}. Port 0 takes any free port, as in 127.0.0.1:0"
        ),
    )
}

/// Parses an address to listen on; `PORT` and `localhost:PORT` stand for one on loopback.
pub(crate) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    let on_loopback = port
        .parse::<u16>()
        .map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    on_loopback.or_else(|_| text.parse()).map_err(|_| {
        "write a port, such as 2217, or an address with one, such as 127.0.0.1:2217".to_owned()
    })
}

/// Announces the address. The token follows the `#`, which browsers send to nobody.
fn announce(
    address: SocketAddr,
    token: Option<&str>,
    servers: &[(Address, SocketAddr)],
    json: bool,
) -> io::Result<()> {
    let address = reachable(address);
    let page = format!("http://{address}/");
    let board = token.map(|token| format!("ws://{address}/board?token={token}"));
    let farm = token.map(|token| format!("http://{address}{}#board={token}", farm::PATH));
    let url = match token {
        Some(token) => format!("{page}#board={token}"),
        None => page,
    };
    let url_of = |listen: &SocketAddr| format!("rfc2217://{}", reachable(*listen));
    let lines = match json {
        true => json!({ "url": url, "board": board, "farm": farm, "rfc2217": servers.iter().map(|(_, it)| url_of(it)).collect::<Vec<_>>() })
            .to_string(),
        false => iter::once(format!("Flylead is at {url}"))
            .chain(farm.map(|farm| format!("All boards are at {farm}")))
            .chain(
                servers
                    .iter()
                    .map(|(board, it)| format!("{board} is at {}", url_of(it))),
            )
            .collect::<Vec<_>>()
            .join("\n"),
    };
    print(format!("{lines}\n"))
}

/// Returns the address at which others reach this computer, for a server that listens everywhere.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    outward(address).unwrap_or(address)
}

/// Asks the system which address it would send from; nothing is sent.
fn outward(address: SocketAddr) -> Option<SocketAddr> {
    let (here, there) = match address {
        SocketAddr::V4(_) => ("0.0.0.0:0", "192.0.2.1:9"),
        SocketAddr::V6(_) => ("[::]:0", "[2001:db8::1]:9"),
    };
    let socket = UdpSocket::bind(here).ok()?;
    socket.connect(there).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    Some(SocketAddr::new(ip, address.port()))
}

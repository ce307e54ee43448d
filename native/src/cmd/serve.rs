//! `flylead serve`

use std::{
    io,
    net::{SocketAddr, UdpSocket},
};

use axum::Router;
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;

use super::{
    Common, Exit, Failure,
    interrupts::Interrupts,
    terminal::print,
    token::{check_token, new_token},
};
use crate::{
    http,
    page::{self, Names},
    relay::Relay,
};

/// Serve the page, for a browser on this computer
///
/// The page finds boards by itself, through Web Serial, a WebSocket, or in the browser. With --board it also gets the
/// board at --port, for browsers without Web Serial, and with --allow-remote those of other computers do too: the
/// printed address holds the token that they need. Ctrl-C ends it.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Where to listen; port 0 takes any that is free
    #[arg(
        short,
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:8123"
    )]
    listen: SocketAddr,

    /// Also let the page have the board at --port, one page at a time
    #[arg(long)]
    board: bool,

    /// The token for the board; a new one is made when it is not given
    #[arg(long, env = "FLYLEAD_SERVE_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Listen beyond this computer, if --listen says so
    #[arg(long, requires = "board")]
    allow_remote: bool,

    /// A name of this computer in the network, beside its addresses
    #[arg(long, value_name = "NAME", requires = "allow_remote")]
    host: Vec<String>,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        self.check()?;
        let mut interrupts = Interrupts::new()?;
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(|error| self.not_bound(&error))?;
        let address = listener.local_addr()?;
        let token = match self.board {
            true => Some(self.token.unwrap_or_else(new_token)),
            false => None,
        };
        announce(address, token.as_deref(), common.json)?;
        let names = Names {
            any_address: self.allow_remote,
            more: self.host,
        };
        let board = token.map(|token| Relay::new(common.address(), token).router());
        let router = page::router(names, board.unwrap_or_else(Router::new));
        tokio::select! {
            served = http::serve(listener, router) => served?,
            () = interrupts.next() => {}
        }
        Ok(Exit::Done)
    }

    fn check(&self) -> Result<(), Failure> {
        if page::is_missing() {
            return Err(Failure::new(
                Exit::Usage,
                "this build has no page in it; run `cargo xtask web`, then build again",
            ));
        }
        self.token.as_deref().map_or(Ok(()), check_token)?;
        if !self.listen.ip().is_loopback() && !self.allow_remote {
            return Err(Failure::new(
                Exit::Usage,
                format!(
                    "{} can be reached from other computers; say --board --allow-remote if that is meant",
                    self.listen
                ),
            ));
        }
        Ok(())
    }

    fn not_bound(&self, error: &io::Error) -> Failure {
        let listen = self.listen;
        Failure::new(
            Exit::Usage,
            format!(
                "{listen} cannot be listened on: {error}. --listen 127.0.0.1:0 takes any free port"
            ),
        )
    }
}

/// The token is behind the `#`, which browsers send to nobody.
fn announce(address: SocketAddr, token: Option<&str>, json: bool) -> io::Result<()> {
    let address = reachable(address);
    let page = format!("http://{address}/");
    let board = token.map(|token| format!("ws://{address}/board?token={token}"));
    let url = match token {
        Some(token) => format!("{page}#board={token}"),
        None => page,
    };
    let line = match json {
        true => json!({ "url": url, "board": board }).to_string(),
        false => format!("Flylead is at {url}"),
    };
    print(format!("{line}\n"))
}

/// Who listens everywhere is reached at the address that this computer has towards others.
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

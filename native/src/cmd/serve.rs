//! `flylead serve`

use std::{io, net::SocketAddr};

use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;

use super::{Common, Exit, Failure, interrupts::Interrupts, program::print};
use crate::page;

/// Serve the page, for a browser on this computer
///
/// The page finds boards by itself, through Web Serial, a WebSocket, or in the browser; this command only brings it
/// there. Nothing listens beyond this computer. Ctrl-C ends it.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Where to listen; port 0 takes any that is free
    #[arg(short, long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8123", value_parser = loopback)]
    listen: SocketAddr,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if page::is_missing() {
            return Err(Failure::new(
                Exit::Usage,
                "this build has no page in it; run `cargo xtask web`, then build again",
            ));
        }
        let mut interrupts = Interrupts::new()?;
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(|error| self.not_bound(&error))?;
        announce(listener.local_addr()?, common.json)?;
        tokio::select! {
            served = axum::serve(listener, page::router()) => served?,
            () = interrupts.next() => {}
        }
        Ok(Exit::Done)
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

fn announce(address: SocketAddr, json: bool) -> io::Result<()> {
    let url = format!("http://{address}/");
    let line = match json {
        true => json!({ "url": url }).to_string(),
        false => format!("Flylead is at {url}"),
    };
    print(format!("{line}\n").as_bytes())
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "write an address and a port, such as 127.0.0.1:8123".to_owned())?;
    match address.ip().is_loopback() {
        true => Ok(address),
        // A browser gives serial ports to this computer's own pages and to https only, so it would not even work.
        false => Err(
            "only an address of this computer, such as 127.0.0.1 or [::1], is served".to_owned(),
        ),
    }
}

//! `flylead debug --dap`

use std::net::SocketAddr;

use flylead::{
    debug::dap::serve,
    link::{self, Address, AddressError, Link},
};
use tokio::{
    io::{self, AsyncRead, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{Common, Exit, Failure};
use crate::cmd::{input::read_stdin, interrupts::Interrupts, terminal::say};

/// What stands for stdin and stdout.
pub(super) const STDIO: &str = "-";

/// Serves one editor on stdin and stdout, or one after the other on an address of this computer.
pub(super) async fn run(address: &str, common: &Common) -> Result<Exit, Failure> {
    if address == STDIO {
        serve(
            io::join(stdin(), io::stdout()),
            async |port: Option<&str>| open(common, port).await,
        )
        .await?;
        return Ok(Exit::Done);
    }
    let address = local(address)?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::new(Exit::NoLink, format!("{address}: {error}")))?;
    say(format_args!(
        "flylead: waiting for an editor at {}",
        listener.local_addr()?
    ));
    let mut interrupts = Interrupts::new()?;
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (client, _) = accepted?;
                let served = serve(client, async |port: Option<&str>| open(common, port).await);
                // One editor's trouble is not the next one's.
                if let Err(error) = served.await {
                    common.note(format_args!("the editor: {error}"));
                }
            }
            () = interrupts.next() => return Ok(Exit::Done),
        }
    }
}

/// Stdin, whose reader keeps nobody from ending: an editor may leave it open after the last message.
fn stdin() -> impl AsyncRead {
    let (reader, mut writer) = io::simplex(CHUNK);
    tokio::spawn(async move {
        let mut pieces = read_stdin();
        while let Some(piece) = pieces.recv().await {
            writer.write_all(&piece).await?;
        }
        writer.shutdown().await
    });
    reader
}

const CHUNK: usize = 16 * 1024;

/// The address, which must be this computer's own: whoever reaches it runs programs on the board.
fn local(address: &str) -> Result<SocketAddr, Failure> {
    let address: SocketAddr = address.parse().map_err(|_| {
        Failure::new(
            Exit::Usage,
            format!("{address}: write an address such as 127.0.0.1:5678"),
        )
    })?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        let message = format!(
            "{address} can be reached from other computers, which could run programs on the board; use 127.0.0.1"
        );
        Err(Failure::new(Exit::Usage, message))
    }
}

/// Opens the board that the editor names, or the command line's.
async fn open(common: &Common, port: Option<&str>) -> Result<Link, String> {
    let address = match port {
        Some(port) => {
            let address: Address = port
                .parse()
                .map_err(|error: AddressError| error.to_string())?;
            let address = link::resolve(&address).map_err(|error| error.to_string())?;
            link::at_baud(address, common.baud)
        }
        None => common.address(),
    };
    common.say(format_args!("opening {address}"));
    link::open(&address)
        .await
        .map_err(|error| error.to_string())
}

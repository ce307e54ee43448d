//! `flylead debug --dap`

use std::{
    net::{Shutdown, SocketAddr},
    ops::ControlFlow,
    pin::pin,
    time::Duration,
};

use flylead_native::{
    debug::dap::{self, serve},
    link::{self, Address, AddressError, Link},
};
use tokio::{
    io::{self, AsyncRead, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{Common, Exit, Failure};
use crate::{
    serve::listen_address,
    terminal::{input::read_stdin, interrupts::Interrupts, say},
};

/// Argument that selects stdin and stdout.
pub(super) const STDIO: &str = "-";

/// Serves one editor on stdin and stdout, or several in turn on an address of this computer.
pub(super) async fn run(address: &str, common: &Common) -> Result<Exit, Failure> {
    if address == STDIO {
        serve(
            io::join(stdin(), io::stdout()),
            async |port: Option<&str>| open(common, port).await,
        )
        .await?;
        return Ok(Exit::Done);
    }
    let (listener, address) = listen(address).await?;
    say(format_args!("flylead: waiting for an editor at {address}"));
    let mut interrupts = Interrupts::new()?;
    let mut next = None;
    loop {
        let client = match next.take() {
            Some(client) => client,
            None => tokio::select! {
                accepted = listener.accept() => accepted?.0,
                () = interrupts.next() => return Ok(Exit::Done),
            },
        };
        match one_editor(client, &listener, common, &mut interrupts).await? {
            ControlFlow::Continue(other) => next = other,
            ControlFlow::Break(()) => return Ok(Exit::Done),
        }
    }
}

/// Listens for editors on an address of this computer, and returns the one that it has.
pub(super) async fn listen(address: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let address = local(address)?;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::new(Exit::NoLink, format!("cannot listen on {address}: {error}"))
    })?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves an editor until its session ends. Another editor that connects meanwhile is told that the board is busy, or
/// is next if the first is about to end. Ctrl-C closes the connection, which ends the program and frees the board; a
/// second one waits for neither.
async fn one_editor(
    client: TcpStream,
    listener: &TcpListener,
    common: &Common,
    interrupts: &mut Interrupts,
) -> io::Result<ControlFlow<(), Option<TcpStream>>> {
    let client = client.into_std()?;
    let connection = client.try_clone()?;
    let client = TcpStream::from_std(client)?;
    let mut is_closed = false;
    let served = serve(client, async |port: Option<&str>| open(common, port).await);
    let mut served = pin!(served);
    // A failure of one editor must not affect the next.
    let note = |ended: io::Result<()>| {
        if let Err(error) = ended {
            common.note(format_args!("the editor: {error}"));
        }
    };
    loop {
        let (mut other, _) = tokio::select! {
            ended = &mut served => {
                note(ended);
                return Ok(match is_closed {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(None),
                });
            }
            () = interrupts.next() => {
                if std::mem::replace(&mut is_closed, true) {
                    return Ok(ControlFlow::Break(()));
                }
                // A connection that is gone is closed already.
                let _ = connection.shutdown(Shutdown::Both);
                continue;
            }
            accepted = listener.accept(), if !is_closed => accepted?,
        };
        if let Ok(ended) = timeout(PATIENCE, &mut served).await {
            note(ended);
            return Ok(ControlFlow::Continue(Some(other)));
        }
        // An editor that is gone needs no answer.
        let _ = other.write_all(&dap::busy()).await;
        let _ = other.shutdown().await;
    }
}

/// Time that an ending session has to release the board for the next one.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns stdin through a reader that lets the process end: an editor may leave stdin open after its last message.
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

/// Parses the address, which must be this computer's own: any program that reaches it can run programs on the board.
fn local(address: &str) -> Result<SocketAddr, Failure> {
    let address = listen_address(address).map_err(|_| {
        let message = format!(
            "{address} is not a valid address; write --dap 127.0.0.1:5678, and a program's file after it"
        );
        Failure::new(Exit::Usage, message)
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

/// Opens the board that the editor names, or the board of the command line.
async fn open(common: &Common, port: Option<&str>) -> Result<Link, String> {
    let address = match port {
        Some(port) => {
            let address: Address = port
                .parse()
                .map_err(|error: AddressError| error.to_string())?;
            let address = link::resolve(&address).map_err(|error| error.to_string())?;
            link::at_baud(address, common.baud())
        }
        None => common.address(),
    };
    common.say(format_args!("opening {address}"));
    link::open(&address)
        .await
        .map_err(|error| error.to_string())
}

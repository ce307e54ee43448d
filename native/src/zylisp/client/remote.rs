//! A session on a server, over a link.

use std::{fmt, io};

use flylead_core::zylisp::{Address, RequestId, ZylispClient};
use tokio::sync::oneshot;
use tokio_tungstenite::connect_async_with_config;

use super::{
    ClientError, ClientOptions, Session,
    dispatcher::{Shared, Waiting},
    evaluation::{Make, Output, Pending},
};
use crate::{
    board::driver::{Commander, Driver},
    link::{self, Link, OpenError},
    zylisp::frames::{Frames, websocket_config},
};

/// A driver, and the callers that wait for its events. Clones share the connection.
#[derive(Clone)]
pub(super) struct Remote {
    commander: Commander<ZylispClient>,
    dispatcher: Shared,
}

impl Remote {
    pub(super) fn start(link: Link, options: &ClientOptions) -> Self {
        let link = match &options.trace {
            Some(trace) => trace.wrap(link),
            None => link,
        };
        let machine = ZylispClient::new(options.encoding, options.message_limit);
        let (commander, events) = Driver::spawn(link, machine).split();
        let dispatcher = Shared::default();
        tokio::spawn(dispatcher.clone().run(events));
        Self {
            commander,
            dispatcher,
        }
    }

    /// Sends a request, and waits until it is on its way. The caller is registered before the answer can arrive.
    pub(super) async fn ask(
        &self,
        make: impl Make,
        output: Option<Output>,
    ) -> Result<Pending, ClientError> {
        let (answer, answered) = oneshot::channel();
        let dispatcher = self.dispatcher.clone();
        let asked = self.commander.command(move |client, _| {
            let request = make(client)?;
            dispatcher.lock().wait(request, Waiting { answer, output });
            Ok::<_, flylead_core::zylisp::RequestError>(request)
        });
        match asked.await {
            Ok(Ok(request)) => {
                let session = Session::Remote(self.clone());
                Ok(Pending::new(session, request, answered))
            }
            _ => Err(ClientError::Lost),
        }
    }

    /// Cancels a request as soon as there is space for the message.
    pub(super) fn cancel(&self, request: RequestId) {
        self.dispatcher.lock().forget(request);
        let commander = self.commander.downgrade();
        if let (Ok(runtime), Some(commander)) =
            (tokio::runtime::Handle::try_current(), commander.upgrade())
        {
            runtime.spawn(async move {
                let cancel = move |client: &mut ZylispClient, _| client.cancel(request);
                // Without a connection nothing runs.
                let _ = commander.command(cancel).await;
            });
        }
    }
}

/// Connects to an address.
pub(super) async fn open(address: &Address, options: &ClientOptions) -> io::Result<Link> {
    let address = match address {
        Address::Tcp(host) if host.starts_with(':') => {
            link::Address::Tcp(format!("127.0.0.1{host}"))
        }
        Address::Tcp(host) => link::Address::Tcp(host.clone()),
        Address::Unix(path) => link::Address::Unix(path.into()),
        Address::WebSocket(url) => return open_websocket(url, options).await,
        Address::Nrepl(_) => {
            let why =
                "this client does not speak nREPL; use an editor, or the server's other address";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    link::open(&address).await.map_err(plain)
}

async fn open_websocket(url: &str, options: &ClientOptions) -> io::Result<Link> {
    let config = Some(websocket_config(options.message_limit));
    let (socket, _) = connect_async_with_config(url, config, true)
        .await
        .map_err(io::Error::other)?;
    Ok(Link::new(Frames::new(socket, options.encoding)))
}

/// Returns the error without the address, which is reported with it.
fn plain(error: OpenError) -> io::Error {
    match error {
        OpenError::Io { source, .. } => source,
        OpenError::NotFound { .. } => io::ErrorKind::NotFound.into(),
        OpenError::Forbidden { .. } => io::ErrorKind::PermissionDenied.into(),
        OpenError::TimedOut { .. } => io::ErrorKind::TimedOut.into(),
        OpenError::NoBoard { .. }
        | OpenError::SeveralBoards { .. }
        | OpenError::UnknownId { .. }
        | OpenError::UnknownName { .. }
        | OpenError::Labgrid(_)
        | OpenError::Names(_)
        | OpenError::Busy { .. }
        | OpenError::InUse { .. }
        | OpenError::Away { .. }
        | OpenError::NoPort { .. }
        | OpenError::OtherBaud { .. }
        | OpenError::NoLogin { .. }
        | OpenError::PasswordWanted { .. }
        | OpenError::NoSpeed { .. }
        | OpenError::Loopback { .. }
        | OpenError::Closed { .. }
        | OpenError::PasswordDenied { .. }
        | OpenError::Unsupported { .. }
        | OpenError::Ports(_) => io::Error::other(error),
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

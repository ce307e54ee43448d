//! Serving HTTP to clients that may be anybody.

use std::{io, sync::Arc, time::Duration};

use axum::{
    Router,
    http::{HeaderMap, header},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore, time};

/// Answers until this is dropped. A client that does not finish the head of its request in time is hung up on, and only
/// so many are served at once.
pub(crate) async fn serve(listener: TcpListener, router: Router) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(LONGEST_QUEUE));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return Ok(());
        };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, as a rule: one will be free in a moment.
            time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::spawn(async move {
            // A client that goes in the middle of a request has its reasons.
            let _ = connection.await;
            drop(permit);
        });
    }
}

/// Whether the page that asks is one that is served here, by the header with which browsers name it; nothing where none is
/// named.
pub(crate) fn is_own_page(headers: &HeaderMap) -> Option<bool> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    headers.get(header::ORIGIN)?;
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    Some(origin.is_some_and(|(_, origin)| text(header::HOST) == Some(origin)))
}

/// How long the head of a request may take, also after the one before it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// How many clients are served at once.
const LONGEST_QUEUE: usize = 256;
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

//! HTTP for untrusted clients, with limits of time, size and number in one place.
//!
//! | what | limit |
//! |---|---|
//! | clients | 256; one more gets the place of the one that has kept the server waiting for longest |
//! | the head of a request | 64 KiB, 5 s |
//! | the body of a request | as the handler says, 5 s; nobody reads it who has not admitted the request |
//! | an answer | 30 s without a byte taken |

mod body;
mod stream;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use flylead_native::places::{Place, Places};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    time,
};

use body::Watched;
use stream::Patient;

/// Serves clients until this future is dropped.
pub(crate) async fn serve(listener: TcpListener, router: Router) -> io::Result<()> {
    let places = Places::new(CLIENTS_LIMIT);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Usually out of file descriptors: one will be free in a moment.
            time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let work = Work::default();
        let place = places.take(Arc::clone(&work.is_busy)).await;
        tokio::spawn(answer(stream, router.clone(), work, Arc::new(place)));
    }
}

/// Serves one client, until it leaves or its place is given to another one.
async fn answer(stream: TcpStream, router: Router, work: Work, place: Arc<Place>) {
    // A client whose connection became a WebSocket no longer needs the place.
    let stream = Patient::new(stream, work.clone(), Arc::downgrade(&place));
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let doing = work.begin();
        let request = request.map(|body| Body::new(Watched::asked(Body::new(body), work.clone())));
        let answering = router.call(request);
        async move {
            let answer = answering.await?;
            let watched = |body| Body::new(Watched::answered(body, doing));
            Ok::<_, std::convert::Infallible>(answer.map(watched))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        // A client that goes in the middle of a request has its reasons.
        _ = connection => {}
        () = place.given_on() => {}
    }
}

/// Work of the server for one client: busy while it answers a request, except while it waits for the client to send or
/// to take data.
#[derive(Debug, Clone, Default)]
struct Work {
    is_answering: Arc<AtomicBool>,
    is_busy: Arc<AtomicBool>,
}

/// An answer in progress.
#[derive(Debug)]
struct Doing(Work);

impl Work {
    fn begin(&self) -> Doing {
        self.is_answering.store(true, Ordering::Relaxed);
        self.is_busy.store(true, Ordering::Relaxed);
        Doing(self.clone())
    }

    fn waits_for_client(&self, waits: bool) {
        let is_busy = !waits && self.is_answering.load(Ordering::Relaxed);
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        self.0.is_answering.store(false, Ordering::Relaxed);
        self.0.is_busy.store(false, Ordering::Relaxed);
    }
}

/// Body of a request, of at most `LIMIT` bytes. As the last argument of a handler it is read after all others, which
/// are made from the request's head and may refuse it.
pub(crate) struct Content<const LIMIT: usize>(pub(crate) Bytes);

impl<S: Send + Sync, const LIMIT: usize> FromRequest<S> for Content<LIMIT> {
    type Rejection = StatusCode;

    async fn from_request(request: Request, _: &S) -> Result<Self, StatusCode> {
        content(request.into_body(), LIMIT).await.map(Self)
    }
}

/// Reads the body of a request, of at most `limit` bytes.
pub(crate) async fn content(body: Body, limit: usize) -> Result<Bytes, StatusCode> {
    let announced = body.size_hint().lower();
    if usize::try_from(announced).is_ok_and(|length| length > limit) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match time::timeout(BODY_TIMEOUT, to_bytes(body, limit)).await {
        Ok(read) => read.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Returns true if the requesting page is served here, according to the header that browsers set; `None` without that
/// header.
pub(crate) fn is_own_page(headers: &HeaderMap) -> Option<bool> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    headers.get(header::ORIGIN)?;
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    Some(origin.is_some_and(|(_, origin)| text(header::HOST) == Some(origin)))
}

/// Time limit of a request's head, counted from the previous request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Size limit of a request's head, in bytes.
const HEAD_LIMIT: usize = 64 * 1024;
/// Time limit of a request's body.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of simultaneous clients.
const CLIENTS_LIMIT: usize = 256;
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;

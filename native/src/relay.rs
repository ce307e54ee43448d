//! A board of this computer for browsers: the bytes of its link in the binary messages of a WebSocket.
//!
//! ```text
//!   page ──ws://HOST/board?token=…──► Relay ──link──► board
//! ```
//!
//! One page has the board at a time. It is opened when a page comes and closed when it goes, so that other programs
//! can use it in between.

use std::{io, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Query, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::any,
};
use flylead::link::{self, Address, Link};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::Mutex,
    time::{Instant, interval_at},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message,
        handshake::server::create_response,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

/// Which board, and for whom.
#[derive(Clone)]
pub(crate) struct Relay {
    shared: Arc<Shared>,
}

struct Shared {
    board: Address,
    token: String,
    in_use: Mutex<()>,
}

impl Relay {
    pub(crate) fn new(board: Address, token: String) -> Self {
        let in_use = Mutex::new(());
        Self {
            shared: Arc::new(Shared {
                board,
                token,
                in_use,
            }),
        }
    }

    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/board", any(answer))
            .with_state(self.shared)
    }
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    token: String,
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
    request: Request,
) -> Response {
    if !is_own_page(request.headers()) {
        let refusal = "This board is for the page that is served here.\n";
        return (StatusCode::FORBIDDEN, refusal).into_response();
    }
    if !bool::from(asked.token.as_bytes().ct_eq(shared.token.as_bytes())) {
        let refusal =
            "The token is missing or another one; flylead serve printed it on its start.\n";
        return (StatusCode::UNAUTHORIZED, refusal).into_response();
    }
    upgrade(shared, request).unwrap_or_else(|error| {
        let refusal = format!("This is for WebSockets: {error}.\n");
        (StatusCode::BAD_REQUEST, refusal).into_response()
    })
}

/// Answers a WebSocket's handshake, and serves it when the answer is sent.
fn upgrade(shared: Arc<Shared>, request: Request) -> Result<Response, tungstenite::Error> {
    let (mut parts, _) = request.into_parts();
    let upgrading = hyper::upgrade::on(axum::http::Request::from_parts(parts.clone(), ()));
    parts.extensions.clear();
    let answer = create_response(&axum::http::Request::from_parts(parts, ()))?;
    tokio::spawn(async move {
        // A client that went before it was answered has nobody to be told.
        if let Ok(upgraded) = upgrading.await {
            let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT));
            let stream = TokioIo::new(upgraded);
            let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config));
            serve(shared, socket.await).await;
        }
    });
    Ok(answer.map(|()| axum::body::Body::empty()))
}

type WebSocket = WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>;

/// A browser says which page asks. Who says nothing is no browser, and has the token.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match (
        headers.contains_key(header::ORIGIN),
        text(header::ORIGIN),
        text(header::HOST),
    ) {
        (false, ..) => true,
        (true, Some(origin), Some(host)) => origin
            .split_once("://")
            .is_some_and(|(_, origin)| origin == host),
        _ => false,
    }
}

/// A WebSocket that opened cannot be refused with a status, but closed with a reason, which pages can read.
async fn serve(shared: Arc<Shared>, mut socket: WebSocket) {
    let reason = match shared.in_use.try_lock() {
        Err(_) => "another page uses this board; close it there first".to_owned(),
        Ok(_alone) => match open(&shared.board).await {
            Ok(link) => pass_on(link, &mut socket).await,
            Err(reason) => reason,
        },
    };
    let frame = CloseFrame {
        code: CloseCode::Policy,
        reason: shortened(&reason).into(),
    };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

async fn open(board: &Address) -> Result<Link, String> {
    let link = link::open(board).await.map_err(|error| error.to_string())?;
    match link.is_text_only() {
        true => Err("a WebREPL board is reached directly, at its own address".to_owned()),
        false => Ok(link),
    }
}

/// Passes bytes on in both directions until one side has gone, and says which.
async fn pass_on(mut link: Link, socket: &mut WebSocket) -> String {
    let mut buffer = vec![0; CHUNK];
    let mut pings = interval_at(Instant::now() + PING, PING);
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            read = link.read(&mut buffer) => match read {
                Ok(length @ 1..) => {
                    let message = Message::binary(buffer[..length].to_vec());
                    match tokio::time::timeout(SILENCE, socket.send(message)).await {
                        Ok(Ok(())) => {}
                        _ => return "the page has gone".to_owned(),
                    }
                }
                Ok(0) => return "the board has gone".to_owned(),
                Err(error) => return format!("the board has gone: {error}"),
            },
            message = socket.next() => {
                heard = Instant::now();
                match message {
                    Some(Ok(message)) => if let Err(error) = write(&mut link, message).await {
                        return format!("the board has gone: {error}");
                    },
                    _ => return "the page has gone".to_owned(),
                }
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENCE || socket.send(Message::Ping(Vec::new().into())).await.is_err() {
                    return "the page has gone".to_owned();
                }
            }
        }
    }
}

async fn write(link: &mut Link, message: Message) -> io::Result<()> {
    let bytes = match message {
        Message::Binary(bytes) => bytes,
        Message::Text(text) => text.into(),
        _ => return Ok(()),
    };
    let writing = async {
        link.write_all(&bytes).await?;
        link.flush().await
    };
    tokio::time::timeout(SILENCE, writing)
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// The reason of a close frame has at most 123 bytes.
fn shortened(reason: &str) -> String {
    let end = reason.floor_char_boundary(REASON_LIMIT);
    reason[..end].to_owned()
}

const REASON_LIMIT: usize = 123;
const CHUNK: usize = 32 * 1024;
const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
const PING: Duration = Duration::from_secs(15);
/// A page that answers no ping for so long is gone, and a board that takes no bytes.
const SILENCE: Duration = Duration::from_secs(45);

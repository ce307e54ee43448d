//! Relays a board of this computer to browsers: the bytes of its link, in the binary messages of a WebSocket.
//!
//! ```text
//!   page ──http://HOST/boards?token=…──► which boards there are
//!   page ──ws://HOST/board?token=…────► Relay ──hub──► board
//! ```
//!
//! The hub owns the board, and a page takes turns with all other tools: its turn lasts from the first byte that it
//! sends until the board is at its prompt again.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Query, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use flylead_native::{
    hub::{Closed, Hub, Member, MemberWriter, Received, SharedBoard},
    link::{
        names::Names,
        turn::{Ask, News, Use},
    },
    sleep_until,
};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::json;
use subtle::ConstantTimeEq;
use tokio::time::{Instant, interval_at};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message,
        handshake::server::create_response,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

use crate::serve::{farm, http};

/// Boards of the relay, and the pages that may use them.
#[derive(Clone)]
pub(crate) struct Relay {
    shared: Arc<Shared>,
}

struct Shared {
    hub: Hub,
    token: String,
}

impl Relay {
    pub(crate) fn new(hub: Hub, token: String) -> Self {
        Self {
            shared: Arc::new(Shared { hub, token }),
        }
    }

    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/board", any(answer))
            .route("/boards", get(list))
            .route("/farm/boards", get(farm_list))
            .merge(farm::router())
            .with_state(self.shared)
    }
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    token: String,
    /// Board to use if there are several; defaults to the first one.
    board: Option<String>,
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
    request: Request,
) -> Response {
    if let Err(refusal) = shared.admit(&asked, request.headers()) {
        return refusal.into_response();
    }
    let boards = shared.hub.boards();
    let board = match asked.board {
        Some(address) => shared.hub.find(&[address]),
        None => boards.first().cloned(),
    };
    let Some(board) = board else {
        let refusal = "There is no such board; flylead serve printed the available ones.\n";
        return (StatusCode::NOT_FOUND, refusal).into_response();
    };
    upgrade(board, request).unwrap_or_else(|error| {
        let refusal = format!("This address accepts only WebSockets: {error}.\n");
        (StatusCode::BAD_REQUEST, refusal).into_response()
    })
}

/// Lists the boards, by the names that this user gave them.
async fn list(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = shared.admit(&asked, &headers) {
        return refusal.into_response();
    }
    // If the names cannot be read, boards are listed by their addresses.
    let names = Names::load().unwrap_or_default();
    let boards = shared.hub.boards();
    let boards = boards.iter().map(|board| {
        let address = board.address();
        let name = names.at(address).map(str::to_owned);
        json!({ "board": address.to_string(), "name": name })
    });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, boards.collect::<serde_json::Value>().to_string()).into_response()
}

/// Lists the boards with their activity and their tools.
async fn farm_list(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = shared.admit(&asked, &headers) {
        return refusal.into_response();
    }
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, farm::list(&shared.hub).await.to_string()).into_response()
}

impl Shared {
    /// Admits the page that is served here, and clients other than browsers, if they have the token.
    fn admit(&self, asked: &Asked, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        if !is_own_page(headers) {
            let refusal = "This board is only for the page that is served here.\n";
            return Err((StatusCode::FORBIDDEN, refusal));
        }
        if !bool::from(asked.token.as_bytes().ct_eq(self.token.as_bytes())) {
            let refusal = "The token is missing or wrong; flylead serve printed it at startup.\n";
            return Err((StatusCode::UNAUTHORIZED, refusal));
        }
        Ok(())
    }
}

/// Answers a WebSocket's handshake, and serves it once the answer is sent.
fn upgrade(board: SharedBoard, request: Request) -> Result<Response, tungstenite::Error> {
    let (mut parts, _) = request.into_parts();
    let upgrading = hyper::upgrade::on(axum::http::Request::from_parts(parts.clone(), ()));
    parts.extensions.clear();
    let answer = create_response(&axum::http::Request::from_parts(parts, ()))?;
    tokio::spawn(async move {
        // A client that has gone before the answer needs none.
        if let Ok(upgraded) = upgrading.await {
            let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT));
            let stream = TokioIo::new(upgraded);
            let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config));
            serve(board, socket.await).await;
        }
    });
    Ok(answer.map(|()| axum::body::Body::empty()))
}

type WebSocket = WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>;

/// Returns false for browsers that name another page. A client that names none is not a browser, and needs the token.
fn is_own_page(headers: &HeaderMap) -> bool {
    http::is_own_page(headers) != Some(false)
}

/// Serves an open WebSocket. It can no longer be refused with a status, but can be closed with a reason, which pages
/// can read.
async fn serve(board: SharedBoard, mut socket: WebSocket) {
    let reason = match (board.fault(), board.attach(Ask::shared("a page")).await) {
        (Some(fault), _) => fault,
        (None, Err(_)) => "the board is gone".to_owned(),
        (None, Ok(member)) => pass_on(member, &mut socket).await,
    };
    let frame = CloseFrame {
        code: CloseCode::Policy,
        reason: shortened(&reason).into(),
    };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

/// Sends bytes to the page. Returns false if it has gone.
async fn send(socket: &mut WebSocket, bytes: Vec<u8>) -> bool {
    let sent = tokio::time::timeout(SILENCE, socket.send(Message::binary(bytes))).await;
    matches!(sent, Ok(Ok(())))
}

/// Passes bytes on in both directions until one side has gone, and returns the reason.
async fn pass_on(member: Member, socket: &mut WebSocket) -> String {
    let Member { writer, mut reader } = member;
    // A board that takes no data now may still send some, and the page may go meanwhile.
    let mut writing = None;
    let mut pings = interval_at(Instant::now() + PING, PING);
    let mut heard = Instant::now();
    let mut waiting: Option<(Instant, Use)> = None;
    loop {
        let late = waiting.as_ref().map(|(since, _)| *since + TURN_TIMEOUT);
        tokio::select! {
            received = reader.next() => match received {
                Some(Received::Bytes(bytes)) => {
                    if !send(socket, bytes).await {
                        return "the page is gone".to_owned();
                    }
                }
                Some(Received::News(News::Missed { bytes })) => {
                    let note = format!("\r\n[{bytes} bytes of output of other tools' programs are not shown]\r\n");
                    if !send(socket, note.into_bytes()).await {
                        return "the page is gone".to_owned();
                    }
                }
                Some(Received::News(News::Away { why })) => return format!("the board is gone: {why}"),
                Some(Received::News(News::Taken(by))) => return format!("the board was taken over by {}", by.who),
                Some(Received::News(News::Waiting(by))) => {
                    let since = waiting.map_or_else(Instant::now, |(since, _)| since);
                    waiting = Some((since, by));
                }
                Some(Received::News(News::Turn)) => waiting = None,
                Some(_) => {}
                None => return "the board is gone".to_owned(),
            },
            written = or_never(writing.as_mut()) => match written {
                Ok(()) => writing = None,
                Err(Closed) => return "the board is gone".to_owned(),
            },
            message = socket.next(), if writing.is_none() => {
                heard = Instant::now();
                match message {
                    Some(Ok(message)) => writing = Some(Box::pin(write(&writer, message))),
                    // The hub interrupts a program that the page left running.
                    _ => return "the page is gone".to_owned(),
                }
            }
            () = sleep_until(late) => {
                // A page assumes that a board silent for longer is lost.
                let by = waiting.map(|(_, by)| by.to_string()).unwrap_or_default();
                return format!("the board is in use by {by}");
            }
            _ = pings.tick() => {
                let is_silent = writing.is_none() && heard.elapsed() > SILENCE;
                if is_silent || socket.send(Message::Ping(Vec::new().into())).await.is_err() {
                    return "the page is gone".to_owned();
                }
            }
        }
    }
}

async fn or_never<T>(future: Option<&mut (impl Future<Output = T> + Unpin)>) -> T {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

async fn write(writer: &MemberWriter, message: Message) -> Result<(), Closed> {
    let bytes = match message {
        Message::Binary(bytes) => bytes,
        Message::Text(text) => text.into(),
        _ => return Ok(()),
    };
    let writing = writer.write(bytes.to_vec());
    tokio::time::timeout(SILENCE, writing)
        .await
        .unwrap_or(Err(Closed))
}

/// Shortens the reason for a close frame, which has at most 123 bytes.
fn shortened(reason: &str) -> String {
    let end = reason.floor_char_boundary(REASON_LIMIT);
    reason[..end].to_owned()
}

const REASON_LIMIT: usize = 123;
const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
const PING: Duration = Duration::from_secs(15);
/// Time without an answer to a ping after which a page counts as gone, or without taking bytes, a board.
const SILENCE: Duration = Duration::from_secs(45);
/// Time that a page may wait for its turn: less than its protocol's time limit for an answer.
const TURN_TIMEOUT: Duration = Duration::from_secs(4);

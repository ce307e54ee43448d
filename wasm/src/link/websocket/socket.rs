//! A WebSocket to a board as a link.

use std::{fmt, time::Duration};

use futures::{FutureExt, channel::oneshot, future::LocalBoxFuture};
use gloo_events::EventListener;
use js_sys::{Function, Promise, futures::JsFuture};
use serde::{Deserialize, Deserializer, de::Error as _};
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::{Event, ReadableStream, WebSocket, WritableStream};

use super::{Connection, Send, login::login};
use crate::{
    binding::arguments::{self, Options, Streams, Url},
    binding::clock::within,
    binding::error::Error,
    binding::values::object,
    task::Reply,
    text::Decoder,
};

/// Options for opening a WebSocket. Omitted ones have their defaults.
#[derive(Debug, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct SocketOptions {
    /// WebREPL's password, or a function that is called when the board requests it.
    #[serde(deserialize_with = "password")]
    #[tsify(type = "string | (() => string | Promise<string>)")]
    pub password: Option<Password>,
    /// Time limit of the connection and of the answer to the password, in milliseconds. Default 10
    /// 000.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub timeout: Option<Duration>,
    /// WebSocket subprotocols (RFC 6455, section 1.9).
    pub protocols: Vec<String>,
}

/// WebREPL's password.
pub enum Password {
    /// The password itself. A peer that does not request it is an error.
    Text(String),
    /// Answer of this function when the board requests a password.
    Ask(Box<dyn FnOnce() -> LocalBoxFuture<'static, Result<String, JsValue>>>),
}

/// An open WebSocket as a pair of streams. Dropping it does not close it; dropping its streams does.
#[wasm_bindgen(js_name = SocketLink, skip_typescript)]
#[derive(Debug, Clone)]
pub struct SocketLink {
    socket: WebSocket,
    readable: ReadableStream,
    writable: WritableStream,
    is_webrepl: bool,
}

/// Opens a WebSocket: a board's WebREPL (its password prompt is answered) or a board behind `flylead serve`. Fails with
/// `LinkError`, `PasswordError`, `TimeoutError` or `UnsupportedError`.
///
/// # Errors
/// See above.
#[wasm_bindgen(js_name = openSocket)]
pub async fn connect(
    url: Url,
    options: Option<Options<SocketOptions>>,
) -> Result<SocketLink, Error> {
    let options = Options::get(options)?;
    let timeout = options.timeout.unwrap_or(CONNECT_TIMEOUT);
    let mut connection = Connection::open(&url.get(), &options.protocols, timeout).await?;
    let is_webrepl = login(&mut connection, options.password, timeout).await?;
    let send = if is_webrepl { text() } else { binary() };
    let (socket, readable, writable) = connection.into_streams(send, |frame| frame);
    Ok(SocketLink {
        socket,
        readable,
        writable,
        is_webrepl,
    })
}

#[wasm_bindgen]
impl SocketLink {
    /// Returns the browser's own object.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn socket(&self) -> WebSocket {
        self.socket.clone()
    }

    /// Returns the address, as the browser writes it.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn label(&self) -> String {
        self.socket.url()
    }

    /// Returns true if a WebREPL answered, which carries only text.
    #[wasm_bindgen(getter, js_name = textOnly)]
    #[must_use]
    pub fn is_webrepl(&self) -> bool {
        self.is_webrepl
    }

    /// Returns the stream of data from the peer.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn readable(&self) -> ReadableStream {
        self.readable.clone()
    }

    /// Returns the stream of data to the peer. Closing it closes the socket.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn writable(&self) -> WritableStream {
        self.writable.clone()
    }

    /// Closes the socket.
    pub fn close(&self) -> Reply<()> {
        Reply::new(close(self.socket.clone()).map(Ok))
    }
}

impl From<&SocketLink> for Streams {
    fn from(link: &SocketLink) -> Self {
        let streams = object(&[
            ("readable", link.readable().into()),
            ("writable", link.writable().into()),
            ("textOnly", link.is_webrepl.into()),
        ]);
        streams.unchecked_into()
    }
}

async fn close(socket: WebSocket) {
    if socket.ready_state() == WebSocket::CLOSED {
        return;
    }
    let (sender, closed) = oneshot::channel();
    let tell = move |_: &Event| {
        let _ = sender.send(());
    };
    let _listener = EventListener::once(&socket, "close", tell);
    // Closing a closing socket again is allowed.
    let _ = socket.close();
    // A peer that is gone never confirms.
    within(CLOSE_TIMEOUT, closed).await;
}

/// Deserializes a text, or a function that returns it.
fn password<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Password>, D::Error> {
    let given: JsValue = serde_wasm_bindgen::preserve::deserialize(value)?;
    if given.is_null() {
        return Ok(None);
    }
    if let Some(text) = given.as_string() {
        return Ok(Some(Password::Text(text)));
    }
    let ask: Function = given
        .dyn_into()
        .map_err(|_| D::Error::custom("expected a string or a function"))?;
    let ask = async move {
        let answer = Promise::resolve(&ask.call0(&JsValue::UNDEFINED)?);
        let answer = JsFuture::from(answer).await?;
        Ok(answer.as_string().unwrap_or_default())
    };
    Ok(Some(Password::Ask(Box::new(|| ask.boxed_local()))))
}

/// Returns a writer of raw bytes.
fn binary() -> Send {
    Box::new(|socket, bytes| socket.send_with_u8_array(bytes))
}

/// Returns a writer of text frames, which WebREPL takes as typed, unlike binary ones, which it takes as files
/// (MicroPython 1.28, `extmod/modwebrepl.c`). A character cut in two waits for its rest.
fn text() -> Send {
    let decoder = Decoder::new();
    Box::new(move |socket, bytes| {
        let text = decoder.decode(bytes);
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, left) = rest.split_at(rest.floor_char_boundary(WEBREPL_LIMIT));
            socket.send_with_str(piece)?;
            rest = left;
        }
        Ok(())
    })
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// Size limit of a message to a WebREPL, in bytes: its input buffer loses bytes beyond 255.
const WEBREPL_LIMIT: usize = 128;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

//! A WebSocket's events as a stream of frames, and its writer.

use std::{cell::Cell, rc::Rc, time::Duration};

use futures::{
    Sink, Stream, StreamExt,
    channel::mpsc::{self, UnboundedReceiver, UnboundedSender},
    sink, stream,
};
use gloo_events::EventListener;
use js_sys::{Array, ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_streams::{ReadableStream, WritableStream};
use web_sys::{BinaryType, CloseEvent, Event, MessageEvent, WebSocket};

use crate::{
    binding::arguments::Data,
    binding::clock::{sleep, within},
    binding::error::{Error, ErrorKind},
};

/// Function that sends bytes, as one frame or several.
pub(crate) type Send = Box<dyn FnMut(&WebSocket, &[u8]) -> Result<(), JsValue>>;

/// Open WebSocket, and its unread input.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: Closing,
    events: UnboundedReceiver<SocketEvent>,
    unread: Rc<Cell<usize>>,
    /// Data that was read too early.
    put_back: Vec<u8>,
    _listeners: [EventListener; 4],
}

#[derive(Debug)]
enum SocketEvent {
    Opened,
    Frame(Vec<u8>),
    Closed { why: Option<String> },
}

/// WebSocket that is closed when this is dropped.
#[derive(Debug)]
struct Closing(WebSocket);

impl Connection {
    /// Connects within this time.
    pub(crate) async fn open(
        url: &str,
        protocols: &[String],
        timeout: Duration,
    ) -> Result<Self, Error> {
        let socket = create(url, protocols)?;
        let (sender, events) = mpsc::unbounded();
        let unread = Rc::default();
        let mut connection = Self {
            _listeners: listen(&socket, &sender, &unread),
            socket: Closing(socket),
            events,
            unread,
            put_back: Vec::new(),
        };
        match within(timeout, connection.events.next()).await {
            Some(Some(SocketEvent::Opened)) => Ok(connection),
            Some(_) => {
                let why = format!("{url} could not be reached");
                Err(Error::link(why, JsValue::UNDEFINED))
            }
            None => {
                let seconds = timeout.as_secs_f64();
                Err(Error::timeout(format_args!(
                    "{url} did not answer within {seconds} s"
                )))
            }
        }
    }

    /// Returns the next non-empty frame; `None` once the socket has closed.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if !self.put_back.is_empty() {
            return Ok(Some(std::mem::take(&mut self.put_back)));
        }
        loop {
            match self.events.next().await {
                Some(SocketEvent::Frame(bytes)) if !bytes.is_empty() => {
                    self.unread.set(self.unread.get() - bytes.len());
                    return Ok(Some(bytes));
                }
                Some(SocketEvent::Frame(_) | SocketEvent::Opened) => {}
                Some(SocketEvent::Closed { why: Some(why) }) => {
                    return Err(Error::link(why, JsValue::UNDEFINED));
                }
                Some(SocketEvent::Closed { why: None }) | None => return Ok(None),
            }
        }
    }

    /// Puts back data that was read too early, for the next reader.
    pub(super) fn put_back(&mut self, bytes: Vec<u8>) {
        self.put_back = bytes;
    }

    pub(super) fn send_text(&self, text: &str) -> Result<(), Error> {
        let sent = self.socket.0.send_with_str(text);
        sent.map_err(|cause| Error::link("the WebSocket is closed", cause))
    }

    /// Converts the connection to a pair of streams: `frame` converts a frame, `send` writes.
    pub(crate) fn into_streams(
        self,
        send: Send,
        frame: impl Fn(Vec<u8>) -> Vec<u8> + 'static,
    ) -> (WebSocket, web_sys::ReadableStream, web_sys::WritableStream) {
        let socket = self.socket.0.clone();
        let writable = WritableStream::from_sink(writer(socket.clone(), send)).into_raw();
        // Held here, so that a page that only reads does not lose the socket with its writer.
        let writer = writable.clone();
        let frames = self.frames().map(move |bytes| {
            let _writer = &writer;
            Ok(Uint8Array::from(&*frame(bytes?)).into())
        });
        let readable = ReadableStream::from_stream(frames).into_raw();
        (socket, readable, writable)
    }

    fn frames(self) -> impl Stream<Item = Result<Vec<u8>, Error>> {
        stream::try_unfold(self, async |mut connection| {
            let frame = connection.next().await?;
            Ok(frame.map(|frame| (frame, connection)))
        })
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        // Closing a closed socket is allowed.
        let _ = self.0.close();
    }
}

fn create(url: &str, protocols: &[String]) -> Result<WebSocket, Error> {
    if !Reflect::has(&js_sys::global(), &"WebSocket".into()).unwrap_or_default() {
        return Err(Error::new(ErrorKind::Unsupported, UNSUPPORTED));
    }
    let protocols: Array = protocols
        .iter()
        .map(|name| JsValue::from_str(name))
        .collect();
    let socket = WebSocket::new_with_str_sequence(url, &protocols).map_err(|cause| {
        let why = format!("{url} is not a WebSocket address that this page may open");
        Error::link(why, cause)
    })?;
    socket.set_binary_type(BinaryType::Arraybuffer);
    Ok(socket)
}

fn listen(
    socket: &WebSocket,
    events: &UnboundedSender<SocketEvent>,
    unread: &Rc<Cell<usize>>,
) -> [EventListener; 4] {
    // Refused if the reader is gone.
    let tell = |make: fn(&Event) -> SocketEvent| {
        let events = events.clone();
        move |event: &Event| drop(events.unbounded_send(make(event)))
    };
    let (frames, unread) = (events.clone(), Rc::clone(unread));
    [
        EventListener::new(socket, "open", tell(|_| SocketEvent::Opened)),
        EventListener::new(socket, "message", move |event| {
            let _ = frames.unbounded_send(on_message(event, &unread));
        }),
        // An error also closes the socket; in Node, errors without a listener end the process.
        EventListener::new(socket, "error", |_| {}),
        EventListener::new(socket, "close", tell(on_close)),
    ]
}

/// Receives a message. A socket cannot be told to wait, so unread data is kept, up to a limit.
fn on_message(event: &Event, unread: &Cell<usize>) -> SocketEvent {
    let event: &MessageEvent = event.unchecked_ref();
    let bytes = match event.data().dyn_into::<ArrayBuffer>() {
        Ok(buffer) => Uint8Array::new(&buffer).to_vec(),
        Err(text) => text.as_string().unwrap_or_default().into_bytes(),
    };
    unread.set(unread.get() + bytes.len());
    if unread.get() <= UNREAD_LIMIT {
        return SocketEvent::Frame(bytes);
    }
    if let Some(socket) = event.target() {
        let _ = socket.unchecked_into::<WebSocket>().close();
    }
    let why = format!("{UNREAD_LIMIT} bytes were sent and not read; the socket was closed");
    SocketEvent::Closed { why: Some(why) }
}

fn on_close(event: &Event) -> SocketEvent {
    let event: &CloseEvent = event.unchecked_ref();
    let why = (!event.reason().is_empty())
        .then(|| format!("the peer closed the socket: {}", event.reason()));
    SocketEvent::Closed { why }
}

fn writer(socket: WebSocket, send: Send) -> impl Sink<JsValue, Error = JsValue> {
    let state = (Closing(socket), send);
    sink::unfold(state, async |(closing, mut send), chunk: JsValue| {
        let socket = &closing.0;
        if socket.ready_state() != WebSocket::OPEN {
            return Err(Error::link("the WebSocket is closed", JsValue::UNDEFINED).into());
        }
        send(socket, &chunk.unchecked_into::<Data>().bytes()?)?;
        // Sockets do not report when they have space again.
        while socket.ready_state() == WebSocket::OPEN && socket.buffered_amount() > HIGH_WATER {
            sleep(LOOK_AGAIN).await;
        }
        Ok((closing, send))
    })
}

/// Limit of data in the socket before a writer has to wait, in bytes.
const HIGH_WATER: u32 = 64 * 1024;
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// Limit of data for a page that does not read, in bytes: the size of a Zylisp server's largest message.
const UNREAD_LIMIT: usize = 64 * 1024 * 1024;
const UNSUPPORTED: &str = "WebSocket is not available here; Node provides it since version 22";

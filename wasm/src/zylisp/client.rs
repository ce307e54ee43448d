//! A session, as the application sees it.

use std::{rc::Rc, time::Duration};

use flylead_core::zylisp::{Encoding, Program, RequestError, RequestId, Status, ZylispClient};
use futures::FutureExt;
use js_sys::futures::{JsFuture, spawn_local};
use serde::Deserialize;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{ReadableStream, WebSocket, WritableStream};

use super::{
    answer::{Completions, Description, EvalResult, NameInfo},
    session::{Answer, DISCONNECTED, Printed, Request, Session},
};
use crate::{
    binding::arguments::{self, Options, Streams, Url},
    binding::channel::{Bytes, Sender, channel},
    binding::error::Error,
    driver::Driver,
    link::{
        Link, stream,
        websocket::{Connection, Send},
    },
    task::{Reply, Task},
    text,
    types::LostReason,
};

/// Encoding of messages.
#[derive(Debug, Clone, Copy, Default, Deserialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// A JSON object in each text frame.
    #[default]
    Json,
    /// A MessagePack map in each binary frame.
    Msgpack,
}

/// Options of a connection to a server. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ZylispConnectOptions {
    /// Encoding of messages; must match the server's. Default `"json"`.
    #[tsify(optional)]
    pub codec: Codec,
    /// The server's token, if it requires one.
    #[tsify(type = "string")]
    pub token: Option<String>,
    /// Time limit of connecting, in milliseconds. Default 10 000.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub timeout: Option<Duration>,
    /// Limit of an evaluation's output, for its result and unread for its iterator, in bytes. Default 1 MiB.
    #[tsify(type = "number")]
    pub output_limit: Option<usize>,
}

/// Options of an evaluation. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ZylispEvalOptions {
    /// Name of the source in traces: usually a file. Default: none.
    #[tsify(type = "string")]
    pub file: Option<String>,
    /// Size limit of a value that is sent at once, in bytes; `more` returns the rest. Default: the server's.
    #[tsify(type = "number")]
    pub page: Option<usize>,
}

/// Options of a conversation with a server over a link. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ZylispAttachOptions {
    /// Encoding of messages; must match the server's. Default `"json"`.
    #[tsify(optional)]
    pub codec: Codec,
    /// Limit of an evaluation's output, for its result and unread for its iterator, in bytes. Default 1 MiB.
    #[tsify(type = "number")]
    pub output_limit: Option<usize>,
}

/// Session of a Zylisp REPL: its definitions last as long as the session, and are invisible to others. The server is
/// behind a WebSocket (`flylead zylisp serve ws://…`), and may evaluate Zylisp or the Python of a board; or it runs in
/// the page itself (`flylead/zylisp-server`). In Rust, dropping it closes it.
///
/// ```ts
/// const zylisp = await Zylisp.connect("ws://127.0.0.1:5556");
/// const result = await zylisp.eval("(+ 1 2)");
/// if (result.kind === "value") console.log(result.value); // 3
/// ```
#[wasm_bindgen]
#[derive(Debug)]
pub struct Zylisp(Rc<Conversation>);

/// Driver, its session and the peer.
#[derive(Debug)]
struct Conversation {
    driver: Rc<Driver<ZylispClient>>,
    session: Rc<Session>,
    peer: Peer,
}

#[derive(Debug)]
enum Peer {
    Streams(ReadableStream, WritableStream),
    Server(WebSocket),
}

#[wasm_bindgen]
impl Zylisp {
    /// Connects to a server. Fails with `LinkError` (no server there, or it does not allow this page's origin),
    /// `TimeoutError`, `RefusedError` (the token), `UnsupportedError` (no `WebSocket` here).
    ///
    /// # Errors
    /// See above.
    pub async fn connect(
        url: Url,
        options: Option<Options<ZylispConnectOptions>>,
    ) -> Result<Self, Error> {
        let options = Options::get(options)?;
        let encoding = options.codec.into();
        let timeout = options.timeout.unwrap_or(CONNECT_TIMEOUT);
        let connection = Connection::open(&url.get(), &[], timeout).await?;
        let frame = move |frame| ended(encoding, frame);
        let (socket, readable, writable) = connection.into_streams(messages(encoding), frame);
        let link = Link::new(&readable, &writable, false)?;
        let zylisp = Self::start(link, encoding, options.output_limit, Peer::Server(socket));
        if let Some(token) = options.token {
            zylisp.request(|client| client.authorize(&token)).await?;
        }
        Ok(zylisp)
    }

    /// Talks to the server at the other end of a link, such as `openServer()` of `flylead/zylisp-server`. The session
    /// owns the link: `close` closes both streams. Fails with a `TypeError` if one is missing or locked.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for the link or an option.
    pub fn attach(
        link: Streams,
        options: Option<Options<ZylispAttachOptions>>,
    ) -> Result<Self, Error> {
        let options = Options::get(options)?;
        let (readable, writable) = (stream(&link, "readable")?, stream(&link, "writable")?);
        let link = Link::new(&readable, &writable, false)?;
        let peer = Peer::Streams(readable, writable);
        let encoding = options.codec.into();
        Ok(Self::start(link, encoding, options.output_limit, peer))
    }

    /// Resolves when the session ends: with the reason if the connection was lost, without one after `close`.
    #[wasm_bindgen(getter, unchecked_return_type = "Promise<LostError | undefined>")]
    pub fn lost(&self) -> Reply<Option<Error>> {
        self.0.session.ending.lost()
    }

    /// Evaluates all forms of a source. Several evaluations may be pending: they take turns in the order of their
    /// requests. `cancel` interrupts an evaluation, even while it waits for its turn; its result is then
    /// `"interrupted"`. Fails with `RefusedError`, `LostError`, `ClosedError`; an error of the program is a result.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for an option.
    #[wasm_bindgen(unchecked_return_type = "Evaluation")]
    pub fn eval(
        &self,
        code: &str,
        options: Option<Options<ZylispEvalOptions>>,
    ) -> Result<Task<EvalResult, String>, Error> {
        let options = Options::get(options)?;
        let mut program = Program::from(code).live();
        program.file = options.file;
        program.page = options.page;
        Ok(self.evaluate(|client| client.eval(program)))
    }

    /// Like `eval`, for a file on the server's side, below one of its folders.
    #[wasm_bindgen(unchecked_return_type = "Evaluation")]
    pub fn load(&self, path: &str) -> Task<EvalResult, String> {
        self.evaluate(|client| client.load_file_live(path))
    }

    /// Returns the next page, of at most `page` bytes, of the last value's text, if that had `more`. Fails with
    /// `RefusedError` if there is none.
    #[wasm_bindgen(unchecked_return_type = "Promise<EvalResult>")]
    pub fn more(&self, page: usize) -> Reply<EvalResult> {
        let asked = self.request(|client| client.more(page));
        asked.map(EvalResult::from)
    }

    /// Returns the names with this prefix: the language's, and defined ones. Answered even during an evaluation.
    #[wasm_bindgen(unchecked_return_type = "Promise<Completion[]>")]
    pub fn complete(&self, prefix: &str) -> Reply<Completions> {
        let asked = self.request(|client| client.complete(prefix));
        asked.map(Completions::from)
    }

    /// Returns the facts about a name; `undefined` if the server does not know it. Answered even during an evaluation.
    #[wasm_bindgen(js_name = lookUp, unchecked_return_type = "Promise<NameInfo | undefined>")]
    pub fn look_up(&self, name: &str) -> Reply<Option<NameInfo>> {
        let asked = self.request(|client| client.look_up(name));
        asked.map(NameInfo::of)
    }

    /// Returns the description of the server.
    #[wasm_bindgen(unchecked_return_type = "Promise<ZylispDescription>")]
    pub fn describe(&self) -> Reply<Description> {
        let described = self.request(ZylispClient::describe);
        described.map(|answer| Description(answer.reply.data.into()))
    }

    /// Interrupts the evaluation here or, with the name from another session's `describe`, the one there. Resolves to
    /// true if there was one.
    #[wasm_bindgen(unchecked_return_type = "Promise<boolean>")]
    pub fn interrupt(&self, session: Option<String>) -> Reply<bool> {
        let interrupted = self.request(|client| match session {
            Some(session) => client.interrupt_session(&session, None),
            None => client.interrupt(None),
        });
        interrupted.map(|answer| !answer.reply.status.contains(&Status::SessionIdle))
    }

    /// Ends the session: running evaluations are stopped, pending requests end with `ClosedError`.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Zylisp {
    fn start(link: Link, encoding: Encoding, output_limit: Option<usize>, peer: Peer) -> Self {
        let session = Rc::new(Session::new(output_limit.unwrap_or(OUTPUT_LIMIT)));
        let machine = ZylispClient::new(encoding, MESSAGE_LIMIT);
        let driver = Driver::spawn(link, machine, Rc::clone(&session));
        Self(Rc::new(Conversation {
            driver,
            session,
            peer,
        }))
    }

    fn evaluate(&self, command: impl Command) -> Task<EvalResult, String> {
        let (output, events) = channel(Bytes::new(self.0.session.output_limit));
        let (request, reply) = self.0.request(Some(output), command);
        let conversation = Rc::clone(&self.0);
        let cancel = move || {
            if let Some(request) = request {
                conversation.interrupt(request);
            }
        };
        Task::new(reply.map(EvalResult::from), events, cancel).map_events(text::decode)
    }

    fn request(&self, command: impl Command) -> Reply<Answer> {
        self.0.request(None, command).1
    }
}

impl Drop for Zylisp {
    fn drop(&mut self) {
        self.close();
    }
}

/// Request to a server.
trait Command: FnOnce(&mut ZylispClient) -> Result<RequestId, RequestError> {}

impl<F: FnOnce(&mut ZylispClient) -> Result<RequestId, RequestError>> Command for F {}

impl Conversation {
    fn request(
        &self,
        output: Option<Sender<Bytes>>,
        command: impl Command,
    ) -> (Option<RequestId>, Reply<Answer>) {
        let (sender, reply) = Reply::channel();
        let asked = self.session.ending.check().and_then(|()| {
            let asked = self.driver.command(|client, _| command(client));
            asked.map_err(|RequestError::Lost| Error::lost(LostReason::Closed, None, DISCONNECTED))
        });
        match asked {
            Ok(id) => {
                let printed = Printed::default();
                let request = Request {
                    sender,
                    output,
                    printed,
                };
                self.session.begin(id, request);
                (Some(id), reply)
            }
            Err(error) => {
                // The receiver exists: it is the returned answer.
                let _ = sender.send(Err(error));
                (None, reply)
            }
        }
    }

    /// Interrupts one evaluation, even if it still waits for its turn.
    fn interrupt(&self, request: RequestId) {
        if self.session.is_under_way(request) {
            // Refused only once the connection has closed, and then the evaluation has ended, too.
            let _ = self
                .driver
                .command(|client, _| client.interrupt(Some(request)));
        }
    }

    fn close(&self) {
        self.driver.close();
        self.session.close();
        match &self.peer {
            // The result of closing no longer matters.
            Peer::Streams(readable, writable) => {
                spawn_local(JsFuture::from(readable.cancel()).map(drop));
                spawn_local(JsFuture::from(writable.close()).map(drop));
            }
            Peer::Server(socket) => drop(socket.close()),
        }
    }
}

/// Returns a writer of one message per frame: text for JSON, bytes for MessagePack.
fn messages(encoding: Encoding) -> Send {
    Box::new(move |socket, bytes| {
        encoding
            .messages(bytes)
            .try_for_each(|message| match std::str::from_utf8(message) {
                Ok(text) if encoding.is_text() => socket.send_with_str(text),
                _ => socket.send_with_u8_array(message),
            })
    })
}

/// Terminates a frame, and thus any value that is truncated in it.
fn ended(encoding: Encoding, mut frame: Vec<u8>) -> Vec<u8> {
    if encoding.is_text() {
        frame.push(b'\n');
    }
    frame
}

impl From<Codec> for Encoding {
    fn from(codec: Codec) -> Self {
        match codec {
            Codec::Json => Self::Json,
            Codec::Msgpack => Self::MessagePack,
        }
    }
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Size limit of a reply, in bytes.
const MESSAGE_LIMIT: usize = 64 << 20;
/// Default output limit, in bytes.
const OUTPUT_LIMIT: usize = 1 << 20;

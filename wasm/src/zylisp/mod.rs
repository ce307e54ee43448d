//! A Zylisp REPL as JavaScript objects: on a server over a WebSocket, or in the page itself.
//!
//! ```text
//!   Zylisp ─► Driver (ZylispClient) ─► link ─┬─► WebSocket ─► a server
//!                                            └─► Local (Session, the language), in slices of a few milliseconds
//! ```

mod desk;
mod evaluation;
mod local;
mod socket;

use std::{rc::Rc, time::Duration};

use flylead_core::{
    Instant,
    zylisp::{Encoding, Program, RequestError, RequestId, ZylispClient, lang},
};
use js_sys::{Object, Promise, RangeError, futures::future_to_promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    deferred::Deferred,
    driver::Driver,
    error,
    link::Link,
    options::{self, duration, text},
};
use desk::{Desk, Wanted};
pub use evaluation::Evaluation;
use local::Local;
use socket::Socket;

/// A session: an environment of its own, as long as its connection lives.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Zylisp {
    conversation: Conversation,
}

/// A driver, its desk and the other side. Clones are the same session.
#[derive(Debug, Clone)]
struct Conversation {
    driver: Rc<Driver<ZylispClient>>,
    desk: Rc<Desk>,
    peer: Peer,
}

#[derive(Debug, Clone)]
enum Peer {
    Local(Rc<Local>),
    Socket(Socket),
}

#[wasm_bindgen]
impl Zylisp {
    /// Connects to a server.
    pub fn connect(url: &JsValue, options: &JsValue) -> Promise {
        let (url, options) = (to_text(url), options.clone());
        future_to_promise(async move { Ok(connect(&url, &options).await?.into()) })
    }

    /// Starts a session in the page.
    ///
    /// # Errors
    /// A `RangeError` for an option that makes no sense.
    pub fn local(options: &JsValue) -> Result<Self, JsValue> {
        let limit = output_limit(options)?;
        let (local, link) = Local::open(duration(options, "evalTimeout")?);
        Self::start(&link, Encoding::Json, limit, Peer::Local(local))
    }

    /// Resolves when the session is over.
    #[wasm_bindgen(getter)]
    pub fn lost(&self) -> Promise {
        self.conversation.desk.lost()
    }

    /// Evaluates a source.
    pub fn eval(&self, code: String) -> Evaluation {
        self.evaluate(|client, now| client.eval(now, Program::from(code).live()))
    }

    /// Evaluates a file on the server's side.
    pub fn load(&self, path: &str) -> Evaluation {
        self.evaluate(|client, now| client.load_file_live(now, path))
    }

    /// What the server is and can do.
    pub fn describe(&self) -> Promise {
        self.ask(Wanted::Data, ZylispClient::describe)
    }

    /// Interrupts what runs; with `session`, what runs in another one.
    pub fn interrupt(&self, session: Option<String>) -> Promise {
        self.ask(Wanted::Found, |client, now| match session {
            Some(session) => client.interrupt_session(now, &session, None),
            None => client.interrupt(now, None),
        })
    }

    /// Ends the session.
    pub fn close(&self) -> Promise {
        self.conversation.end();
        Promise::resolve(&JsValue::UNDEFINED)
    }

    /// `close`, for `await using`.
    #[wasm_bindgen(js_name = "[Symbol.asyncDispose]")]
    pub fn dispose(&self) -> Promise {
        self.close()
    }
}

impl Zylisp {
    fn start(
        link: &JsValue,
        encoding: Encoding,
        output_limit: usize,
        peer: Peer,
    ) -> Result<Self, JsValue> {
        let desk = Rc::new(Desk::new(output_limit));
        let machine = ZylispClient::new(encoding, MESSAGE_LIMIT);
        let driver = Driver::spawn(Link::lock(link)?, machine, Rc::clone(&desk));
        Ok(Self {
            conversation: Conversation { driver, desk, peer },
        })
    }

    fn evaluate(&self, command: impl Command) -> Evaluation {
        let queue = self.conversation.desk.queue();
        let wanted = Wanted::Evaluation {
            output: queue.clone(),
            printed: String::new(),
            omitted: 0,
        };
        let (request, done) = self.conversation.request(wanted, command);
        if request.is_none() {
            queue.end(Ok(()));
        }
        Evaluation::new(request, done, queue, self.conversation.clone())
    }

    fn ask(&self, wanted: Wanted, command: impl Command) -> Promise {
        self.conversation.request(wanted, command).1
    }
}

impl Drop for Zylisp {
    fn drop(&mut self) {
        self.conversation.end();
    }
}

/// Something to ask a server for.
trait Command: FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError> {}

impl<F: FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError>> Command for F {}

impl Conversation {
    /// Asks for something, and answers with the promise of it.
    fn request(&self, wanted: Wanted, command: impl Command) -> (Option<RequestId>, Promise) {
        let deferred = Deferred::new();
        let promise = deferred.promise.clone();
        let made = match self.desk.check() {
            Ok(()) => self
                .driver
                .command(command)
                .map_err(|_| error::disconnected(None, None)),
            Err(error) => Err(error),
        };
        match made {
            Ok(request) => {
                self.desk.wait(request, wanted, deferred);
                (Some(request), promise)
            }
            Err(error) => {
                deferred.settle(Err(error));
                (None, promise)
            }
        }
    }

    /// Interrupts one evaluation, also one that still waits for its turn.
    fn interrupt(&self, request: RequestId) {
        if self.desk.waits(request) {
            let command = |client: &mut ZylispClient, now| client.interrupt(now, Some(request));
            // Refused only when the connection is over, and then the evaluation is too.
            let _ = self.driver.command(command);
        }
    }

    fn end(&self) {
        self.driver.close();
        self.desk.close();
        match &self.peer {
            Peer::Local(local) => local.end(),
            Peer::Socket(socket) => socket.end(),
        }
    }
}

/// Whether a source can still become whole by typing on: what a prompt's Enter must know.
#[wasm_bindgen(js_name = isUnfinished, skip_typescript)]
pub fn is_unfinished(source: &str) -> bool {
    lang::is_unfinished(source)
}

async fn connect(url: &str, options: &JsValue) -> Result<Zylisp, JsValue> {
    let encoding = encoding(options)?;
    let limit = output_limit(options)?;
    let token = text(options, "token")?;
    let timeout = duration(options, "timeout")?.unwrap_or(CONNECT_TIMEOUT);
    let (socket, link) = Socket::open(url, encoding, timeout).await?;
    let zylisp = Zylisp::start(&link, encoding, limit, Peer::Socket(socket))?;
    if let Some(token) = token {
        let authorize = |client: &mut ZylispClient, now| client.authorize(now, &token);
        let shown = zylisp.ask(Wanted::Found, authorize);
        js_sys::futures::JsFuture::from(shown).await?;
    }
    Ok(zylisp)
}

fn encoding(options: &JsValue) -> Result<Encoding, JsValue> {
    let name = text(options, "codec")?;
    name.map_or(Ok(Encoding::Json), |name| {
        name.parse()
            .map_err(|_| RangeError::new("codec must be \"json\" or \"msgpack\"").into())
    })
}

fn output_limit(options: &JsValue) -> Result<usize, JsValue> {
    Ok(options::bytes(options, "outputLimit")?.unwrap_or(OUTPUT_LIMIT))
}

/// A string as it is, a `URL` as it prints.
fn to_text(value: &JsValue) -> String {
    value
        .as_string()
        .unwrap_or_else(|| Object::from(value.clone()).to_string().into())
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest reply, in bytes.
const MESSAGE_LIMIT: usize = 64 << 20;
const OUTPUT_LIMIT: usize = 1 << 20;

//! A Zylisp server and the language in the page, run in slices so short that the page stays responsive.
//!
//! ```text
//!   Zylisp ─► Driver (ZylispClient) ─► link ─► Session ─► ZylispServer, the language
//! ```
//!
//! It is a separate module, which applications that only use remote servers need not load.
//!
//! ```no_run
//! # async fn example() -> Result<(), flylead_wasm::Error> {
//! use flylead_wasm::{Zylisp, open_server};
//!
//! let zylisp = Zylisp::attach(open_server(None)?, None)?;
//! let result = zylisp.eval("(+ 1 2)", None)?.await?;
//! # Ok(()) }
//! ```

use std::{cell::RefCell, time::Duration};

use flylead_core::{
    Input, Machine as _, Pump,
    zylisp::{
        ServerConfig, ServerEvent, Zylisp, ZylispServer,
        lang::{Budget, Limits},
    },
};
use futures::{FutureExt, SinkExt, StreamExt, channel::mpsc};
use js_sys::{Uint8Array, futures::spawn_local};
use serde::Deserialize;
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_streams::{ReadableStream, WritableStream};

use crate::{
    binding::arguments::{self, Data, Options, Streams},
    binding::clock::{Clock, yield_to_page},
    binding::error::Error,
    binding::values::object,
};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { Link } from "../../types/index.js";"#;

/// Options of a server in the page. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ZylispServerOptions {
    /// Time in milliseconds after which an evaluation ends with an error of type `limit-error`. Default: none.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub eval_timeout: Option<Duration>,
}

/// Starts a server and the language in the page, for one session: `Zylisp.attach(openServer())`. It evaluates in slices
/// of a few milliseconds, so that an endless loop neither freezes the page nor escapes `interrupt`, and stops once one
/// of the link's streams is closed, which `Zylisp.close` does.
///
/// # Errors
/// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for an option.
#[wasm_bindgen(js_name = openServer, unchecked_return_type = "Link")]
pub fn open_server(options: Option<Options<ZylispServerOptions>>) -> Result<Streams, Error> {
    let options = Options::get(options)?;
    let (requests, unread) = mpsc::channel::<JsValue>(0);
    let (replies, readable) = mpsc::channel(0);
    spawn_local(Session::new(options.eval_timeout).serve(unread, replies));
    let requests = requests.sink_map_err(|_| "the session has ended".into());
    let writable = WritableStream::from_sink(requests).into_raw();
    let readable = ReadableStream::from_stream(readable.map(Ok)).into_raw();
    let link = object(&[("readable", readable.into()), ("writable", writable.into())]);
    Ok(link.unchecked_into())
}

/// Session behind a pair of streams, until one of them is closed.
struct Session {
    server: RefCell<Pump<ZylispServer>>,
    clock: Clock,
}

impl Session {
    /// Creates a session whose evaluations take no longer than `eval`.
    fn new(eval: Option<Duration>) -> Self {
        let clock = Clock::start();
        let mut config = ServerConfig::default();
        config.limits.eval = eval;
        config.session = "local".into();
        config.transports = vec!["in-process".into()];
        let language = Zylisp::factory(Limits::default(), Budget::unlimited());
        let server = ZylispServer::new(clock.now(), config, language);
        Self {
            server: RefCell::new(Pump::new(server)),
            clock,
        }
    }

    async fn serve(
        self,
        mut requests: mpsc::Receiver<JsValue>,
        mut replies: mpsc::Sender<JsValue>,
    ) {
        loop {
            let is_busy = self.run();
            let is_over = self.handle_events();
            self.reply(&mut replies).await;
            if is_over || replies.is_closed() {
                return;
            }
            let next = requests.next();
            let request = if is_busy {
                yield_to_page().await;
                next.now_or_never()
            } else {
                Some(next.await)
            };
            match request {
                Some(Some(chunk)) => self.feed(chunk.unchecked_ref()),
                Some(None) => return,
                None => {}
            }
        }
    }

    /// Evaluates for a moment. Returns true if there is more to do.
    fn run(&self) -> bool {
        let until = self.clock.now() + SLICE;
        let mut server = self.server.borrow_mut();
        loop {
            let now = self.clock.now();
            server.handle_input(now, Input::Timeout);
            let is_busy = server.machine().wants_turn();
            if !is_busy || now >= until {
                return is_busy;
            }
        }
    }

    /// Handles events, and refuses those that a session in a page cannot handle; returns true once
    /// the session has ended.
    fn handle_events(&self) -> bool {
        let mut server = self.server.borrow_mut();
        let now = self.clock.now();
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Load(load) => {
                    server
                        .command(|server| server.loaded(now, &load.session, Err(NO_FILES.into())));
                }
                // The page has no other session.
                ServerEvent::InterruptElsewhere(elsewhere) => {
                    server.command(|server| server.interrupted(elsewhere.id, None));
                }
                ServerEvent::Ended { .. } => return true,
            }
        }
        false
    }

    async fn reply(&self, replies: &mut mpsc::Sender<JsValue>) {
        let bytes = self.server.borrow_mut().take_transmit();
        if !bytes.is_empty() {
            // Refused if the reader is gone, and then there are no more requests.
            let _ = replies.send(Uint8Array::from(&*bytes).into()).await;
        }
    }

    fn feed(&self, chunk: &Data) {
        // The driver only writes bytes.
        let bytes = chunk.bytes().unwrap_or_default();
        let now = self.clock.now();
        let mut server = self.server.borrow_mut();
        server.handle_input(now, Input::Bytes(&bytes));
    }
}

/// Time for which the page is kept from other work.
const SLICE: Duration = Duration::from_millis(3);
const NO_FILES: &str = "a page has no files to load";

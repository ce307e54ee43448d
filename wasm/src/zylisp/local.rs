//! A server and the language in the page, in slices so short that the page stays alive.

use std::{cell::RefCell, fmt, rc::Rc, time::Duration};

use flylead_core::{
    Input, Machine as _, Pump,
    zylisp::{
        ServerConfig, ServerEvent, Zylisp, ZylispServer,
        lang::{Budget, Limits},
    },
};
use futures::{
    FutureExt, SinkExt, StreamExt,
    channel::mpsc,
    future::{AbortHandle, Abortable},
};
use js_sys::{Uint8Array, futures::spawn_local};
use wasm_bindgen::{JsCast, JsValue};
use wasm_streams::{ReadableStream, WritableStream};

use crate::{
    border::Data,
    clock::{Clock, yield_to_page},
    link::Link,
};

/// A session behind a pair of streams, as long as nobody ends it.
pub(super) struct Local {
    server: RefCell<Pump<ZylispServer>>,
    clock: Clock,
    task: AbortHandle,
}

impl Local {
    /// A session whose evaluations take no longer than `eval`, and the link to it.
    pub(super) fn open(eval: Option<Duration>) -> (Rc<Self>, Link) {
        let clock = Clock::start();
        let mut config = ServerConfig::default();
        config.limits.eval = eval;
        config.session = "local".into();
        config.transports = vec!["in-process".into()];
        let language = Zylisp::factory(Limits::default(), Budget::unlimited());
        let server = ZylispServer::new(clock.now(), config, language);
        let (task, registration) = AbortHandle::new_pair();
        let local = Rc::new(Self {
            server: RefCell::new(Pump::new(server)),
            clock,
            task,
        });
        let (requests, unread) = mpsc::channel::<JsValue>(0);
        let (replies, readable) = mpsc::channel(0);
        let serve = Rc::clone(&local).serve(unread, replies);
        spawn_local(Abortable::new(serve, registration).map(drop));
        let requests = requests.sink_map_err(|_| "the session has ended".into());
        let writable = WritableStream::from_sink(requests).into_raw();
        let readable = ReadableStream::from_stream(readable.map(Ok)).into_raw();
        let link = Link::new(&readable, &writable, false);
        (local, link.expect("new streams are not locked"))
    }

    /// Stops what runs.
    pub(super) fn end(&self) {
        self.task.abort();
    }

    async fn serve(
        self: Rc<Self>,
        mut requests: mpsc::Receiver<JsValue>,
        mut replies: mpsc::Sender<JsValue>,
    ) {
        loop {
            let is_busy = self.run();
            let is_over = self.handle_events();
            self.reply(&mut replies).await;
            if is_over {
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

    /// Evaluates for a moment. Whether there is more to do.
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

    /// What a session in a page cannot do is answered so. Whether the session is over.
    fn handle_events(&self) -> bool {
        let mut server = self.server.borrow_mut();
        let now = self.clock.now();
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Load(load) => {
                    server
                        .command(|server| server.loaded(now, &load.session, Err(NO_FILES.into())));
                }
                // There is no other session here.
                ServerEvent::InterruptElsewhere(elsewhere) => {
                    server.command(|server| server.interrupted(now, elsewhere.id, None));
                }
                ServerEvent::Ended { .. } => return true,
            }
        }
        false
    }

    async fn reply(&self, replies: &mut mpsc::Sender<JsValue>) {
        let bytes = self.server.borrow_mut().take_transmit();
        if !bytes.is_empty() {
            // Refused when nobody reads any more, and then nobody asks.
            let _ = replies.send(Uint8Array::from(&*bytes).into()).await;
        }
    }

    fn feed(&self, chunk: &Data) {
        // The driver writes nothing but bytes.
        let bytes = chunk.bytes().unwrap_or_default();
        let now = self.clock.now();
        let mut server = self.server.borrow_mut();
        server.handle_input(now, Input::Bytes(&bytes));
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}

/// How long the page is kept from what it has to do otherwise.
const SLICE: Duration = Duration::from_millis(3);
const NO_FILES: &str = "a page has no files to load";

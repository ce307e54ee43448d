//! A server and the language in the page, in slices so short that the page stays alive.

use std::{
    cell::{Cell, RefCell},
    fmt,
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
    time::Duration,
};

use flylead_core::{
    Input, Machine as _, Pump,
    zylisp::{
        ServerConfig, ServerEvent, Zylisp, ZylispServer,
        lang::{Budget, Limits},
    },
};
use js_sys::futures::spawn_local;
use wasm_bindgen::JsValue;

use crate::{
    queue::Queue,
    streams::{object, readable, writable},
    timer::{Clock, turn},
};

/// A session behind a pair of streams, as long as nobody ends it.
pub(super) struct Local {
    server: RefCell<Pump<ZylispServer>>,
    clock: Clock,
    replies: Queue,
    fed: Cell<bool>,
    ended: Cell<bool>,
    waker: Cell<Option<Waker>>,
}

impl Local {
    /// A session whose evaluations take no longer than `eval`, and the link to it.
    pub(super) fn open(eval: Option<Duration>) -> (Rc<Self>, JsValue) {
        let clock = Clock::start();
        let mut config = ServerConfig::default();
        config.limits.eval = eval;
        config.session = "local".into();
        config.transports = vec!["in-process".into()];
        let language = Zylisp::factory(Limits::default(), Budget::unlimited());
        let server = ZylispServer::new(clock.now(), config, language);
        let local = Rc::new(Self {
            server: RefCell::new(Pump::new(server)),
            clock,
            replies: Queue::new(usize::MAX),
            fed: Cell::default(),
            ended: Cell::default(),
            waker: Cell::default(),
        });
        spawn_local(Rc::clone(&local).serve());
        let link = local.link();
        (local, link)
    }

    /// Stops what runs.
    pub(super) fn end(&self) {
        self.ended.set(true);
        self.wake();
    }

    fn link(self: &Rc<Self>) -> JsValue {
        let local = Rc::clone(self);
        let requests = writable(move |bytes| {
            local.feed(&bytes);
            async { Ok(()) }
        });
        let replies = readable(self.replies.clone());
        object(&[("readable", replies), ("writable", requests)]).into()
    }

    fn feed(&self, bytes: &[u8]) {
        let now = self.clock.now();
        self.server
            .borrow_mut()
            .handle_input(now, Input::Bytes(bytes));
        self.fed.set(true);
        self.wake();
    }

    async fn serve(self: Rc<Self>) {
        while !self.ended.get() {
            self.fed.set(false);
            let busy = self.run();
            self.answer();
            if busy {
                turn().await;
            } else {
                self.wait().await;
            }
        }
        self.replies.end(Ok(()));
    }

    /// Evaluates for a moment. Whether there is more to do.
    fn run(&self) -> bool {
        let until = self.clock.now() + SLICE;
        let mut server = self.server.borrow_mut();
        loop {
            let now = self.clock.now();
            server.handle_input(now, Input::Timeout);
            let busy = server.machine().wants_turn();
            if !busy || now >= until {
                return busy;
            }
        }
    }

    fn answer(&self) {
        let mut server = self.server.borrow_mut();
        let now = self.clock.now();
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Load(load) => server.command(|server| {
                    let why = "a page has no files to load".into();
                    server.loaded(now, &load.session, Err(why));
                }),
                ServerEvent::InterruptElsewhere(elsewhere) => {
                    server.command(|server| server.interrupted(now, elsewhere.id, None));
                }
                _ => self.ended.set(true),
            }
        }
        let bytes = server.take_transmit();
        if !bytes.is_empty() {
            self.replies.push(bytes);
        }
    }

    async fn wait(&self) {
        poll_fn(|context| {
            if self.fed.get() || self.ended.get() {
                return Poll::Ready(());
            }
            self.waker.set(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}

/// How long the page is kept from what it has to do otherwise.
const SLICE: Duration = Duration::from_millis(3);

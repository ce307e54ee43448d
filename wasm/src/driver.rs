//! One task that moves bytes, time and events between a machine and a link.
//!
//! ```text
//! loop {
//!     send   pump.take_transmit()
//!     while  let Some(event) = pump.poll_event() { hand it out }
//!     wait   for the first of: command · written · chunk · closed · pump.poll().until
//!     feed   exactly that one
//! }
//! ```
//!
//! It is independent of any protocol.

use std::{cell::RefCell, fmt, ops::ControlFlow, pin::pin, rc::Rc};

use flylead_core::{Input, Instant, Machine, Pump};
use futures::{
    FutureExt, StreamExt,
    channel::mpsc,
    future::{AbortHandle, Abortable, Fuse, FusedFuture},
    select_biased,
};
use js_sys::futures::{JsFuture, spawn_local};
use wasm_bindgen::JsValue;

use crate::{
    binding::clock::{Clock, Timer},
    link::Link,
};

/// Application that receives a machine's events. The machine is not borrowed during the calls, so every command may be
/// issued from them.
pub trait Application<M: Machine>: 'static {
    /// Handles an event. [`ControlFlow::Break`] ends the conversation and releases the link.
    fn event(&self, driver: &Driver<M>, event: M::Event) -> ControlFlow<()>;

    /// Runs after the machine has processed an input and its events were handed out.
    fn settled(&self, _driver: &Driver<M>) {}
}

/// Runs a machine on a link until it is closed.
pub struct Driver<M: Machine> {
    pump: RefCell<Pump<M>>,
    clock: Clock,
    link: Link,
    fault: RefCell<Option<JsValue>>,
    wakeup: RefCell<mpsc::Sender<()>>,
    /// Aborted once the conversation is over.
    task: AbortHandle,
}

impl<M: Machine + 'static> Driver<M> {
    /// Starts the conversation; it ends with [`close`](Self::close) or when `application` breaks it off. Dropping the
    /// driver does not end it.
    pub fn spawn(link: Link, machine: M, application: Rc<impl Application<M>>) -> Rc<Self> {
        let (wakeup, commands) = mpsc::channel(0);
        let (task, registration) = AbortHandle::new_pair();
        let driver = Rc::new(Self {
            pump: RefCell::new(Pump::new(machine)),
            clock: Clock::start(),
            link,
            fault: RefCell::default(),
            wakeup: RefCell::new(wakeup),
            task,
        });
        let run = Rc::clone(&driver).run(commands, application);
        spawn_local(Abortable::new(run, registration).map(drop));
        driver
    }

    /// Runs a command on the machine, with the current time. Its consequences follow later, never during the call.
    pub fn command<R>(&self, command: impl FnOnce(&mut M, Instant) -> R) -> R {
        let now = self.clock.now();
        let mut pump = self.pump.borrow_mut();
        let answer = pump.command(|machine| command(machine, now));
        // Full: the task is awake already.
        let _ = self.wakeup.borrow_mut().try_send(());
        answer
    }

    /// Inspects the machine.
    pub fn inspect<R>(&self, look: impl FnOnce(&M) -> R) -> R {
        look(self.pump.borrow().machine())
    }

    /// Returns the error that the link threw, if any.
    pub fn fault(&self) -> Option<JsValue> {
        self.fault.borrow().clone()
    }

    /// Ends the conversation: data of earlier commands is still passed to the stream, and no further events are handed
    /// out. Both streams are unlocked when this returns.
    pub fn close(&self) {
        if self.task.is_aborted() {
            return;
        }
        if let Some(rest) = self.transmit() {
            // No caller is left to learn that the link failed.
            spawn_local(rest.map(drop));
        }
        self.task.abort();
        self.link.release();
    }

    async fn run(
        self: Rc<Self>,
        mut commands: mpsc::Receiver<()>,
        application: Rc<impl Application<M>>,
    ) {
        let mut chunks = pin!(self.link.chunks().fuse());
        let mut written = Fuse::terminated();
        let mut timer = Timer::unset();
        loop {
            self.write(&mut written);
            if self.hand_out(&*application).is_break() {
                return self.close();
            }
            timer.set(self.pump.borrow().poll().until, self.clock.now());
            select_biased! {
                _ = commands.next() => {}
                result = &mut written => result.map(drop).unwrap_or_else(|fault| self.fail(fault)),
                chunk = chunks.next() => self.read(chunk),
                () = &mut timer.fired => self.feed(Input::Timeout),
            }
        }
    }

    /// Writes pending data. A write in progress delays the next one, but not reading: a board that cannot take more may
    /// be waiting for us to take its output.
    fn write(&self, written: &mut Fuse<JsFuture>) {
        if written.is_terminated() {
            *written = self
                .transmit()
                .map_or_else(Fuse::terminated, FutureExt::fuse);
        }
    }

    fn transmit(&self) -> Option<JsFuture> {
        let bytes = self.pump.borrow_mut().take_transmit();
        (!bytes.is_empty()).then(|| self.link.write(&bytes))
    }

    fn hand_out(&self, application: &impl Application<M>) -> ControlFlow<()> {
        while let Some(event) = self.next_event() {
            application.event(self, event)?;
        }
        application.settled(self);
        if self.task.is_aborted() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn next_event(&self) -> Option<M::Event> {
        let is_open = !self.task.is_aborted();
        is_open.then(|| self.pump.borrow_mut().poll_event())?
    }

    fn read(&self, chunk: Option<Result<Vec<u8>, JsValue>>) {
        match chunk {
            Some(Ok(bytes)) => self.feed(Input::Bytes(&bytes)),
            Some(Err(fault)) => self.fail(fault),
            None => self.feed(Input::Closed),
        }
    }

    fn fail(&self, fault: JsValue) {
        self.fault.replace(Some(fault));
        self.feed(Input::Closed);
    }

    fn feed(&self, input: Input<'_>) {
        let now = self.clock.now();
        self.pump.borrow_mut().handle_input(now, input);
    }
}

impl<M: Machine> fmt::Debug for Driver<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("link", &self.link)
            .finish_non_exhaustive()
    }
}

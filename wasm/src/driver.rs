//! One task that moves bytes, time and events between a machine and a link.
//!
//! ```text
//! loop {
//!     send   pump.take_transmit()
//!     while  let Some(event) = pump.poll_event() { hand it out }
//!     wait   for the first of: written · chunk · closed · command · pump.deadline()
//!     feed   exactly that one
//! }
//! ```
//!
//! Nothing of any protocol is in here.

use std::{
    cell::{Cell, RefCell},
    fmt,
    future::{Future, poll_fn},
    ops::ControlFlow,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use flylead_core::{Input, Instant, Machine, Pump};
use js_sys::futures::{JsFuture, spawn_local};
use wasm_bindgen::JsValue;

use crate::{
    link::{Chunk, Link},
    timer::{Clock, Timer},
};

/// What a driver tells. The machine is not borrowed meanwhile: every command may be issued from here.
pub trait Application<M: Machine>: 'static {
    /// The machine said this. [`ControlFlow::Break`] ends the conversation and releases the link.
    fn event(&self, driver: &Driver<M>, event: M::Event) -> ControlFlow<()>;

    /// The machine has taken in something and its events are handed out.
    fn settled(&self, _driver: &Driver<M>) {}
}

/// A machine and its link, until it is closed.
pub struct Driver<M: Machine> {
    pump: RefCell<Pump<M>>,
    clock: Clock,
    /// `None` once the conversation is over.
    link: RefCell<Option<Link>>,
    fault: RefCell<Option<JsValue>>,
    commanded: Cell<bool>,
    waker: Cell<Option<Waker>>,
}

impl<M: Machine + 'static> Driver<M> {
    /// Starts the conversation; it ends by [`close`](Self::close) or when `application` breaks it off. Dropping the
    /// answer does not end it.
    pub fn spawn(link: Link, machine: M, application: Rc<impl Application<M>>) -> Rc<Self> {
        let driver = Rc::new(Self {
            pump: RefCell::new(Pump::new(machine)),
            clock: Clock::start(),
            link: RefCell::new(Some(link)),
            fault: RefCell::default(),
            commanded: Cell::default(),
            waker: Cell::default(),
        });
        spawn_local(Task::new(Rc::clone(&driver)).run(application));
        driver
    }

    /// Gives the machine a command, with the time it is now. What follows from it happens later, never in here.
    pub fn command<R>(&self, command: impl FnOnce(&mut M, Instant) -> R) -> R {
        let now = self.clock.now();
        let answer = self
            .pump
            .borrow_mut()
            .command(|machine| command(machine, now));
        self.wake();
        answer
    }

    /// Looks at the machine.
    pub fn inspect<R>(&self, look: impl FnOnce(&M) -> R) -> R {
        look(self.pump.borrow().machine())
    }

    /// What the link threw, if it did.
    pub fn fault(&self) -> Option<JsValue> {
        self.fault.borrow().clone()
    }

    /// Ends the conversation: what was commanded before is still handed to the stream, nothing is handed out any
    /// more. Both streams are unlocked when this returns.
    pub fn close(&self) {
        if let Some(link) = self.link.take() {
            self.send_rest(&link);
        }
        self.wake();
    }

    fn send_rest(&self, link: &Link) {
        let bytes = self.pump.borrow_mut().take_transmit();
        if !bytes.is_empty() {
            let written = JsFuture::from(link.write(&bytes));
            // Nobody is there any more to hear that the link failed.
            spawn_local(async move { drop(written.await) });
        }
    }
}

impl<M: Machine> fmt::Debug for Driver<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("link", &self.link)
            .finish_non_exhaustive()
    }
}

impl<M: Machine> Driver<M> {
    fn wake(&self) {
        self.commanded.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn is_open(&self) -> bool {
        self.link.borrow().is_some()
    }

    fn next_event(&self) -> Option<M::Event> {
        self.pump.borrow_mut().poll_event()
    }

    fn feed(&self, input: Input<'_>) {
        let now = self.clock.now();
        self.pump.borrow_mut().handle_input(now, input);
    }
}

/// What ends a wait.
enum Wakeup {
    Commanded,
    Written(Result<JsValue, JsValue>),
    Read(Result<JsValue, JsValue>),
    Due,
}

/// The waits that are under way. None is ever abandoned for another: a read that was begun is read.
struct Task<M: Machine> {
    driver: Rc<Driver<M>>,
    write: Option<JsFuture>,
    read: Option<JsFuture>,
    timer: Option<Timer>,
    ended: bool,
}

impl<M: Machine> Task<M> {
    fn new(driver: Rc<Driver<M>>) -> Self {
        Self {
            driver,
            write: None,
            read: None,
            timer: None,
            ended: false,
        }
    }

    async fn run(mut self, application: Rc<impl Application<M>>) {
        while self.driver.is_open() {
            self.transmit();
            if self.hand_out(&*application).is_break() {
                break;
            }
            self.arm();
            let wakeup = poll_fn(|context| self.poll(context)).await;
            self.feed(wakeup);
        }
        self.driver.link.take();
    }

    /// A write in progress holds back the next one, but not reading: a board that cannot take more may be waiting
    /// for us to take what it says.
    fn transmit(&mut self) {
        if self.write.is_some() {
            return;
        }
        let bytes = self.driver.pump.borrow_mut().take_transmit();
        if let (false, Some(link)) = (bytes.is_empty(), &*self.driver.link.borrow()) {
            self.write = Some(link.write(&bytes).into());
        }
    }

    fn hand_out(&self, application: &impl Application<M>) -> ControlFlow<()> {
        while self.driver.is_open()
            && let Some(event) = self.driver.next_event()
        {
            application.event(&self.driver, event)?;
        }
        application.settled(&self.driver);
        ControlFlow::Continue(())
    }

    fn arm(&mut self) {
        if let (None, false, Some(link)) = (&self.read, self.ended, &*self.driver.link.borrow()) {
            self.read = Some(link.read().into());
        }
        let deadline = self.driver.pump.borrow().deadline();
        // A timer that fires early is harmless, and setting one for each chunk is not cheap: an earlier one stays.
        self.timer = match (self.timer.take(), deadline) {
            (_, None) => None,
            (Some(timer), Some(due)) if timer.due() <= due => Some(timer),
            (_, Some(due)) => Some(Timer::new(due, self.driver.clock.now())),
        };
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Wakeup> {
        self.driver.waker.set(Some(context.waker().clone()));
        if self.driver.commanded.replace(false) {
            return Poll::Ready(Wakeup::Commanded);
        }
        if let Poll::Ready(result) = poll_slot(&mut self.write, context) {
            return Poll::Ready(Wakeup::Written(result));
        }
        if let Poll::Ready(result) = poll_slot(&mut self.read, context) {
            return Poll::Ready(Wakeup::Read(result));
        }
        poll_slot(&mut self.timer, context).map(|()| Wakeup::Due)
    }

    fn feed(&mut self, wakeup: Wakeup) {
        if !self.driver.is_open() {
            return;
        }
        match wakeup {
            Wakeup::Commanded | Wakeup::Written(Ok(_)) => {}
            Wakeup::Due => self.driver.feed(Input::Timeout),
            Wakeup::Written(Err(fault)) => self.fail(fault),
            Wakeup::Read(result) => match result.and_then(Chunk::from_result) {
                Ok(Chunk::Bytes(bytes)) => self.driver.feed(Input::Bytes(&bytes)),
                Ok(Chunk::End) => self.end(),
                Err(fault) => self.fail(fault),
            },
        }
    }

    fn fail(&mut self, fault: JsValue) {
        self.driver.fault.replace(Some(fault));
        self.end();
    }

    fn end(&mut self) {
        self.ended = true;
        self.driver.feed(Input::Closed);
    }
}

/// Polls what is there and empties the slot when it is done.
fn poll_slot<F: Future + Unpin>(
    slot: &mut Option<F>,
    context: &mut Context<'_>,
) -> Poll<F::Output> {
    let Some(future) = slot else {
        return Poll::Pending;
    };
    let poll = Pin::new(future).poll(context);
    if poll.is_ready() {
        *slot = None;
    }
    poll
}

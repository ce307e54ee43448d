//! Where a device's events meet the promises that wait for them.

use std::{
    cell::{OnceCell, RefCell},
    ops::ControlFlow,
};

use flylead_core::{
    export::{Collector, Event, Failure, Phase, Receipt},
    raw_repl::LostReason,
};
use js_sys::Promise;
use wasm_bindgen::JsValue;

use super::{feed::Feed, objects};
use crate::{
    deferred::Deferred,
    driver::{Application, Driver},
    error,
    queue::Queue,
};

/// One device's side of the border: the log that is being fetched, and why it ended.
#[derive(Debug)]
pub(super) struct Logbook {
    pub(super) chatter: Queue,
    lost: Deferred,
    fetch: RefCell<Option<Fetching>>,
    /// What every command is answered with once the conversation is over.
    over: OnceCell<JsValue>,
}

/// The one log that is on its way.
#[derive(Debug)]
struct Fetching {
    answer: Deferred,
    feed: Feed,
    /// At most as long as the machine's own limit.
    log: Vec<u8>,
}

impl Logbook {
    pub(super) fn new(chatter_limit: usize) -> Self {
        Self {
            chatter: Queue::new(chatter_limit),
            lost: Deferred::new(),
            fetch: RefCell::default(),
            over: OnceCell::new(),
        }
    }

    pub(super) fn lost(&self) -> Promise {
        self.lost.promise.clone()
    }

    /// Whether a command may be issued at all.
    pub(super) fn check(&self) -> Result<(), JsValue> {
        self.over.get().cloned().map_or(Ok(()), Err)
    }

    /// Whether the last log has been answered for. It may be whole in the machine, and its events still on their way.
    pub(super) fn check_idle(&self) -> Result<(), JsValue> {
        self.check()?;
        match &*self.fetch.borrow() {
            Some(_) => Err(error::export_busy()),
            None => Ok(()),
        }
    }

    pub(super) fn phase(&self, phase: Phase) -> &'static str {
        match self.over.get() {
            Some(_) => objects::phase_name(Phase::Closed),
            None => objects::phase_name(phase),
        }
    }

    /// A log has been asked for: what is told of it, and the promise of it.
    pub(super) fn begin(&self) -> (Feed, Promise) {
        let fetching = Fetching {
            answer: Deferred::new(),
            feed: Feed::default(),
            log: Vec::new(),
        };
        let handles = (fetching.feed.clone(), fetching.answer.promise.clone());
        self.fetch.replace(Some(fetching));
        handles
    }

    /// Ends what is under way because the page closed the conversation.
    pub(super) fn close(&self) {
        if self.over.set(error::recorder_closed()).is_ok() {
            self.abandon(&error::recorder_closed());
            self.chatter.end(Ok(()));
            self.lost.settle(Ok(JsValue::UNDEFINED));
        }
    }

    fn finished(&self, receipt: &Receipt) {
        if let Some(fetching) = self.fetch.take() {
            let log = objects::log(&fetching.log, receipt);
            fetching.feed.end(Ok(()));
            fetching.answer.settle(Ok(log));
        }
    }

    fn failed(&self, failure: &Failure) {
        self.abandon(&error::export_failed(failure));
    }

    fn abandon(&self, error: &JsValue) {
        if let Some(fetching) = self.fetch.take() {
            fetching.feed.end(Err(error.clone()));
            fetching.answer.settle(Err(error.clone()));
        }
    }

    fn ended(&self, driver: &Driver<Collector>) -> ControlFlow<()> {
        let error = error::lost(LostReason::Closed, driver.fault());
        self.abandon(&error);
        self.chatter.end(Err(error.clone()));
        self.lost.settle(Ok(error.clone()));
        // Over only once: `close` may have come first.
        let _ = self.over.set(error);
        ControlFlow::Break(())
    }
}

impl Application<Collector> for Logbook {
    fn event(&self, driver: &Driver<Collector>, event: Event) -> ControlFlow<()> {
        if let Some(fetching) = &mut *self.fetch.borrow_mut() {
            fetching.hear(&event);
        }
        match event {
            Event::Chatter(bytes) => self.chatter.push(bytes),
            Event::Finished(receipt) => self.finished(&receipt),
            Event::Failed { failure, .. } => self.failed(&failure),
            Event::Closed => return self.ended(driver),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Fetching {
    fn hear(&mut self, event: &Event) {
        if let Event::Body(bytes) = event {
            self.log.extend_from_slice(bytes);
        }
        // The ends are told by the promise.
        let is_end = matches!(
            event,
            Event::Finished(_) | Event::Failed { .. } | Event::Closed
        );
        if !is_end {
            self.feed.tell(event);
        }
    }
}

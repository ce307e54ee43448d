//! A log on its way, as a JavaScript object.

use std::rc::Rc;

use flylead_core::export::Collector;
use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use super::{feed::Feed, objects};
use crate::{deferred, driver::Driver, items::Items};

/// A log on its way, with what happens until it is here.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Fetch {
    done: Promise,
    feed: Feed,
    driver: Rc<Driver<Collector>>,
}

impl Fetch {
    pub(super) fn new(done: Promise, feed: Feed, driver: Rc<Driver<Collector>>) -> Self {
        Self { done, feed, driver }
    }
}

#[wasm_bindgen]
impl Fetch {
    /// The log.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> Promise {
        self.done.clone()
    }

    /// What makes `await fetch` work.
    ///
    /// # Errors
    /// None; a promise's own `then` does not throw.
    pub fn then(&self, fulfilled: &JsValue, rejected: &JsValue) -> Result<JsValue, JsValue> {
        deferred::then(&self.done, fulfilled, rejected)
    }

    /// Gives it up. After the end it does nothing.
    pub fn cancel(&self) {
        deferred::unwatch(&self.done);
        if !self.feed.is_over() {
            // Refused when it has just ended, which is what was wanted.
            let _ = self.driver.command(|device, _| device.cancel());
        }
    }

    /// What happens, in order. Who watches learns of a failure here.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Items {
        deferred::unwatch(&self.done);
        self.feed.watch();
        Items::of(&self.feed, objects::event)
    }
}

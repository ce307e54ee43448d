//! A log on its way, as a JavaScript object.

use std::rc::Rc;

use flylead_core::export::Collector;
use js_sys::{Function, Promise, Reflect, futures::future_to_promise};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use super::{feed::Feed, objects};
use crate::{deferred, driver::Driver, streams::step};

/// A log on its way, with what happens until it is here.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Fetch {
    done: Promise,
    feed: Feed,
    driver: Rc<Driver<Collector>>,
}

/// The async iterator over what happens.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct FetchEvents {
    feed: Feed,
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
        let then = Reflect::get(&self.done, &"then".into())?.unchecked_into::<Function>();
        then.call2(&self.done, fulfilled, rejected)
    }

    /// Gives it up. After the end it does nothing.
    pub fn cancel(&self) {
        deferred::unwatch(&self.done);
        if !self.feed.is_over() {
            // Refused when it has just ended, which is what was wanted.
            let _ = self.driver.command(Collector::cancel);
        }
    }

    /// What happens, in order. Who watches learns of a failure here.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> FetchEvents {
        deferred::unwatch(&self.done);
        self.feed.watch();
        FetchEvents {
            feed: self.feed.clone(),
        }
    }
}

#[wasm_bindgen]
impl FetchEvents {
    /// The next event.
    pub fn next(&self) -> Promise {
        let feed = self.feed.clone();
        future_to_promise(async move {
            let event = feed.next().await?;
            Ok(step(event.as_ref().map(objects::event)))
        })
    }

    /// A `for await` that was left early; the fetch goes on.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        Promise::resolve(&step(None))
    }

    /// Itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Self {
        Self {
            feed: self.feed.clone(),
        }
    }
}

//! The clock and a timer that ends with its owner.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use flylead_core::Instant;
use js_sys::{Function, Promise, futures::JsFuture};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Time since this was made, from the browser's monotonic clock.
#[derive(Debug)]
pub(crate) struct Clock {
    start: f64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { start: now() }
    }

    pub(crate) fn now(&self) -> Instant {
        let millis = (now() - self.start).max(0.0);
        Instant::after_start(Duration::from_secs_f64(millis / 1000.0))
    }
}

/// A future that is ready at a moment. Dropping it cancels the browser's timer, so that no finished conversation
/// keeps a Node process awake.
#[derive(Debug)]
pub(crate) struct Timer {
    id: JsValue,
    due: Instant,
    fired: JsFuture,
}

impl Timer {
    pub(crate) fn new(due: Instant, now: Instant) -> Self {
        let mut id = JsValue::UNDEFINED;
        let promise =
            Promise::new(&mut |resolve, _| id = set_timeout(&resolve, millis_until(due, now)));
        Self {
            id,
            due,
            fired: JsFuture::from(promise),
        }
    }

    pub(crate) fn due(&self) -> Instant {
        self.due
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.fired).poll(context).map(|_| ())
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.id);
    }
}

/// Rounded up, so that it is not called before its time. A time too far for the browser fires early, which a machine
/// ignores.
fn millis_until(due: Instant, now: Instant) -> i32 {
    let millis = (due - now).as_micros().div_ceil(1000);
    i32::try_from(millis).unwrap_or(i32::MAX)
}

// `setTimeout` of the global scope, whichever it is: a window, a worker, Node (where the id is an object).
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, millis: i32) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

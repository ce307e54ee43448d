//! The clock and a timer that ends with its owner.

use std::{
    future::{Future, poll_fn},
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

/// What a future comes to, if it does within that time.
pub(crate) async fn within<F: Future + Unpin>(limit: Duration, mut future: F) -> Option<F::Output> {
    let mut timer = Timer::new(Instant::START + limit, Instant::START);
    poll_fn(|context| {
        if let Poll::Ready(output) = Pin::new(&mut future).poll(context) {
            return Poll::Ready(Some(output));
        }
        Pin::new(&mut timer).poll(context).map(|()| None)
    })
    .await
}

/// Waits for that long.
pub(crate) async fn sleep(time: Duration) {
    Timer::new(Instant::START + time, Instant::START).await;
}

/// Lets the page do whatever waits: draw, handle a click, take in a message. Far quicker than a timer, of which a
/// browser lets four milliseconds pass.
pub(crate) async fn turn() {
    let channel = MessageChannel::new();
    let (near, far) = (channel.port1(), channel.port2());
    let promise = Promise::new(&mut |resolve, _| near.set_onmessage(&resolve));
    far.post_message(&JsValue::UNDEFINED);
    // Nothing rejects it.
    drop(JsFuture::from(promise).await);
    // An open port keeps Node awake.
    near.close();
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

    type MessageChannel;
    #[wasm_bindgen(constructor)]
    fn new() -> MessageChannel;
    #[wasm_bindgen(method, getter)]
    fn port1(this: &MessageChannel) -> MessagePort;
    #[wasm_bindgen(method, getter)]
    fn port2(this: &MessageChannel) -> MessagePort;

    type MessagePort;
    #[wasm_bindgen(method, setter)]
    fn set_onmessage(this: &MessagePort, listener: &Function);
    #[wasm_bindgen(method, js_name = postMessage)]
    fn post_message(this: &MessagePort, message: &JsValue);
    #[wasm_bindgen(method)]
    fn close(this: &MessagePort);
}

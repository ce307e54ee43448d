//! The browser's clock and its timers, in pages, workers and Node.

use std::{future::Future, pin::pin, time::Duration};

use flylead_core::Instant;
use futures::{
    FutureExt,
    channel::oneshot,
    future::{Either, Fuse, FusedFuture, select},
};
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use web_sys::MessageChannel;

/// Monotonic clock of the browser, counting from its creation.
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

/// Timer with a moving deadline; `fired` stays pending while there is none.
#[derive(Debug)]
pub(crate) struct Timer {
    due: Option<Instant>,
    pub(crate) fired: Fuse<TimeoutFuture>,
}

impl Timer {
    pub(crate) fn unset() -> Self {
        Self {
            due: None,
            fired: Fuse::terminated(),
        }
    }

    /// Updates the deadline. An earlier timer stays: firing early is harmless to a machine, and setting a timer for
    /// each chunk is not cheap.
    pub(crate) fn set(&mut self, deadline: Option<Instant>, now: Instant) {
        let stays = self.due <= deadline && !self.fired.is_terminated();
        match deadline {
            None => *self = Self::unset(),
            Some(_) if stays => {}
            Some(due) => {
                self.due = deadline;
                self.fired = sleep(due - now).fuse();
            }
        }
    }
}

/// Waits for this time, rounded up to milliseconds; for about 25 days at most, as `setTimeout` does.
pub(crate) fn sleep(time: Duration) -> TimeoutFuture {
    let millis = time.as_micros().div_ceil(1000);
    let millis = i32::try_from(millis).unwrap_or(i32::MAX);
    TimeoutFuture::new(millis.unsigned_abs())
}

/// Awaits a future for at most that time.
pub(crate) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    match select(pin!(future), sleep(limit)).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

/// Lets the page do pending work: draw, handle a click, process a message. Posting a message to oneself takes
/// microseconds, whereas nested timers take four milliseconds each (HTML standard, "timer initialization steps").
pub(crate) async fn yield_to_page() {
    let Ok(channel) = MessageChannel::new() else {
        return sleep(Duration::ZERO).await;
    };
    let (sender, arrived) = oneshot::channel();
    let arrive = Closure::once_into_js(move || {
        let _ = sender.send(());
    });
    let (near, far) = (channel.port1(), channel.port2());
    near.set_onmessage(Some(arrive.unchecked_ref()));
    // Only values that cannot be cloned are refused.
    let _ = far.post_message(&JsValue::UNDEFINED);
    let _ = arrived.await;
    // An open port keeps Node awake.
    near.close();
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

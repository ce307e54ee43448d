//! A promise and the power to settle it.

use js_sys::{
    Function, Promise, Reflect,
    futures::{JsFuture, spawn_local},
};
use wasm_bindgen::{JsCast, JsValue};

/// A promise that is settled later, at most once.
#[derive(Debug)]
pub(crate) struct Deferred {
    pub(crate) promise: Promise,
    /// `resolve` and `reject`; a promise hands them out while it is made.
    settlers: Option<(Function, Function)>,
}

impl Deferred {
    pub(crate) fn new() -> Self {
        let mut settlers = None;
        let promise = Promise::new(&mut |resolve, reject| settlers = Some((resolve, reject)));
        Self { promise, settlers }
    }

    /// A promise whose failure nobody has to look at.
    pub(crate) fn unwatched() -> Self {
        let deferred = Self::new();
        unwatch(&deferred.promise);
        deferred
    }

    /// Settles it. A promise's own functions do not throw.
    pub(crate) fn settle(&self, result: Result<JsValue, JsValue>) {
        let Some((resolve, reject)) = &self.settlers else {
            return;
        };
        let _ = match result {
            Ok(value) => resolve.call1(&JsValue::UNDEFINED, &value),
            Err(error) => reject.call1(&JsValue::UNDEFINED, &error),
        };
    }
}

/// A promise's own `then`, for what is to be awaited like it. It does not throw.
pub(crate) fn then(
    promise: &Promise,
    fulfilled: &JsValue,
    rejected: &JsValue,
) -> Result<JsValue, JsValue> {
    let then = Reflect::get(promise, &"then".into())?.unchecked_into::<Function>();
    then.call2(promise, fulfilled, rejected)
}

/// From now on nobody has to look at this promise's failure.
pub(crate) fn unwatch(promise: &Promise) {
    let watched = JsFuture::from(promise.clone());
    spawn_local(async move { drop(watched.await) });
}

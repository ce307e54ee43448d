//! JavaScript streams made here.

use std::future::Future;

use js_sys::{Object, Promise, Reflect, Uint8Array, futures::future_to_promise};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};

use crate::queue::Queue;

/// A `ReadableStream<Uint8Array>` of what comes into a queue, taken no sooner than somebody reads it.
pub(crate) fn readable(queue: Queue) -> JsValue {
    let pull = move |controller: Controller| pull(queue.clone(), controller);
    let source = Object::new();
    set(
        &source,
        "pull",
        &Closure::<dyn Fn(Controller) -> Promise>::new(pull).into_js_value(),
    );
    let eager = object(&[("highWaterMark", 0.into())]);
    ReadableStream::new(&source, &eager).into()
}

/// A `WritableStream<Uint8Array>` into a function that answers when it wants more.
pub(crate) fn writable<F>(write: impl Fn(Vec<u8>) -> F + 'static) -> JsValue
where
    F: Future<Output = Result<(), JsValue>> + 'static,
{
    let write = move |chunk: JsValue| {
        let written = bytes(&chunk).map(&write);
        future_to_promise(async move { written?.await.map(|()| JsValue::UNDEFINED) })
    };
    let sink = Object::new();
    set(
        &sink,
        "write",
        &Closure::<dyn Fn(JsValue) -> Promise>::new(write).into_js_value(),
    );
    WritableStream::new(&sink).into()
}

/// Text or bytes, as bytes.
pub(crate) fn bytes(value: &JsValue) -> Result<Vec<u8>, JsValue> {
    if let Some(text) = value.as_string() {
        return Ok(text.into_bytes());
    }
    match value.dyn_ref::<Uint8Array>() {
        Some(bytes) => Ok(bytes.to_vec()),
        None => Err(js_sys::TypeError::new("give a string or a Uint8Array").into()),
    }
}

/// An async iterator's answer; `None` at its end.
pub(crate) fn step(value: Option<JsValue>) -> JsValue {
    object(&[
        ("done", value.is_none().into()),
        ("value", value.unwrap_or(JsValue::UNDEFINED)),
    ])
    .into()
}

/// A plain object.
pub(crate) fn object(entries: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (key, value) in entries {
        set(&object, key, value);
    }
    object
}

/// Sets a property of an object of ours, which cannot refuse.
pub(crate) fn set(object: &JsValue, key: &str, value: &JsValue) {
    let _ = Reflect::set(object, &key.into(), value);
}

fn pull(queue: Queue, controller: Controller) -> Promise {
    future_to_promise(async move {
        match queue.next().await? {
            Some(bytes) => controller.enqueue(&Uint8Array::from(&bytes[..])),
            None => controller.close(),
        }
        Ok(JsValue::UNDEFINED)
    })
}

#[wasm_bindgen]
extern "C" {
    type ReadableStream;
    #[wasm_bindgen(constructor)]
    fn new(source: &Object, strategy: &Object) -> ReadableStream;

    type Controller;
    #[wasm_bindgen(method)]
    fn enqueue(this: &Controller, chunk: &Uint8Array);
    #[wasm_bindgen(method)]
    fn close(this: &Controller);

    type WritableStream;
    #[wasm_bindgen(constructor)]
    fn new(sink: &Object) -> WritableStream;
}

//! A board over in-memory streams: what an application in Rust relies on.

mod device;
mod ending;
mod running;

use flylead_wasm::{AttachOptions, Board, Error, ErrorKind};
use js_sys::{Promise, Reflect, futures::JsFuture};
use wasm_bindgen::{JsCast, JsValue};

use device::Device;

/// A board of a new device.
fn attach(device: &Device, options: AttachOptions) -> Board {
    Board::attach(device.link().unchecked_into(), Some(options.into())).unwrap()
}

fn defaults() -> AttachOptions {
    AttachOptions::default()
}

/// An error's name in JavaScript.
fn name(error: &Error) -> String {
    text(&error.clone().into(), "name")
}

/// Returns the exception of a program that was interrupted, or that raised it by itself.
fn raised(error: &Error) -> &flylead_wasm::types::Traceback {
    match error.kind() {
        ErrorKind::Program { traceback, .. } => traceback,
        other => panic!("no program raised, but {other:?}"),
    }
}

/// A moment for whatever else is under way.
async fn settle() {
    let moment = JsFuture::from(Promise::resolve(&JsValue::UNDEFINED));
    moment.await.unwrap();
}

fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, key| {
        Reflect::get(&value, &key.into()).unwrap()
    })
}

fn text(value: &JsValue, path: &str) -> String {
    get(value, path).as_string().unwrap_or_default()
}

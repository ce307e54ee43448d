//! A board over in-memory streams: what a page relies on.

mod device;
mod ending;
mod running;

use flylead_wasm::Board;
use js_sys::{Promise, Reflect, futures::JsFuture};
use wasm_bindgen::JsValue;

use device::Device;

/// A board of a new device, with options as JSON.
fn attach(device: &Device, options: &str) -> Board {
    let options = js_sys::JSON::parse(options).unwrap();
    Board::attach(&device.link(), &options).unwrap()
}

fn exec(board: &Board, source: &str) -> Promise {
    board.exec(&source.into(), &JsValue::UNDEFINED)
}

async fn answer(promise: Promise) -> JsValue {
    JsFuture::from(promise).await.unwrap()
}

async fn refusal(promise: Promise) -> JsValue {
    JsFuture::from(promise).await.unwrap_err()
}

fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, key| {
        Reflect::get(&value, &key.into()).unwrap()
    })
}

fn text(value: &JsValue, path: &str) -> String {
    get(value, path).as_string().unwrap_or_default()
}

//! The other half, in JavaScript: `tests/device.js`.

use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(module = "/tests/device.js")]
extern "C" {
    pub type Device;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Device;
    /// A link that swallows all and says nothing.
    #[wasm_bindgen(static_method_of = Device, js_name = silentLink)]
    pub fn silent_link() -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn link(this: &Device) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn received(this: &Device) -> Vec<u8>;
    #[wasm_bindgen(method, js_name = isLocked)]
    pub fn is_locked(this: &Device) -> bool;
    #[wasm_bindgen(method)]
    pub fn unplug(this: &Device);
    #[wasm_bindgen(method)]
    pub fn fail(this: &Device, message: &str);
    #[wasm_bindgen(method)]
    pub fn say(this: &Device, text: &str);
    #[wasm_bindgen(method, js_name = sayBytes)]
    pub fn say_bytes(this: &Device, bytes: &[u8]);

    pub type Timers;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Timers;
    #[wasm_bindgen(method)]
    pub fn count(this: &Timers) -> u32;
    #[wasm_bindgen(method)]
    pub fn restore(this: &Timers);
}

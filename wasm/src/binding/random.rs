//! Random numbers, from the browser.

use flylead_core::to_hexadecimal;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn fill_random(bytes: &Uint8Array);
}

/// Returns eight unpredictable hexadecimal digits.
pub(crate) fn eight_digits() -> String {
    let bytes = Uint8Array::new_with_length(4);
    fill_random(&bytes);
    to_hexadecimal(&bytes.to_vec())
}

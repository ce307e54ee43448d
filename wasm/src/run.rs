//! A running program as a JavaScript object.

use std::cell::OnceCell;

use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{items::Items, output::Text, queue::Queue, streams};

/// A program that runs, with its output live.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Run {
    done: Promise,
    output: Queue,
    text: Text,
    readable: OnceCell<JsValue>,
}

impl Run {
    pub(crate) fn new(output: Queue, done: Promise) -> Self {
        Self {
            done,
            text: Text::new(output.clone()),
            output,
            readable: OnceCell::new(),
        }
    }
}

#[wasm_bindgen]
impl Run {
    /// How it ended.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> Promise {
        self.done.clone()
    }

    /// Bytes that nobody read in time.
    #[wasm_bindgen(getter)]
    pub fn dropped(&self) -> f64 {
        self.output.dropped() as f64
    }

    /// Its output as a stream of bytes.
    #[wasm_bindgen(getter)]
    pub fn readable(&self) -> JsValue {
        let make = || streams::readable(self.output.clone());
        self.readable.get_or_init(make).clone()
    }

    /// Its output as text, piece by piece.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Items {
        self.text.items()
    }
}

//! A running program as a JavaScript object.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

use js_sys::{Promise, futures::future_to_promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    queue::Queue,
    streams::{self, step},
    utf8::Utf8,
};

/// A program that runs, with its output live.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Run {
    done: Promise,
    text: Text,
    readable: OnceCell<JsValue>,
}

/// The async iterator over a program's output.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct RunOutput {
    text: Text,
}

/// A queue of bytes as text.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    queue: Queue,
    utf8: Rc<RefCell<Utf8>>,
}

impl Run {
    pub(crate) fn new(queue: Queue, done: Promise) -> Self {
        Self {
            done,
            text: Text::new(queue),
            readable: OnceCell::new(),
        }
    }
}

impl RunOutput {
    pub(crate) fn new(text: Text) -> Self {
        Self { text }
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
        self.text.queue.dropped() as f64
    }

    /// Its output as a stream of bytes.
    #[wasm_bindgen(getter)]
    pub fn readable(&self) -> JsValue {
        let make = || streams::readable(self.text.queue.clone());
        self.readable.get_or_init(make).clone()
    }

    /// Its output as text, piece by piece.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> RunOutput {
        RunOutput::new(self.text.clone())
    }
}

#[wasm_bindgen]
impl RunOutput {
    /// The next piece.
    pub fn next(&self) -> Promise {
        let text = self.text.clone();
        future_to_promise(async move {
            let piece = text.next().await?;
            Ok(step(piece.as_deref().map(JsValue::from_str)))
        })
    }

    /// A `for await` that was left early; what is still to come can be iterated again.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        Promise::resolve(&step(None))
    }

    /// Itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Self {
        Self {
            text: self.text.clone(),
        }
    }
}

impl Text {
    pub(crate) fn new(queue: Queue) -> Self {
        let utf8 = Rc::default();
        Self { queue, utf8 }
    }

    async fn next(&self) -> Result<Option<String>, JsValue> {
        while let Some(bytes) = self.queue.next().await? {
            let text = self.utf8.borrow_mut().decode(&bytes);
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
        let rest = self.utf8.borrow_mut().finish();
        Ok(Some(rest).filter(|rest| !rest.is_empty()))
    }
}

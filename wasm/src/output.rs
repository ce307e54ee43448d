//! What a program prints, as text that JavaScript iterates over.

use std::{cell::RefCell, rc::Rc};

use js_sys::{Promise, futures::future_to_promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{queue::Queue, streams::step, utf8::Utf8};

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

impl RunOutput {
    pub(crate) fn new(text: Text) -> Self {
        Self { text }
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

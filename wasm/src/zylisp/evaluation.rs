//! An evaluation as a JavaScript object.

use flylead_core::zylisp::RequestId;
use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use super::Conversation;
use crate::{deferred, items::Items, output::Text, queue::Queue};

/// A source that is evaluated: await it for its result, iterate it for its output.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Evaluation {
    request: Option<RequestId>,
    done: Promise,
    output: Queue,
    text: Text,
    conversation: Conversation,
}

impl Evaluation {
    pub(super) fn new(
        request: Option<RequestId>,
        done: Promise,
        output: Queue,
        conversation: Conversation,
    ) -> Self {
        Self {
            request,
            done,
            text: Text::new(output.clone()),
            output,
            conversation,
        }
    }
}

#[wasm_bindgen]
impl Evaluation {
    /// How it ended.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> Promise {
        self.done.clone()
    }

    /// Bytes of output that nobody read in time.
    #[wasm_bindgen(getter)]
    pub fn dropped(&self) -> f64 {
        self.output.dropped() as f64
    }

    /// What makes `await evaluation` work.
    ///
    /// # Errors
    /// None; a promise's own `then` does not throw.
    pub fn then(&self, fulfilled: &JsValue, rejected: &JsValue) -> Result<JsValue, JsValue> {
        deferred::then(&self.done, fulfilled, rejected)
    }

    /// Ends it as soon as the server can, also before its turn. After the end it does nothing.
    pub fn interrupt(&self) {
        if let Some(request) = self.request {
            self.conversation.interrupt(request);
        }
    }

    /// Its output as it comes. Who iterates learns of a failure here.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Items {
        deferred::unwatch(&self.done);
        self.text.items()
    }
}

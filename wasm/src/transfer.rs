//! A transfer of a file's content as a JavaScript object.

use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{answers, conversation::Conversation, deferred, items::Items, progress::Latest};

/// A file's content on its way, with its progress live.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Transfer {
    done: Promise,
    progress: Latest,
    conversation: Conversation,
}

impl Transfer {
    pub(crate) fn new(done: Promise, progress: Latest, conversation: Conversation) -> Self {
        Self {
            done,
            progress,
            conversation,
        }
    }
}

#[wasm_bindgen]
impl Transfer {
    /// What came of it.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> Promise {
        self.done.clone()
    }

    /// What makes `await transfer` work.
    ///
    /// # Errors
    /// None; a promise's own `then` does not throw.
    pub fn then(&self, fulfilled: &JsValue, rejected: &JsValue) -> Result<JsValue, JsValue> {
        deferred::then(&self.done, fulfilled, rejected)
    }

    /// Ends it as soon as the board can; the old file is whole. After the end it does nothing.
    pub fn cancel(&self) {
        deferred::unwatch(&self.done);
        if !self.progress.is_over() {
            // Refused only when the conversation is over, and then the transfer is too.
            let _ = self.conversation.interrupt();
        }
    }

    /// How far it is, whenever that has changed. Who watches learns of a failure here.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Items {
        deferred::unwatch(&self.done);
        Items::of(&self.progress, answers::progress)
    }
}

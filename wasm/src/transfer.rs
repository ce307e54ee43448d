//! A transfer of a file's content as a JavaScript object.

use js_sys::{Function, Promise, Reflect, futures::future_to_promise};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use crate::{answers, conversation::Conversation, deferred, progress::Latest, streams::step};

/// A file's content on its way, with its progress live.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Transfer {
    done: Promise,
    progress: Latest,
    conversation: Conversation,
}

/// The async iterator over a transfer's progress.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct TransferProgress {
    progress: Latest,
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
        let then = Reflect::get(&self.done, &"then".into())?.unchecked_into::<Function>();
        then.call2(&self.done, fulfilled, rejected)
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
    pub fn iterate(&self) -> TransferProgress {
        deferred::unwatch(&self.done);
        TransferProgress {
            progress: self.progress.clone(),
        }
    }
}

#[wasm_bindgen]
impl TransferProgress {
    /// The latest news.
    pub fn next(&self) -> Promise {
        let progress = self.progress.clone();
        future_to_promise(async move {
            let news = progress.next().await?;
            Ok(step(news.as_ref().map(answers::progress)))
        })
    }

    /// A `for await` that was left early; the transfer goes on.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        Promise::resolve(&step(None))
    }

    /// Itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Self {
        Self {
            progress: self.progress.clone(),
        }
    }
}

//! Anything that comes piece by piece, as JavaScript iterates over it.

use std::{fmt, rc::Rc};

use js_sys::{Promise, futures::future_to_promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    mailbox::{Mailbox, Shelf},
    streams::step,
};

/// An async iterator: over a program's output, over a transfer's progress, over what happens to a log.
#[wasm_bindgen(skip_typescript)]
pub struct Items {
    next: Rc<dyn Fn() -> Promise>,
}

impl Items {
    /// What `next` gives, until it gives `None`.
    pub(crate) fn new<F>(next: impl Fn() -> F + 'static) -> Self
    where
        F: Future<Output = Result<Option<JsValue>, JsValue>> + 'static,
    {
        let next = Rc::new(move || {
            let item = next();
            future_to_promise(async move { Ok(step(item.await?)) })
        });
        Self { next }
    }

    /// What is in a mailbox, as JavaScript has it.
    pub(crate) fn of<S: Shelf + 'static>(
        mailbox: &Mailbox<S>,
        show: fn(&S::Item) -> JsValue,
    ) -> Self {
        let mailbox = mailbox.clone();
        Self::new(move || {
            let mailbox = mailbox.clone();
            async move { Ok(mailbox.next().await?.as_ref().map(show)) }
        })
    }
}

#[wasm_bindgen]
impl Items {
    /// The next one.
    pub fn next(&self) -> Promise {
        (self.next)()
    }

    /// A `for await` that was left early; what is still to come can be iterated again.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        Promise::resolve(&step(None))
    }

    /// Itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Self {
        let next = Rc::clone(&self.next);
        Self { next }
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}

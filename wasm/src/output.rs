//! What a program prints, as text that JavaScript iterates over.

use std::{cell::RefCell, rc::Rc};

use wasm_bindgen::JsValue;

use crate::{items::Items, queue::Queue, utf8::Utf8};

/// A queue of bytes as text.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    queue: Queue,
    utf8: Rc<RefCell<Utf8>>,
}

impl Text {
    pub(crate) fn new(queue: Queue) -> Self {
        let utf8 = Rc::default();
        Self { queue, utf8 }
    }

    /// Its pieces, to be iterated over.
    pub(crate) fn items(&self) -> Items {
        let text = self.clone();
        Items::new(move || {
            let text = text.clone();
            async move { Ok(text.next().await?.as_deref().map(JsValue::from_str)) }
        })
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

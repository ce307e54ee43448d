//! A request for the board's files that is under way, seen from the page.

use flylead_core::board::{Answer, Error, Progress};
use js_sys::Promise;
use wasm_bindgen::JsValue;

use crate::{answers, deferred::Deferred, error, progress::Latest};

/// Who waits for the answer, and who watches.
#[derive(Debug)]
pub(crate) struct Pending {
    /// What an error is about.
    path: String,
    answer: Deferred,
    progress: Latest,
}

impl Pending {
    pub(crate) fn new(path: String) -> Self {
        Self {
            path,
            answer: Deferred::new(),
            progress: Latest::default(),
        }
    }

    pub(crate) fn answer(&self) -> Promise {
        self.answer.promise.clone()
    }

    pub(crate) fn progress(&self) -> Latest {
        self.progress.clone()
    }

    pub(crate) fn tell(&self, progress: Progress) {
        self.progress.tell(progress);
    }

    pub(crate) fn finish(&self, answer: Result<Answer, Error>) {
        match answer {
            Ok(answer) => {
                self.progress.end(Ok(()));
                self.answer.settle(Ok(answers::answer(answer)));
            }
            Err(error) => self.abandon(&error::file(&error, &self.path)),
        }
    }

    pub(crate) fn abandon(&self, error: &JsValue) {
        self.progress.end(Err(error.clone()));
        self.answer.settle(Err(error.clone()));
    }
}

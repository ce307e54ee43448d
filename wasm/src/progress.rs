//! How far a transfer is, on its way to whoever watches it in JavaScript.

use std::{
    cell::RefCell,
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
};

use flylead_core::board::Progress;
use wasm_bindgen::JsValue;

/// The latest news of a transfer. Older news that nobody has read is worth nothing, so a slow reader misses some and
/// nothing piles up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latest(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    news: Option<Progress>,
    end: Option<Result<(), JsValue>>,
    readers: Vec<Waker>,
}

impl Latest {
    pub(crate) fn tell(&self, progress: Progress) {
        let mut state = self.0.borrow_mut();
        state.news = Some(progress);
        state.wake();
    }

    /// No more comes; readers get what is left first.
    pub(crate) fn end(&self, end: Result<(), JsValue>) {
        let mut state = self.0.borrow_mut();
        state.end.get_or_insert(end);
        state.wake();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.borrow().end.is_some()
    }

    /// What is new; waits until something is. `None` at the end.
    pub(crate) async fn next(&self) -> Result<Option<Progress>, JsValue> {
        poll_fn(|context| {
            let mut state = self.0.borrow_mut();
            if let Some(news) = state.news.take() {
                return Poll::Ready(Ok(Some(news)));
            }
            if let Some(end) = &state.end {
                return Poll::Ready(end.clone().map(|()| None));
            }
            state.readers.push(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl State {
    fn wake(&mut self) {
        self.readers.drain(..).for_each(Waker::wake);
    }
}

//! What waits for whoever reads it in JavaScript, and how it ends.

use std::{
    cell::RefCell,
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
};

use wasm_bindgen::JsValue;

/// What is kept of all that comes, and in which pieces it is read.
pub(crate) trait Shelf {
    type Item;

    /// The next piece, if there is one.
    fn take(&mut self) -> Option<Self::Item>;
}

/// A shelf with readers that wait for it. Clones are the same mailbox.
#[derive(Debug)]
pub(crate) struct Mailbox<S>(Rc<RefCell<State<S>>>);

#[derive(Debug)]
struct State<S> {
    shelf: S,
    end: Option<Result<(), JsValue>>,
    readers: Vec<Waker>,
}

impl<S: Shelf> Mailbox<S> {
    pub(crate) fn with(shelf: S) -> Self {
        Self(Rc::new(RefCell::new(State {
            shelf,
            end: None,
            readers: Vec::new(),
        })))
    }

    /// Puts something on the shelf, and wakes whoever waits for it.
    pub(crate) fn put(&self, put: impl FnOnce(&mut S)) {
        let mut state = self.0.borrow_mut();
        put(&mut state.shelf);
        state.wake();
    }

    pub(crate) fn look<R>(&self, look: impl FnOnce(&S) -> R) -> R {
        look(&self.0.borrow().shelf)
    }

    /// No more comes; readers get what is left first. Only the first end counts.
    pub(crate) fn end(&self, end: Result<(), JsValue>) {
        let mut state = self.0.borrow_mut();
        state.end.get_or_insert(end);
        state.wake();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.borrow().end.is_some()
    }

    /// The next piece; waits until there is one. `None` at the end.
    pub(crate) async fn next(&self) -> Result<Option<S::Item>, JsValue> {
        poll_fn(|context| {
            let mut state = self.0.borrow_mut();
            if let Some(item) = state.shelf.take() {
                return Poll::Ready(Ok(Some(item)));
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

impl<S> Clone for Mailbox<S> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<S: Shelf + Default> Default for Mailbox<S> {
    fn default() -> Self {
        Self::with(S::default())
    }
}

impl<S> State<S> {
    fn wake(&mut self) {
        self.readers.drain(..).for_each(Waker::wake);
    }
}

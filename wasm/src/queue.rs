//! Bytes on their way from the machine to whoever reads them in JavaScript.

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
};

use wasm_bindgen::JsValue;

/// A bounded queue of bytes. What nobody reads is dropped, oldest first, and counted: a reader that sleeps must
/// neither fill the memory nor stop the conversation.
#[derive(Debug, Clone)]
pub(crate) struct Queue(Rc<RefCell<State>>);

#[derive(Debug)]
struct State {
    chunks: VecDeque<Vec<u8>>,
    len: usize,
    limit: usize,
    dropped: usize,
    end: Option<Result<(), JsValue>>,
    readers: Vec<Waker>,
}

impl Queue {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Rc::new(RefCell::new(State {
            chunks: VecDeque::new(),
            len: 0,
            limit,
            dropped: 0,
            end: None,
            readers: Vec::new(),
        })))
    }

    pub(crate) fn push(&self, bytes: Vec<u8>) {
        let mut state = self.0.borrow_mut();
        state.len += bytes.len();
        state.chunks.push_back(bytes);
        state.drop_oldest();
        state.wake();
    }

    /// No more comes; readers get what is left first. Only the first end counts.
    pub(crate) fn end(&self, end: Result<(), JsValue>) {
        let mut state = self.0.borrow_mut();
        state.end.get_or_insert(end);
        state.wake();
    }

    /// Everything that has come since, in one piece; waits until there is something. `None` at the end.
    pub(crate) async fn next(&self) -> Result<Option<Vec<u8>>, JsValue> {
        poll_fn(|context| {
            let mut state = self.0.borrow_mut();
            if !state.chunks.is_empty() {
                return Poll::Ready(Ok(Some(state.take())));
            }
            if let Some(end) = &state.end {
                return Poll::Ready(end.clone().map(|()| None));
            }
            state.readers.push(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Bytes that wait to be read.
    pub(crate) fn len(&self) -> usize {
        self.0.borrow().len
    }

    pub(crate) fn dropped(&self) -> usize {
        self.0.borrow().dropped
    }
}

impl State {
    fn take(&mut self) -> Vec<u8> {
        self.len = 0;
        let mut chunks = self.chunks.drain(..);
        let mut all = chunks.next().unwrap_or_default();
        chunks.for_each(|chunk| all.extend(chunk));
        all
    }

    fn drop_oldest(&mut self) {
        while self.len > self.limit
            && let Some(oldest) = self.chunks.front_mut()
        {
            let excess = oldest.len().min(self.len - self.limit);
            oldest.drain(..excess);
            self.len -= excess;
            self.dropped += excess;
            if oldest.is_empty() {
                self.chunks.pop_front();
            }
        }
    }

    fn wake(&mut self) {
        self.readers.drain(..).for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn past_the_limit_the_oldest_bytes_go_and_are_counted() {
        let queue = Queue::new(4);
        queue.push(b"ab".to_vec());
        queue.push(b"cdefg".to_vec());
        assert_eq!(queue.0.borrow_mut().take(), b"defg");
        assert_eq!(queue.dropped(), 3);
    }
}

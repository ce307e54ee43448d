//! What happens while a log is fetched, on its way to whoever watches in JavaScript.

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
};

use flylead_core::export::Event;
use wasm_bindgen::JsValue;

/// Events in order. Nothing is kept before somebody watches; then a slow reader gets bytes that came one after the
/// other as one event, so that not more piles up than the log is long.
#[derive(Debug, Clone, Default)]
pub(super) struct Feed(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    watched: bool,
    events: VecDeque<Event>,
    /// Bytes of chatter that wait.
    chatter: usize,
    end: Option<Result<(), JsValue>>,
    readers: Vec<Waker>,
}

impl Feed {
    /// From now on events are kept.
    pub(super) fn watch(&self) {
        self.0.borrow_mut().watched = true;
    }

    pub(super) fn tell(&self, event: &Event) {
        let mut state = self.0.borrow_mut();
        if state.watched && state.has_room(event) {
            state.keep(event);
            state.wake();
        }
    }

    /// No more comes; readers get what is left first. Only the first end counts.
    pub(super) fn end(&self, end: Result<(), JsValue>) {
        let mut state = self.0.borrow_mut();
        state.end.get_or_insert(end);
        state.wake();
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.borrow().end.is_some()
    }

    /// The next event; waits until there is one. `None` at the end.
    pub(super) async fn next(&self) -> Result<Option<Event>, JsValue> {
        poll_fn(|context| {
            let mut state = self.0.borrow_mut();
            if let Some(event) = state.take() {
                return Poll::Ready(Ok(Some(event)));
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
    /// A log has a limit; what a device says besides has none of its own.
    fn has_room(&self, event: &Event) -> bool {
        match event {
            Event::Chatter(bytes) => self.chatter + bytes.len() <= CHATTER_LIMIT,
            Event::Reset => self.events.len() < EVENT_LIMIT,
            _ => true,
        }
    }

    fn keep(&mut self, event: &Event) {
        if let Event::Chatter(bytes) = event {
            self.chatter += bytes.len();
        }
        match (self.events.back_mut(), event) {
            (Some(Event::Body(before)), Event::Body(bytes))
            | (Some(Event::Chatter(before)), Event::Chatter(bytes)) => before.extend(bytes),
            _ => self.events.push_back(event.clone()),
        }
    }

    fn take(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        if let Event::Chatter(bytes) = &event {
            self.chatter -= bytes.len();
        }
        Some(event)
    }

    fn wake(&mut self) {
        self.readers.drain(..).for_each(Waker::wake);
    }
}

const CHATTER_LIMIT: usize = 1024 * 1024;
/// Boards that start anew again and again.
const EVENT_LIMIT: usize = 10_000;

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn nothing_is_kept_unless_watched_and_then_bytes_are_joined() {
        let feed = Feed::default();
        feed.tell(&Event::Body(b"unseen".to_vec()));
        feed.watch();
        feed.tell(&Event::Body(b"a".to_vec()));
        feed.tell(&Event::Body(b"b".to_vec()));
        feed.tell(&Event::Reset);
        let mut state = feed.0.borrow_mut();
        assert_eq!(state.take(), Some(Event::Body(b"ab".to_vec())));
        assert_eq!(state.take(), Some(Event::Reset));
        assert_eq!(state.take(), None);
    }

    #[test]
    fn a_device_that_chatters_without_end_does_not_fill_the_memory() {
        let feed = Feed::default();
        feed.watch();
        for _ in 0..3 * CHATTER_LIMIT / 1000 {
            feed.tell(&Event::Chatter(vec![b'x'; 1000]));
        }
        assert!(feed.0.borrow().chatter <= CHATTER_LIMIT);
    }
}

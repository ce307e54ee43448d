//! What happens while a log is fetched, on its way to whoever watches in JavaScript.

use std::collections::VecDeque;

use flylead_core::export::Event;

use crate::mailbox::{Mailbox, Shelf};

/// Events in order. Nothing is kept before somebody watches; then a slow reader gets bytes that came one after the
/// other as one event, so that not more piles up than the log is long.
pub(super) type Feed = Mailbox<Events>;

#[derive(Debug, Default)]
pub(super) struct Events {
    watched: bool,
    events: VecDeque<Event>,
    /// Bytes of chatter that wait.
    chatter: usize,
}

impl Feed {
    /// From now on events are kept.
    pub(super) fn watch(&self) {
        self.put(|events| events.watched = true);
    }

    pub(super) fn tell(&self, event: &Event) {
        self.put(|events| events.keep(event));
    }
}

impl Shelf for Events {
    type Item = Event;

    fn take(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        if let Event::Chatter(bytes) = &event {
            self.chatter -= bytes.len();
        }
        Some(event)
    }
}

impl Events {
    /// A log has a limit; what a device says besides has none of its own.
    fn has_room(&self, event: &Event) -> bool {
        match event {
            Event::Chatter(bytes) => self.chatter + bytes.len() <= CHATTER_LIMIT,
            Event::Reset => self.events.len() < EVENT_LIMIT,
            _ => true,
        }
    }

    fn keep(&mut self, event: &Event) {
        if !self.watched || !self.has_room(event) {
            return;
        }
        if let Event::Chatter(bytes) = event {
            self.chatter += bytes.len();
        }
        match (self.events.back_mut(), event) {
            (Some(Event::Body(before)), Event::Body(bytes))
            | (Some(Event::Chatter(before)), Event::Chatter(bytes)) => before.extend(bytes),
            _ => self.events.push_back(event.clone()),
        }
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
        feed.put(|events| {
            assert_eq!(events.take(), Some(Event::Body(b"ab".to_vec())));
            assert_eq!(events.take(), Some(Event::Reset));
            assert_eq!(events.take(), None);
        });
    }

    #[test]
    fn a_device_that_chatters_without_end_does_not_fill_the_memory() {
        let feed = Feed::default();
        feed.watch();
        for _ in 0..3 * CHATTER_LIMIT / 1000 {
            feed.tell(&Event::Chatter(vec![b'x'; 1000]));
        }
        assert!(feed.look(|events| events.chatter) <= CHATTER_LIMIT);
    }
}

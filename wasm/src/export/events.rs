//! Queues the events of a log's transfer for their readers.

use std::collections::VecDeque;

use super::types::ExportEvent as Event;
use crate::binding::channel::Buffer;

/// Events in order. Nothing is kept before somebody reads; then consecutive bytes are merged into one event, so that no
/// more accumulates than the length of the log.
#[derive(Debug, Default)]
pub(super) struct Events {
    is_watched: bool,
    events: VecDeque<Event>,
    /// Number of waiting bytes of chatter.
    chatter: usize,
    dropped: usize,
}

impl Buffer for Events {
    type Item = Event;

    fn push(&mut self, event: Event) {
        if !self.is_watched || !self.has_room(&event) {
            self.dropped += chatter_len(&event);
            return;
        }
        self.chatter += chatter_len(&event);
        match (self.events.back_mut(), &event) {
            (Some(Event::Body { bytes: before }), Event::Body { bytes })
            | (Some(Event::Chatter { bytes: before }), Event::Chatter { bytes }) => {
                before.extend(bytes);
            }
            _ => self.events.push_back(event),
        }
    }

    fn pop(&mut self) -> Option<Event> {
        self.is_watched = true;
        let event = self.events.pop_front()?;
        self.chatter -= chatter_len(&event);
        Some(event)
    }

    fn dropped(&self) -> usize {
        self.dropped
    }
}

impl Events {
    /// Returns true if there is space for an event. A log has a limit; a device's other output and its restarts have
    /// none of their own.
    fn has_room(&self, event: &Event) -> bool {
        match event {
            Event::Chatter { bytes } => self.chatter + bytes.len() <= CHATTER_LIMIT,
            Event::Reset => self.events.len() < EVENT_LIMIT,
            Event::Asked | Event::Begun { .. } | Event::Body { .. } => true,
        }
    }
}

fn chatter_len(event: &Event) -> usize {
    match event {
        Event::Chatter { bytes } => bytes.len(),
        Event::Asked | Event::Begun { .. } | Event::Body { .. } | Event::Reset => 0,
    }
}

/// Limit of chatter, in bytes.
const CHATTER_LIMIT: usize = 1024 * 1024;
const EVENT_LIMIT: usize = 10_000;

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn nothing_is_kept_unless_watched_and_then_bytes_are_joined() {
        let mut events = Events::default();
        events.push(Event::Body {
            bytes: b"unseen".to_vec(),
        });
        assert_eq!(events.pop(), None);
        events.push(Event::Body {
            bytes: b"a".to_vec(),
        });
        events.push(Event::Body {
            bytes: b"b".to_vec(),
        });
        events.push(Event::Reset);
        assert_eq!(
            events.pop(),
            Some(Event::Body {
                bytes: b"ab".to_vec()
            })
        );
        assert_eq!(events.pop(), Some(Event::Reset));
        assert_eq!(events.pop(), None);
    }

    #[test]
    fn a_device_that_chatters_without_end_does_not_fill_the_memory() {
        let mut events = Events::default();
        events.pop();
        for _ in 0..3 * CHATTER_LIMIT / 1000 {
            events.push(Event::Chatter {
                bytes: vec![b'x'; 1000],
            });
        }
        assert!(events.chatter <= CHATTER_LIMIT);
        assert!(events.dropped() >= CHATTER_LIMIT);
    }
}

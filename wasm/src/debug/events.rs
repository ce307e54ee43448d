//! Queues the events of a debugged program for its observers.

use std::collections::VecDeque;

use super::types::DebugEvent as Event;
use crate::binding::channel::Buffer;

/// Events in order. Consecutive output is merged into one event; beyond the limit the oldest output is dropped, and so
/// are unread messages of log breakpoints.
#[derive(Debug)]
pub(super) struct Events {
    events: VecDeque<Event>,
    /// Number of waiting bytes of output.
    output: usize,
    output_limit: usize,
    /// Number of waiting log messages.
    logs: usize,
    dropped: usize,
}

impl Events {
    /// Creates a queue that keeps unread output up to `output_limit` bytes.
    pub(super) fn new(output_limit: usize) -> Self {
        Self {
            events: VecDeque::new(),
            output: 0,
            output_limit,
            logs: 0,
            dropped: 0,
        }
    }

    fn push_output(&mut self, bytes: Vec<u8>) {
        self.output += bytes.len();
        match self.events.back_mut() {
            Some(Event::Output { bytes: before }) => before.extend(bytes),
            _ => self.events.push_back(Event::Output { bytes }),
        }
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        let mut excess = self.output.saturating_sub(self.output_limit);
        self.output -= excess;
        self.dropped += excess;
        for event in &mut self.events {
            if let Event::Output { bytes } = event {
                let count = excess.min(bytes.len());
                bytes.drain(..count);
                excess -= count;
            }
        }
        let is_empty = |event: &Event| matches!(event, Event::Output { bytes } if bytes.is_empty());
        self.events.retain(|event| !is_empty(event));
    }
}

impl Buffer for Events {
    type Item = Event;

    fn push(&mut self, event: Event) {
        match event {
            Event::Output { bytes } => self.push_output(bytes),
            Event::Log { text, .. } if self.logs == LOG_LIMIT => self.dropped += text.len(),
            Event::Started
            | Event::Stopped { .. }
            | Event::Continued
            | Event::Log { .. }
            | Event::Verified { .. }
            | Event::Note { .. } => {
                self.logs += usize::from(is_log(&event));
                self.events.push_back(event);
            }
        }
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        self.logs -= usize::from(is_log(&event));
        if let Event::Output { bytes } = &event {
            self.output -= bytes.len();
        }
        Some(event)
    }

    fn dropped(&self) -> usize {
        self.dropped
    }
}

fn is_log(event: &Event) -> bool {
    matches!(event, Event::Log { .. })
}

const LOG_LIMIT: usize = 10_000;

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn output(text: &str) -> Event {
        let bytes = text.as_bytes().to_vec();
        Event::Output { bytes }
    }

    #[test]
    fn output_is_joined_and_the_oldest_goes_past_the_limit() {
        let mut events = Events::new(5);
        for event in [output("ab"), output("cd"), Event::Continued, output("efg")] {
            events.push(event);
        }
        let left: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
        assert_eq!(left, [output("cd"), Event::Continued, output("efg")]);
        assert_eq!(events.dropped(), 2);
    }

    #[test]
    fn log_messages_that_nobody_reads_do_not_fill_the_memory() {
        let mut events = Events::new(5);
        for _ in 0..2 * LOG_LIMIT {
            let (file, text) = (String::new(), "x".to_owned());
            events.push(Event::Log {
                file,
                line: 1,
                text,
            });
        }
        assert_eq!(events.events.len(), LOG_LIMIT);
        assert_eq!(events.dropped(), LOG_LIMIT);
    }
}

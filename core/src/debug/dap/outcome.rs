//! What the session tells, as the editor has it.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use serde_json::json;

use super::Adapter;
use crate::debug::{BreakpointId, End, Event, ModuleId};

/// Output in pieces that may end within a character.
#[derive(Debug, Default)]
pub(super) struct Text(Vec<u8>);

impl Text {
    /// As much of it as is whole.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match core::str::from_utf8(&self.0) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.0.clear();
                    return text;
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.0[..valid]));
                    let Some(wrong) = error.error_len() else {
                        self.0.drain(..valid);
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.0.drain(..valid + wrong);
                }
            }
        }
    }
}

impl Adapter {
    pub(super) fn tell(&mut self, event: Event) {
        match event {
            Event::Output(bytes) => {
                let text = self.text.push(&bytes).replace("\r\n", "\n");
                if !text.is_empty() {
                    self.event("output", json!({"category": "stdout", "output": text}));
                }
            }
            Event::Stopped(stop) => self.stopped(stop),
            Event::Continued => {
                self.stops.forget();
                self.event(
                    "continued",
                    json!({"threadId": 1, "allThreadsContinued": true}),
                );
            }
            Event::Log { module, line, text } => self.log(module, line, &text),
            Event::Replied { id, reply } => self.replied(id, reply),
            Event::Verified(ids) => ids.into_iter().for_each(|id| self.verified(id)),
            Event::Note(note) => self.say("console", &note.to_string()),
            Event::Ended(end) => self.ended(&end),
            Event::Started => {}
        }
    }

    fn log(&mut self, module: ModuleId, line: u32, text: &str) {
        let output = alloc::format!("{text}\n");
        let body = json!({
            "category": "console", "output": output, "source": self.source(module), "line": self.shown(line),
        });
        self.event("output", body);
    }

    fn verified(&mut self, id: BreakpointId) {
        self.event(
            "breakpoint",
            json!({"reason": "changed", "breakpoint": {"id": id.0, "verified": true}}),
        );
    }

    fn ended(&mut self, end: &End) {
        self.stops.forget();
        let code = match end {
            End::Completed | End::Exited | End::Terminated => 0,
            End::Raised(traceback) => {
                self.event(
                    "output",
                    json!({"category": "stderr", "output": traceback.text}),
                );
                1
            }
            other => {
                self.say("important", &other.to_string());
                4
            }
        };
        self.event("exited", json!({"exitCode": code}));
        self.event("terminated", json!({}));
        if let Some(request) = self.closing.take() {
            self.answer(&request, json!({}));
            self.end();
        } else if self.is_closed {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_whole_and_wrong_bytes_are_replaced() {
        let mut text = Text::default();
        assert_eq!(text.push(b"a\xc3"), "a");
        assert_eq!(text.push(b"\xa4b\xff"), "äb\u{fffd}");
        assert_eq!(text.push(b"c"), "c");
    }
}

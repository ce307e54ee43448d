//! Converts the session's events for the editor.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use serde_json::json;

use super::{Adapter, Want};
use crate::debug::{BreakpointId, End, Event, ModuleId, Note};

/// Output in pieces that may end within a character or a line end.
#[derive(Debug, Default)]
pub(super) struct Text(Vec<u8>);

impl Text {
    /// Returns the complete part of the output, with line ends as editors expect them.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let returned = self.0.pop_if(|last| *last == b'\r');
        let text = self.decode().replace("\r\n", "\n");
        self.0.extend(returned);
        text
    }

    /// Returns the rest once no more follows.
    fn finish(&mut self) -> String {
        String::from_utf8_lossy(&core::mem::take(&mut self.0)).into_owned()
    }

    fn decode(&mut self) -> String {
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
                let text = self.text.push(&bytes);
                self.print(&text);
                if self.is_hosted() {
                    self.want(Want::Print(bytes));
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
            Event::Note(note) => self.noted(note),
            Event::Ended(end) => self.ended(&end),
            Event::Started => {}
        }
    }

    fn noted(&mut self, note: Note) {
        self.say("console", &note.to_string());
        if let Some(host) = &mut self.host {
            host.notes.push(note.to_string());
            self.want(Want::Note(note));
        }
    }

    fn print(&mut self, text: &str) {
        if !text.is_empty() {
            self.event("output", json!({"category": "stdout", "output": text}));
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
        let rest = self.text.finish();
        self.print(&rest);
        if let Some(request) = self.restarting.take() {
            if !matches!(end, End::Lost(_)) && self.closing.is_none() && !self.is_closed {
                return self.run_again(&request);
            }
            self.refuse(&request, &end.to_string());
        }
        let code = match end {
            End::Completed | End::Exited | End::Terminated => 0,
            End::Raised(traceback) => {
                self.event(
                    "output",
                    json!({"category": "stderr", "output": traceback.text}),
                );
                1
            }
            End::BoardReset | End::NotReady { .. } | End::Lost(_) => {
                self.say("important", &end.to_string());
                4
            }
        };
        self.event("exited", json!({"exitCode": code}));
        self.event("terminated", json!({}));
        if self.is_hosted() {
            self.want(Want::Ended(end.clone()));
        }
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

    #[test]
    fn lines_end_alike_wherever_the_pieces_are_cut() {
        let printed = "one\r\n50%\r100%\r\n\r\nä\r\n".as_bytes();
        for at in 0..=printed.len() {
            let mut text = Text::default();
            let whole = text.push(&printed[..at]) + &text.push(&printed[at..]) + &text.finish();
            assert_eq!(whole, "one\n50%\r100%\n\nä\n", "cut at {at}");
        }
    }

    #[test]
    fn what_is_cut_off_at_the_end_is_told() {
        let mut text = Text::default();
        assert_eq!(text.push(b"50%\r"), "50%");
        assert_eq!(text.finish(), "\r");
    }
}

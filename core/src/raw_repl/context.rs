//! Context shared by all states of a conversation.

use alloc::{collections::VecDeque, vec::Vec};

use super::{Config, Event, LostReason, Outcome, Traceback};
use crate::Output;

/// Settings, knowledge about the board, and the output queue.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) config: Config,
    /// True if the board has raw-paste mode; `None` until that is known.
    pub(super) has_raw_paste: Option<bool>,
    /// Size of the board's buffer in bytes, if it has raw-paste mode and was queried (MicroPython
    /// v1.29, docs/reference/repl.rst, Raw-paste mode: the window). The same buffer serves raw
    /// mode.
    pub(super) window: Option<u16>,
    /// Highest rate at which a program was sent, in bytes per second.
    pub(super) paste_rate: Option<u32>,
    /// True if raw mode was entered after more than one attempt: the board may then owe banners.
    pub(super) owes_banners: bool,
    /// True if raw mode was requested without waiting for the answer, because the application interrupted: the answer
    /// may still arrive.
    pub(super) is_unanswered: bool,
    output: VecDeque<Output<Event>>,
}

impl Context {
    pub(super) fn new(config: Config) -> Self {
        Self {
            has_raw_paste: (!config.raw_paste).then_some(false),
            config,
            window: None,
            paste_rate: None,
            owes_banners: false,
            is_unanswered: false,
            output: VecDeque::new(),
        }
    }

    /// Returns the number of bytes that may be sent at once in raw mode.
    pub(super) fn pace_bytes(&self) -> usize {
        let window = self.window.map_or(0, usize::from);
        self.config.pace_bytes.max(window).max(1)
    }

    pub(super) fn transmit(&mut self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.output.push_back(Output::Transmit(bytes));
        }
    }

    pub(super) fn report(&mut self, event: Event) {
        self.output.push_back(Output::Event(event));
    }

    pub(super) fn report_stdout(&mut self, stdout: Vec<u8>) {
        if !stdout.is_empty() {
            self.report(Event::Stdout(stdout));
        }
    }

    pub(super) fn report_terminal(&mut self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.report(Event::Terminal(bytes));
        }
    }

    /// Reports that a program was stopped before it ran. The board prints nothing then; the text is nevertheless
    /// MicroPython's.
    pub(super) fn report_interrupted(&mut self) {
        let traceback = Traceback::parse(b"KeyboardInterrupt: \n");
        self.report(Event::Finished(Outcome::Raised(traceback)));
    }

    pub(super) fn report_lost(&mut self, reason: LostReason) {
        self.report(Event::Lost { reason });
    }

    pub(super) fn pop(&mut self) -> Option<Output<Event>> {
        self.output.pop_front()
    }
}

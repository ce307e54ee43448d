//! State of a port: its device's output, its exports, and its activity.

use std::{collections::VecDeque, sync::Arc};

use flylead_core::export::Answer;
use tokio::{sync::Notify, time::Instant};

use super::unread::Unread;
use crate::mcp::{answer::Status, names::NEXT};

#[derive(Debug)]
pub(crate) struct State {
    pub(super) activity: Activity,
    /// Run that the device records: `START` was sent, and since then neither `STOP` nor any sign of an end was seen. It
    /// is kept while the port is closed, reopened, or used for an export.
    pub(crate) recording: Option<String>,
    /// Exports, the newest last.
    pub(super) exports: VecDeque<Status>,
    /// True if the state of the newest export is reported, as nothing was sent since then.
    pub(super) shows_export: bool,
    /// True if a program was left to run on the board, and nothing has used the board since.
    pub(super) in_background: bool,
    pub(crate) unread: Unread,
    /// Unfinished line of a device that records.
    pub(crate) line: Vec<u8>,
    pub(super) reset_seen: bool,
    pub(crate) used: Instant,
    /// Notice about opening or closing the port; reported once.
    pub(super) notice: Option<String>,
}

/// Activity of a port.
#[derive(Debug)]
pub(crate) enum Activity {
    Closed,
    Open,
    /// The device was unplugged, and the port waits for its return.
    Reconnecting,
    /// An export, always the newest one.
    Exporting {
        cancel: Arc<Notify>,
    },
    /// A program on a board, or a board's files.
    Running {
        cancel: Arc<Notify>,
    },
}

impl State {
    pub(crate) fn new() -> Self {
        Self {
            activity: Activity::Closed,
            recording: None,
            exports: VecDeque::new(),
            shows_export: false,
            in_background: false,
            unread: Unread::default(),
            line: Vec::new(),
            reset_seen: false,
            used: Instant::now(),
            notice: None,
        }
    }

    pub(crate) fn status(&self) -> Status {
        let export = self.exports.back().filter(|_| self.shows_export);
        let mut status = export.cloned().unwrap_or_else(|| self.without_export());
        status.device_reset_seen = self.reset_seen;
        status.warnings.extend(self.notice.clone());
        status
    }

    fn without_export(&self) -> Status {
        let (state, hint) = match &self.activity {
            Activity::Closed => ("closed", Some("reconnect")),
            Activity::Open if self.recording.is_some() => ("recording", Some("send_stop")),
            Activity::Open if self.in_background => ("running", Some(NEXT)),
            Activity::Open => ("open", None),
            Activity::Reconnecting => ("reconnecting", Some(NEXT)),
            Activity::Exporting { .. } | Activity::Running { .. } => ("running", None),
        };
        Status {
            ok: true,
            state: state.to_owned(),
            hint: hint.map(str::to_owned),
            run_id: self.recording.clone(),
            ..Status::default()
        }
    }

    /// Looks for a line in which a device refuses to record, or reports that it stops recording.
    pub(super) fn look_for_refusal(&mut self, bytes: &[u8]) {
        if self.recording.is_none() {
            return;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") || self.line.len() > LONGEST_LINE {
                if let Some(Answer::Refused { .. }) = Answer::read(self.line.trim_ascii_end()) {
                    self.recording = None;
                }
                self.line.clear();
            }
        }
    }
}

/// Limit of a line in bytes, longer than any answer.
const LONGEST_LINE: usize = 4096;

//! Events of a test run.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::mpsc;

use super::{Report, Status};

/// Event of a test run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A board begins with a file; both are given by their numbers.
    Began {
        /// The board.
        board: usize,
        /// The file.
        file: usize,
    },
    /// A test has ended, or a file could not be run.
    Ended {
        /// The board; `None` if none was left.
        board: Option<usize>,
        /// The file.
        file: usize,
        /// Report of the test.
        report: Box<Report>,
    },
    /// A board was lost, restarted, and continues with the next file.
    Restarted {
        /// The board.
        board: usize,
        /// Reason for the loss.
        why: String,
    },
    /// A board is gone. Files that it has not begun go to the others.
    Lost {
        /// The board.
        board: usize,
        /// Reason for the loss.
        why: String,
    },
}

/// Reports on the tests of one file on one board.
pub(super) struct Teller {
    pub(super) board: usize,
    pub(super) file: usize,
    pub(super) tell: mpsc::Sender<Event>,
    pub(super) is_over: Arc<AtomicBool>,
    pub(super) stop_at_failure: bool,
}

impl Teller {
    pub(super) async fn tell(&self, report: Report) {
        let is_failure = matches!(report.status, Status::Failed | Status::Error);
        if is_failure && self.stop_at_failure {
            self.is_over.store(true, Ordering::Relaxed);
        }
        let event = Event::Ended {
            board: Some(self.board),
            file: self.file,
            report: report.into(),
        };
        // Nothing receives this once the application has gone.
        let _ = self.tell.send(event).await;
    }

    /// Returns true if no more tests should run.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

//! Passes a board of a hub on to other tools while this program makes no requests.

use std::{future::pending, sync::Arc, time::Duration};

use flylead_native::link::{NewsListener, turn::News};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

/// Turn of this program at its board, and the tools that wait for it.
pub(crate) struct Turn {
    /// Time since when another tool has waited.
    wanted: watch::Sender<Option<Instant>>,
    /// Number of blocks of this program that keep the turn.
    kept: usize,
    /// True if the program has typed at the board's prompt, where a line may be unfinished, or a program may run.
    types: bool,
    /// Time of the last request's end.
    ended: Instant,
}

impl Turn {
    pub(crate) fn new() -> Self {
        Self {
            wanted: watch::Sender::new(None),
            kept: 0,
            types: false,
            ended: Instant::now(),
        }
    }

    /// Begins a turn; returns the receiver of its news.
    pub(crate) fn begin(&self) -> NewsListener {
        self.wanted.send_replace(None);
        let wanted = self.wanted.clone();
        Arc::new(move |news| {
            if matches!(news, News::Wanted(_)) {
                wanted.send_modify(|since| {
                    since.get_or_insert_with(Instant::now);
                });
            }
        })
    }

    /// Begins or ends a block that keeps the turn.
    pub(crate) const fn keep(&mut self, keeps: bool) {
        self.kept = match keeps {
            true => self.kept + 1,
            false => self.kept.saturating_sub(1),
        };
    }

    /// Records the end of a request, which may have `typed` at the prompt.
    pub(crate) fn rest(&mut self, typed: bool) {
        (self.types, self.ended) = (typed, Instant::now());
    }

    /// Waits until the turn is to be passed on: another tool waits, and this program has made no request for a while.
    /// Cancel safe.
    pub(crate) async fn is_due(&self) {
        let mut wanted = self.wanted.subscribe();
        let is_wanted = wanted.wait_for(Option::is_some).await.is_ok();
        if !is_wanted || self.kept > 0 {
            return pending().await;
        }
        let pause = if self.types { LINE_LIMIT } else { PAUSE };
        time::sleep_until(self.ended + pause).await;
    }

    /// Returns true if another tool has waited for so long that it comes before the next request.
    pub(crate) fn is_overdue(&self) -> bool {
        let since = *self.wanted.borrow();
        let is_free = self.kept == 0 && !self.types;
        is_free && since.is_some_and(|since| since.elapsed() >= BUSY_LIMIT)
    }
}

/// Time between two requests after which a program counts as idle.
const PAUSE: Duration = Duration::from_millis(200);
/// Time that others wait for a program that makes one request after the other.
const BUSY_LIMIT: Duration = Duration::from_millis(500);
/// Time that others wait for a program that has typed at the prompt and pauses.
const LINE_LIMIT: Duration = Duration::from_secs(30);

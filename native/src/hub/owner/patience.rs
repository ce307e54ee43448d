//! Time limits for an inactive tool that keeps others waiting.

use tokio::time::{Duration, Instant};

/// Time limits of the tool that has the turn.
#[derive(Debug, Default)]
pub(in crate::hub) struct Patience {
    /// Departed tool whose last bytes the board has not taken.
    leaving: Option<Leaving>,
    /// Start of the pause of which the tool was reminded.
    reminded: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
struct Leaving {
    since: Instant,
    /// Time at which the board last took data.
    wrote: Instant,
}

/// Measure against a tool that keeps others waiting.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::hub) enum Due {
    Nothing,
    /// Notify the tool that others have been waiting since then.
    Reminder(Instant),
    /// End its turn.
    Turn,
}

impl Patience {
    /// Restarts the limits, as the turn has passed.
    pub(super) const fn restart(&mut self) {
        self.leaving = None;
        self.reminded = None;
    }

    pub(super) const fn is_leaving(&self) -> bool {
        self.leaving.is_some()
    }

    /// Records that the board took data.
    pub(super) const fn wrote(&mut self, now: Instant) {
        if let Some(leaving) = &mut self.leaving {
            leaving.wrote = now;
        }
    }

    /// Returns true if a departed tool that still `leaves` bytes has been waited for long enough. The first call starts
    /// the time limit, which only the board's progress extends.
    pub(super) fn gives_up_leaving(&mut self, leaves: bool, now: Instant) -> bool {
        if !leaves {
            self.leaving = None;
            return false;
        }
        let begins = Leaving {
            since: now,
            wrote: now,
        };
        self.leaving.get_or_insert(begins).gives_up_at() <= now
    }

    /// Returns the measure due for a tool that has paused since then while others wait; it may do so up to a limit.
    pub(super) fn due(&mut self, paused: Option<Instant>, limit: Duration, now: Instant) -> Due {
        let Some(since) = paused else {
            self.reminded = None;
            return Due::Nothing;
        };
        if since + limit <= now {
            return Due::Turn;
        }
        let is_new = self.reminded != Some(since);
        if is_new && since + limit / 2 <= now {
            self.reminded = Some(since);
            return Due::Reminder(since);
        }
        Due::Nothing
    }

    /// Returns the time at which the next measure is due.
    pub(in crate::hub) fn deadline(
        &self,
        paused: Option<Instant>,
        limit: Duration,
    ) -> Option<Instant> {
        let pause = paused.map(|since| match self.reminded == Some(since) {
            true => since + limit,
            false => since + limit / 2,
        });
        let leaving = self.leaving.map(|it| it.gives_up_at());
        pause.into_iter().chain(leaving).min()
    }
}

impl Leaving {
    fn gives_up_at(self) -> Instant {
        (self.wrote + LAST_BYTES).min(self.since + ALL_LAST_BYTES)
    }
}

/// Time that a board may refuse the last bytes of a departed tool.
const LAST_BYTES: Duration = Duration::from_secs(1);
/// Time that a board has to take all of the last bytes.
const ALL_LAST_BYTES: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_bytes_have_a_deadline_that_only_the_boards_progress_extends() {
        let start = Instant::now();
        let mut patience = Patience::default();
        assert!(!patience.gives_up_leaving(true, start));
        // Something else happens, often.
        for time in 1..10 {
            assert!(!patience.gives_up_leaving(true, start + time * LAST_BYTES / 10));
        }
        assert_eq!(
            patience.deadline(None, LAST_BYTES),
            Some(start + LAST_BYTES)
        );
        patience.wrote(start + LAST_BYTES / 2);
        assert!(!patience.gives_up_leaving(true, start + LAST_BYTES));
        assert!(patience.gives_up_leaving(true, start + 2 * LAST_BYTES));
        patience.wrote(start + ALL_LAST_BYTES);
        assert!(patience.gives_up_leaving(true, start + ALL_LAST_BYTES));
        patience.restart();
        assert!(!patience.gives_up_leaving(true, start + ALL_LAST_BYTES));
    }

    #[test]
    fn a_tool_that_pauses_is_reminded_once_and_then_loses_its_turn() {
        let start = Instant::now();
        let limit = Duration::from_secs(30);
        let mut patience = Patience::default();
        let paused = Some(start);
        assert_eq!(patience.due(paused, limit, start), Due::Nothing);
        assert_eq!(patience.deadline(paused, limit), Some(start + limit / 2));
        assert_eq!(
            patience.due(paused, limit, start + limit / 2),
            Due::Reminder(start)
        );
        assert_eq!(patience.due(paused, limit, start + limit / 2), Due::Nothing);
        assert_eq!(patience.deadline(paused, limit), Some(start + limit));
        assert_eq!(patience.due(paused, limit, start + limit), Due::Turn);
        // A key was pressed: the time starts again.
        assert_eq!(
            patience.due(Some(start + limit), limit, start + limit),
            Due::Nothing
        );
        assert_eq!(patience.due(None, limit, start + 9 * limit), Due::Nothing);
    }
}

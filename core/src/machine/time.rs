//! Time as an argument of functions.

use core::{
    fmt,
    ops::{Add, AddAssign, Sub},
    time::Duration,
};

/// A moment, as the time since the driver started.
///
/// `std::time::Instant::now()` traps on `wasm32-unknown-unknown`, and tests need their own clock. The driver therefore
/// reads a clock and passes the moment. Moments of different drivers cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(Duration);

impl Instant {
    /// Moment at which the driver started.
    pub const START: Self = Self(Duration::ZERO);

    /// Creates the moment `elapsed` after the start.
    #[must_use]
    pub const fn after_start(elapsed: Duration) -> Self {
        Self(elapsed)
    }

    /// Creates a moment from milliseconds after the start.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// Returns the time since the start.
    #[must_use]
    pub const fn since_start(self) -> Duration {
        self.0
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later than this moment.
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// Saturates, so that a deadline can be "never" without overflowing.
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// Saturates at zero, like [`saturating_since`](Self::saturating_since).
    fn sub(self, earlier: Self) -> Duration {
        self.saturating_since(earlier)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s", self.0.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_to_the_last_moment_stays_there() {
        let last = Instant::after_start(Duration::MAX);
        assert_eq!(last + Duration::from_secs(1), last);
    }

    #[test]
    fn an_earlier_moment_is_zero_after_a_later_one() {
        assert_eq!(
            Instant::from_millis(1) - Instant::from_millis(5),
            Duration::ZERO
        );
    }
}

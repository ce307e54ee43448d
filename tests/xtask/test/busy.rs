//! Processor time of a run, from Linux's table of processes.

use std::fs;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Processor time from here on. What was used before is cargo's, which becomes this program when it has built it.
pub(crate) struct Meter {
    start: Instant,
    before: Option<Duration>,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
            before: used(),
        }
    }

    /// Share of the time, in percent, for which the programs that a run started kept all processors busy; none on other
    /// systems.
    pub(crate) fn share(&self) -> Option<u32> {
        let cores = u32::try_from(available_parallelism().ok()?.get()).ok()?;
        let used = used()?.saturating_sub(self.before?);
        let share =
            100.0 * used.as_secs_f32() / (self.start.elapsed().as_secs_f32() * cores as f32);
        Some(share.round() as u32)
    }
}

fn used() -> Option<Duration> {
    of_children(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Processor time of the programs that were started and have ended: `cutime` and `cstime` (proc_pid_stat(5)).
fn of_children(stat: &str) -> Option<Duration> {
    // The name before it may hold blanks.
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks: Vec<u64> = fields
        .split(' ')
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    let [user, system] = ticks[..] else {
        return None;
    };
    Some(Duration::from_millis(
        (user + system) * 1_000 / TICKS_PER_SECOND,
    ))
}

/// `USER_HZ`, which is 100 on every architecture that counts (time(7)).
const TICKS_PER_SECOND: u64 = 100;

#[cfg(test)]
mod tests {
    use super::of_children;
    use std::time::Duration;

    #[test]
    fn the_time_of_ended_children_is_read_behind_a_name_with_blanks() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 1 2 3 4 11 12 250 50 20 0 1 0 1 2 3";
        assert_eq!(of_children(stat), Some(Duration::from_secs(3)));
        assert_eq!(of_children("7 (a"), None);
    }
}

//! Requests to end this program, other than by a key.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receiver of requests to end. Once it exists, neither the end of the terminal nor a polite signal ends this program
/// by itself. Create it before other programs can know of this one.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Shutdown {
    /// `None` if `nohup` has started this program.
    hangup: Option<Signal>,
    terminate: Signal,
}

#[cfg(unix)]
impl Shutdown {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            hangup: match is_ignored(SignalKind::hangup()) {
                true => None,
                false => Some(signal(SignalKind::hangup())?),
            },
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits until the terminal is closed, or a polite signal asks this process to end, even if that happened before.
    pub(crate) async fn requested(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = hangup => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Returns true if whoever started this program has it ignore a signal (proc(5), `/proc/pid/status`, `SigIgn`), as far as
/// the system tells.
#[cfg(unix)]
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| {
        let digits = line.strip_prefix("SigIgn:")?.trim();
        u64::from_str_radix(digits, 16).ok()
    });
    ignored.unwrap_or_default() >> (signal.as_raw_value() - 1) & 1 == 1
}

/// Placeholder, as Windows ends a process without asking.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Shutdown;

#[cfg(not(unix))]
impl Shutdown {
    pub(crate) const fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) async fn requested(&mut self) {
        std::future::pending().await
    }
}

//! Requests to end this program, other than by a key.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receiver of requests to end. Once it exists, neither the end of the terminal nor a polite signal ends this program
/// by itself. Create it before other programs can know of this one.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Shutdown {
    hangup: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl Shutdown {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits until the terminal is closed, or a polite signal asks this process to end, even if that happened before.
    pub(crate) async fn requested(&mut self) {
        tokio::select! {
            _ = self.hangup.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
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

//! Being asked to end, other than by a key.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// From here on, neither the end of the terminal nor a polite signal ends this program by itself. Make it before others can
/// know of the program.
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

    /// Waits for the terminal to be closed, or for somebody to end this process politely; also if that was before.
    pub(crate) async fn requested(&mut self) {
        tokio::select! {
            _ = self.hangup.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Windows ends a process without asking.
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

//! Ctrl-C, as something to wait for.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC as Signal, ctrl_c};

/// From its making on, Ctrl-C no longer ends this program.
#[derive(Debug)]
pub(crate) struct Interrupts(Signal);

impl Interrupts {
    pub(crate) fn new() -> io::Result<Self> {
        #[cfg(unix)]
        let presses = signal(SignalKind::interrupt())?;
        #[cfg(windows)]
        let presses = ctrl_c()?;
        Ok(Self(presses))
    }

    /// Waits for the next Ctrl-C.
    pub(crate) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

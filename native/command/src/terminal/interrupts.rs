//! Ctrl-C as an event to wait for.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC as Signal, ctrl_c};

use crate::Failure;

/// Receiver of Ctrl-C. Once the first one exists, Ctrl-C no longer ends this program by itself.
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

    /// Does the work, unless Ctrl-C arrives before its end.
    pub(crate) async fn or<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            done = work => done,
            () = self.next() => Err(Failure::interrupted()),
        }
    }

    /// Waits for the next Ctrl-C.
    pub(crate) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

//! Turns at a port, and the tools that have it open.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time,
};

use super::{Port, worker::Worker};
use crate::mcp::answer::Fault;

/// The turn to use a port, shared by its clones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn(Arc<Mutex<Option<Worker>>>);

/// Guard held by the call that uses the port, so that two calls never talk at once.
pub(crate) type Held = OwnedMutexGuard<Option<Worker>>;

impl Turn {
    /// Waits for the turn to use the port, but not for the end of a program or an export.
    pub(crate) async fn take(&self, port: &Port) -> Result<Held, Fault> {
        port.check_free()?;
        let held = time::timeout(TURN_TIMEOUT, self.wait()).await;
        port.check_free()?;
        held.map_err(|_| {
            Fault::busy("another call uses this port; wait for it, or try again in a moment")
        })
    }

    /// Waits until the port is unused, regardless of its current use.
    pub(crate) async fn wait(&self) -> Held {
        Arc::clone(&self.0).lock_owned().await
    }
}

/// Time that a call waits for another short one.
const TURN_TIMEOUT: Duration = Duration::from_secs(5);

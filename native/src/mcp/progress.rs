//! Telling a client how far a call is.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use tokio::time::{self, Instant};

/// What is told of one call, now and then, to a client that asked for it.
pub(super) struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    /// What was printed and not told yet; the end of it.
    printed: Vec<u8>,
    /// How many bytes were printed.
    length: u64,
    told: Instant,
}

impl<'a> Progress<'a> {
    pub(super) fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self {
            context,
            token: context.meta.get_progress_token(),
            printed: Vec::new(),
            length: 0,
            told: Instant::now(),
        }
    }

    /// A program has printed this.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.printed.extend_from_slice(bytes);
        let excess = self.printed.len().saturating_sub(LONGEST_MESSAGE);
        self.printed.drain(..excess);
    }

    /// Returns when something was printed, and the last telling is long enough ago.
    pub(super) async fn is_due(&self) {
        match self.printed.is_empty() || self.token.is_none() {
            true => std::future::pending().await,
            false => time::sleep_until(self.told + PAUSE).await,
        }
    }

    /// Tells what was printed since the last time.
    pub(super) async fn tell(&mut self) {
        let message = String::from_utf8_lossy(&self.printed).into_owned();
        self.printed.clear();
        self.send(self.length as f64, None, Some(message)).await;
    }

    /// Tells how many bytes have come, if the last telling is long enough ago.
    pub(super) async fn received(&mut self, bytes: u64, total: Option<u64>) {
        if self.told.elapsed() >= PAUSE {
            // Precise to a byte below eight petabytes.
            let total = total.map(|total| total as f64);
            self.send(bytes as f64, total, None).await;
        }
    }

    async fn send(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        self.told = Instant::now();
        let Some(token) = self.token.clone() else {
            return;
        };
        let mut told = ProgressNotificationParam::new(token, progress);
        told.total = total;
        told.message = message;
        // A client that is gone will not miss it.
        let _ = self.context.peer.notify_progress(told).await;
    }
}

const PAUSE: Duration = Duration::from_millis(200);
/// How much of what a program printed one message holds, in bytes.
const LONGEST_MESSAGE: usize = 4096;

//! Progress of a call, for its client.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use tokio::time::{self, Instant};

/// The progress notifications of one call, for a client that asked for them.
pub(super) struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    /// End of the output since the last notification.
    printed: Vec<u8>,
    /// Number of bytes printed.
    length: u64,
    sent: Instant,
}

impl<'a> Progress<'a> {
    pub(super) fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self {
            context,
            token: context.meta.get_progress_token(),
            printed: Vec::new(),
            length: 0,
            sent: Instant::now(),
        }
    }

    /// Notes output of a program.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.printed.extend_from_slice(bytes);
        let excess = self.printed.len().saturating_sub(LONGEST_MESSAGE);
        self.printed.drain(..excess);
    }

    /// Returns once there is output to send and the last notification is long enough ago.
    pub(super) async fn is_due(&self) {
        match self.printed.is_empty() || self.token.is_none() {
            true => std::future::pending().await,
            false => time::sleep_until(self.sent + PAUSE).await,
        }
    }

    /// Sends what was printed since the last time.
    pub(super) async fn send_output(&mut self) {
        let message = String::from_utf8_lossy(&self.printed).into_owned();
        self.printed.clear();
        self.send(self.length as f64, None, Some(message)).await;
    }

    /// Sends the number of bytes received, if the last notification is long enough ago.
    pub(super) async fn received(&mut self, bytes: u64, total: Option<u64>) {
        if self.sent.elapsed() >= PAUSE {
            // Exact to a byte below eight petabytes.
            let total = total.map(|total| total as f64);
            self.send(bytes as f64, total, None).await;
        }
    }

    async fn send(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        self.sent = Instant::now();
        let Some(token) = self.token.clone() else {
            return;
        };
        let mut notification = ProgressNotificationParam::new(token, progress);
        notification.total = total;
        notification.message = message;
        // A client that has disconnected does not need it.
        let _ = self.context.peer.notify_progress(notification).await;
    }
}

const PAUSE: Duration = Duration::from_millis(200);
/// Limit of a program's output in one message, in bytes.
const LONGEST_MESSAGE: usize = 4096;

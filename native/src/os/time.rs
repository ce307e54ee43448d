//! Waiting for moments that may not be set.

use std::future::pending;

use tokio::time::{self, Instant};

/// Waits until a moment; forever if there is none.
pub async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => time::sleep_until(moment).await,
        None => pending().await,
    }
}

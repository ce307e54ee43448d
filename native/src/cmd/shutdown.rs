//! Being asked to end, other than by a key.

/// Waits for the terminal to be closed, or for somebody to end this process politely.
#[cfg(unix)]
pub(crate) async fn wait() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut hangup), Ok(mut terminate)) = (
        signal(SignalKind::hangup()),
        signal(SignalKind::terminate()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = hangup.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Windows ends a process without asking.
#[cfg(not(unix))]
pub(crate) async fn wait() {
    std::future::pending().await
}

//! How to open a link.

use std::{sync::Arc, time::Duration};

use super::turn::{Ask, News};

/// How to open a link.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// How long the connection may take.
    pub within: Duration,
    /// How long to wait for the turn, where a [hub](crate::hub) owns the board.
    pub turn_within: Option<Duration>,
    /// What to ask such a hub for.
    pub ask: Ask,
    /// Who is told about the turn.
    pub news: Option<NewsListener>,
}

/// Is told what concerns the turn of a tool.
pub type NewsListener = Arc<dyn Fn(&News) + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            within: CONNECT_TIMEOUT,
            turn_within: Some(CONNECT_TIMEOUT),
            ask: Ask::turn("a program"),
            news: None,
        }
    }
}

/// How long [`open`](super::open()) waits: ten seconds.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

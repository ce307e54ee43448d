//! Options for opening a link.

use std::{sync::Arc, time::Duration};

use super::turn::{Ask, News};

/// Options for opening a link.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Time limit of the connection.
    pub within: Duration,
    /// Time limit for waiting for the turn, if a [hub](crate::hub) owns the board.
    pub turn_within: Option<Duration>,
    /// Request to such a hub.
    pub ask: Ask,
    /// True to set a serial port to the first usual speed at which a board answers.
    pub find_speed: bool,
    /// Receiver of turn notifications.
    pub news: Option<NewsListener>,
}

/// Receiver of news about the turn of a tool.
pub type NewsListener = Arc<dyn Fn(&News) + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            within: CONNECT_TIMEOUT,
            turn_within: Some(CONNECT_TIMEOUT),
            ask: Ask::turn("a program"),
            find_speed: false,
            news: None,
        }
    }
}

/// Time limit of [`open`](super::open()): ten seconds.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

//! Status of a board, for overviews of many boards.

pub use crate::link::turn::Activity;
use crate::link::turn::Use;

/// Status of a board at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Activity of the board.
    pub activity: Activity,
    /// Tool that has the turn, and for how long.
    pub holder: Option<Use>,
    /// Tools that wait for the turn, in their order, and for how long.
    pub waiting: Vec<Use>,
}

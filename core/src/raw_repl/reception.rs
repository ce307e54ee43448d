//! How a program on its way is received.

/// What the board has said to a program on its way.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reception {
    /// Nothing that decides.
    Wait,
    /// It has what it wants: all of the program, or enough to refuse it.
    Taken,
    /// It restarted.
    Restarted,
}

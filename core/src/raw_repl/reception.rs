//! Interprets the board's reception of a program.

/// Response of the board to a program on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reception {
    /// Nothing that decides.
    Wait,
    /// It has what it wants: all of the program, or enough to refuse it.
    Taken,
    /// It restarted.
    Restarted,
}

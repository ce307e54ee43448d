//! Interprets the board's reception of a program.

/// Response of the board to a program on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::raw_repl) enum Reception {
    /// Nothing decisive.
    Wait,
    /// The board has what it needs: the whole program, or enough to refuse it.
    Taken,
    /// The board restarted.
    Restarted,
}

//! Finds the nearest possible place of a requested breakpoint.

use core::fmt;

use super::{Module, Refusal};

/// Reason why a program never stops at a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unstoppable {
    /// The line and the ones after it have no code.
    NoCode,
    /// The line's function cannot have hooks.
    Function(Refusal),
}

impl Module {
    /// Returns the line at which a program stops if a stop at `line` is requested: the line itself; the first line of a
    /// statement that continues there; or the next line with code.
    ///
    /// # Errors
    /// [`Unstoppable`], if there is no such line.
    pub fn stop_for(&self, line: u32) -> Result<u32, Unstoppable> {
        if self.stops.contains_key(&line) {
            return Ok(line);
        }
        if let Some((&start, _)) = self
            .stops
            .range(..line)
            .next_back()
            .filter(|(_, stop)| stop.last_line >= line)
        {
            return Ok(start);
        }
        if let Some(refusal) = self.refusal_at(line) {
            return Err(Unstoppable::Function(refusal));
        }
        let next = self.stops.range(line..).next();
        next.map(|(&next, _)| next).ok_or(Unstoppable::NoCode)
    }

    fn refusal_at(&self, line: u32) -> Option<Refusal> {
        let around = self
            .functions
            .iter()
            .filter(|one| (one.line..=one.last_line).contains(&line));
        around.filter_map(|one| one.refusal).next()
    }
}

impl fmt::Display for Unstoppable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCode => f.write_str("there is no code at this line or after it"),
            Self::Function(refusal) => refusal.fmt(f),
        }
    }
}

//! The name of a run, which becomes part of a command line and of a path.

use alloc::{borrow::ToOwned, string::String};
use core::{fmt, str::FromStr};

use crate::windows;

/// The name of a run: `20260115_2112_run001`.
///
/// The name is sent to a device inside a line and becomes a directory's name. A value of this type therefore can be
/// neither a second command nor a path out of that directory: it consists of 1 to 64 ASCII letters, digits, `_`, `-`
/// and `.`; the first character is a letter or a digit, the last is not a dot, no two dots are adjacent, and the part
/// before the first dot is not a name that Windows reserves for a device.
///
/// ```
/// use flylead_core::export::RunId;
///
/// assert!("20260115_2112_run001".parse::<RunId>().is_ok());
/// assert!("../other".parse::<RunId>().is_err());
/// assert!("run1\nSTOP".parse::<RunId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// Length limit of a name, in bytes.
    pub const LONGEST: usize = 64;

    /// Creates a name that is safe in a command line and in a path.
    ///
    /// # Errors
    /// The defect of an invalid name.
    pub fn new(name: &str) -> Result<Self, RunIdError> {
        check(name).map(|()| Self(name.to_owned()))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reason why a text is not a valid run name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunIdError {
    /// The name is empty.
    Empty,
    /// The name is longer than [`RunId::LONGEST`].
    TooLong,
    /// The first character is not an ASCII letter or digit.
    Start,
    /// A character is not one of `A-Z a-z 0-9 _ - .`.
    Character {
        /// Offset of the character, in bytes from 0.
        offset: usize,
    },
    /// Two dots are adjacent, or one is at the end.
    Dots,
    /// Windows reserves this name for a device, such as `nul` or `COM1`.
    Reserved,
}

fn check(name: &str) -> Result<(), RunIdError> {
    let first = name.bytes().next().ok_or(RunIdError::Empty)?;
    if name.len() > RunId::LONGEST {
        return Err(RunIdError::TooLong);
    }
    if !first.is_ascii_alphanumeric() {
        return Err(RunIdError::Start);
    }
    if let Some(offset) = name.bytes().position(|byte| !is_allowed(byte)) {
        return Err(RunIdError::Character { offset });
    }
    if name.contains("..") || name.ends_with('.') {
        return Err(RunIdError::Dots);
    }
    if windows::is_device(name) || is_zeroth(name) {
        return Err(RunIdError::Reserved);
    }
    Ok(())
}

const fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns true for `COM0` and `LPT0`, which only some lists of Windows devices contain.
fn is_zeroth(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    ["com0", "lpt0"]
        .into_iter()
        .any(|device| stem.eq_ignore_ascii_case(device))
}

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(name: &str) -> Result<Self, RunIdError> {
        Self::new(name)
    }
}

impl AsRef<str> for RunId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RunIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the run id is empty; give it a name such as 20260115_2112_run001")
            }
            Self::TooLong => write!(f, "the run id is longer than {} characters", RunId::LONGEST),
            Self::Start => f.write_str("the run id must begin with an ASCII letter or digit"),
            Self::Character { offset } => write!(
                f,
                "the run id has a character at offset {offset} other than A-Z a-z 0-9 _ - ."
            ),
            Self::Dots => {
                f.write_str("the run id must not contain two dots in a row or end with a dot")
            }
            Self::Reserved => f.write_str(
                "the run id is a name that Windows reserves for a device; choose another",
            ),
        }
    }
}

impl core::error::Error for RunIdError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, vec::Vec};

    #[test]
    fn f17_ordinary_names_are_taken_as_they_are() {
        for name in [
            "20260115_2112_run001",
            "a",
            "7",
            "run-1.2",
            "console",
            "com",
            "com10",
            "x".repeat(64).as_str(),
        ] {
            assert_eq!(RunId::new(name).map(|id| id.0), Ok(name.to_owned()));
        }
    }

    #[test]
    fn f17_each_kind_of_hostile_name_is_refused_for_its_own_reason() {
        let cases = [
            ("", RunIdError::Empty),
            (".", RunIdError::Start),
            ("-rf", RunIdError::Start),
            (".git", RunIdError::Start),
            ("é", RunIdError::Start),
            ("a/b", RunIdError::Character { offset: 1 }),
            ("a\\b", RunIdError::Character { offset: 1 }),
            ("run\r\nSTOP", RunIdError::Character { offset: 3 }),
            ("run\0", RunIdError::Character { offset: 3 }),
            ("run 1", RunIdError::Character { offset: 3 }),
            ("a..b", RunIdError::Dots),
            ("a.", RunIdError::Dots),
            ("CON", RunIdError::Reserved),
            ("nul.txt", RunIdError::Reserved),
            ("Lpt9.a.b", RunIdError::Reserved),
            ("com0.csv", RunIdError::Reserved),
        ];
        for (name, error) in cases {
            assert_eq!(RunId::new(name), Err(error), "{name:?}");
        }
        assert_eq!(RunId::new(&"x".repeat(65)), Err(RunIdError::TooLong));
    }

    #[test]
    fn f17_no_name_that_is_taken_can_hold_a_separator_or_a_line_end() {
        let taken: Vec<u8> = (0..=255u8)
            .filter(|byte| RunId::new(&format!("a{}b", char::from(*byte))).is_ok())
            .collect();
        assert_eq!(taken.len(), 26 + 26 + 10 + 3);
    }
}

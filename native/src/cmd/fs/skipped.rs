//! What a copy of many files leaves out, and goes on.

use flylead::BoardError;
use flylead_core::board;
use serde_json::{Value, json};

use super::{Common, Exit, Failure};
use crate::cmd::terminal::print;

/// Names that were left out, each with the reason.
#[derive(Debug, Default)]
pub(crate) struct Skipped(Vec<(String, String)>);

impl Skipped {
    pub(crate) fn add(&mut self, path: impl ToString, reason: impl ToString) {
        self.0.push((path.to_string(), reason.to_string()));
    }

    /// Lists what was left out on stderr, or on stdout as a line of JSON each.
    pub(crate) fn report(&self, common: &Common) -> Result<Exit, Failure> {
        if common.json {
            for line in self.as_json() {
                print(format!("{line}\n"))?;
            }
        }
        Ok(self.list(common))
    }

    /// Lists what was left out on stderr, for who did not ask for JSON.
    pub(crate) fn list(&self, common: &Common) -> Exit {
        if self.0.is_empty() {
            return Exit::Done;
        }
        for (path, reason) in &self.0 {
            common.note(format_args!("skipped {path}: {reason}"));
        }
        common.note(format_args!("{} skipped", self.0.len()));
        Exit::Skipped
    }

    pub(crate) fn as_json(&self) -> Vec<Value> {
        let skipped = self.0.iter();
        skipped
            .map(|(path, reason)| json!({ "skipped": path, "reason": reason }))
            .collect()
    }
}

/// Why the board does not take one entry of many, where the others have nothing to fear of that. An old file that may be
/// lost is no entry to leave out: that ends the copy, in words of its own.
pub(crate) fn is_about_one(error: &BoardError) -> Option<&board::Error> {
    let BoardError::File(error) = error else {
        return None;
    };
    let mut error = error;
    if let board::Error::Entry { error: reason, .. } = error {
        error = reason;
    }
    matches!(
        error,
        board::Error::NotFound
            | board::Error::Exists
            | board::Error::IsDirectory
            | board::Error::NotDirectory
            | board::Error::NotEmpty
            | board::Error::NameTooLong
            | board::Error::Invalid
            | board::Error::Busy
            | board::Error::Denied
            | board::Error::Raised(_)
    )
    .then_some(error)
}

//! Entries that are skipped while many files are copied.

use flylead_native::deploy;
use serde_json::{Value, json};

use crate::{
    files::fs::{Common, Exit, Failure},
    terminal::print,
};

/// Skipped names, each with the reason.
#[derive(Debug, Default)]
pub(crate) struct Skipped(pub(crate) deploy::Skipped);

impl Skipped {
    pub(crate) fn add(&mut self, path: impl ToString, reason: impl ToString) {
        self.0.add(path, reason);
    }

    /// Lists the skipped names on stderr, or on stdout with a line of JSON for each.
    pub(crate) fn report(&self, common: &Common) -> Result<Exit, Failure> {
        if common.json {
            for line in self.as_json() {
                print(format!("{line}\n"))?;
            }
        }
        Ok(self.list(common))
    }

    /// Lists the skipped names on stderr, unless JSON is requested.
    pub(crate) fn list(&self, common: &Common) -> Exit {
        let deploy::Skipped { refused, at_home } = &self.0;
        if !at_home.is_empty() {
            let names = at_home
                .iter()
                .map(|(path, reason)| format!("{path} ({reason})"));
            let names = names.collect::<Vec<_>>().join(", ");
            common.note(format_args!("not sent: {names}; --all sends everything"));
        }
        if refused.is_empty() {
            return Exit::Done;
        }
        for (path, reason) in refused {
            common.note(format_args!("skipped {path}: {reason}"));
        }
        common.note(format_args!("{} skipped", refused.len()));
        Exit::Skipped
    }

    pub(crate) fn as_json(&self) -> Vec<Value> {
        let deploy::Skipped { refused, at_home } = &self.0;
        let refused = refused.iter();
        let refused = refused.map(|(path, why)| json!({ "skipped": path, "reason": why }));
        let at_home = at_home.iter();
        let at_home = at_home.map(|(path, why)| json!({ "not_sent": path, "reason": why }));
        refused.chain(at_home).collect()
    }
}

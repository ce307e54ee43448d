//! What a reply would do, before it does it.

use std::collections::BTreeMap;

use flylead_core::agent::{Command, Inbox, path};
use similar::TextDiff;

use super::{
    Agent,
    perform::{FILE_LIMIT, names, plan},
};
use crate::workspace::Workspace;

/// One command of a reply, as a person wants to see it before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preview {
    /// A file changes: a unified diff.
    Change {
        /// Its path.
        path: String,
        /// The diff, with three lines of context.
        diff: String,
    },
    /// A shell command.
    Run {
        /// The script.
        script: String,
    },
    /// A command that will fail, or an error of the reply.
    Fails {
        /// The line of the reply.
        line: usize,
        /// Why.
        why: String,
    },
}

impl Agent {
    /// What the commands of a reply would do one after the other. What shell commands change is not known.
    #[must_use]
    pub fn preview(&self, inbox: &Inbox) -> Vec<Preview> {
        let mut files = BTreeMap::new();
        let mut previews = Vec::new();
        for item in &inbox.items {
            let preview = match &item.outcome {
                Err(fault) => Some(Preview::Fails {
                    line: item.line,
                    why: format!("{}: {fault}", fault.command),
                }),
                Ok(Command::RunCommand { command }) => Some(Preview::Run {
                    script: command.clone(),
                }),
                Ok(
                    Command::CreateFile { .. }
                    | Command::EditFile { .. }
                    | Command::DeleteFile { .. },
                ) => {
                    let change = item
                        .outcome
                        .as_ref()
                        .map_or(Ok(None), |command| self.change_of(command, &mut files));
                    change.unwrap_or_else(|why| {
                        Some(Preview::Fails {
                            line: item.line,
                            why,
                        })
                    })
                }
                Ok(_) => None,
            };
            previews.extend(preview);
        }
        previews
    }

    fn change_of(
        &self,
        command: &Command,
        files: &mut BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Option<Preview>, String> {
        let Some(written) = command.path() else {
            return Ok(None);
        };
        let (path, _) =
            path::judge(written, names()).map_err(|refusal| format!("{refusal}: '{written}'"))?;
        let before = match files.get(path.as_str()) {
            Some(known) => known.clone(),
            None => self.folder().read(&path, FILE_LIMIT).ok(),
        };
        let (after, _) = plan(command, &path, before.as_deref())?;
        let text = |content: &Option<Vec<u8>>| {
            String::from_utf8_lossy(content.as_deref().unwrap_or_default()).into_owned()
        };
        let (old, new) = (text(&before), text(&after));
        let diff = TextDiff::from_lines(&old, &new)
            .unified_diff()
            .context_radius(3)
            .to_string();
        files.insert(path.as_str().to_owned(), after);
        Ok(Some(Preview::Change {
            path: path.as_str().to_owned(),
            diff,
        }))
    }
}

//! Files that the user gives to the LLM with the task.

use std::{io, path::Path};

use flylead_core::agent::{
    CONTENTS_LIMIT, ReadRequest, looks_secret,
    path::{self, WorkspacePath},
    short_sha,
};
use globset::GlobBuilder;

use super::{
    Agent, AgentError, open,
    perform::{FILE_LIMIT, file_error, names},
};

/// Files that the first message shows: paths from the workspace's root, or patterns.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Files to work on.
    pub add: Vec<String>,
    /// Files to read; the LLM's file commands leave them as they are.
    pub read: Vec<String>,
}

impl Agent {
    /// Puts files into the first message.
    pub(super) fn give(&mut self, given: Given) -> Result<(), AgentError> {
        let mut bytes = 0;
        for (wanted, is_read_only) in [(given.add, false), (given.read, true)] {
            for name in wanted {
                for path in self.meant(&name)? {
                    bytes += self.show_first(&path, is_read_only)?;
                }
            }
        }
        match bytes > CONTENTS_LIMIT {
            true => Err(refused(format!(
                "the files have {bytes} bytes in total, but a message shows at most {CONTENTS_LIMIT}; give fewer files"
            ))),
            false => Ok(()),
        }
    }

    /// Returns signs of secrets in the files shown by the waiting message.
    ///
    /// # Errors
    /// The workspace cannot be read.
    pub fn shown_secrets(&self) -> Result<Vec<String>, AgentError> {
        let mut found = Vec::new();
        for request in &self.session.read_file_requests {
            if let Ok((path, _)) = path::judge(&request.path, names())
                && let Ok(content) = self.workspace()?.read(&path, FILE_LIMIT)
                && let Some(sign) = looks_secret(path.as_str(), &content)
            {
                found.push(format!("{path}: {sign}"));
            }
        }
        Ok(found)
    }

    fn show_first(
        &mut self,
        path: &WorkspacePath,
        is_read_only: bool,
    ) -> Result<usize, AgentError> {
        let read = self.workspace()?.read(path, FILE_LIMIT);
        let content = read.map_err(|error| refused(file_error(path, &error)))?;
        let request = ReadRequest::plain(path.as_str().to_owned());
        let session = &mut self.session;
        if is_read_only && !session.read_only.contains(&request.path) {
            session.read_only.push(request.path.clone());
        }
        if session.read_file_requests.contains(&request) {
            return Ok(0);
        }
        let known = short_sha(&content);
        session.known_files.insert(request.path.clone(), known);
        session.read_file_requests.push(request);
        Ok(content.len())
    }

    /// Resolves a name or a pattern to files. A file with exactly that name takes precedence over a pattern.
    fn meant(&self, written: &str) -> Result<Vec<WorkspacePath>, AgentError> {
        let inside = self.inside(written);
        let (path, _) = path::judge(&inside, names())
            .map_err(|refusal| refused(format!("{refusal}: '{written}'")))?;
        let is_pattern = inside.contains(['*', '?', '[', '{']);
        if !is_pattern || self.workspace()?.form(&path).is_some() {
            return Ok(vec![path]);
        }
        let glob = GlobBuilder::new(path.as_str())
            .literal_separator(true)
            .build()
            .map_err(|error| refused(format!("{written}: {}", error.kind())))?
            .compile_matcher();
        let files = self.workspace()?.list()?;
        let files = files.iter().filter(|file| glob.is_match(&file.path));
        let paths: Vec<_> = files
            .filter_map(|file| Some(path::judge(&file.path, names()).ok()?.0))
            .collect();
        match paths.is_empty() {
            true => Err(refused(format!("no file matches '{written}'"))),
            false => Ok(paths),
        }
    }

    /// Converts a path as the user wrote it to one relative to the workspace's root.
    fn inside(&self, written: &str) -> String {
        let root = Path::new(open::root(self.home.workspace()));
        let inside = Path::new(written).strip_prefix(root);
        inside.map_or_else(
            |_| written.to_owned(),
            |inside| inside.to_string_lossy().into_owned(),
        )
    }
}

fn refused(why: String) -> AgentError {
    AgentError::Io(io::Error::new(io::ErrorKind::InvalidInput, why))
}

//! The next outbox.

use std::{io, path::PathBuf};

use flylead_core::agent::{
    Contents, Outbox, ReadRequest, edit,
    path::{self, Names},
    render_outbox,
};

use super::{Agent, AgentError, home, perform::FILE_LIMIT};
use crate::workspace::Workspace;

impl Agent {
    /// Writes the waiting outbox if it is not there yet. One that is there is what the LLM has seen, and stays.
    ///
    /// # Errors
    /// The workspace cannot be read, or the outbox cannot be written.
    pub fn write_outbox(&self) -> Result<PathBuf, AgentError> {
        let path = self.home.outbox_path(&self.session);
        if !path.exists() {
            home::write_atomically(&path, self.outbox()?.as_bytes())?;
        }
        Ok(path)
    }

    /// The waiting outbox, from the session and the workspace as they are.
    ///
    /// # Errors
    /// The workspace cannot be read.
    pub fn outbox(&self) -> Result<String, AgentError> {
        let files = self.folder.list()?;
        let shown = files.len().min(LISTED);
        let mut room = CONTENTS_LIMIT;
        let requests = &self.session.read_file_requests;
        let contents: Vec<Contents> = requests
            .iter()
            .map(|request| self.contents(request, &mut room))
            .collect();
        Ok(render_outbox(&Outbox {
            session: &self.session,
            files: &files[..shown],
            more_files: files.len() - shown,
            contents: &contents,
        }))
    }

    fn contents(&self, request: &ReadRequest, room: &mut usize) -> Contents {
        let mut contents = Contents {
            path: request.path.clone(),
            text: String::new(),
            numbered_from: None,
            note: None,
        };
        let read = path::judge(&request.path, Names::Unix)
            .map_err(|refusal| refusal.to_string())
            .and_then(|(path, _)| {
                self.folder
                    .read(&path, FILE_LIMIT)
                    .map_err(|error| error.to_string())
            });
        match read {
            Err(why) => contents.note = Some(why),
            Ok(file) if file.iter().take(8 * 1024).any(|byte| *byte == 0) => {
                contents.note = Some(format!("binary, {} bytes", file.len()));
            }
            Ok(file) => fill(&mut contents, &file, request, room),
        }
        contents
    }
}

fn fill(contents: &mut Contents, file: &[u8], request: &ReadRequest, room: &mut usize) {
    let lines = edit::count_lines(file);
    let first = request.first.map_or(1, |first| first as usize);
    let last = request
        .last
        .map_or(lines, |last| (last as usize).min(lines));
    let text = String::from_utf8_lossy(file);
    let whole = (first, last) == (1, lines);
    let part: String = match whole {
        true => text.into_owned(),
        false => text
            .split_inclusive('\n')
            .take(last)
            .skip(first.saturating_sub(1))
            .collect(),
    };
    let end = part.floor_char_boundary((*room).min(FILE_SHOWN));
    *room -= end;
    contents.numbered_from = request.numbered.then_some(first);
    contents.note = match (whole, end < part.len()) {
        (_, true) => Some(format!(
            "only the first {end} bytes; ask for the rest with start_line and end_line"
        )),
        (false, false) => Some(format!("lines {first}-{last} of {lines}")),
        (true, false) => None,
    };
    contents.text = part[..end].to_owned();
}

impl Agent {
    /// Removes the outbox file of a session, so that it is written anew from the workspace as it is.
    ///
    /// # Errors
    /// The file is there and cannot be removed.
    pub fn forget_outbox(&self) -> io::Result<()> {
        match std::fs::remove_file(self.home.outbox_path(&self.session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// How many files are listed.
const LISTED: usize = 2_000;
/// How many bytes are shown of one file.
const FILE_SHOWN: usize = 256 * 1024;
/// How many bytes are shown of all files.
const CONTENTS_LIMIT: usize = 1024 * 1024;

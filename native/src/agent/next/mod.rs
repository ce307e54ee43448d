//! Writes the next outbox.

mod map;

use std::{io, path::PathBuf};

use flylead_core::agent::{
    CONTENTS_LIMIT, Contents, Outbox, ReadRequest, path, render_outbox, show,
};

use super::{
    Agent, AgentError,
    perform::{FILE_LIMIT, names},
};
use crate::agent::workspace::Workspace;

impl Agent {
    /// Writes the waiting outbox if it does not exist yet. An existing one stays, because the LLM has seen it.
    ///
    /// # Errors
    /// The workspace cannot be read, or the outbox cannot be written.
    pub fn write_outbox(&self) -> Result<PathBuf, AgentError> {
        let (store, name) = (self.home.outbox(), self.session.outbox_name());
        if !store.has(&name) {
            store.write(&name, self.outbox()?.as_bytes())?;
        }
        Ok(store.path_of(&name))
    }

    /// Returns the waiting outbox, made from the current session and workspace.
    ///
    /// # Errors
    /// The workspace cannot be read.
    pub fn outbox(&self) -> Result<String, AgentError> {
        let workspace = self.workspace()?;
        let files = workspace.list()?;
        let all = files.len();
        let map = self.map(&files)?;
        let files = map::listed(files, &map);
        let mut room = CONTENTS_LIMIT;
        let requests = &self.session.read_file_requests;
        let contents: Vec<Contents> = requests
            .iter()
            .map(|request| requested(workspace, request, &mut room))
            .collect();
        Ok(render_outbox(&Outbox {
            session: &self.session,
            files: &files,
            more_files: all - files.len(),
            map: &map,
            contents: &contents,
        }))
    }

    /// Removes a session's outbox file, so that it is written again from the current workspace.
    ///
    /// # Errors
    /// The file exists and cannot be removed.
    pub fn forget_outbox(&self) -> io::Result<()> {
        match self.home.outbox().remove(&self.session.outbox_name()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn requested(workspace: &dyn Workspace, request: &ReadRequest, room: &mut usize) -> Contents {
    let read = path::judge(&request.path, names())
        .map_err(|refusal| refusal.to_string())
        .and_then(|(path, _)| {
            let read = workspace.read(&path, FILE_LIMIT);
            read.map_err(|error| error.to_string())
        });
    let file = read.as_deref().map_err(Clone::clone);
    show(request, file, room)
}

//! Where sessions are kept.

use std::{
    fs::{self, File},
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use flylead_core::agent::{Session, is_session_id};

use super::AgentError;

/// A folder with `outbox/` and `sessions/`, locked while it is held.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    _lock: File,
}

impl Home {
    /// Opens the folder, and makes it if it is missing.
    ///
    /// # Errors
    /// It cannot be made, or another agent holds it.
    pub fn open(path: &Path) -> Result<Self, AgentError> {
        for folder in ["outbox", "sessions"] {
            fs::create_dir_all(path.join(folder))?;
        }
        let path = path.canonicalize()?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join("lock"))?;
        lock.try_lock().map_err(|_| AgentError::Locked)?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All sessions that can be read, the one that was written last first.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn sessions(&self) -> io::Result<Vec<Session>> {
        let mut sessions = Vec::new();
        for entry in fs::read_dir(self.path.join("sessions"))? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
                && let Ok(session) = Session::from_json(&fs::read_to_string(&path)?)
            {
                sessions.push(session);
            }
        }
        sessions.sort_by(|one, other| {
            (&other.updated_at, &other.session_id).cmp(&(&one.updated_at, &one.session_id))
        });
        Ok(sessions)
    }

    pub(super) fn load(&self, id: Option<&str>) -> Result<Session, AgentError> {
        let Some(id) = id else {
            return self
                .sessions()?
                .into_iter()
                .next()
                .ok_or(AgentError::NoSession);
        };
        if !is_session_id(id) || !self.session_path(id).exists() {
            return Err(AgentError::NoSession);
        }
        Ok(Session::from_json(&fs::read_to_string(
            self.session_path(id),
        )?)?)
    }

    pub(super) fn save(&self, session: &Session) -> io::Result<()> {
        write_atomically(
            &self.session_path(&session.session_id),
            session.to_json().as_bytes(),
        )
    }

    pub(super) fn new_session(&self, task: &str, workspace: &Path) -> Result<Session, AgentError> {
        let workspace = workspace.canonicalize()?;
        let mut session = Session::new(self.new_id(), task.to_owned(), now());
        let path = workspace.to_string_lossy().into_owned();
        session.other.insert("workspace".into(), path.into());
        fs::create_dir_all(self.folder_of(&session))?;
        Ok(session)
    }

    /// Where the session's journal, replies, logs and before-images are.
    pub(super) fn folder_of(&self, session: &Session) -> PathBuf {
        self.path.join("sessions").join(&session.session_id)
    }

    pub(super) fn outbox_path(&self, session: &Session) -> PathBuf {
        self.path.join("outbox").join(session.outbox_name())
    }

    fn session_path(&self, id: &str) -> PathBuf {
        self.path.join("sessions").join(format!("{id}.json"))
    }

    fn new_id(&self) -> String {
        loop {
            let random = RandomState::new().build_hasher().finish();
            let id = format!("{:08x}", random & 0xffff_ffff);
            if !self.session_path(&id).exists() {
                return id;
            }
        }
    }
}

pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The file is the old one or the new one, whenever the program is killed: temporary file, fsync, rename, fsync.
pub(super) fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let mut file = File::create(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

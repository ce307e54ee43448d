//! Where sessions are kept.

use std::{
    fs::{self, File},
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use flylead_core::agent::{Commands, Session, SessionError, is_session_id};

use super::{AgentError, Settings, open};

/// A folder with `inbox/`, `outbox/`, `processed/` and `sessions/`, locked while it is held.
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
        for folder in ["inbox", "outbox", "processed", "sessions"] {
            fs::create_dir_all(path.join(folder))?;
        }
        let path = path.canonicalize()?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join("lock"))?;
        lock.try_lock().map_err(|_| locked(&path))?;
        // Who holds it is told to the next one; nothing depends on it.
        let _ = fs::write(path.join("lock.pid"), std::process::id().to_string());
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All sessions that can be read, the one that was written last first. A damaged one is kept as
    /// `….json.corrupt`.
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
                && let Some(session) = read_or_put_aside(&path)?
            {
                sessions.push(session);
            }
        }
        sessions.sort_by(|one, other| {
            (&other.updated_at, &other.session_id).cmp(&(&one.updated_at, &one.session_id))
        });
        Ok(sessions)
    }

    /// The sessions that were damaged and are kept beside.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn damaged(&self) -> io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.path.join("sessions"))?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut damaged = paths.collect::<io::Result<Vec<_>>>()?;
        damaged.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "corrupt")
        });
        Ok(damaged)
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

    pub(super) fn new_session(
        &self,
        task: &str,
        workspace: &str,
        settings: Settings,
    ) -> Result<Session, AgentError> {
        let name = open::name(workspace)?;
        let mut session = Session::new(self.new_id(), task.to_owned(), now());
        session.edit_numbering = settings.numbering;
        session.eol = settings.eol;
        session.truncate = settings.truncate;
        if open::board(&name).is_some() {
            session.commands = Commands::Python;
        }
        session.other.insert("workspace".into(), name.into());
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

    pub(super) fn inbox(&self) -> PathBuf {
        self.path.join("inbox")
    }

    pub(super) fn processed(&self) -> PathBuf {
        self.path.join("processed")
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

fn locked(path: &Path) -> AgentError {
    let pid = fs::read_to_string(path.join("lock.pid")).ok();
    AgentError::Locked {
        pid: pid.and_then(|pid| pid.trim().parse().ok()),
    }
}

/// A session, or none where the file is damaged: it would stop every other session too.
fn read_or_put_aside(path: &Path) -> io::Result<Option<Session>> {
    let json = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    match Session::from_json(&json) {
        Ok(session) => Ok(Some(session)),
        Err(SessionError::Unreadable { .. }) => {
            let mut aside = path.as_os_str().to_owned();
            aside.push(".corrupt");
            fs::rename(path, aside)?;
            Ok(None)
        }
        Err(_) => Ok(None),
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

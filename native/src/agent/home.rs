//! Storage of sessions.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use flylead_core::agent::{Commands, Session, SessionError, is_session_id};

use super::{
    AgentError, Location, Settings,
    location::{Found, Owner},
    open,
    store::Store,
};
use crate::random_hex;

/// The agent's own files for one workspace: `sessions/`, `outbox/` and `processed/`, locked while this value lives.
#[derive(Debug)]
pub struct Home {
    store: Store,
    workspace: String,
    sessions: Store,
    outbox: Store,
    processed: Store,
    _lock: File,
}

impl Home {
    /// Opens the home of a workspace that has sessions.
    ///
    /// # Errors
    /// The workspace has no sessions, another agent holds the home, the folder was moved or replaced, or it must not be
    /// a workspace.
    pub fn open(location: &Location) -> Result<Self, AgentError> {
        let found = location.find()?;
        if Owner::of(&found.home).is_none() {
            move_here(&found, location.here)?;
        }
        Self::at(found, location)
    }

    /// Like [`open`](Self::open), for the first session of a workspace: creates missing folders, and selects this
    /// workspace for commands run from this folder without naming one.
    ///
    /// # Errors
    /// The home cannot be created, or as for [`open`](Self::open).
    pub fn create(location: &Location) -> Result<Self, AgentError> {
        let found = location.find()?;
        if Owner::of(&found.home).is_none() {
            Owner::now(&found.workspace).write(&Store::create(&found.home)?)?;
        }
        let home = Self::at(found, location)?;
        location.remember(&home.workspace)?;
        Ok(home)
    }

    fn at(found: Found, location: &Location) -> Result<Self, AgentError> {
        let store = Store::open(&found.home)?;
        let lock = store.lock("lock")?;
        lock.try_lock().map_err(|_| locked(&store))?;
        // The holder's process id is for the error message of the next agent; nothing depends on it.
        let _ = store.write(HOLDER, std::process::id().to_string().as_bytes());
        claim(&store, &found.workspace, location.here)?;
        Ok(Self {
            sessions: store.folder("sessions")?,
            outbox: store.folder("outbox")?,
            processed: store.folder("processed")?,
            workspace: found.workspace,
            store,
            _lock: lock,
        })
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Returns the workspace of the sessions: an absolute path, or `board:ADDRESS`.
    #[must_use]
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// Returns all readable sessions, most recently written first. A damaged one is kept as `….json.corrupt`.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn sessions(&self) -> io::Result<Vec<Session>> {
        let mut sessions = Vec::new();
        for (name, _) in self.sessions.files()? {
            if name.ends_with(JSON)
                && let Some(session) = read_or_put_aside(&self.sessions, &name)?
            {
                sessions.push(session);
            }
        }
        sessions.sort_by(|one, other| {
            (&other.updated_at, &other.session_id).cmp(&(&one.updated_at, &one.session_id))
        });
        Ok(sessions)
    }

    /// Returns the paths of the damaged sessions that were set aside.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn damaged(&self) -> io::Result<Vec<PathBuf>> {
        let files = self.sessions.files()?.into_iter();
        let damaged = files.filter(|(name, _)| name.ends_with(CORRUPT));
        Ok(damaged
            .map(|(name, _)| self.sessions.path_of(&name))
            .collect())
    }

    pub(super) fn load(&self, id: Option<&str>) -> Result<Session, AgentError> {
        let Some(id) = id else {
            let sessions = self.sessions()?;
            return sessions.into_iter().next().ok_or(AgentError::NoSession);
        };
        if !is_session_id(id) || !self.sessions.has(&file_name(id)) {
            return Err(AgentError::NoSession);
        }
        let json = self.sessions.read(&file_name(id), SESSION_LIMIT)?;
        Ok(Session::from_json(&String::from_utf8_lossy(&json))?)
    }

    pub(super) fn save(&self, session: &Session) -> io::Result<()> {
        let name = file_name(&session.session_id);
        self.sessions.write(&name, session.to_json().as_bytes())
    }

    pub(super) fn new_session(
        &self,
        task: &str,
        settings: Settings,
    ) -> Result<Session, AgentError> {
        let mut session = Session::new(self.new_id(), task.to_owned(), now());
        session.edit_numbering = settings.numbering;
        session.eol = settings.eol;
        session.truncate = settings.truncate;
        if open::board(&self.workspace).is_some() {
            session.commands = Commands::Python;
        }
        Ok(session)
    }

    /// Returns the store for the session's journal, replies, logs and before-images.
    pub(super) fn folder_of(&self, session: &Session) -> io::Result<Store> {
        self.sessions.folder(&session.session_id)
    }

    /// Returns the store for the outboxes of all sessions.
    pub(super) const fn outbox(&self) -> &Store {
        &self.outbox
    }

    /// Returns the store for processed replies.
    pub(super) const fn processed(&self) -> &Store {
        &self.processed
    }

    /// Opens a subfolder for a separate purpose, and creates it if it is missing.
    pub(super) fn folder(&self, name: &str) -> io::Result<Store> {
        self.store.folder(name)
    }

    fn new_id(&self) -> String {
        loop {
            let id = random_hex::<4>();
            if !self.sessions.has(&file_name(&id)) {
                return id;
            }
        }
    }
}

fn file_name(id: &str) -> String {
    format!("{id}{JSON}")
}

/// Moves an existing home here if the workspace has none: its folder may have been moved from elsewhere.
fn move_here(found: &Found, here: bool) -> Result<(), AgentError> {
    let now = Owner::now(&found.workspace);
    let Some((old, owner)) = now.moved_from() else {
        return Err(AgentError::NoSession);
    };
    if !here {
        return Err(AgentError::Moved {
            from: owner.workspace,
        });
    }
    std::fs::rename(old, &found.home)?;
    Ok(now.write(&Store::open(&found.home)?)?)
}

/// Checks that the sessions belong to this workspace, and claims the home for it.
fn claim(store: &Store, workspace: &str, here: bool) -> Result<(), AgentError> {
    let now = Owner::now(workspace);
    let owner = Owner::of(store.path()).ok_or(AgentError::NoSession)?;
    if owner == now {
        return Ok(());
    }
    if here {
        return Ok(now.write(store)?);
    }
    if owner.workspace != now.workspace {
        return Err(AgentError::Moved {
            from: owner.workspace,
        });
    }
    Err(AgentError::Replaced)
}

fn locked(store: &Store) -> AgentError {
    let pid = store.read(HOLDER, 99).ok();
    let pid = pid.and_then(|pid| String::from_utf8(pid).ok());
    AgentError::Locked {
        pid: pid.and_then(|pid| pid.trim().parse().ok()),
    }
}

/// Reads a session. Sets a damaged file aside and returns `None`: it would block every other session, too.
fn read_or_put_aside(sessions: &Store, name: &str) -> io::Result<Option<Session>> {
    let json = sessions.read(name, SESSION_LIMIT)?;
    match Session::from_json(&String::from_utf8_lossy(&json)) {
        Ok(session) => Ok(Some(session)),
        Err(SessionError::Unreadable { .. }) => {
            sessions.rename(name, sessions, &format!("{name}{CORRUPT}"))?;
            Ok(None)
        }
        Err(_) => Ok(None),
    }
}

pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

const HOLDER: &str = "lock.pid";
const JSON: &str = ".json";
const CORRUPT: &str = ".corrupt";
/// A session holds what the last reply's commands printed, at most 4000 characters each.
const SESSION_LIMIT: u64 = 64 * 1024 * 1024;

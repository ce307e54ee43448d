//! Location of a workspace and of the agent's own files about it, which are never inside the workspace, where commands
//! write.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use flylead_core::to_hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{AgentError, open, store::Store};
use crate::{agent::workspace::kept, os::state};

/// Workspace requested by the user, and the place of its sessions.
#[derive(Debug, Clone, Default)]
pub struct Location {
    /// A folder, or `board:ADDRESS`. Defaults to the workspace of the last session begun from this folder, else to this
    /// folder.
    pub workspace: Option<String>,
    /// Folder for the agent's own files, in place of one below [`state::folder`].
    pub home: Option<PathBuf>,
    /// Continues even if the folder has moved or been replaced.
    pub here: bool,
}

/// Location after its lookup.
pub(super) struct Found {
    /// Absolute path of the workspace, or `board:ADDRESS`.
    pub(super) workspace: String,
    pub(super) home: PathBuf,
}

/// Folder to which a home belongs, stored as `workspace.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    pub(super) workspace: String,
    /// Identity that distinguishes the folder from another one at the same path, if the disk
    /// provides one.
    pub(super) identity: Option<String>,
}

impl Location {
    /// Resolves the workspace and the home of its sessions.
    ///
    /// # Errors
    /// The workspace does not exist or must not be one, or the environment names no folder for state.
    pub(super) fn find(&self) -> Result<Found, AgentError> {
        if let Some(home) = &self.home {
            let known = Owner::of(home).map(|owner| owner.workspace);
            let wanted = self.workspace.clone().or(known);
            let workspace = open::name(wanted.as_deref().unwrap_or("."))?;
            return allowed(workspace, settled(home)?);
        }
        let root = root()?;
        let workspace = match &self.workspace {
            Some(workspace) => open::name(workspace)?,
            None => {
                let current = open::name(".")?;
                named_last(&root, &current).unwrap_or(current)
            }
        };
        let home = settled(&root.join(key(&workspace)))?;
        allowed(workspace, home)
    }

    /// Remembers the workspace for commands that are called from this folder without naming one.
    pub(super) fn remember(&self, workspace: &str) -> Result<(), AgentError> {
        let current = open::name(".")?;
        if self.home.is_some() || (workspace == current && self.workspace.is_none()) {
            return Ok(());
        }
        let home = Store::create(&root()?.join(key(&current)))?;
        Ok(home.write(NAMED_LAST, workspace.as_bytes())?)
    }
}

impl Owner {
    pub(super) fn now(workspace: &str) -> Self {
        let path = open::board(workspace).is_none().then_some(workspace);
        Self {
            workspace: workspace.to_owned(),
            identity: path.and_then(|path| identity(Path::new(path))),
        }
    }

    /// Reads the owner of a home, if it has a readable one.
    pub(super) fn of(home: &Path) -> Option<Self> {
        let content = Store::open(home).ok()?.read(OWNER, LIMIT).ok()?;
        serde_json::from_slice(&content).ok()
    }

    pub(super) fn write(&self, home: &Store) -> io::Result<()> {
        home.write(OWNER, &serde_json::to_vec_pretty(self)?)
    }

    /// Finds the home whose folder was moved here: the folder is the same, and is no longer at its old path.
    pub(super) fn moved_from(&self) -> Option<(PathBuf, Self)> {
        self.identity.as_ref()?;
        let homes = std::fs::read_dir(root().ok()?).ok()?.flatten();
        homes.map(|home| home.path()).find_map(|home| {
            let owner = Self::of(&home)?;
            let is_same = owner.identity == self.identity && owner.workspace != self.workspace;
            (is_same && Self::now(&owner.workspace).identity != self.identity)
                .then_some((home, owner))
        })
    }
}

/// Returns the folder that contains the homes of all workspaces.
fn root() -> Result<PathBuf, AgentError> {
    let folder = state::folder().ok_or_else(|| {
        let why = "no folder for sessions was found in the environment; name one with --home";
        io::Error::new(io::ErrorKind::NotFound, why)
    })?;
    Ok(folder.join("flylead").join("agent"))
}

fn named_last(root: &Path, current: &str) -> Option<String> {
    let home = Store::open(&root.join(key(current))).ok()?;
    let workspace = String::from_utf8(home.read(NAMED_LAST, LIMIT).ok()?).ok()?;
    open::name(&workspace).ok()
}

/// Returns a name that is unique to a workspace, and that a person recognizes.
fn key(workspace: &str) -> String {
    let digest = Sha256::digest(workspace.as_bytes());
    let tail = workspace.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    let tail: String = tail.chars().take(TAIL).map(plain).collect();
    format!("{}-{tail}", to_hexadecimal(&digest[..KEY_BYTES]))
}

/// Resolves all links in a path, of which the end may not exist yet.
fn settled(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let there = path
        .ancestors()
        .find_map(|above| Some((above, above.canonicalize().ok()?)));
    Ok(match there {
        Some((above, real)) => match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => path,
    })
}

/// Refuses folders in which a command's ordinary write access would reach the user's or the agent's own files.
fn allowed(workspace: String, home: PathBuf) -> Result<Found, AgentError> {
    if open::board(&workspace).is_none() {
        let folder = Path::new(&workspace);
        let why = |why: &str| {
            Err(AgentError::Refused(format!(
                "{workspace} cannot be a workspace: {why}"
            )))
        };
        let person = state::home().and_then(|home| home.canonicalize().ok());
        if person.is_some_and(|person| person.starts_with(folder)) {
            return why(
                "it contains your home folder, where commands could change all of your files; use a folder of the project's own",
            );
        }
        if home.starts_with(folder) {
            let home = home.display();
            return why(&format!(
                "it contains the agent's own files ({home}), which commands could change; name another folder with --home"
            ));
        }
        if root().is_ok_and(|root| settled(&root).is_ok_and(|root| folder.starts_with(root))) {
            return why("it is a folder of the agent's own files");
        }
        if let Some(settings) = settings_around(folder, state::home().as_deref()) {
            let settings = settings.display();
            return why(&format!(
                "{settings} holds keys or settings of yours, which programs obey automatically; use a folder of the project's own"
            ));
        }
        if SYSTEM.iter().any(|system| folder == Path::new(system)) {
            return why("it belongs to the system; use a folder of the project's own");
        }
    }
    Ok(Found { workspace, home })
}

/// Returns the folder of settings or keys that contains this folder, or is this folder: one that tools obey within a
/// project, or a hidden one in the user's home. A working tree in one of the latter is a project, unless keys are kept
/// around it.
fn settings_around(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_tree = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    for above in folder.ancestors() {
        let name = above.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| kept(name).is_some()) {
            return Some(above.to_owned());
        }
        if is_tree(above) {
            break;
        }
    }
    let home = home?.canonicalize().ok()?;
    let first = folder.strip_prefix(&home).ok()?.components().next()?;
    let name = first.as_os_str().to_str()?;
    let top = home.join(name);
    let is_settings = name.starts_with('.') || OF_THE_SYSTEM.contains(&name);
    let is_project = folder != top && is_tree(folder) && !KEYS.contains(&name);
    (is_settings && !is_project).then_some(top)
}

/// Returns the folder's inode number and creation time. A copy has different ones; a renamed folder keeps them. The
/// disk's own number is left out, as it changes when the computer restarts.
#[cfg(unix)]
fn identity(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().ok()?;
    let since = metadata
        .created()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH);
    let made = since.map_or(0, |since| since.as_nanos());
    Some(format!("{}-{made}", metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<String> {
    let made = path.metadata().ok()?.created().ok()?;
    let since = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_nanos().to_string())
}

/// Returns the place where an earlier version kept sessions inside of a folder, if any exist. They are no longer read.
#[must_use]
pub fn old_sessions(folder: &Path) -> Option<PathBuf> {
    let old = folder.join(".flylead").join("sessions");
    old.is_dir().then_some(old)
}

/// Returns the current directory, for messages.
#[must_use]
pub fn current_folder() -> PathBuf {
    env::current_dir().unwrap_or_default()
}

/// Folders of a user's home in which nothing counts as a project.
const KEYS: [&str; 12] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config",
    ".cargo",
    ".rustup",
    ".pki",
    ".password-store",
    ".m2",
];
/// Folders of a user's home that hold settings although their names are not hidden.
const OF_THE_SYSTEM: &[&str] = if cfg!(target_os = "macos") {
    &["Library"]
} else if cfg!(windows) {
    &["AppData"]
} else {
    &[]
};
const OWNER: &str = "workspace.json";
const NAMED_LAST: &str = "named-last";
const LIMIT: u64 = 64 * 1024;
const KEY_BYTES: usize = 8;
/// Number of characters of a folder's name to keep in the name of its home.
const TAIL: usize = 32;
const SYSTEM: [&str; 12] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/opt", "/proc", "/run", "/sys", "/tmp", "/usr",
    "/var",
];

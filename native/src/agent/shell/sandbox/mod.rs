#![doc = include_str!("README.md")]

#[cfg(target_os = "linux")]
mod bubblewrap;
mod hint;
#[cfg(target_os = "linux")]
mod installed;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod overlay;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod view;

use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use self::{bubblewrap::Bubblewrap, landlock::Landlock};
#[cfg(target_os = "linux")]
pub(super) use self::{landlock::Temporary, namespace::Namespace};

/// Permissions of commands in a folder.
#[derive(Debug)]
pub struct Sandbox {
    network: bool,
    #[cfg(target_os = "linux")]
    pub(super) kind: Kind,
    #[cfg(not(target_os = "linux"))]
    pub(super) kind: std::convert::Infallible,
}

#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(super) enum Kind {
    Bubblewrap(Box<Bubblewrap>),
    Landlock(Landlock),
}

/// Options of a sandbox, chosen by the user.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// True to allow access to the network.
    pub network: bool,
    /// Folder for downloads and build results that tools keep between commands. Only commands in this sandbox use it.
    /// `None` keeps nothing.
    pub cache: Option<PathBuf>,
    /// True if commands get the name and the address that git writes into commits.
    pub signs: bool,
}

/// Parts of the workspace that a command sees differently from the rest, which it may write. All paths are absolute and
/// without links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mounts {
    /// Paths outside of the workspace, shown read-only.
    pub beside: Vec<PathBuf>,
    /// Layer shown in place of the workspace; `None` shows the workspace itself.
    pub view: Option<Layer>,
    /// Paths to show and write at another place: source, then target.
    pub replaced: Vec<(PathBuf, PathBuf)>,
    /// Paths to show read-only at another place, inside of replaced ones: source, then target.
    pub shown: Vec<(PathBuf, PathBuf)>,
    /// Read-only paths.
    pub read_only: Vec<PathBuf>,
    /// Hidden paths; an empty file is in their place.
    pub hidden: Vec<PathBuf>,
}

/// Layer that a command sees in place of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layer {
    /// The workspace, with all of the command's changes in a separate folder. The three folders exist and are empty.
    Overlay {
        /// Folder with the changes.
        upper: PathBuf,
        /// Folder that the kernel needs, on the same disk.
        work: PathBuf,
        /// Point at which the overlay is mounted.
        merged: PathBuf,
    },
    /// A copy.
    Copy(PathBuf),
}

impl Layer {
    /// Returns the folder with the command's changes.
    pub(super) fn written(&self) -> &Path {
        match self {
            Self::Overlay { upper, .. } => upper,
            Self::Copy(copy) => copy,
        }
    }
}

#[cfg(target_os = "linux")]
impl Sandbox {
    /// Creates a sandbox with bubblewrap, in which commands see the workspace and the programs of this computer, but
    /// neither its processes and sockets nor the user's files.
    ///
    /// # Errors
    /// The reason why it cannot be created, for the user, and the remedy.
    pub fn bubblewrap(workspace: &Path, options: &Options) -> Result<Self, String> {
        Ok(Self {
            network: options.network,
            kind: Kind::Bubblewrap(Box::new(Bubblewrap::new(&settled(workspace)?, options)?)),
        })
    }

    /// Creates a sandbox with Landlock alone, for systems without bubblewrap. It restricts less:
    /// [`in_words`](Self::in_words) describes the restrictions.
    ///
    /// # Errors
    /// The reason why it cannot be created, for the user.
    pub fn landlock(workspace: &Path, options: &Options) -> Result<Self, String> {
        Ok(Self {
            network: options.network,
            kind: Kind::Landlock(Landlock::new(settled(workspace)?, options.network)?),
        })
    }

    /// Describes the restrictions to the user.
    #[must_use]
    pub fn in_words(&self) -> String {
        match &self.kind {
            Kind::Bubblewrap(bubblewrap) => bubblewrap.in_words(),
            Kind::Landlock(landlock) => landlock.in_words(),
        }
    }

    /// Returns true if parts of the workspace are hidden from commands, as described by [`Mounts`].
    #[must_use]
    pub const fn has_mounts(&self) -> bool {
        matches!(self.kind, Kind::Bubblewrap(_))
    }

    /// Tests whether a workspace can be shown through an overlay.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn try_overlay(&self, mounts: &Mounts) -> Result<(), String> {
        match &self.kind {
            Kind::Bubblewrap(bubblewrap) => bubblewrap.probe(mounts),
            Kind::Landlock(_) => Err("Landlock mounts nothing".to_owned()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Sandbox {
    /// Fails: this system has no sandbox.
    ///
    /// # Errors
    /// Always.
    pub fn bubblewrap(_: &Path, _: &Options) -> Result<Self, String> {
        Err(NONE.to_owned())
    }

    /// Fails: this system has no sandbox.
    ///
    /// # Errors
    /// Always.
    pub fn landlock(_: &Path, _: &Options) -> Result<Self, String> {
        Err(NONE.to_owned())
    }

    /// Describes the restrictions to the user.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.kind {}
    }

    /// Returns true if parts of the workspace are hidden from commands, as described by [`Mounts`].
    #[must_use]
    pub fn has_mounts(&self) -> bool {
        match self.kind {}
    }
}

#[cfg(not(target_os = "linux"))]
const NONE: &str = "a sandbox for commands exists only on Linux";

impl Sandbox {
    /// Returns the likely cause of a failure, if the output points to this sandbox. The real cause may be another one.
    #[must_use]
    pub fn hint(&self, output: &[u8]) -> Option<String> {
        hint::hint(&String::from_utf8_lossy(output), self.network)
    }
}

#[cfg(target_os = "linux")]
fn settled(workspace: &Path) -> Result<PathBuf, String> {
    let path = workspace.canonicalize();
    path.map_err(|error| format!("{}: {error}", workspace.display()))
}

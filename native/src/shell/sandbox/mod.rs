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

/// Options of a sandbox that a person chooses.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Commands may use the network.
    pub network: bool,
    /// A folder that keeps what tools load and build between one command and the next. It is used by commands in this
    /// sandbox alone. `None`: nothing is kept.
    pub cache: Option<PathBuf>,
    /// Commands know the name and the address that git writes into commits.
    pub signs: bool,
}

/// Parts of the workspace that one command sees in another way than the rest, which it may write. All paths are absolute
/// and without links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mounts {
    /// Outside of the workspace, shown for reading.
    pub beside: Vec<PathBuf>,
    /// Shown in the place of the workspace. `None`: the workspace itself.
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

/// Shown to a command in the place of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layer {
    /// The workspace, with all that the command changes in a folder of its own. The three folders are there and empty.
    Overlay {
        /// Holds the changes.
        upper: PathBuf,
        /// Needed by the kernel, on the same disk.
        work: PathBuf,
        /// Point at which the overlay is mounted.
        merged: PathBuf,
    },
    /// A copy.
    Copy(PathBuf),
}

impl Layer {
    /// The folder that holds what the command changes.
    pub(super) fn written(&self) -> &Path {
        match self {
            Self::Overlay { upper, .. } => upper,
            Self::Copy(copy) => copy,
        }
    }
}

#[cfg(target_os = "linux")]
impl Sandbox {
    /// A sandbox of bubblewrap's, in which commands see the workspace and the programs of this computer, and none of its
    /// processes, its sockets and the person's files.
    ///
    /// # Errors
    /// Why there is none, in words for a person, and what can be done about it.
    pub fn bubblewrap(workspace: &Path, options: &Options) -> Result<Self, String> {
        Ok(Self {
            network: options.network,
            kind: Kind::Bubblewrap(Box::new(Bubblewrap::new(&settled(workspace)?, options)?)),
        })
    }

    /// A sandbox of Landlock's alone, for systems without bubblewrap. It holds less: [`in_words`](Self::in_words) says
    /// what.
    ///
    /// # Errors
    /// Why there is none, in words for a person.
    pub fn landlock(workspace: &Path, options: &Options) -> Result<Self, String> {
        Ok(Self {
            network: options.network,
            kind: Kind::Landlock(Landlock::new(settled(workspace)?, options.network)?),
        })
    }

    /// Describes the restrictions to a person.
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

    /// Tries to show a workspace by an overlay.
    ///
    /// # Errors
    /// Why that cannot be done here.
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

    /// Describes the restrictions to a person.
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
    /// Returns the likely cause of a failure, if the output suggests this sandbox. It may be
    /// something else.
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

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
mod seccomp;
#[cfg(target_os = "linux")]
mod view;

use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use self::{bubblewrap::Bubblewrap, landlock::Landlock};
#[cfg(target_os = "linux")]
pub(super) use self::{landlock::Temporary, namespace::Namespace};

/// What commands in a folder may touch.
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

/// What a person decides about a sandbox.
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
    /// Folders that keep their names.
    pub pinned: Vec<PathBuf>,
    /// What is seen and written at another place: first what, then where.
    pub replaced: Vec<(PathBuf, PathBuf)>,
    /// What is shown for reading at another place, in what is replaced: first what, then where.
    pub shown: Vec<(PathBuf, PathBuf)>,
    /// What is there for reading.
    pub read_only: Vec<PathBuf>,
    /// What is not there; an empty file is in its place.
    pub hidden: Vec<PathBuf>,
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

    /// What holds, in words for a person.
    #[must_use]
    pub fn in_words(&self) -> String {
        match &self.kind {
            Kind::Bubblewrap(bubblewrap) => bubblewrap.in_words(),
            Kind::Landlock(landlock) => landlock.in_words(),
        }
    }

    /// Whether parts of the workspace are kept from commands, as [`Mounts`] says.
    #[must_use]
    pub const fn has_mounts(&self) -> bool {
        matches!(self.kind, Kind::Bubblewrap(_))
    }
}

#[cfg(not(target_os = "linux"))]
impl Sandbox {
    /// There is none on this system.
    ///
    /// # Errors
    /// Always.
    pub fn bubblewrap(_: &Path, _: &Options) -> Result<Self, String> {
        Err(NONE.to_owned())
    }

    /// There is none on this system.
    ///
    /// # Errors
    /// Always.
    pub fn landlock(_: &Path, _: &Options) -> Result<Self, String> {
        Err(NONE.to_owned())
    }

    /// What holds, in words for a person.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.kind {}
    }

    /// Whether parts of the workspace are kept from commands, as [`Mounts`] says.
    #[must_use]
    pub fn has_mounts(&self) -> bool {
        match self.kind {}
    }
}

#[cfg(not(target_os = "linux"))]
const NONE: &str = "there is a sandbox for commands on Linux alone";

impl Sandbox {
    /// What may have made a command fail, if what it printed sounds like this sandbox. It may be something else.
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

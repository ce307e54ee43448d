//! Properties of a file besides its content, with which it can be restored.

use std::time::{Duration, SystemTime};

use flylead_core::agent::path::WorkspacePath;
use serde::{Deserialize, Serialize};

use super::{
    FileError, Folder,
    folder::{replace, sync_directory},
    place::{Place, Purpose},
};

/// Entry at a path, without following links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Form {
    /// A file with these permission bits.
    File {
        /// Mode, as `chmod` takes it.
        mode: u32,
        /// Time of the last change of its content: seconds and nanoseconds since 1970.
        #[serde(default)]
        modified: Option<(u64, u32)>,
    },
    /// A symbolic link.
    Link {
        /// Target of the link.
        target: String,
    },
}

impl Folder {
    pub(super) fn form_of(&self, path: &WorkspacePath) -> Option<Form> {
        let place = Place::find(self.root(), path, Purpose::Delete).ok()?;
        let metadata = place.dir.symlink_metadata(&place.name).ok()?;
        if metadata.is_symlink() {
            let target = place.dir.read_link_contents(&place.name).ok()?;
            let target = target.to_str()?.to_owned();
            return Some(Form::Link { target });
        }
        let modified = metadata.modified().ok().and_then(|time| {
            let since = time
                .into_std()
                .duration_since(SystemTime::UNIX_EPOCH)
                .ok()?;
            Some((since.as_secs(), since.subsec_nanos()))
        });
        mode(&metadata.permissions()).map(|mode| Form::File { mode, modified })
    }

    pub(super) fn put_back(
        &self,
        path: &WorkspacePath,
        form: &Form,
        content: &[u8],
    ) -> Result<(), FileError> {
        let place = self.to_change(path, Purpose::Write)?;
        match form {
            Form::File { mode, modified } => {
                let modified = modified
                    .map(|(seconds, part)| SystemTime::UNIX_EPOCH + Duration::new(seconds, part));
                replace(&place, content, (permissions(*mode), modified))
            }
            Form::Link { target } => link(&place, target),
        }
    }
}

#[cfg(unix)]
fn link(place: &Place, target: &str) -> Result<(), FileError> {
    place.dir.symlink_contents(target, &place.name)?;
    Ok(sync_directory(&place.dir)?)
}

/// Fails: Windows has two kinds of links, and they need a privilege that few users have.
#[cfg(not(unix))]
fn link(_place: &Place, _target: &str) -> Result<(), FileError> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported).into())
}

#[cfg(unix)]
fn mode(permissions: &cap_std::fs::Permissions) -> Option<u32> {
    use cap_std::fs::PermissionsExt as _;
    Some(permissions.mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_permissions: &cap_std::fs::Permissions) -> Option<u32> {
    None
}

#[cfg(unix)]
fn permissions(mode: u32) -> Option<cap_std::fs::Permissions> {
    use cap_std::fs::PermissionsExt as _;
    Some(cap_std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions(_mode: u32) -> Option<cap_std::fs::Permissions> {
    None
}

//! A folder for files that are removed with their command.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use flylead_native::random_hex;

/// A new folder for this user alone, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn make() -> io::Result<Self> {
        let folder = env::temp_dir().join(format!("flylead-{}", random_hex::<8>()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder for temporary files is emptied by the system, too.
        let _ = fs::remove_dir_all(&self.0);
    }
}

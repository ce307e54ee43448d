//! Files of this computer that come from a board.

use std::{io, path::Path};

use flylead_native::disk;

use super::local::in_thread;

/// Writes a file completely or not at all, as [`disk::save`] does.
pub(crate) async fn save(path: &Path, content: Vec<u8>) -> io::Result<()> {
    let path = path.to_owned();
    // A pipe may block its writer until it has a reader.
    in_thread(move || disk::save(&path, &content)).await
}

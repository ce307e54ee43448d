//! Backs up all files of a board to a zip file, and restores them; the page reads and writes the same format.
//!
//! ```text
//!   /main.py, /lib/a.py  ──back_up──►  main.py, lib/a.py  ──items──►  /main.py, /lib/a.py
//! ```
//!
//! Names are paths from the board's root, without the slash at their beginning. Folders have entries of their own, so
//! that empty ones are restored, too.

use std::io::{Cursor, Read as _, Write as _};

use flylead_core::board::{EntryKind, Progress};
use tokio::sync::Notify;
use zip::{ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::{
    Board,
    deploy::{Content, Fault, Item, join, states},
};

/// The files of a board in a zip file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Number of files.
    pub files: usize,
    /// Total size of the files, in bytes.
    pub bytes: u64,
    /// The zip file.
    pub zip: Vec<u8>,
}

/// Progress of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// Path of the current file on the board.
    pub path: &'a str,
    /// Total size of the files before it, in bytes.
    pub done: u64,
    /// Total size of all files, in bytes.
    pub total: u64,
}

/// Reads all files below a directory of the board, or below the one with its `main.py`.
///
/// # Errors
/// The board is lost, a file cannot be read, or the files exceed the size limit of a backup.
pub async fn back_up(
    board: &mut Board,
    root: Option<&str>,
    mut tell: impl FnMut(Step<'_>),
) -> Result<Backup, Fault> {
    let root = states::whole_path(board, root.unwrap_or_default()).await?;
    let tree = board.tree(root.as_str(), false).await;
    let tree = tree.map_err(Fault::at(root.as_str()))?;
    let sizes = tree.iter().map(|entry| entry.size);
    let total = sizes.fold(0, u64::saturating_add);
    if total > LONGEST_BACKUP {
        return Err(too_large(&root));
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let (mut files, mut done) = (0, 0);
    for entry in tree {
        let path = join(&root, &entry.name);
        let name = path.trim_start_matches('/').to_owned();
        if entry.kind == EntryKind::Directory {
            zip.add_directory(name, options()).map_err(unwritten)?;
            continue;
        }
        tell(Step {
            path: &path,
            done,
            total,
        });
        let content = read(board, &path, LONGEST_BACKUP - done).await?;
        zip.start_file(name, options()).map_err(unwritten)?;
        let written = zip.write_all(&content);
        written.map_err(|error| unwritten(error.into()))?;
        files += 1;
        done += content.len() as u64;
    }
    let zip = zip.finish().map_err(unwritten)?.into_inner();
    let bytes = done;
    Ok(Backup { files, bytes, zip })
}

/// Reads a file, which may have grown since it was listed, or be as endless as a device.
async fn read(board: &mut Board, path: &str, longest: u64) -> Result<Vec<u8>, Fault> {
    let too_long = Notify::new();
    let tell = |progress: Progress| {
        if progress.done > longest {
            too_long.notify_one();
        }
    };
    let content = tokio::select! {
        content = board.read(path, tell) => content.map_err(Fault::at(path))?,
        () = too_long.notified() => return Err(too_large(path)),
    };
    match content.len() as u64 > longest {
        true => Err(too_large(path)),
        false => Ok(content),
    }
}

/// Lists the files and folders of a zip file with their paths on the board.
///
/// # Errors
/// The zip file is invalid or damaged, a path in it leads elsewhere, or its files exceed a board's capacity.
pub fn items(zip: &[u8], is_flat: bool) -> Result<Vec<Item>, Fault> {
    let mut archive = ZipArchive::new(Cursor::new(zip)).map_err(unreadable)?;
    let (mut items, mut left) = (Vec::new(), LONGEST_BACKUP);
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(unreadable)?;
        let name = file.name().map_err(unreadable)?.into_owned();
        let is_folder = name.ends_with('/');
        let name = name.trim_end_matches('/');
        if name.split('/').any(|part| matches!(part, "" | "." | "..")) || name.contains('\0') {
            let message = format!(
                "a path in the zip file leads out of the target directory: {name:?}; nothing was written"
            );
            return Err(Fault::Refused(message));
        }
        let path = match is_flat {
            true => name.to_owned(),
            false => format!("/{name}"),
        };
        if is_folder {
            items.push(Item::new(path, Content::Directory));
            continue;
        }
        let mut content = Vec::new();
        let read = file.by_ref().take(left + 1).read_to_end(&mut content);
        read.map_err(|error| unreadable(error.into()))?;
        left = left.checked_sub(content.len() as u64).ok_or_else(|| {
            let message = "the zip file has more than 64 MiB of files, more than any board can hold; nothing was written";
            Fault::Refused(message.to_owned())
        })?;
        items.push(Item::new(
            path.clone(),
            Content::Bytes(content, path.into()),
        ));
    }
    Ok(items)
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
}

fn unwritten(error: ZipError) -> Fault {
    Fault::Refused(format!("cannot create the zip file: {error}"))
}

fn too_large(path: &str) -> Fault {
    let message = format!(
        "{path} holds more than 64 MiB, the limit of a backup; save a part with --root DIRECTORY, or one file with `flylead cp`"
    );
    Fault::Refused(message)
}

fn unreadable(_: ZipError) -> Fault {
    Fault::Refused("the file is not a zip file, or it is damaged; nothing was written".to_owned())
}

/// Size limit of a backup's files, in bytes: more than a board holds.
const LONGEST_BACKUP: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(names: &[&str]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for name in names {
            zip.start_file(*name, options()).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn files_get_the_paths_that_they_had() {
        let items = items(&zip(&["main.py", "lib/a.py"]), false).unwrap();
        let paths: Vec<_> = items.iter().map(|item| item.path.as_str()).collect();
        assert_eq!(paths, ["/main.py", "/lib/a.py"]);
        assert_eq!(items[1].size(), 8);
    }

    #[test]
    fn a_zip_file_that_leads_elsewhere_or_is_damaged_is_refused() {
        for name in ["/etc/passwd", "../a", "a//b", "a/../b", "a/./b"] {
            let refused = items(&zip(&[name]), false).unwrap_err().to_string();
            assert!(
                refused.contains("leads out of the target directory"),
                "{name}: {refused}"
            );
        }
        let mut damaged = zip(&["main.py"]);
        damaged.truncate(damaged.len() - 4);
        let refused = items(&damaged, false).unwrap_err().to_string();
        assert!(refused.contains("damaged"), "{refused}");
    }
}

//! `flylead fs cp`

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use flylead::{Board, BoardError};
use flylead_core::board::{self, Entry, EntryKind};

use serde_json::json;

use super::{Bar, Common, Content, Exit, Failure, Item, Place, at, directories, join, send};
use crate::cmd::program::print;

/// Copy files to the board, from it, or on it
///
/// Into a directory that exists, or to a new name. A source that ends in a slash stands for what is in it.
#[derive(Debug, Args)]
#[command(
    override_usage = "flylead fs cp [OPTIONS] <SOURCE>... <TARGET>",
    after_help = "Examples:
  flylead fs cp main.py boot.py :  to the board's current directory
  flylead fs cp :log.csv here.csv  from the board
  flylead fs cp -r src/ :          what is in src, to the board
  flylead fs cp :a.py :old.py      on the board"
)]
pub(crate) struct Cp {
    /// What to copy, and at the end where to; a colon marks the board's side
    #[arg(required = true, num_args = 2.., value_name = "PATH")]
    paths: Vec<Place>,
    /// Copy directories with all that is in them
    #[arg(short, long)]
    recursive: bool,
}

impl Cp {
    pub(crate) async fn run(mut self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let Some(target) = self.paths.pop() else {
            return Err(Failure::new(Exit::Usage, "there is no target"));
        };
        for source in &self.paths {
            match (source, &target) {
                (Place::Here(from), Place::Board(to)) => {
                    self.upload(board, common, from, to).await?;
                }
                (Place::Board(from), Place::Here(to)) => {
                    self.download(board, common, from, to).await?;
                }
                (Place::Board(from), Place::Board(to)) => {
                    duplicate(board, common, from, to).await?;
                }
                (Place::Here(_), Place::Here(_)) => {
                    return Err(Failure::new(
                        Exit::Usage,
                        "both are on this computer; a colon marks the board's side, as in :main.py",
                    ));
                }
            }
        }
        Ok(Exit::Done)
    }

    async fn upload(
        &self,
        board: &mut Board,
        common: &Common,
        from: &Path,
        to: &str,
    ) -> Result<(), Failure> {
        let is_directory = fs::metadata(from).map_err(here(from))?.is_dir();
        if is_directory && !self.recursive {
            return Err(needs_recursive(&from.display()));
        }
        let target = target_on_board(board, to, &name_of(from), ends_in_slash(from)).await?;
        if !is_directory {
            return upload(board, common, from, &target).await;
        }
        send(board, common, &tree_items(from, &target)?, |item, bytes| {
            tell_sent(common, item, bytes)
        })
        .await
    }

    async fn download(
        &self,
        board: &mut Board,
        common: &Common,
        from: &str,
        to: &Path,
    ) -> Result<(), Failure> {
        let found = look(board, from).await?.ok_or_else(|| missing(from))?;
        let is_directory = found.kind == EntryKind::Directory;
        if is_directory && !self.recursive {
            return Err(needs_recursive(&format_args!(":{from}")));
        }
        let contents_alone = from.is_empty() || from.ends_with('/');
        let target = match to.is_dir() && !contents_alone {
            true => to.join(from.rsplit('/').next().unwrap_or(from)),
            false => to.to_owned(),
        };
        if !is_directory {
            return download(board, common, from, &target, found.size).await;
        }
        fs::create_dir_all(&target).map_err(here(&target))?;
        for entry in board.tree(from, false).await.map_err(at(from))? {
            let place = below(&target, &entry.name)?;
            match entry.kind {
                EntryKind::Directory => fs::create_dir_all(&place).map_err(here(&place))?,
                EntryKind::File => {
                    let from = join(from, &entry.name);
                    download(board, common, &from, &place, entry.size).await?;
                }
            }
        }
        Ok(())
    }
}

async fn upload(board: &mut Board, common: &Common, from: &Path, to: &str) -> Result<(), Failure> {
    let bytes = upload_file(board, common, from, to).await?;
    tell(
        common,
        &from.display().to_string(),
        &format!(":{to}"),
        bytes,
    )
}

async fn download(
    board: &mut Board,
    common: &Common,
    from: &str,
    to: &Path,
    size: u64,
) -> Result<(), Failure> {
    let bytes = download_file(board, common, from, to, Some(size)).await?;
    tell(
        common,
        &format!(":{from}"),
        &to.display().to_string(),
        bytes,
    )
}

/// A line for each file, for programs; people see its bar.
fn tell(common: &Common, from: &str, to: &str, bytes: u64) -> Result<(), Failure> {
    if common.json {
        let line = json!({ "from": from, "to": to, "bytes": bytes });
        print(format!("{line}\n").as_bytes())?;
    }
    Ok(())
}

fn tell_sent(common: &Common, item: &Item, bytes: usize) -> Result<(), Failure> {
    let Content::File(from) = &item.content else {
        return Ok(());
    };
    let (from, to) = (from.display().to_string(), format!(":{}", item.path));
    common.say(format_args!("{from} to {to}, {bytes} bytes"));
    tell(common, &from, &to, bytes as u64)
}

/// A file on the board that becomes two.
async fn duplicate(
    board: &mut Board,
    common: &Common,
    from: &str,
    to: &str,
) -> Result<(), Failure> {
    let name = from.rsplit('/').next().unwrap_or(from);
    let target = target_on_board(board, to, name, false).await?;
    let bar = Bar::new(common, name, None);
    let data = board
        .read(from, |progress| bar.set(progress))
        .await
        .map_err(at(from))?;
    let bytes = board
        .write(&target, data, |progress| bar.set(progress))
        .await
        .map_err(at(&target))
        .map(|written| written.bytes)?;
    tell(common, &format!(":{from}"), &format!(":{target}"), bytes)
}

/// Where on the board a source called `name` goes: into a directory, or to a new name.
async fn target_on_board(
    board: &mut Board,
    to: &str,
    name: &str,
    contents_alone: bool,
) -> Result<String, Failure> {
    let into = to.is_empty() || to.ends_with('/') || is_directory(board, to).await? == Some(true);
    Ok(if into && !contents_alone {
        join(to, name)
    } else {
        to.to_owned()
    })
}

/// Whether it is a directory; `None` when it is nothing.
async fn is_directory(board: &mut Board, path: &str) -> Result<Option<bool>, Failure> {
    let found = look(board, path).await?;
    Ok(found.map(|found| found.kind == EntryKind::Directory))
}

/// What a path of the board leads to.
struct Found {
    kind: EntryKind,
    size: u64,
}

impl From<Entry> for Found {
    fn from(Entry { kind, size, .. }: Entry) -> Self {
        Self { kind, size }
    }
}

async fn look(board: &mut Board, path: &str) -> Result<Option<Found>, Failure> {
    if path.trim_end_matches('/').is_empty() {
        let kind = EntryKind::Directory;
        return Ok(Some(Found { kind, size: 0 }));
    }
    if !board.capabilities().await.map_err(at(path))?.stat {
        let mut entries = board.list("").await.map_err(at(path))?.into_iter();
        return Ok(entries.find(|entry| entry.name == path).map(Found::from));
    }
    match board.stat(path).await {
        Ok(entry) => Ok(Some(entry.into())),
        Err(BoardError::File(board::Error::NotFound)) => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

/// A directory of this computer with all that is in it, as it is to be on the board.
fn tree_items(from: &Path, to: &str) -> Result<Vec<Item>, Failure> {
    let (folders, files): (Vec<_>, Vec<_>) = local_tree(from)?
        .into_iter()
        .partition(|file| file.is_directory);
    let folders = folders.iter().map(|folder| join(to, &folder.name));
    let mut items = directories([to.to_owned()].into_iter().chain(folders));
    items.extend(
        files
            .iter()
            .map(|file| Item::file(join(to, &file.name), from.join(&file.name))),
    );
    Ok(items)
}

async fn upload_file(
    board: &mut Board,
    common: &Common,
    from: &Path,
    to: &str,
) -> Result<u64, Failure> {
    let data = fs::read(from).map_err(here(from))?;
    let bar = Bar::new(common, &name_of(from), Some(data.len() as u64));
    let written = board
        .write(to, data, |progress| bar.set(progress))
        .await
        .map_err(at(to))?;
    common.say(format_args!(
        "{} to :{to}, {} bytes, {:?}",
        from.display(),
        written.bytes,
        written.method
    ));
    Ok(written.bytes)
}

pub(crate) async fn download_file(
    board: &mut Board,
    common: &Common,
    from: &str,
    to: &Path,
    size: Option<u64>,
) -> Result<u64, Failure> {
    let bar = Bar::new(common, from, size);
    let data = board
        .read(from, |progress| bar.set(progress))
        .await
        .map_err(at(from))?;
    replace(to, &data).map_err(here(to))?;
    common.say(format_args!(
        ":{from} to {}, {} bytes",
        to.display(),
        data.len()
    ));
    Ok(data.len() as u64)
}

/// Puts a file in place of an old one, whole or not at all.
pub(crate) fn replace(path: &Path, data: &[u8]) -> std::io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let written = fs::File::create(&part)
        .and_then(|mut file| file.write_all(data).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // What is left of a failed copy is of no use; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&part);
    }
    written
}

/// A file or directory of this computer, its name relative to the tree's root, with slashes.
#[derive(Debug)]
pub(crate) struct LocalFile {
    pub(crate) name: String,
    pub(crate) is_directory: bool,
}

/// All that is below a directory, directories before what is in them.
pub(crate) fn local_tree(root: &Path) -> Result<Vec<LocalFile>, Failure> {
    let mut files = Vec::new();
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        let path = root.join(&directory);
        for entry in fs::read_dir(&path).map_err(here(&path))? {
            let entry = entry.map_err(here(&path))?;
            let name = entry
                .file_name()
                .into_string()
                .map_err(|name| not_text(&name))?;
            let is_directory = entry.metadata().map_err(here(&entry.path()))?.is_dir();
            let name = join(&directory, &name);
            if is_directory {
                open.push(name.clone());
            }
            files.push(LocalFile { name, is_directory });
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// A board's name below a folder of this computer; one that leads out of it is refused.
pub(crate) fn below(root: &Path, name: &str) -> Result<PathBuf, Failure> {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
    match name.split('/').all(is_plain) {
        true => Ok(root.join(name)),
        false => Err(Failure::new(
            Exit::Usage,
            format!("the board's name {name:?} is none for this computer"),
        )),
    }
}

pub(crate) fn here(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| Failure::new(Exit::Usage, format!("{}: {error}", path.display()))
}

fn not_text(name: &std::ffi::OsStr) -> Failure {
    Failure::new(Exit::Usage, format!("the name {name:?} is not text"))
}

fn missing(path: &str) -> Failure {
    Failure::new(
        Exit::Refused,
        format!(":{path}: no such file or directory on the board"),
    )
}

fn needs_recursive(path: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Usage,
        format!("{path} is a directory; say -r to copy it with all that is in it"),
    )
}

fn ends_in_slash(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with('/') || text == "."
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boards_name_cannot_lead_out_of_the_folder() {
        let root = Path::new("copy");
        for name in ["../x", "/etc/x", "a//b", "a/..", "C:x", "a\\b", "."] {
            assert!(below(root, name).is_err(), "{name}");
        }
        assert_eq!(
            below(root, "lib/a b.py").ok(),
            Some(PathBuf::from("copy/lib/a b.py"))
        );
    }
}

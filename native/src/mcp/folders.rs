//! Whole folders and packages, written to a board.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use flylead::{
    Board, BoardError,
    install::{self, Fetcher, Options, Plan, Source},
};
use flylead_core::board::{EntryKind, NewEntry, Request};
use sha2::{Digest as _, Sha256};

use super::{
    answer::{BoardAnswer, Fault},
    arguments::{InstallArguments, SyncArguments},
    board::{Open, done, fault, in_time},
    confirm::{Call, Stop},
    files::limit,
    gate::{self, Deed},
    ports::Ports,
};

/// Files by their paths below a folder.
type Files = BTreeMap<String, Vec<u8>>;

pub(super) async fn sync(
    ports: &Ports,
    call: &Call<'_>,
    arguments: SyncArguments,
) -> Result<BoardAnswer, Stop> {
    let folder = local(ports.settings.files.as_deref(), &arguments.folder)?;
    let files = tokio::task::spawn_blocking(move || read_folder(&folder)).await;
    let files = files.map_err(|error| Fault::new("folder", error, false))?;
    let files = files.map_err(|error| Fault::new("folder", error, false))?;
    let limit = limit(ports);
    let (target, delete) = (arguments.target, arguments.delete);
    let port = &arguments.port;
    let mut open = Open::new(ports, call, port).await?;
    let board = &mut open.board;
    let work = async {
        let changes = Changes::new(board.reading(), files, &target, delete, limit).await?;
        let passed = gate::pass(ports, call, &port.port, &changes.deed()).await?;
        changes.make(board.changing(&passed), limit).await
    };
    let done = open.cancel.or(work).await;
    open.release().await;
    done
}

/// A folder of this computer, within the one that the server was started with.
fn local(allowed: Option<&Path>, folder: &str) -> Result<PathBuf, Fault> {
    let Some(allowed) = allowed else {
        let message = "the server was started without --files FOLDER, which says what may be copied to boards";
        return Err(Fault::new("folder_refused", message, false));
    };
    let real = |path: &Path| {
        let wrong = |error| Fault::new("folder", format!("{}: {error}", path.display()), false);
        fs::canonicalize(path).map_err(wrong)
    };
    let inside = real(allowed)?;
    let path = real(&allowed.join(folder))?;
    match path.starts_with(&inside) {
        true => Ok(path),
        false => {
            let message = format!(
                "only what is in {} may be copied to boards",
                allowed.display()
            );
            Err(Fault::new("folder_refused", message, false))
        }
    }
}

/// The files below a folder. Links are not followed.
fn read_folder(root: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    let mut room = LONGEST_ALL;
    while let Some((folder, before)) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry
                .file_name()
                .into_string()
                .map_err(|name| io::Error::other(format!("{} is no text", name.display())))?;
            let path = format!("{before}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push((entry.path(), path + "/"));
            } else if kind.is_file() {
                room = room
                    .checked_sub(entry.metadata()?.len())
                    .ok_or_else(|| io::Error::other("all files together have more than 64 MiB"))?;
                files.insert(path, fs::read(entry.path())?);
            }
        }
    }
    Ok(files)
}

/// What is to be done to a board.
struct Changes {
    target: String,
    write: Files,
    remove: Vec<String>,
    unchanged: u64,
    /// Files to write that are not on the board yet.
    new: Vec<String>,
}

impl Changes {
    async fn new(
        board: &mut Board,
        files: Files,
        target: &str,
        delete: bool,
        limit: Duration,
    ) -> Result<Self, Fault> {
        let there = hashes(board, target, limit).await?;
        let is_new =
            |path: &str, data: &[u8]| there.get(path) != Some(&Sha256::digest(data).into());
        let all = files.len();
        let write: Files = files
            .iter()
            .filter(|(path, data)| is_new(path, data))
            .map(|(path, data)| (path.clone(), data.clone()))
            .collect();
        let remove = there
            .keys()
            .filter(|path| delete && !files.contains_key(*path));
        Ok(Self {
            target: target.to_owned(),
            remove: remove.cloned().collect(),
            unchanged: (all - write.len()) as u64,
            new: write
                .keys()
                .filter(|path| !there.contains_key(*path))
                .cloned()
                .collect(),
            write,
        })
    }

    fn deed(&self) -> Deed<'_> {
        Deed::Sync {
            replaced: self.write.len() - self.new.len(),
            removed: self.remove.len(),
            new: self.new.iter().map(String::as_str).collect(),
        }
    }

    async fn make(self, board: &mut Board, limit: Duration) -> Result<BoardAnswer, Stop> {
        let written: Vec<_> = self.write.keys().cloned().collect();
        write_all(board, &self.target, self.write, limit).await?;
        for path in &self.remove {
            let path = join(&self.target, path);
            in_time(limit, board.request(Request::Remove { path }, |_| ())).await?;
        }
        Ok(BoardAnswer {
            written: Some(written),
            removed: Some(self.remove),
            unchanged: Some(self.unchanged),
            ..done()
        })
    }
}

/// The hashes of the files below a folder of the board; none if there is no such folder.
async fn hashes(
    board: &mut Board,
    folder: &str,
    limit: Duration,
) -> Result<BTreeMap<String, [u8; 32]>, Fault> {
    let is_root = folder.trim_end_matches('/').is_empty();
    if !is_root && !in_time(limit, board.exists(folder)).await? {
        return Ok(BTreeMap::new());
    }
    let entries = in_time(limit, board.tree(folder, true)).await?;
    let files = entries
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File);
    // A board that cannot hash has a file that differs.
    let hash = |hash: Option<[u8; 32]>| hash.unwrap_or_default();
    Ok(files
        .map(|entry| (entry.name, hash(entry.sha256)))
        .collect())
}

/// Writes files below a folder of the board, and the folders that they need.
async fn write_all(
    board: &mut Board,
    target: &str,
    files: Files,
    limit: Duration,
) -> Result<(), Fault> {
    if !target.trim_end_matches('/').is_empty() && !files.is_empty() {
        let path = target.to_owned();
        let make = Request::MakeDirectory {
            path,
            parents: true,
        };
        in_time(limit, board.request(make, |_| ())).await?;
    }
    let mut entries = Vec::new();
    let mut made: Vec<String> = Vec::new();
    for (path, data) in files {
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            if !made.iter().any(|made| made == folder) {
                made.push(folder.to_owned());
                entries.push(NewEntry::Directory {
                    path: join(target, folder),
                });
            }
        }
        entries.push(NewEntry::File {
            path: join(target, &path),
            data,
        });
    }
    in_time(limit, board.write_tree(entries, |_| ())).await?;
    Ok(())
}

fn join(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{}/{name}", folder.trim_end_matches('/')),
    }
}

pub(super) async fn install(
    ports: &Ports,
    call: &Call<'_>,
    arguments: InstallArguments,
) -> Result<BoardAnswer, Stop> {
    let InstallArguments {
        port,
        package,
        index,
        target,
    } = arguments;
    let target = target.unwrap_or_else(|| "/lib".to_owned());
    let deed = Deed::Install {
        package: &package,
        target: &target,
    };
    let passed = gate::pass(ports, call, &port.port, &deed).await?;
    let limit = limit(ports);
    let mut open = Open::new(ports, call, &port).await?;
    let board = open.board.changing(&passed);
    let work = async {
        let files = fetch(board, &package, index, target, limit).await?;
        write_new(board, files, limit).await
    };
    let done = open.cancel.or(work).await;
    open.release().await;
    done
}

/// Writes the files that the board does not have.
async fn write_new(board: &mut Board, files: Files, limit: Duration) -> Result<BoardAnswer, Stop> {
    let (mut written, mut unchanged) = (Files::new(), 0);
    for (path, data) in files {
        match in_time(limit, board.sha256(&path)).await {
            Ok(hash) if hash == <[u8; 32]>::from(Sha256::digest(&data)) => unchanged += 1,
            // It is not there, or the board cannot hash: it is written, and that says what is wrong.
            _ => drop(written.insert(path, data)),
        }
    }
    let names = written.keys().cloned().collect();
    write_packages(board, written, limit).await?;
    Ok(BoardAnswer {
        written: Some(names),
        unchanged: Some(unchanged),
        ..done()
    })
}

/// All files of a package and of what it depends on, their hashes compared; nothing is written before all are here.
async fn fetch(
    board: &mut Board,
    package: &str,
    index: Option<String>,
    target: String,
    limit: Duration,
) -> Result<Files, Fault> {
    let wrong = |error: install::Error| Fault::new("package", error, false);
    let index = index
        .map(|index| Source::parse(&index, None))
        .transpose()
        .map_err(wrong)?;
    let mpy = match &index {
        Some(_) => mpy_version(board, limit).await?,
        None => None,
    };
    let mut plan = Plan::new(Options { index, target, mpy });
    plan.add(package).map_err(wrong)?;
    let fetcher = Fetcher::default();
    let mut files = Files::new();
    let mut room = LONGEST_ALL;
    for file in install::resolve(plan, &fetcher).await.map_err(wrong)? {
        let data = fetcher.fetch(&file.source, room).await.map_err(wrong)?;
        room -= data.len() as u64;
        let hash = Sha256::digest(&data).into();
        if file.hash.is_some_and(|short| !short.matches(&hash)) {
            let message = format!("{} has another hash than its package says", file.source);
            return Err(Fault::new("package", message, false));
        }
        files.insert(file.path, data);
    }
    Ok(files)
}

/// The version of compiled files that the board runs, if it runs any. The lowest byte is the version, the others are
/// about native code (py/persistentcode.h, v1.26).
async fn mpy_version(board: &mut Board, limit: Duration) -> Result<Option<u8>, Fault> {
    let version = board.eval("getattr(__import__('sys').implementation,'_mpy',0)&255");
    match tokio::time::timeout(limit, version).await {
        Ok(Ok(version)) => Ok(version.parse().ok().filter(|version| *version != 0)),
        Ok(Err(BoardError::Raised(_))) => Ok(None),
        Ok(Err(error)) => Err(fault(error)),
        Err(_) => Err(Fault::new(
            "timed_out",
            "the board did not say which version it runs",
            true,
        )),
    }
}

async fn write_packages(board: &mut Board, files: Files, limit: Duration) -> Result<(), Fault> {
    for path in files.keys() {
        if let Some((folder, _)) = path
            .rsplit_once('/')
            .filter(|(folder, _)| !folder.is_empty())
        {
            let path = folder.to_owned();
            let make = Request::MakeDirectory {
                path,
                parents: true,
            };
            in_time(limit, board.request(make, |_| ())).await?;
        }
    }
    let file = |(path, data)| NewEntry::File { path, data };
    in_time(
        limit,
        board.write_tree(files.into_iter().map(file).collect(), |_| ()),
    )
    .await?;
    Ok(())
}

/// All files of one call together, in bytes: they wait in memory until all are there.
const LONGEST_ALL: u64 = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_within_the_one_that_was_named_is_read() {
        let allowed = tempfile::tempdir().unwrap();
        fs::create_dir_all(allowed.path().join("app/lib")).unwrap();
        fs::write(allowed.path().join("app/main.py"), "1").unwrap();
        fs::write(allowed.path().join("app/lib/a.py"), "2").unwrap();
        let folder = |name: &str| local(Some(allowed.path()), name);
        let files = read_folder(&folder("app").unwrap()).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["lib/a.py", "main.py"]);
        for name in ["..", "/etc", "app/../..", "none"] {
            assert!(folder(name).is_err(), "{name}");
        }
        assert!(local(None, "app").is_err());
    }
}

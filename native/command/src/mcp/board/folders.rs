//! Whole folders and packages, written to a board.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use flylead_native::{
    Board, BoardError,
    deploy::{self, Content, Item, Rules, Skipped, Tree, tree_there},
    install::{self, Fetcher, Options, Source},
};
use sha2::{Digest as _, Sha256};
use tokio::time;

use super::{MARGIN, Open, done, fault, files::limit};
use crate::mcp::{
    answer::{BoardAnswer, Fault},
    arguments::{InstallArguments, SyncArguments},
    gate::{
        self, Deed,
        confirm::{Call, Stop},
    },
    ports::Ports,
};

pub(crate) async fn sync(
    ports: &Ports,
    call: &Call<'_>,
    arguments: SyncArguments,
) -> Result<BoardAnswer, Stop> {
    let folder = local(ports.settings.files.as_deref(), &arguments.folder)?;
    let read = tokio::task::spawn_blocking(move || read_folder(&folder)).await;
    let folder = read.map_err(|error| Fault::new("folder", error, false))??;
    let limit = limit(ports);
    let (target, delete) = (arguments.target, arguments.delete);
    let port = &arguments.port;
    let mut open = Open::new(ports, call, port).await?;
    let board = &mut open.board;
    let work = async {
        let changes = Changes::new(board.reading(), folder, &target, delete, limit).await?;
        let passed = gate::pass(ports, call, &port.port, &changes.deed()).await?;
        changes.make(board.changing(&passed), limit).await
    };
    let done = open.cancel.or(work).await;
    open.release().await;
    done
}

/// Returns the path of a folder on this computer, which must be within the one that the server was started with.
fn local(allowed: Option<&Path>, folder: &str) -> Result<PathBuf, Fault> {
    let Some(allowed) = allowed else {
        let message =
            "the server was started without --files FOLDER, so no files may be copied to boards";
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
                "only files in {}, the folder of --files, may be copied to boards",
                allowed.display()
            );
            Err(Fault::new("folder_refused", message, false))
        }
    }
}

/// Reads a folder by the rules of every command, which leave out files that belong to this computer.
fn read_folder(root: &Path) -> Result<(deploy::Source, Skipped), Fault> {
    let mut skipped = Skipped::default();
    let read = deploy::Source::read(root, Rules::default(), &mut skipped);
    let source = read.map_err(|error| Fault::new("folder", error, false))?;
    match source.bytes > LONGEST_ALL {
        true => {
            let message = "the files have more than 64 MiB in total";
            Err(Fault::new("folder", message, false))
        }
        false => Ok((source, skipped)),
    }
}

/// Changes to make to a board.
struct Changes {
    source: deploy::Source,
    skipped: Skipped,
    there: Tree,
    plan: deploy::Plan,
    target: String,
}

impl Changes {
    async fn new(
        board: &mut Board,
        (source, skipped): (deploy::Source, Skipped),
        target: &str,
        delete: bool,
        limit: Duration,
    ) -> Result<Self, Fault> {
        let there = within(limit, tree_there(board, target)).await?;
        Ok(Self {
            plan: deploy::Plan::new(&source.tree, &there, delete),
            source,
            skipped,
            there,
            target: target.to_owned(),
        })
    }

    fn deed(&self) -> Deed<'_> {
        let files = self.plan.copy.iter().filter(|step| !step.is_directory);
        let (old, new): (Vec<_>, Vec<_>) =
            files.partition(|step| self.there.contains_key(&step.name));
        Deed::Sync {
            replaced: old.len(),
            removed: self.plan.clear.len() + self.plan.remove.len(),
            new: new.iter().map(|step| step.name.as_str()).collect(),
        }
    }

    async fn make(self, board: &mut Board, limit: Duration) -> Result<BoardAnswer, Stop> {
        let Self {
            mut source,
            mut skipped,
            plan,
            target,
            ..
        } = self;
        let mut nobody = ();
        let applied = deploy::apply(
            board,
            &plan,
            &mut source,
            &target,
            false,
            &mut skipped,
            &mut nobody,
        );
        let made = within(limit, applied).await?;
        let left = skipped.refused.iter().chain(&skipped.at_home);
        let left = left.map(|(path, reason)| format!("{path}: {reason}"));
        let left: Vec<_> = left.collect();
        let is_file = |name: &String| !name.ends_with('/');
        Ok(BoardAnswer {
            written: Some(made.copied.into_iter().filter(is_file).collect()),
            removed: Some(made.removed),
            unchanged: Some(plan.unchanged as u64),
            skipped: (!left.is_empty()).then_some(left),
            ..done()
        })
    }
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, deploy::Fault>>,
) -> Result<T, Fault> {
    match time::timeout(limit + MARGIN, work).await {
        Ok(done) => done.map_err(of_deploy),
        Err(_) => {
            let message = format!("the board took longer than {} s", limit.as_secs());
            Err(Fault::new("timed_out", message, true))
        }
    }
}

fn of_deploy(error: deploy::Fault) -> Fault {
    match error {
        deploy::Fault::Board(_, error) => fault(*error),
        error => Fault::new("folder", error, false),
    }
}

pub(crate) async fn install(
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
async fn write_new(
    board: &mut Board,
    files: Vec<Item>,
    limit: Duration,
) -> Result<BoardAnswer, Stop> {
    let all = files.len();
    let written = within(limit, deploy::send_changed(board, files, &mut ())).await?;
    Ok(BoardAnswer {
        unchanged: Some((all - written.len()) as u64),
        written: Some(written),
        ..done()
    })
}

/// Fetches all files of a package and its dependencies, and compares their hashes; nothing is written until all have
/// arrived.
async fn fetch(
    board: &mut Board,
    package: &str,
    index: Option<String>,
    target: String,
    limit: Duration,
) -> Result<Vec<Item>, Fault> {
    let wrong = |error: install::Error| Fault::new("package", error, false);
    let index = index
        .map(|index| Source::parse(&index, None))
        .transpose()
        .map_err(wrong)?;
    let mpy = match &index {
        Some(_) => mpy_version(board, limit).await?,
        None => None,
    };
    let mut plan = install::Plan::new(Options { index, target, mpy });
    plan.add(package).map_err(wrong)?;
    let fetcher = Fetcher::default();
    let mut files = Vec::new();
    let mut room = LONGEST_ALL;
    for file in install::resolve(plan, &fetcher).await.map_err(wrong)? {
        let data = fetcher.fetch(&file.source, room).await.map_err(wrong)?;
        room -= data.len() as u64;
        let hash = Sha256::digest(&data).into();
        if file.hash.is_some_and(|short| !short.matches(&hash)) {
            let message = format!(
                "the hash of {} differs from the one in its package",
                file.source
            );
            return Err(Fault::new("package", message, false));
        }
        let content = Content::Bytes(data, PathBuf::new());
        files.push(Item::new(file.path, content));
    }
    Ok(files)
}

/// Returns the version of compiled files that the board runs, or `None` if it runs none. The lowest byte is the
/// version; the others describe native code (py/persistentcode.h, v1.26).
async fn mpy_version(board: &mut Board, limit: Duration) -> Result<Option<u8>, Fault> {
    let version = board.eval("getattr(__import__('sys').implementation,'_mpy',0)&255");
    match time::timeout(limit, version).await {
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

/// Limit of all files of one call together, in bytes: they wait in memory until all have arrived.
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
        let (source, _) = read_folder(&folder("app").unwrap()).unwrap();
        let names: Vec<_> = source.tree.keys().collect();
        assert_eq!(names, ["lib", "lib/a.py", "main.py"]);
        for name in ["..", "/etc", "app/../..", "none"] {
            assert!(folder(name).is_err(), "{name}");
        }
        assert!(local(None, "app").is_err());
    }
}

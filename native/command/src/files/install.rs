//! `flylead install`

use std::path::PathBuf;

use clap::Args;
use flylead_core::{board, to_hexadecimal};
use flylead_native::{
    Board, BoardError,
    deploy::Sizes,
    install::{self, Error, Fetcher, File, Options, Plan, Source},
    literal::Literal,
};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::fs::{
    Compiler, Content, Item, Links, Mpy, at, compiled_name, on_board, send, with_parents,
};
use crate::{
    Common, Exit, Failure,
    terminal::{self, print},
};

/// Install packages on the board, in the format of MicroPython's mip
///
/// Everything is fetched and its hashes are compared before the first file is written; files that the board already has
/// are left unchanged. No server is contacted unless you name it.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// NAME or NAME@VERSION from the index; or a package.json, the folder it is in, or a .py or .mpy file, by its path
    /// (with a slash: ./folder), its URL, or as github:OWNER/REPOSITORY[/PATH][@BRANCH], also gitlab: and codeberg:
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// The index that names are looked up in: a folder or a URL
    #[arg(long, value_name = "FOLDER|URL", env = "FLYLEAD_INDEX")]
    index: Option<String>,
    /// The directory on the board [default: the one of sys.path that ends in /lib]
    #[arg(long, value_name = "DIRECTORY", value_parser = on_board)]
    target: Option<String>,
    /// Install sources, even where the index has files compiled for this board
    #[arg(long)]
    no_mpy: bool,

    #[command(flatten)]
    links: Links,
    #[command(flatten)]
    mpy: Mpy,
}

/// Install packages from MicroPython's own index, micropython.org
///
/// Like mpremote's `mip install`; the word install may be omitted. It is `flylead install --index` with that index; you can
/// name another one.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Mip {
    #[command(flatten)]
    install: Cmd,
}

impl Mip {
    pub(crate) async fn run(mut self, common: &Common) -> Result<Exit, Failure> {
        let packages = &mut self.install.packages;
        if packages[0] == "install" {
            packages.remove(0);
        }
        if packages.is_empty() {
            let message = "install which package? `flylead mip install NAME`, or NAME@VERSION, or github:OWNER/REPOSITORY";
            return Err(Failure::new(Exit::Usage, message));
        }
        self.install
            .index
            .get_or_insert_with(|| MICROPYTHONS_INDEX.to_owned());
        self.install.run(common).await
    }
}

/// Action on a file.
enum Step {
    Write(Item),
    Keep(String),
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        common
            .with_board(async |board| self.install(board, common).await)
            .await
    }

    async fn install(&self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let fetcher = Fetcher::default().following_links(self.links.unsafe_links);
        let plan = self.plan(board).await?;
        let files = install::resolve(plan, &fetcher).await?;
        let compiler = self.mpy.compiler(board).await?;
        let steps = compare(board, common, files, &fetcher, compiler.as_ref()).await?;
        let (written, kept) = write(board, common, steps).await?;
        report(common, &written, &kept)
    }

    async fn plan(&self, board: &mut Board) -> Result<Plan, Failure> {
        let index = self.index.as_deref();
        let index = index.map(|index| Source::parse(index, None)).transpose()?;
        let mpy = match index.is_some() && !self.no_mpy {
            true => mpy_version(board).await?,
            false => None,
        };
        let mut plan = Plan::new(Options {
            index,
            target: match &self.target {
                Some(target) => target.clone(),
                None => library(board).await?,
            },
            mpy,
        });
        self.packages
            .iter()
            .try_for_each(|package| plan.add(package))?;
        Ok(plan)
    }
}

/// Returns the directory for libraries from which the board imports, as mpremote finds it (MicroPython v1.29,
/// `tools/mpremote/mpremote/mip.py`).
async fn library(board: &mut Board) -> Result<String, Failure> {
    let path = match board.eval_own("__import__('sys').path").await {
        Err(BoardError::Raised(raised)) if raised.exception == "AttributeError" => {
            let message = "this board has no sys.path, and so no directory for packages; copy their files with `flylead cp`";
            return Err(Failure::new(Exit::Refused, message));
        }
        path => path?,
    };
    let path = Literal::parse(&path);
    let folders = path.items().iter().filter_map(Literal::as_text);
    Ok(library_of(folders).unwrap_or("/lib").to_owned())
}

/// Returns the first directory named lib that is not in a ROM.
fn library_of<'a>(mut folders: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    folders.find(|folder| folder.ends_with("/lib") && !folder.starts_with("/rom"))
}

/// Returns the version of compiled files that the board runs, if it runs any.
async fn mpy_version(board: &mut Board) -> Result<Option<u8>, BoardError> {
    match board.eval_own(MPY_VERSION).await {
        Ok(version) => Ok(version.parse().ok().filter(|version| *version != 0)),
        Err(BoardError::Raised(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Expression for the version, which is the lowest byte; the others describe native code.
const MPY_VERSION: &str = "getattr(__import__('sys').implementation,'_mpy',0)&255";

/// Fetches the files that the board does not have. Nothing is written yet, so a wrong hash leaves everything as it is.
async fn compare(
    board: &mut Board,
    common: &Common,
    files: Vec<File>,
    fetcher: &Fetcher,
    compiler: Option<&Compiler>,
) -> Result<Vec<Step>, Failure> {
    let mut steps = Vec::new();
    let mut room = MAX_TOTAL;
    let compiled = |path: &str| compiler.and_then(|it| Some((it, compiled_name(path)?)));
    let written = |path: &String| compiled(path).map_or_else(|| path.clone(), |(_, path)| path);
    let paths: Vec<_> = files.iter().map(|file| written(&file.path)).collect();
    let sizes = Sizes::beside(board, paths.iter().map(String::as_str)).await?;
    for file in files {
        let becomes = compiled(&file.path);
        let path = becomes.as_ref().map_or(&file.path, |(_, path)| path);
        let there = match sizes.may_exist(path) {
            true => hash_there(board, path).await?,
            false => None,
        };
        let is_announced = |hash| file.hash.as_ref().is_some_and(|short| short.matches(&hash));
        if becomes.is_none() && there.is_some_and(is_announced) {
            steps.push(Step::Keep(file.path));
            continue;
        }
        common.say(format_args!("fetching {}", file.source));
        let data = fetcher.fetch(&file.source, room).await?;
        room -= data.len() as u64;
        let hash = check_hash(&file, &data)?;
        steps.push(match becomes {
            Some((compiler, path)) => {
                let from = file.source.to_string();
                let code = compiler.compile(&file.path, &from, &data).await?;
                let hash = Sha256::digest(&code).into();
                step(path, code, hash, there)
            }
            None => step(file.path, data, hash, there),
        });
    }
    Ok(steps)
}

fn step(path: String, data: Vec<u8>, hash: [u8; 32], there: Option<[u8; 32]>) -> Step {
    match there == Some(hash) {
        true => Step::Keep(path),
        false => Step::Write(Item::new(path, Content::Bytes(data, PathBuf::new()))),
    }
}

/// Returns the hash of a fetched file, which must match the announced one, if there is one.
pub(super) fn check_hash(file: &File, data: &[u8]) -> Result<[u8; 32], Error> {
    let hash: [u8; 32] = Sha256::digest(data).into();
    match file.hash.as_ref().filter(|short| !short.matches(&hash)) {
        Some(short) => Err(Error::WrongHash {
            source: file.source.clone(),
            expected: short.as_str().to_owned(),
            found: to_hexadecimal(&hash),
        }),
        None => Ok(hash),
    }
}

/// Returns the hash of a file on the board; `None` if there is no file, or the board cannot compute hashes.
async fn hash_there(board: &mut Board, path: &str) -> Result<Option<[u8; 32]>, Failure> {
    match board.sha256(path).await {
        Ok(hash) => Ok(Some(hash)),
        Err(BoardError::File(board::Error::NotFound | board::Error::Unsupported { .. })) => {
            Ok(None)
        }
        Err(error) => Err(at(path)(error)),
    }
}

/// Writes the new files, and returns the files that were written and those that the board already had.
async fn write(
    board: &mut Board,
    common: &Common,
    steps: Vec<Step>,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (mut files, mut kept) = (Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Keep(path) => kept.push(path),
            Step::Write(item) => files.push(item),
        }
    }
    let written: Vec<_> = files.iter().map(|item| item.path.clone()).collect();
    send(board, common, &with_parents(files), None, |_, _| Ok(())).await?;
    Ok((written, kept))
}

fn report(common: &Common, written: &[String], kept: &[String]) -> Result<Exit, Failure> {
    let text = match common.json {
        true => format!("{}\n", json!({ "written": written, "unchanged": kept })),
        false => {
            let lines = written
                .iter()
                .map(|path| format!("+ {}\n", terminal::name(path)));
            let (written, kept) = (written.len(), kept.len());
            lines.collect::<String>() + &format!("{written} written, {kept} unchanged\n")
        }
    };
    print(text)?;
    Ok(Exit::Done)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(Exit::Usage, error)
    }
}

/// `_PACKAGE_INDEX` of mpremote (tools/mpremote/mpremote/mip.py).
pub(crate) const MICROPYTHONS_INDEX: &str = "https://micropython.org/pi/v2";
/// Limit of all files of an installation together, in bytes: they wait in memory until all have arrived.
const MAX_TOTAL: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_go_where_the_board_imports_them_from() {
        let library = |folders: &[&'static str]| library_of(folders.iter().copied());
        assert_eq!(
            library(&["", "/rom", "/rom/lib", "/flash", "/flash/lib"]),
            Some("/flash/lib")
        );
        assert_eq!(library(&["", ".frozen", "/lib"]), Some("/lib"));
        assert_eq!(library(&["", "/library"]), None);
    }
}

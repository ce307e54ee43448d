//! `flylead backup` and `flylead restore`

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use chrono::Local;
use clap::Args;
use flylead_core::board::Progress;
use flylead_native::{
    Board,
    backup::{self, Backup, Step},
    deploy::send_changed,
    disk,
};
use serde_json::json;

use super::fs::{Bar, Content, Item, Shown, here, in_thread, on_board, save, send};
use crate::{Common, Exit, Failure, terminal::print_line};

/// Save all files of the board in a zip file
///
/// The page's backups have the same format, and `flylead restore` restores both. No file on this computer is replaced
/// without --force.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead backup                 into board-DATE.zip
  flylead backup greenhouse.zip
  flylead backup --root :/       a mounted card, too")]
pub(crate) struct Cmd {
    /// The zip file to write; - is stdout [default: board-DATE.zip]
    file: Option<PathBuf>,
    /// The directory of the board to save [default: its current directory]
    #[arg(long, value_name = "DIRECTORY", value_parser = on_board)]
    root: Option<String>,
    /// Replace an existing zip file
    #[arg(short, long)]
    force: bool,
}

/// Restore the files of a backup to the board
///
/// Files that differ are replaced, each only once its replacement has arrived whole; other files stay as they are.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead restore greenhouse.zip
  flylead restore --dry-run greenhouse.zip    list its contents")]
pub(crate) struct Restore {
    /// The zip file of `flylead backup`, or of the page
    file: PathBuf,
    /// List the contents of the zip file, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let target = Target::new(self.file, self.force)?;
        let backup = async |board: &mut Board| {
            let made = back_up(board, self.root.as_deref(), common).await?;
            let (files, bytes) = (made.files, made.bytes);
            let Some(file) = target.save(made.zip).await? else {
                return Ok(Exit::Done);
            };
            let shown = file.display().to_string();
            print_line(match common.json {
                true => json!({ "file": shown, "files": files, "bytes": bytes }).to_string(),
                false => format!("{shown}: {files} files, {bytes} bytes"),
            })?;
            Ok(Exit::Done)
        };
        common.with_board(backup).await
    }
}

/// Reads the files of a board below a directory, showing a bar.
pub(crate) async fn back_up(
    board: &mut Board,
    root: Option<&str>,
    common: &Common,
) -> Result<Backup, Failure> {
    let mut bar = None;
    let tell = |step: Step<'_>| {
        let bar = bar.get_or_insert_with(|| Bar::new(common, "", Some(step.total)));
        bar.name(step.path);
        bar.set(Progress {
            done: step.done,
            total: None,
            entries: 0,
        });
    };
    Ok(backup::back_up(board, root, tell).await?)
}

/// Writes the items of a backup to a board, and returns the paths of the files that differed.
pub(crate) async fn put_back(
    board: &mut Board,
    items: Vec<Item>,
    common: &Common,
    tell: impl FnMut(&Item, usize) -> Result<(), Failure>,
) -> Result<Vec<String>, Failure> {
    let is_folder = |item: &Item| matches!(item.content, Content::Directory);
    let (folders, files): (Vec<_>, Vec<_>) = items.into_iter().partition(is_folder);
    send(board, common, &folders, None, |_, _| Ok(())).await?;
    let mut shown = Shown::new(common, tell);
    match send_changed(board, files, &mut shown).await {
        Ok(changed) => Ok(changed),
        Err(fault) => Err(shown.failure(board, fault).await),
    }
}

/// Place of a backup.
enum Target {
    Stdout,
    /// The first name with today's date that is unused when the backup is made.
    Unused,
    /// This name, which must be unused.
    New(PathBuf),
    /// This name, even if it is in use.
    Any(PathBuf),
}

impl Target {
    fn new(file: Option<PathBuf>, force: bool) -> Result<Self, Failure> {
        let Some(file) = file else {
            return Ok(Self::Unused);
        };
        match fs::metadata(&file) {
            _ if file == Path::new("-") => Ok(Self::Stdout),
            // Writing to a pipe or a device overwrites nothing.
            Ok(found) if force || !found.is_file() => Ok(Self::Any(file)),
            Ok(_) => Err(exists(&file)),
            Err(_) if force => Ok(Self::Any(file)),
            Err(_) => Ok(Self::New(file)),
        }
    }

    /// Writes the backup, and returns its file.
    async fn save(&self, zip: Vec<u8>) -> Result<Option<PathBuf>, Failure> {
        let file = match self {
            Self::Stdout => {
                crate::terminal::print_raw(&zip)?;
                return Ok(None);
            }
            Self::Any(file) => {
                save(file, zip).await.map_err(here(file))?;
                return Ok(Some(file.clone()));
            }
            Self::Unused => reserve_unused()?,
            Self::New(file) => match reserve(file) {
                Ok(()) => file.clone(),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(exists(file));
                }
                Err(error) => return Err(here(file)(error)),
            },
        };
        if let Err(error) = save(&file, zip).await {
            // The file is empty, and ours.
            let _ = fs::remove_file(&file);
            return Err(here(&file)(error));
        }
        Ok(Some(file))
    }
}

/// Reserves an unused name with today's date, as several backups may end at the same time.
fn reserve_unused() -> Result<PathBuf, Failure> {
    let date = Local::now().format("%Y-%m-%d");
    let name = |number: u32| match number {
        1 => PathBuf::from(format!("board-{date}.zip")),
        number => PathBuf::from(format!("board-{date}-{number}.zip")),
    };
    for name in (1..NUMBER_LIMIT).map(name) {
        match reserve(&name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(here(&name)(error)),
        }
    }
    Err(exists(&name(NUMBER_LIMIT - 1)))
}

/// Creates an empty file, which must not exist yet.
fn reserve(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).open(file).map(drop)
}

fn exists(file: &Path) -> Failure {
    let message = format!(
        "{} already exists; use --force to replace it, or name another file",
        file.display()
    );
    Failure::new(Exit::Usage, message)
}

impl Restore {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let path = self.file.clone();
        let zip = in_thread(move || disk::read(&path, LONGEST_ZIP)).await;
        let zip = zip.map_err(here(&self.file))?;
        common
            .with_board(async |board| {
                let is_flat = !board.capabilities().await?.stat;
                let items = backup::items(&zip, is_flat)?;
                if self.dry_run {
                    for item in &items {
                        print_line(format!(":{} {}", item.path, item.size()))?;
                    }
                    return Ok(Exit::Done);
                }
                let is_file = |item: &&Item| !matches!(item.content, Content::Directory);
                let all = items.iter().filter(is_file).count();
                let tell = |item: &Item, bytes| {
                    common.say(format_args!(":{}, {bytes} bytes", item.path));
                    Ok(())
                };
                let changed = put_back(board, items, common, tell).await?;
                let (written, unchanged) = (changed.len(), all - changed.len());
                print_line(match common.json {
                    true => json!({ "written": changed, "unchanged": unchanged }).to_string(),
                    false => format!("{written} files written, {unchanged} unchanged"),
                })?;
                Ok(Exit::Done)
            })
            .await
    }
}

/// Limit of a zip file to restore, in bytes: the longest backup that does not compress, and its names.
const LONGEST_ZIP: u64 = 128 << 20;
/// Limit of backups with the same date.
const NUMBER_LIMIT: u32 = 10_000;

//! `flylead edit`

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use clap::Args;
use flylead_core::board;
use flylead_native::{Board, BoardError, random_hex};
use serde_json::json;

use super::fs::{Bar, at, in_thread, on_board};
use crate::{Common, Exit, Failure, terminal::print};

/// Edit files of the board in your editor, one after the other
///
/// The editor is VISUAL or EDITOR, as the shell reads it. The board is released while you edit. A changed file is written
/// back only if the board's own copy is still the one that was opened; otherwise, or if anything else fails, your version
/// stays on this computer, and its path is printed.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Files on the board; missing ones are created
    #[arg(value_parser = on_board, required = true, value_name = "PATH")]
    paths: Vec<String>,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let editor = editor().ok_or_else(no_editor)?;
        for path in self.paths {
            File { path }.run(common, &editor).await?;
        }
        Ok(Exit::Done)
    }
}

/// One file of the board.
struct File {
    path: String,
}

impl File {
    async fn run(&self, common: &Common, editor: &str) -> Result<Exit, Failure> {
        let path = &self.path;
        let mut before = None;
        let fetch = async |board: &mut Board| {
            before = read(board, path).await?;
            Ok(Exit::Done)
        };
        common.with_board(fetch).await?;
        let copy = Copy::create(path, before.as_deref().unwrap_or_default())?;
        let done = self.edit(common, editor, &copy, before).await;
        let place = copy.0.display();
        done.map_err(|failure| failure.adding(format_args!("your version is {place}")))
    }

    async fn edit(
        &self,
        common: &Common,
        editor: &str,
        copy: &Copy,
        before: Option<Vec<u8>>,
    ) -> Result<Exit, Failure> {
        open_editor(editor, &copy.0).await?;
        let after = fs::read(&copy.0)?;
        let is_changed = after != before.as_deref().unwrap_or_default();
        if is_changed {
            let write = async |board: &mut Board| self.write(board, common, before, after).await;
            common.with_board(write).await?;
        } else {
            common.note("nothing changed");
        }
        copy.remove()?;
        self.tell(common, is_changed)
    }

    async fn write(
        &self,
        board: &mut Board,
        common: &Common,
        before: Option<Vec<u8>>,
        after: Vec<u8>,
    ) -> Result<Exit, Failure> {
        let path = &self.path;
        if read(board, path).await? != before {
            return Err(Failure::new(
                Exit::Usage,
                format!(":{path}: the file on the board has changed in the meantime"),
            ));
        }
        let bar = Bar::new(common, path, Some(after.len() as u64));
        let written = board.write(path, after, |progress| bar.set(progress));
        written.await.map_err(at(path))?;
        Ok(Exit::Done)
    }

    fn tell(&self, common: &Common, is_changed: bool) -> Result<Exit, Failure> {
        if common.json {
            let line = json!({ "path": self.path, "changed": is_changed });
            print(format!("{line}\n"))?;
        }
        Ok(Exit::Done)
    }
}

/// Copy for the editor: a file of the same name, in a folder of its own.
struct Copy(PathBuf);

impl Copy {
    fn create(path: &str, content: &[u8]) -> io::Result<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let folder = env::temp_dir().join(format!("flylead-{}", random_hex::<8>()));
        make_private(&folder)?;
        let copy = folder.join(name);
        fs::write(&copy, content)?;
        Ok(Self(copy))
    }

    /// Removes the file, and what an editor left beside it.
    fn remove(&self) -> io::Result<()> {
        self.0.parent().map_or(Ok(()), fs::remove_dir_all)
    }
}

/// Creates a folder for this user alone: nobody else can read the file there, or put a link in its place.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns a file's content; `None` if there is no such file.
async fn read(board: &mut Board, path: &str) -> Result<Option<Vec<u8>>, Failure> {
    match board.read(path, |_| ()).await {
        Ok(data) => Ok(Some(data)),
        Err(BoardError::File(board::Error::NotFound)) => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

fn editor() -> Option<String> {
    ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|words| !words.trim().is_empty()))
}

fn no_editor() -> Failure {
    let message = "no editor is configured; set VISUAL or EDITOR to one";
    Failure::new(Exit::Usage, message)
}

/// Runs the editor. Ctrl-C belongs to the editor, as this program has handled it since it connected.
async fn open_editor(editor: &str, file: &Path) -> Result<(), Failure> {
    let refuse = |why: String| Err(Failure::new(Exit::Usage, why));
    let mut command = match Path::new(editor).is_file() {
        true => Command::new(editor),
        false => in_shell(editor),
    };
    command.arg(file);
    let status = in_thread(move || command.status()).await;
    // A Ctrl-C at the very end still counts as the editor's; later ones are ours.
    tokio::time::sleep(CTRL_C_PAUSE).await;
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => refuse(format!("{editor} ended with {status}")),
        Err(error) => refuse(format!("{editor}: {error}")),
    }
}

/// Runs the editor through the shell, which splits its words as git's and crontab's users expect: quotes and variables
/// have their usual meaning.
#[cfg(unix)]
fn in_shell(editor: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{editor} \"$1\""), "sh"]);
    command
}

/// Runs the editor through `cmd`, which splits its words.
#[cfg(windows)]
fn in_shell(editor: &str) -> Command {
    use std::os::windows::process::CommandExt as _;
    let mut command = Command::new("cmd");
    command.arg("/C").raw_arg(editor);
    command
}

const CTRL_C_PAUSE: Duration = Duration::from_millis(50);

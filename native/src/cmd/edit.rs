//! `flylead edit`

use std::{env, fs, io, path::Path, process::Command};

use clap::Args;
use flylead::{Board, BoardError};
use flylead_core::board;

use super::{
    Common, Exit, Failure,
    fs::{Bar, on_board},
};

/// Edit a file of the board in your editor
///
/// The editor is VISUAL or EDITOR. The file is written back when it was changed, and only if the board's own copy is
/// still the one that was opened; otherwise your version stays beside it, on this computer.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// A file on the board; a new one is made
    #[arg(value_parser = on_board)]
    path: String,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        common
            .with_board(async |board| self.edit(board, common).await)
            .await
    }

    async fn edit(&self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let before = read(board, &self.path).await?;
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let folder = env::temp_dir().join(format!("flylead-{}", std::process::id()));
        make_private(&folder)?;
        let copy = folder.join(name);
        fs::write(&copy, before.as_deref().unwrap_or_default())?;
        let kept = |why: &str| {
            Failure::new(
                Exit::Usage,
                format!("{why}; your version is {}", copy.display()),
            )
        };
        open_editor(&copy).map_err(|why| kept(&why))?;
        let after = fs::read(&copy)?;
        if Some(&after) == before.as_ref() {
            common.note("nothing changed");
        } else if read(board, &self.path).await? == before {
            let bar = Bar::new(common, name, Some(after.len() as u64));
            let written = board
                .write(&self.path, after, |progress| bar.set(progress))
                .await;
            written.map_err(|error| kept(&error.to_string()))?;
        } else {
            return Err(kept("the file on the board has changed meanwhile"));
        }
        fs::remove_dir_all(&folder)?;
        Ok(Exit::Done)
    }
}

/// A new folder for this user alone: nobody else reads the file there, or puts a link in its place.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A file's content; `None` when there is no such file.
async fn read(board: &mut Board, path: &str) -> Result<Option<Vec<u8>>, Failure> {
    match board.read(path, |_| ()).await {
        Ok(data) => Ok(Some(data)),
        Err(BoardError::File(board::Error::NotFound)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn open_editor(file: &Path) -> Result<(), String> {
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|words| !words.trim().is_empty()));
    let editor = editor.ok_or("set VISUAL or EDITOR to the editor of your choice")?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(&editor);
    let status = Command::new(program).args(words).arg(file).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

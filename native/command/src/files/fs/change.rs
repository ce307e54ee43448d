//! `flylead fs mv`, `rm`, `mkdir`, `touch`.

use clap::Args;
use flylead_core::board::{self, Request};
use flylead_native::{Board, BoardError};

use serde_json::{Value, json};

use super::{
    Common, Exit, Failure, at, confirm,
    confirm::is_whole_file_system,
    join, on_board,
    remote::{Target, base_name, look, missing},
};
use crate::terminal::print;

/// Rename files or directories on the board, or move them into a directory
#[derive(Debug, Args)]
#[command(override_usage = "flylead fs mv [OPTIONS] <SOURCE>... <TARGET>")]
pub(crate) struct Mv {
    /// Paths to move, followed by the new name or the target directory
    #[arg(value_parser = on_board, required = true, num_args = 2.., value_name = "PATH")]
    paths: Vec<String>,
}

/// Remove files from the board
#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// Files or empty directories on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
    /// Remove directories and everything in them
    #[arg(short, long)]
    recursive: bool,
    /// Ignore missing files, and do not ask
    #[arg(short, long)]
    force: bool,
}

/// Create directories
#[derive(Debug, Args)]
pub(crate) struct Mkdir {
    /// Directories on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
    /// Create missing parents as well, and accept existing directories (-p selects a port here)
    #[arg(long)]
    parents: bool,
}

/// Create empty files where none exist
#[derive(Debug, Args)]
pub(crate) struct Touch {
    /// Files on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
}

impl Mv {
    pub(crate) async fn run(mut self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let to = self.paths.pop().unwrap_or_default();
        let target = Target::find(board, &to, self.paths.len()).await?;
        for from in self.paths {
            let to = target.path_for(base_name(&from), false);
            if look(board, &from).await?.is_none() {
                return Err(missing(&from));
            }
            refuse_inside(&from, &to)?;
            let done = json!({ "from": from, "to": to });
            rename(board, from, to).await?;
            tell(common, &done)?;
        }
        Ok(Exit::Done)
    }
}

/// Refuses to move a directory into itself, for which boards report an error that explains nothing.
fn refuse_inside(from: &str, to: &str) -> Result<(), Failure> {
    match format!("{to}/").starts_with(&format!("{}/", from.trim_end_matches('/'))) && from != to {
        true => Err(Failure::new(
            Exit::Usage,
            format!(":{from} cannot be moved into itself, to :{to}"),
        )),
        false => Ok(()),
    }
}

async fn rename(board: &mut Board, from: String, to: String) -> Result<(), Failure> {
    let request = Request::Rename {
        from: from.clone(),
        to: to.clone(),
    };
    let renamed = board.request(request, |_| ()).await.map(drop);
    if let Err(BoardError::File(board::Error::Unsupported { .. })) = renamed {
        return move_content(board, &from, &to).await;
    }
    renamed.map_err(|error| match error {
        BoardError::File(board::Error::Denied) => Failure::new(
            Exit::Refused,
            format!(
                "the board cannot rename :{from} to :{to}, which is on another file system; copy it with `flylead fs cp`, then remove it with `flylead fs rm`"
            ),
        ),
        BoardError::File(board::Error::NotFound) => Failure::new(
            Exit::Refused,
            format!(":{to}: the parent directory does not exist"),
        ),
        BoardError::File(_)
        | BoardError::Lost(_)
        | BoardError::Refused(_)
        | BoardError::Raised(_)
        | BoardError::TimedOut
        | BoardError::Exited
        | BoardError::Restarted
        | BoardError::Unreadable
        | BoardError::Over => at(&to)(error),
    })
}

/// Moves a file on a board that cannot rename, such as the micro:bit: makes a copy with the right hash, and then
/// removes the old file.
async fn move_content(board: &mut Board, from: &str, to: &str) -> Result<(), Failure> {
    let content = board.read(from, |_| ()).await.map_err(at(from))?;
    board.write(to, content, |_| ()).await.map_err(at(to))?;
    let path = from.to_owned();
    let removed = board.request(Request::Remove { path }, |_| ()).await;
    removed.map(drop).map_err(at(from))
}

/// Reports the completed work to programs; people see errors alone.
fn tell(common: &Common, done: &Value) -> Result<Exit, Failure> {
    if common.json {
        print(format!("{done}\n"))?;
    }
    Ok(Exit::Done)
}

impl Rm {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let mut removed = Vec::new();
        for path in &self.paths {
            let is_whole = self.recursive && is_whole_file_system(board, path).await?;
            if is_whole && !self.force {
                confirm(&format_args!("everything in :{path}"))?;
            }
            match self.remove(board, path, is_whole).await {
                Err(BoardError::File(board::Error::NotFound)) if self.force => {}
                Err(BoardError::File(board::Error::IsDirectory | board::Error::NotEmpty)) => {
                    return Err(Failure::new(
                        Exit::Refused,
                        format!(":{path}: is a directory; use -r to remove it with its contents"),
                    ));
                }
                done => {
                    done.map_err(at(path))?;
                    removed.push(path);
                }
            }
        }
        tell(common, &json!({ "removed": removed }))
    }

    async fn remove(
        &self,
        board: &mut Board,
        path: &str,
        is_whole: bool,
    ) -> Result<(), BoardError> {
        let has_directories = self.recursive && board.capabilities().await?.stat;
        if !is_whole {
            return remove(board, path.to_owned(), has_directories).await;
        }
        // A directory at which a file system is mounted stays, and so does the current directory.
        for entry in board.list_without_times(path).await? {
            remove(board, join(path, &entry.name), has_directories).await?;
        }
        Ok(())
    }
}

async fn remove(board: &mut Board, path: String, tree: bool) -> Result<(), BoardError> {
    let request = match tree {
        true => Request::RemoveTree { path },
        false => Request::Remove { path },
    };
    board.request(request, |_| ()).await.map(drop)
}

impl Mkdir {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        for path in &self.paths {
            let request = Request::MakeDirectory {
                path: path.clone(),
                parents: self.parents,
            };
            match board.request(request, |_| ()).await {
                Err(BoardError::File(board::Error::NotFound)) if !self.parents => {
                    return Err(Failure::new(
                        Exit::Refused,
                        format!(
                            ":{path}: the parent directory does not exist; use --parents to create it"
                        ),
                    ));
                }
                done => drop(done.map_err(at(path))?),
            }
        }
        tell(common, &json!({ "made": self.paths }))
    }
}

impl Touch {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        for path in &self.paths {
            board
                .request(Request::Touch { path: path.clone() }, |_| ())
                .await
                .map_err(at(path))?;
        }
        tell(common, &json!({ "touched": self.paths }))
    }
}

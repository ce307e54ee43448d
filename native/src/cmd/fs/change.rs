//! `flylead fs mv`, `rm`, `mkdir`, `touch`.

use std::io::{self, BufRead as _, IsTerminal as _};

use clap::Args;
use flylead::{Board, BoardError};
use flylead_core::board::{self, Request};

use serde_json::{Value, json};

use super::{Common, Exit, Failure, on_board, place::at};
use crate::cmd::program::print;

/// Rename or move a file or directory on the board
#[derive(Debug, Args)]
pub(crate) struct Mv {
    /// The old name
    #[arg(value_parser = on_board)]
    from: String,
    /// The new name
    #[arg(value_parser = on_board)]
    to: String,
}

/// Remove files from the board
#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// Files or empty directories on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
    /// Remove directories with all that is in them
    #[arg(short, long)]
    recursive: bool,
    /// Do not mind what is not there, and ask nothing
    #[arg(short, long)]
    force: bool,
}

/// Make directories
#[derive(Debug, Args)]
pub(crate) struct Mkdir {
    /// Directories on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
    /// Make those above as well, and do not mind what exists (-p names a port here)
    #[arg(long)]
    parents: bool,
}

/// Make empty files where there are none
#[derive(Debug, Args)]
pub(crate) struct Touch {
    /// Files on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
}

impl Mv {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let Self { from, to } = self;
        let done = json!({ "from": from, "to": to });
        let request = Request::Rename {
            from: from.clone(),
            to,
        };
        board.request(request, |_| ()).await.map_err(at(&from))?;
        tell(common, &done)
    }
}

/// What was done, for programs; people see no error.
fn tell(common: &Common, done: &Value) -> Result<Exit, Failure> {
    if common.json {
        print(format!("{done}\n").as_bytes())?;
    }
    Ok(Exit::Done)
}

impl Rm {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let mut removed = Vec::new();
        for path in &self.paths {
            if self.recursive && is_root(path) && !self.force {
                confirm_everything()?;
            }
            let request = match self.recursive {
                true => Request::RemoveTree { path: path.clone() },
                false => Request::Remove { path: path.clone() },
            };
            match board.request(request, |_| ()).await {
                Err(BoardError::File(board::Error::NotFound)) if self.force => {}
                Err(BoardError::File(board::Error::IsDirectory | board::Error::NotEmpty)) => {
                    return Err(Failure::new(
                        Exit::Refused,
                        format!(
                            ":{path}: it is a directory; say -r to remove it with all that is in it"
                        ),
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
}

/// Whether all of the board's files are below.
fn is_root(path: &str) -> bool {
    path.chars().all(|char| matches!(char, '/' | '.'))
}

fn confirm_everything() -> Result<(), Failure> {
    let refused = |why: &str| {
        Err(Failure::new(
            Exit::Usage,
            format!("nothing was removed: {why}"),
        ))
    };
    if !io::stdin().is_terminal() {
        return refused("this removes everything on the board; say --force if that is meant");
    }
    eprint!("Remove everything on the board? Type yes: ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if answer.trim() == "yes" {
        Ok(())
    } else {
        refused("the answer was not yes")
    }
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
                            ":{path}: the directory above is not there; say --parents to make it too"
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

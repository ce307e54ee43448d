//! Deployments that cannot brick a board: it keeps the old program beside the new one, and returns to the old one
//! automatically.
//!
//! ```text
//!   main.py         the loader (loader.py), which starts the program that `now` names
//!   .flylead/now    CURRENT BEFORE MODE end: replaced whole, never changed
//!   .flylead/ID/    a whole program, whose main.py is run there
//!
//!   new ──start──► trying ──ten seconds, or its end──► good
//!                    └──an exception, or a reset──► BEFORE, good
//! ```
//!
//! Each step leaves a board that starts one whole program: `native/command/tests/command_boards/files/states.rs` cuts the power at
//! any write.

use flylead_core::{
    board::{EntryKind, Error, Request},
    to_hexadecimal,
};
use sha2::{Digest as _, Sha256};

use crate::{Board, BoardError, literal::Literal};

use super::{
    Fault, Listener, Node, Plan, Skipped, Source, Tree, absolute, apply, join, tree_there,
};

/// Current program of a board, and the previous one to which it can return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Program that starts.
    pub current: String,
    /// Previous program; `None` once it was rolled back to.
    pub before: Option<String>,
    /// True once it has started well.
    pub is_good: bool,
}

/// Program that starts the current state of a board; it takes the place of `main.py`.
pub const LOADER: &str = include_str!("loader.py");

/// Reads the state of a board; `None` where nothing was deployed.
///
/// # Errors
/// The board is lost, or refuses to be read.
pub async fn state(board: &mut Board, root: &str) -> Result<Option<State>, Fault> {
    let root = &home(board, root).await?;
    state_at(board, root).await
}

async fn state_at(board: &mut Board, root: &str) -> Result<Option<State>, Fault> {
    let main = read(board, &join(root, MAIN)).await?;
    if !main.is_some_and(|main| main.starts_with(FIRST_LINE)) {
        return Ok(None);
    }
    let folder = join(root, FOLDER);
    for name in ["now", "now.new"] {
        let text = read(board, &join(&folder, name)).await?;
        if let Some(state) = text.as_deref().and_then(State::parse) {
            return Ok(Some(state));
        }
    }
    Ok(None)
}

/// Puts a new program beside the old one, and selects it for the next start. Returns its state.
///
/// # Errors
/// The source has no `main.py`, or an item of it cannot be sent; the board is lost or full. In all cases the board
/// starts the old program.
pub async fn put(
    board: &mut Board,
    root: &str,
    source: &mut Source,
    listener: &mut impl Listener,
) -> Result<State, Fault> {
    if !matches!(
        source.tree.get(MAIN).map(|entry| entry.node),
        Some(Node::File(_))
    ) {
        return Err(Fault::Refused("the folder has no main.py to start".into()));
    }
    let root = &home(board, root).await?;
    let old = match state_at(board, root).await? {
        Some(state) => state,
        None => install(board, root).await?,
    };
    let loader = join(root, MAIN);
    if read(board, &loader).await?.as_deref() != Some(LOADER.as_bytes()) {
        write(board, &loader, LOADER).await?;
    }
    let id = id(&source.tree);
    if old.is_good && old.current == id {
        return Ok(old);
    }
    let base = match (old.is_good, old.before) {
        (false, Some(before)) => before,
        _ => old.current,
    };
    let folder = join(root, FOLDER);
    if id != base {
        fill(board, &join(&folder, &id), source, listener).await?;
    }
    let new = State {
        is_good: id == base,
        before: (id != base).then_some(base),
        current: id,
    };
    set(board, root, &new).await?;
    clean(board, &folder, &new).await?;
    Ok(new)
}

/// Rolls back to the previous program; the current one becomes the previous one.
///
/// # Errors
/// There is no previous program, or the board is lost.
pub async fn roll_back(board: &mut Board, root: &str) -> Result<State, Fault> {
    let root = &home(board, root).await?;
    let state = state_at(board, root).await?;
    let Some((current, before)) = state.and_then(|state| Some((state.current, state.before?)))
    else {
        let message = "the board has no program to go back to".to_owned();
        return Err(Fault::Refused(message));
    };
    let back = State {
        current: before,
        before: Some(current),
        is_good: true,
    };
    set(board, root, &back).await?;
    Ok(back)
}

/// Returns the absolute path of a board's directory. An empty name stands for the directory with `main.py`; boards
/// without directories have none.
///
/// # Errors
/// The board is lost, or does not answer.
pub async fn whole_path(board: &mut Board, directory: &str) -> Result<String, Fault> {
    let known = board.capabilities().await;
    if !known.map_err(Fault::at(directory))?.stat {
        return Ok(directory.to_owned());
    }
    let current = current_directory(board).await?;
    let from = match directory {
        "" => above(&current).unwrap_or(&current),
        _ => &current,
    };
    Ok(absolute(from, directory))
}

/// Returns the directory with `main.py`, or an empty name for the current directory.
async fn home(board: &mut Board, root: &str) -> Result<String, Fault> {
    if !root.is_empty() {
        return Ok(root.to_owned());
    }
    let current = current_directory(board).await?;
    Ok(match above(&current) {
        Some("") => "/".to_owned(),
        Some(above) => above.to_owned(),
        None => String::new(),
    })
}

/// Returns the directory above a program's own folder. A started program runs in that folder, which is then the board's
/// current directory.
fn above(current: &str) -> Option<&str> {
    current.split_once("/.flylead/").map(|(above, _)| above)
}

/// Returns the current directory of a board; on a board without directories, its name is empty.
async fn current_directory(board: &mut Board) -> Result<String, Fault> {
    match board.value_of_own("__import__('os').getcwd()").await {
        Ok(current) => {
            let current = current.as_ref().and_then(Literal::as_text);
            Ok(current.unwrap_or_default().to_owned())
        }
        Err(error) => Err(Fault::at("")(error)),
    }
}

/// Keeps the board's own `main.py` as the program before the first deployed one.
async fn install(board: &mut Board, root: &str) -> Result<State, Fault> {
    let before = join(&join(root, FOLDER), BEFORE);
    let path = before.clone();
    let make = Request::MakeDirectory {
        path,
        parents: true,
    };
    let made = board.request(make, |_| ()).await;
    made.map_err(Fault::at(before.as_str()))?;
    if let Some(main) = read(board, &join(root, MAIN)).await? {
        write(board, &join(&before, MAIN), main).await?;
    }
    let state = State {
        current: BEFORE.to_owned(),
        before: None,
        is_good: true,
    };
    set(board, root, &state).await?;
    Ok(state)
}

/// Makes a folder of the board equal to the source, and compares all of it.
async fn fill(
    board: &mut Board,
    folder: &str,
    source: &mut Source,
    listener: &mut impl Listener,
) -> Result<(), Fault> {
    let there = tree_there(board, folder).await?;
    let plan = Plan::new(&source.tree, &there, true);
    let mut skipped = Skipped::default();
    apply(board, &plan, source, folder, false, &mut skipped, listener).await?;
    if let Some((path, reason)) = skipped.refused.first() {
        return Err(Fault::Refused(format!("{path}: {reason}")));
    }
    let there = tree_there(board, folder).await?;
    let is_whole = Plan::new(&source.tree, &there, true)
        == Plan {
            unchanged: plan.unchanged + plan.copy.iter().filter(|step| !step.is_directory).count(),
            ..Plan::default()
        };
    match is_whole {
        true => Ok(()),
        false => Err(Fault::Refused(format!(
            "the files that arrived in :{folder} differ from those sent; the board still starts the old program"
        ))),
    }
}

/// Removes the programs that are neither the current nor the previous one.
async fn clean(board: &mut Board, folder: &str, state: &State) -> Result<(), Fault> {
    let listed = board.list_without_times(folder).await;
    for entry in listed.map_err(Fault::at(folder))? {
        let is_kept = entry.name == state.current || Some(&entry.name) == state.before.as_ref();
        if entry.kind == EntryKind::Directory && !is_kept {
            let path = join(folder, &entry.name);
            let remove = Request::RemoveTree { path: path.clone() };
            let removed = board.request(remove, |_| ()).await;
            removed.map_err(Fault::at(path))?;
        }
    }
    Ok(())
}

async fn set(board: &mut Board, root: &str, state: &State) -> Result<(), Fault> {
    let path = join(&join(root, FOLDER), "now");
    write(board, &path, state.to_string()).await
}

async fn write(board: &mut Board, path: &str, data: impl Into<Vec<u8>>) -> Result<(), Fault> {
    let written = board.write(path, data, |_| ()).await;
    written.map(drop).map_err(Fault::at(path))
}

/// Returns the content of a file; `None` if it does not exist.
async fn read(board: &mut Board, path: &str) -> Result<Option<Vec<u8>>, Fault> {
    match board.read(path, |_| ()).await {
        Ok(content) => Ok(Some(content)),
        Err(BoardError::File(Error::NotFound)) => Ok(None),
        Err(error) => Err(Fault::at(path)(error)),
    }
}

/// Returns the name of a program: the beginning of the hash over its names and hashes.
fn id(tree: &Tree) -> String {
    let mut hasher = Sha256::new();
    for (name, entry) in tree {
        let hash = match entry.node {
            Node::File(hash) => to_hexadecimal(&hash),
            Node::Directory => "/".to_owned(),
            Node::Kept => continue,
        };
        hasher.update(format!("{name}\0{hash}\n"));
    }
    to_hexadecimal(&hasher.finalize())[..12].to_owned()
}

impl State {
    fn parse(text: &[u8]) -> Option<Self> {
        let words: Vec<_> = std::str::from_utf8(text).ok()?.split_whitespace().collect();
        let [current, before, mode, "end"] = words[..] else {
            return None;
        };
        Some(Self {
            current: current.to_owned(),
            before: (before != "-").then(|| before.to_owned()),
            is_good: mode == "good",
        })
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mode = if self.is_good { "good" } else { "new" };
        let before = self.before.as_deref().unwrap_or("-");
        write!(f, "{} {before} {mode} end", self.current)
    }
}

const MAIN: &str = "main.py";
const FOLDER: &str = ".flylead";
/// Folder of the `main.py` that the board had before the first deployment.
const BEFORE: &str = "before";
/// Beginning of every version of the loader.
const FIRST_LINE: &[u8] = b"# flylead deploy: ";

//! The program that a board starts itself, from its own file system.

use std::path::Path;

use flylead_core::debug::Project;

use super::{
    LoadError,
    files::{add, begin, text},
};
use crate::board::Board;

/// Reads the board's `main.py`, and the modules it imports that the board has as text. Their paths are the board's own,
/// such as `/lib/sensor.py`; nothing is written there. A module that is part of the firmware is not read, unless the
/// file system has one of its name.
///
/// # Errors
/// [`LoadError`], if the board has no `main.py`, a file cannot be read, or is not valid Python.
pub async fn load_boot(board: &mut Board) -> Result<Project, LoadError> {
    let Some((_, path)) = find(board, &[MAIN.to_owned()]).await?.pop() else {
        return Err(LoadError::NoMain);
    };
    let text = read(board, &path).await?;
    let mut project = begin(path.into(), &text)?;
    loop {
        let wanted = project.wanted();
        if wanted.is_empty() {
            return Ok(project);
        }
        for (name, path) in find(board, &wanted).await? {
            let text = read(board, &path).await?;
            add(&mut project, &name, path.into(), &text)?;
        }
    }
}

/// Returns those of these modules that the board has, with their paths, as `import` finds them.
async fn find(board: &mut Board, names: &[String]) -> Result<Vec<(String, String)>, LoadError> {
    let mut found = Vec::new();
    for names in names.chunks(AT_ONCE) {
        // A name is made of identifiers and slashes, which Python writes like Rust.
        let printed = board.exec(format!("n={names:?}\n{FIND}")).await;
        let printed = printed.map_err(LoadError::Board)?;
        let printed = String::from_utf8_lossy(&printed);
        let pairs = printed.lines().filter_map(|line| line.split_once('\t'));
        found.extend(pairs.map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
    Ok(found)
}

async fn read(board: &mut Board, path: &str) -> Result<String, LoadError> {
    let bytes = board.read(path, |_| ()).await.map_err(LoadError::Board)?;
    text(Path::new(path), &bytes)
}

const MAIN: &str = "main.py";
/// Limit of names in one program, for boards with little memory.
const AT_ONCE: usize = 16;
/// Prints the names in `n` that are files, and where.
const FIND: &str = "\
def _f(n):
 import os,sys
 for m in n:
  for p in sys.path:
   if p.startswith('.frozen'):continue
   if not p.startswith('/'):p=os.getcwd().rstrip('/')+('/'+p if p else '')
   f=p.rstrip('/')+'/'+m
   try:
    if os.stat(f)[0]&0x8000:
     print(m+'\\t'+f)
     break
   except OSError:pass
_f(n)
del _f,n
";

//! One file that is copied to a given name, in a single exchange if possible.
//!
//! Most copies are of this kind, and querying the target or the source first would take as long as the copy.

use std::{
    fs,
    path::{Path, PathBuf},
};

use flylead_core::board::Error;
use flylead_native::{Board, BoardError, deploy::Fault};

use super::{copied, unchanged::COMPARED_THERE};
use crate::files::fs::{
    Bar, Common, Failure, at, here, local::read_local, remote::base_name, save::save, send::full,
};

/// Sends a small file. Returns false if more must be known: the target is a directory, or the file is large.
pub(crate) async fn send(
    board: &mut Board,
    common: &Common,
    sources: &[PathBuf],
    to: &str,
) -> Result<bool, Failure> {
    let ([from], false) = (sources, to.is_empty() || to.ends_with('/')) else {
        return Ok(false);
    };
    let is_small = |metadata: fs::Metadata| metadata.is_file() && metadata.len() <= COMPARED_THERE;
    if !fs::metadata(from).is_ok_and(is_small) {
        return Ok(false);
    }
    let data = read_local(from).await?;
    let bytes = data.len() as u64;
    match board.write(to, data, |_| ()).await {
        Ok(_) => {
            let (from, to) = (from.display().to_string(), format!(":{to}"));
            copied::tell(common, &from, &to, bytes).map(|()| true)
        }
        Err(BoardError::File(Error::IsDirectory)) => Ok(false),
        Err(error) => {
            let fault = Fault::at(to)(error);
            Err(full::failure(board, fault, bytes, false).await)
        }
    }
}

/// Fetches a file. Returns false if the board refuses: the source may be a directory, or a pattern.
pub(crate) async fn fetch(
    board: &mut Board,
    common: &Common,
    sources: &[String],
    to: &Path,
) -> Result<bool, Failure> {
    let [from] = sources else { return Ok(false) };
    if from.is_empty() || from.ends_with('/') || from.contains(['*', '?', '[']) {
        return Ok(false);
    }
    let to = match to.is_dir() {
        true => to.join(base_name(from)),
        false => to.to_owned(),
    };
    let bar = Bar::new(common, from, None);
    let content = match board.read(from, |progress| bar.set(progress)).await {
        Ok(content) => content,
        Err(BoardError::File(error)) if is_refusal(&error) => return Ok(false),
        Err(error) => return Err(at(from)(error)),
    };
    let bytes = content.len() as u64;
    save(&to, content).await.map_err(here(&to))?;
    let (from, to) = (format!(":{from}"), to.display().to_string());
    copied::tell(common, &from, &to, bytes)?;
    Ok(true)
}

/// Returns true for the errors of a path that leads to no file.
const fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::NotFound
            | Error::IsDirectory
            | Error::NotDirectory
            | Error::Denied
            | Error::Raised(_)
    )
}

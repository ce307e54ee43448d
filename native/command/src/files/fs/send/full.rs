//! Reports that a board has no space for a file, with sizes and ways to make space.

use flylead_core::board::{Error, Space};
use flylead_native::{Board, BoardError, deploy::Fault};

use indicatif::HumanBytes;

use crate::files::fs::{Exit, Failure, remote::look};

/// Converts a fault to a failure. If the board is full, queries how much space there is, and whether an old file takes
/// some.
pub(crate) async fn failure(
    board: &mut Board,
    fault: Fault,
    bytes: u64,
    is_in_place: bool,
) -> Failure {
    let path = match &fault {
        Fault::Board(path, error) if is_full(error) => path.clone(),
        _ => return fault.into(),
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let space = board.space(folder).await.ok();
    let is_old = matches!(look(board, &path).await, Ok(Some(_)));
    Failure::new(
        Exit::Refused,
        message(&path, bytes, space, is_old && !is_in_place),
    )
}

fn message(path: &str, bytes: u64, space: Option<Space>, has_old: bool) -> String {
    let size = format!(
        ":{path}: not enough space on the board: the file has {}",
        HumanBytes(bytes)
    );
    let size = match space {
        Some(space) => format!(
            "{size}, and {} of {} are free",
            HumanBytes(space.free),
            HumanBytes(space.total)
        ),
        None => size,
    };
    match has_old {
        true => format!(
            "{size}\nhint: --in-place removes the old file first, and loses it if the new one does not arrive"
        ),
        false => format!(
            "{size}\nhint: `flylead tree --size` shows what takes space, `flylead rm` removes it"
        ),
    }
}

/// Returns true if the board lacks space for the new file beside the old one.
fn is_full(error: &BoardError) -> bool {
    let BoardError::File(error) = error else {
        return false;
    };
    match error {
        Error::Entry { error, .. } => **error == Error::NoSpace,
        error => *error == Error::NoSpace,
    }
}

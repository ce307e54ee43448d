//! Tracks how the edits of one reply shift line numbers.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    change::{Edit, FileCommand},
    edit::{self, Snapshot},
    path::WorkspacePath,
};
use crate::agent::{command::LineRange, settings::Numbering};

/// Edits of a reply so far, by file.
#[derive(Debug, Default)]
pub(super) struct Edits {
    snapshots: BTreeMap<String, Snapshot>,
    moves: Vec<Move>,
}

/// An edit that made a file longer or shorter.
#[derive(Debug)]
struct Move {
    path: String,
    first: u32,
    lines: i64,
}

impl Edits {
    /// Resolves a command's line numbers to lines of the current file.
    ///
    /// # Errors
    /// An earlier edit replaced some of these lines.
    pub(super) fn lines_now(
        &self,
        lines: LineRange,
        path: &WorkspacePath,
        numbering: Numbering,
    ) -> Result<LineRange, String> {
        match (numbering, self.snapshots.get(path.as_str())) {
            (Numbering::Snapshot, Some(snapshot)) => snapshot.translate(lines).ok_or_else(|| {
                let LineRange { first, last } = lines;
                format!(
                    "lines {first}-{last} of '{path}' overlap an earlier edit in this message; line numbers refer to the file as \
                     you saw it, so send one edit for all of these lines"
                )
            }),
            (Numbering::Snapshot | Numbering::Sequential, _) => Ok(lines),
        }
    }

    /// Returns a note for the LLM if earlier edits moved the lines that the command names.
    pub(super) fn moved(
        &self,
        lines: LineRange,
        path: &WorkspacePath,
        numbering: Numbering,
    ) -> Option<String> {
        let is_above =
            |earlier: &&Move| earlier.path == path.as_str() && earlier.first <= lines.first;
        let earlier = self.moves.iter().filter(is_above);
        let moved: i64 = earlier.map(|earlier| earlier.lines).sum();
        (moved != 0 && numbering == Numbering::Sequential).then(|| {
            format!(
                "earlier edits in this message moved these lines by {moved:+}; the numbers were read as those after these edits"
            )
        })
    }

    /// Records a command that was carried out.
    pub(super) fn remember(&mut self, path: &WorkspacePath, command: &FileCommand<'_>) {
        let snapshot = self.snapshots.entry(path.to_string()).or_default();
        match command {
            FileCommand::Edit(Edit {
                lines, replacement, ..
            }) => {
                let new = edit::count_lines(replacement.as_bytes());
                let old = i64::from(lines.last) - i64::from(lines.first) + 1;
                snapshot.edited(*lines, new);
                self.moves.push(Move {
                    path: path.to_string(),
                    first: lines.first,
                    lines: i64::try_from(new).unwrap_or(i64::MAX).saturating_sub(old),
                });
            }
            // Existing lines keep their numbers.
            FileCommand::Append { .. } => {}
            // The author of the file knows its lines.
            FileCommand::Create { .. } => {
                *snapshot = Snapshot::default();
                self.moves.retain(|earlier| earlier.path != path.as_str());
            }
            // Line numbers do not tell where a replaced text was; numbers from before cannot be trusted.
            FileCommand::Replace { .. } | FileCommand::Delete => {
                snapshot.edited(ALL_LINES, 0);
                self.moves.retain(|earlier| earlier.path != path.as_str());
            }
        }
    }
}

const ALL_LINES: LineRange = LineRange {
    first: 1,
    last: u32::MAX,
};

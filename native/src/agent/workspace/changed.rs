//! Changes made by a command, as shown to the user for acceptance.

/// A change made by a command, or a group of changes to files that git ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// Path relative to the workspace.
    pub path: String,
    /// Kind of change.
    pub how: How,
    /// A unified diff, or a description.
    pub text: String,
    /// Programs that run or obey the file without being told to, and other reasons to review the change.
    pub marks: Vec<String>,
    /// True if a program obeys the file as soon as it exists, so the user must review it first.
    pub is_obeyed_at_once: bool,
    /// Number of files in the change.
    pub files: usize,
    /// Total size of the files.
    pub bytes: u64,
}

/// Kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// The path did not exist.
    New,
    /// The content, mode or target has changed.
    Changed,
    /// The path no longer exists.
    Deleted,
    /// Files that git ignores.
    Ignored,
}

/// Shows changes to the user; returns true for each accepted one.
pub type Accept = fn(&[Changed]) -> Vec<bool>;

/// Accepts the changes that no program obeys at once, as nobody has reviewed them.
#[must_use]
pub fn unseen(changes: &[Changed]) -> Vec<bool> {
    changes
        .iter()
        .map(|change| !change.is_obeyed_at_once)
        .collect()
}

impl Changed {
    /// Summarizes the change for the LLM.
    #[cfg(target_os = "linux")]
    pub(super) fn in_short(&self) -> String {
        let sign = match self.how {
            How::New => "new ",
            How::Changed | How::Ignored => "",
            How::Deleted => "deleted ",
        };
        let marks = match self.marks.is_empty() {
            true => String::new(),
            false => format!(" ({})", self.marks.join("; ")),
        };
        format!("{sign}{}{marks}", self.path)
    }
}

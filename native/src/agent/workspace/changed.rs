//! Changes of a command, as a person sees them and accepts them.

/// One change of a command's, or a heap of those that git ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// Path relative to the workspace.
    pub path: String,
    /// Kind of change.
    pub how: How,
    /// A unified diff, or a description.
    pub text: String,
    /// Programs that run or obey it without being told, and other reasons to look at it.
    pub marks: Vec<String>,
    /// True if something obeys it as soon as it is there, so that somebody has to have looked at it before.
    pub is_obeyed_at_once: bool,
    /// Number of files in it.
    pub files: usize,
    /// Their size.
    pub bytes: u64,
}

/// Kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// It was not there.
    New,
    /// It has another content, mode or target.
    Changed,
    /// It is gone.
    Deleted,
    /// Files that git ignores.
    Ignored,
}

/// Shows changes to a person; answers for each if it is taken over.
pub type Accept = fn(&[Changed]) -> Vec<bool>;

/// Accepts what nothing obeys at once: nobody has looked at it.
#[must_use]
pub fn unseen(changes: &[Changed]) -> Vec<bool> {
    changes
        .iter()
        .map(|change| !change.is_obeyed_at_once)
        .collect()
}

impl Changed {
    /// The change in a few words, for the LLM.
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

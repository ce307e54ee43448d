//! Validates paths written by the LLM, by their spelling alone.
//!
//! This module cannot know where a link on the disk leads. The layer that opens files must hold the workspace by a
//! handle and never leave it; this module refuses early, with a reason, and gives that layer clean components.

use alloc::{string::String, vec::Vec};
use core::fmt;

use crate::windows;

/// A path inside the workspace: components joined by `/`, no `.`, no `..`, never empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Returns the path, with `/` between its components.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the components, from the workspace's root on. At least one.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns true if writing here could run code or change the agent's own records: `.git` at any
    /// depth, and each of `own`, which are paths from the workspace's root. Spellings that some
    /// file system treats as equal are treated as equal here: case, ignorable characters, trailing
    /// dots and blanks, streams, short names.
    #[must_use]
    pub fn is_protected(&self, own: &[&str]) -> bool {
        self.components().any(is_git) || own.iter().any(|own| self.is_under(own))
    }

    fn is_under(&self, folder: &str) -> bool {
        let mut components = self.components();
        folder
            .split('/')
            .all(|name| components.next().is_some_and(|own| fold(own) == fold(name)))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Rules for the names that the file system under the workspace can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// Any character but `/` and NUL; names that Windows refuses get a [`Warning`].
    #[default]
    Unix,
    /// Names that Windows refuses, or that mean something else there, are refused.
    Windows,
}

/// Root of a workspace, against which paths are judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Root {
    /// Names that the workspace's file system can hold.
    pub names: Names,
    /// Absolute path, if the LLM may learn it, for example from the output of its commands. Absolute paths below it are
    /// inside the workspace.
    pub path: Option<String>,
}

impl Root {
    /// Judges a path as written, which may be absolute.
    ///
    /// # Errors
    /// Like [`judge`].
    pub fn judge(&self, written: &str) -> Result<(WorkspacePath, Option<Warning>), Refusal> {
        let inside = self.path.as_deref().and_then(|root| below(written, root));
        match inside {
            None => judge(written, self.names),
            Some(inside) => {
                let (path, warning) = judge(inside, self.names)?;
                Ok((path, warning.or(Some(Warning::Absolute))))
            }
        }
    }
}

/// Returns the part of an absolute path below `root`. On Windows, letters that differ only in case match, and so do
/// both separators.
fn below<'a>(written: &'a str, root: &str) -> Option<&'a str> {
    let root = root.trim_end_matches(is_separator);
    let (start, rest) = written.split_at_checked(root.len())?;
    let rest = rest.strip_prefix(is_separator)?;
    let plain = |path: &str| path.replace('\\', "/").to_ascii_lowercase();
    let is_below = start == root || has_drive(root) && plain(start) == plain(root);
    is_below.then_some(rest)
}

/// Reason why a path is refused (CodingAgent protocol v1.0, "Path Sandboxing", whose word is
/// `REJECTED`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The path leaves the workspace, at its end or on the way.
    Outside,
    /// The path begins with `~`.
    Home,
    /// The path is one of those in the examples.
    Example,
    /// The path names a directory.
    Directory,
    /// The path contains a control character or a line break.
    Control,
    /// The path is longer than 4,096 bytes, or one of its names is longer than 255.
    TooLong,
    /// One of the path's names has a special meaning on Windows.
    Reserved,
    /// `.git`, or the agent's own folders.
    Protected,
}

impl Refusal {
    /// Returns true if every workspace refuses the path, so that the tag itself is wrong.
    pub(in crate::agent) const fn holds_anywhere(self) -> bool {
        match self {
            Self::Example | Self::Control | Self::TooLong => true,
            Self::Outside | Self::Home | Self::Directory | Self::Reserved | Self::Protected => {
                false
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Outside => "REJECTED: Path is outside workspace",
            Self::Home => "REJECTED: Path is outside workspace ('~' is not expanded; use a path from the workspace root)",
            Self::Example => "REJECTED: this is the example path; use the path of a real file",
            Self::Directory => "the path names a directory; use the path of a file",
            Self::Control => "the path contains a control character",
            Self::TooLong => "the path is too long (255 bytes for a name, 4096 in all)",
            Self::Reserved => "REJECTED: the name is reserved on Windows",
            Self::Protected => "REJECTED: Path is protected (.git and the agent's own folders)",
        })
    }
}

/// Warning about a path that is allowed here but refused elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Windows does not allow a file of this name.
    ReservedOnWindows,
    /// The path was absolute.
    Absolute,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReservedOnWindows => "a file of this name cannot exist on Windows",
            Self::Absolute => "write paths relative to the workspace",
        })
    }
}

/// Judges a path as written. `\` is a separator on every system; `..` may go up, but never above the root.
///
/// ```
/// use flylead_core::agent::path::{judge, Names, Refusal};
///
/// let (path, _) = judge(r"src\..\main.rs", Names::Unix).unwrap();
/// assert_eq!(path.as_str(), "main.rs");
/// assert_eq!(judge("a/../../main.rs", Names::Unix), Err(Refusal::Outside));
/// ```
///
/// # Errors
/// The first reason that applies.
pub fn judge(written: &str, names: Names) -> Result<(WorkspacePath, Option<Warning>), Refusal> {
    refuse_early(written)?;
    let mut components: Vec<&str> = Vec::new();
    for name in written.split(is_separator) {
        match name {
            "" | "." => {}
            ".." => components.pop().map(drop).ok_or(Refusal::Outside)?,
            _ if name.len() > NAME_LIMIT => return Err(Refusal::TooLong),
            _ => components.push(name),
        }
    }
    if components.is_empty() || ends_like_a_directory(written) {
        return Err(Refusal::Directory);
    }
    let reserved = components.iter().any(|name| is_reserved(name));
    if reserved && names == Names::Windows {
        return Err(Refusal::Reserved);
    }
    Ok((
        WorkspacePath(components.join("/")),
        reserved.then_some(Warning::ReservedOnWindows),
    ))
}

fn refuse_early(written: &str) -> Result<(), Refusal> {
    if written.len() > PATH_LIMIT {
        return Err(Refusal::TooLong);
    }
    if written
        .chars()
        .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
    {
        return Err(Refusal::Control);
    }
    if EXAMPLES.contains(&written) {
        return Err(Refusal::Example);
    }
    if written == "/" {
        return Err(Refusal::Directory);
    }
    if written.starts_with(is_separator) || has_drive(written) {
        return Err(Refusal::Outside);
    }
    if written.split(is_separator).next() == Some("~") {
        return Err(Refusal::Home);
    }
    Ok(())
}

fn ends_like_a_directory(written: &str) -> bool {
    matches!(written.rsplit(is_separator).next(), Some("" | "." | ".."))
}

const fn is_separator(c: char) -> bool {
    matches!(c, '/' | '\\')
}

/// Returns true for `C:\x` and `C:x`.
fn has_drive(written: &str) -> bool {
    matches!(written.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Returns true if Windows does not allow a file of this name, which is one component of a path.
#[must_use]
pub fn is_refused_by_windows(name: &str) -> bool {
    is_reserved(name) || name.contains(|c: char| is_separator(c) || c.is_control())
}

/// Returns true for names of devices and streams, and for names that Windows changes.
fn is_reserved(name: &str) -> bool {
    windows::is_device(name)
        || name.ends_with(['.', ' '])
        || name.contains(|c| r#"<>"|?*:"#.contains(c))
}

/// Returns true for `.git`, however a file system may spell it.
fn is_git(name: &str) -> bool {
    let name = fold(name);
    name == ".git" || is_git_short_name(&name)
}

/// Returns true for a short name that NTFS gives `.git`: `GIT~1`, or other digits if that is taken.
fn is_git_short_name(name: &str) -> bool {
    name.strip_prefix("git~").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the name that the most lenient file system would open.
fn fold(name: &str) -> String {
    let name: String = name.chars().filter(|&c| !is_ignorable(c)).collect();
    let name = name.split(':').next().unwrap_or_default();
    name.trim_end_matches(['.', ' '])
        .chars()
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns true for code points that HFS+ and some comparisons ignore.
const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Paths of the examples in the outbox and in the CodingAgent protocol v1.0, "CREATE_FILE". A reply that contains one
/// repeats an example.
const EXAMPLES: [&str; 2] = ["relative/path/to/file", "relative/path"];
const NAME_LIMIT: usize = 255;
const PATH_LIMIT: usize = 4096;

#[cfg(test)]
mod tests;

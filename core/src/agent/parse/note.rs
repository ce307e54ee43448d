//! Reports doubts about a command that still runs.

use alloc::string::String;
use core::fmt;

use crate::agent::path::Warning;

/// Remark for the LLM about a command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The command's name was not in upper case.
    OtherCase,
    /// A value was in single or typographic quotes.
    OtherQuotes,
    /// A number was not in quotes.
    MissingQuotes,
    /// An attribute unknown to the command was ignored.
    UnknownAttribute {
        /// The attribute.
        key: String,
    },
    /// A command that takes no body had one, which was ignored.
    BodyIgnored,
    /// The body begins and ends with a Markdown fence, which was written to the file.
    Fenced,
    /// The body began and ended with a Markdown fence, which was removed.
    FenceRemoved,
    /// Each line of a script began with a terminal's `$ `, which was removed.
    PromptsRemoved,
    /// The tag stood in a list, a heading or emphasis.
    Marked,
    /// The body was indented like the surrounding list; the indentation was removed.
    ListIndentRemoved,
    /// Characters that cannot occur in code were replaced by plain ones.
    Characters,
    /// The body of a command stood in its tag.
    BodyInTag {
        /// The attribute.
        key: &'static str,
    },
    /// An attribute had another name.
    OtherName {
        /// Proper name of the attribute.
        key: &'static str,
    },
    /// One tag named several files.
    Several,
    /// The body was indented like its tags; the indentation was removed.
    IndentRemoved,
    /// `\_` in a path was read as an `_` that Markdown escaped.
    Unescaped,
    /// Some systems refuse the path.
    Path(Warning),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherCase => f.write_str("write the command's name in upper case"),
            Self::OtherQuotes => f.write_str("use plain double quotes"),
            Self::MissingQuotes => f.write_str("put the number in double quotes"),
            Self::UnknownAttribute { key } => write!(f, "the unknown attribute '{key}' was ignored"),
            Self::BodyIgnored => f.write_str("this command has no body; the text was ignored"),
            Self::Fenced => f.write_str("the ``` lines around the body are now part of the file; if that is wrong, send it again without them"),
            Self::Marked => f.write_str("write the tag alone on its line, without a list mark or emphasis"),
            Self::ListIndentRemoved => f.write_str("the indentation of the list was removed from the body"),
            Self::Characters => f.write_str("no-break spaces, zero-width characters or curly quotes in the code were replaced by plain ones"),
            Self::BodyInTag { key } => write!(f, "'{key}' was used as the body; write the body between the tags"),
            Self::OtherName { key } => write!(f, "the attribute's name is '{key}'"),
            Self::Several => f.write_str("write a tag for each file"),
            Self::IndentRemoved => f.write_str("the body was indented like its tags, and this indentation was removed; write the \
                                                tags at the start of their lines"),
            Self::Unescaped => f.write_str("the backslashes in the path were treated as Markdown escapes and removed; separate names with '/'"),
            Self::FenceRemoved => f.write_str("the fence around the body was removed; write the body without one"),
            Self::PromptsRemoved => f.write_str("the '$ ' before each line was removed"),
            Self::Path(warning) => warning.fmt(f),
        }
    }
}

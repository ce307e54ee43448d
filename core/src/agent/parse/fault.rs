//! Explains why a block is not executed, in words that the LLM can act on.

use alloc::string::String;

use crate::agent::{command::Kind, path::Refusal};

/// A block that is not executed, with advice for the LLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name in the tag, as written.
    pub command: String,
    /// Reason for the fault.
    pub reason: Reason,
}

/// Fault in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The opening tag has no `]` on its line.
    UnfinishedTag,
    /// The tag continues with something other than `key="value"`.
    UnreadableTag {
        /// Rest of the line.
        rest: String,
    },
    /// Text follows the `]` of the opening tag.
    TextAfterTag,
    /// A value is not in quotes, or its quotes are not closed.
    UnquotedValue {
        /// The attribute.
        key: String,
    },
    /// A value is in quotes other than `"`, and the protocol is followed to the letter.
    OtherQuotes,
    /// An attribute occurs twice.
    DuplicateAttribute {
        /// The attribute.
        key: String,
    },
    /// `key=""`
    EmptyAttribute {
        /// The attribute.
        key: String,
    },
    /// An attribute that the command needs is missing.
    MissingAttribute {
        /// The attribute.
        key: &'static str,
    },
    /// An attribute has an invalid value.
    InvalidAttribute {
        /// The attribute.
        key: &'static str,
        /// Value that the attribute needs.
        needs: &'static str,
    },
    /// The path is invalid in every workspace.
    Path(Refusal),
    /// The closing tag never comes. Everything up to the end of the message counts as the body.
    Unclosed {
        /// The expected closing tag.
        closing: String,
        /// Number of other commands that the rest holds; none of them runs.
        swallowed: usize,
    },
    /// The body holds another opening tag of the same command, so its end is ambiguous.
    Ambiguous {
        /// The path in the tag, if there is one.
        path: Option<String>,
        /// The line of the inner tag.
        inner: usize,
        /// True if everything up to the end of the message counts as the body.
        unclosed: bool,
    },
    /// A closing tag without its opening tag: an earlier body may have ended too early.
    StrayClosing,
    /// A stray closing tag further down makes it likely that this is part of a body.
    HeldBack {
        /// The line of the stray tag.
        closing: usize,
    },
    /// The body shares a line with its tags, but must stand on lines of its own.
    OneLine,
    /// `RUN_COMMAND` without a command.
    EmptyCommand,
    /// The command does not exist.
    Unknown {
        /// Number of commands that do not run because, without a closing tag, they may belong to the body.
        swallowed: usize,
    },
    /// A tag after quote marks, backquotes or words. Neither it nor its body runs.
    Decorated,
    /// Every line of a body begins with a line number.
    Numbered,
    /// The code contains quotes that no language uses, and the intended meaning is uncertain.
    Curly {
        /// The line of the body, from 1.
        line: usize,
    },
    /// All lines are indented like the tags; it is ambiguous whether that belongs to the file.
    Indented,
    /// The words around a block mark it as an example; nothing of the reply is carried out.
    Example {
        /// The line of the message with these words, from 1.
        line: usize,
    },
    /// The command has a body both in the tag and between the tags.
    TwoBodies {
        /// The attribute.
        key: String,
    },
    /// The path is a pattern.
    Pattern,
    /// A comment stands for omitted code.
    LeftOut {
        /// The line of the body, from 1.
        line: usize,
    },
    /// A text to find, or its replacement, is incomplete.
    Replacement {
        /// Description of the fault.
        why: &'static str,
    },
    /// A script begins with a Markdown fence that does not enclose all of it: a shell would execute the output of part
    /// of it.
    FencedPart,
    /// Commands precede the end of a draft whose beginning is missing.
    Draft {
        /// Number of commands.
        commands: usize,
    },
    /// The block is in a form that other programs understand, but this one does not.
    Foreign {
        /// Form of the block.
        form: Form,
        /// Number of our commands inside the block; none of them runs.
        swallowed: usize,
    },
}

/// Forms in which other programs accept files and commands from an LLM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// One of our commands as an XML tag.
    XmlTag(Kind),
    /// An XML tag of another program's tools.
    ToolCall,
    /// A unified diff, or a patch of `apply_patch`.
    Diff,
    /// `<<<<<<< SEARCH`
    SearchReplace,
    /// A Markdown code block, in a message without any command.
    CodeBlock,
}

impl Form {
    /// Name of the form in a result.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::XmlTag(_) => "XML TAG",
            Self::ToolCall => "TOOL CALL",
            Self::Diff => "DIFF",
            Self::SearchReplace => "SEARCH/REPLACE",
            Self::CodeBlock => "CODE BLOCK",
        }
    }
}

impl core::error::Error for Fault {}

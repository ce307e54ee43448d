//! Explains why a block is not obeyed, in words that the LLM can act on.

use alloc::string::String;

use crate::agent::{command::Kind, path::Refusal};

/// A block that is not executed, and what to do about it.
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
    /// The tag goes on with something that is no `key="value"`.
    UnreadableTag {
        /// Rest of the line.
        rest: String,
    },
    /// Text follows the `]` of the opening tag.
    TextAfterTag,
    /// A value is not in quotes, or its quotes do not end.
    UnquotedValue {
        /// The attribute.
        key: String,
    },
    /// A value is in other quotes than `"`, and the protocol is followed to the letter.
    OtherQuotes,
    /// An attribute is there twice.
    DuplicateAttribute {
        /// The attribute.
        key: String,
    },
    /// `key=""`
    EmptyAttribute {
        /// The attribute.
        key: String,
    },
    /// An attribute that the command needs is not there.
    MissingAttribute {
        /// The attribute.
        key: &'static str,
    },
    /// A value that the attribute cannot have.
    InvalidAttribute {
        /// The attribute.
        key: &'static str,
        /// Value that it needs.
        needs: &'static str,
    },
    /// The path is one that no workspace can have.
    Path(Refusal),
    /// The closing tag never comes. Everything up to the end of the message counts as the body.
    Unclosed {
        /// The closing tag that was looked for.
        closing: String,
        /// Number of other commands that the rest holds; none of them runs.
        swallowed: usize,
    },
    /// The body holds another opening tag of the same command, so its end can be read in two ways.
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
    /// A body that has to stand on lines of its own is on the line of its tags.
    OneLine,
    /// `RUN_COMMAND` without a command.
    EmptyCommand,
    /// The command does not exist.
    Unknown {
        /// Without a closing tag what follows may be its body: how many commands do not run for it.
        swallowed: usize,
    },
    /// A tag behind quote marks, backquotes or words. Neither it nor its body runs.
    Decorated,
    /// Every line of a body begins with its number.
    Numbered,
    /// Quotes stand in code that no language has, and it is not certain what was meant.
    Curly {
        /// The line of the body, from 1.
        line: usize,
    },
    /// All lines are indented as far as the tags, and nobody can tell if that belongs to the file.
    Indented,
    /// The words around a block show it as an example: nothing of the reply is carried out.
    Example {
        /// The line of the message with these words, from 1.
        line: usize,
    },
    /// The body is in the tag and between the tags.
    TwoBodies {
        /// The attribute.
        key: String,
    },
    /// A path is a pattern.
    Pattern,
    /// A comment stands for code that was left out.
    LeftOut {
        /// The line of the body, from 1.
        line: usize,
    },
    /// A text to find, or the one in its place, is not whole.
    Replacement {
        /// Fault, in words.
        why: &'static str,
    },
    /// A script begins with a Markdown fence that does not enclose all of it: a shell would run what a part of it prints.
    FencedPart,
    /// Commands before the end of a draft, whose beginning is not in the message.
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

/// Forms in which other programs take files and commands from an LLM.
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

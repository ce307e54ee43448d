//! Why something is not obeyed, in words that the LLM can act on.

use alloc::string::String;

use crate::agent::{command::Kind, path::Refusal};

/// A block that is not executed, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name in the tag, as written.
    pub command: String,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The opening tag has no `]` on its line.
    UnfinishedTag,
    /// The tag goes on with something that is no `key="value"`.
    UnreadableTag {
        /// How it goes on.
        rest: String,
    },
    /// Something follows the `]` of the opening tag.
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
        /// What it has to be.
        needs: &'static str,
    },
    /// The path is one that no workspace can have.
    Path(Refusal),
    /// The closing tag never comes. Everything up to the end of the message counts as the body.
    Unclosed {
        /// The closing tag that was looked for.
        closing: String,
        /// How many other commands the rest holds; none of them runs.
        swallowed: usize,
    },
    /// The body holds another opening tag of the same command, so its end can be read in two ways.
    Ambiguous {
        /// The path in the tag, if there is one.
        path: Option<String>,
        /// The line of the inner tag.
        inner: usize,
        /// Everything up to the end of the message counts as the body.
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
    /// Nobody knows this command.
    Unknown {
        /// Without a closing tag what follows may be its body: how many commands do not run for it.
        swallowed: usize,
    },
    /// A tag behind quote marks, backquotes or words. Neither it nor its body runs.
    Decorated,
    /// Every line of a body begins with its number.
    Numbered,
    /// A script begins with a Markdown fence that does not enclose all of it: a shell would run what a part of it prints.
    FencedPart,
    /// Commands before the end of a draft, whose beginning is not in the message.
    Draft {
        /// How many.
        commands: usize,
    },
    /// Something that other programs understand, and this one does not.
    Foreign {
        /// What it is.
        form: Form,
        /// How many of our commands are in it; none of them runs.
        swallowed: usize,
    },
}

/// How other programs take files and commands from an LLM.
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
    /// What it is called in a result.
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

//! Why something is not obeyed, in words that the LLM can act on.

use alloc::string::String;
use core::fmt;

use super::path::Refusal;

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
    /// A value is in other quotes than `"`, and the document is followed to the letter.
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
    /// A tag behind list marks, quote marks or emphasis, with a body. Neither runs.
    Decorated,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.explain(f, &self.command)
    }
}

impl Reason {
    fn explain(&self, f: &mut fmt::Formatter<'_>, command: &str) -> fmt::Result {
        match self {
            Self::UnfinishedTag => write!(
                f,
                "the opening tag has no ']' on its line; write it on one line"
            ),
            Self::UnreadableTag { rest } => write!(
                f,
                "the tag cannot be read from '{rest}' on; write [{command} key=\"value\"]; a value cannot hold a double quote"
            ),
            Self::TextAfterTag => write!(
                f,
                "text after the opening tag; the tag has to be alone on its line"
            ),
            Self::UnquotedValue { key } => {
                write!(f, "the value of '{key}' has to be in double quotes")
            }
            Self::OtherQuotes => write!(f, "values have to be in plain double quotes"),
            Self::DuplicateAttribute { key } => write!(f, "'{key}' is there twice"),
            Self::EmptyAttribute { key } => write!(f, "'{key}' is empty"),
            Self::MissingAttribute { key } => write!(f, "the attribute '{key}' is missing"),
            Self::InvalidAttribute { key, needs } => write!(f, "'{key}' has to be {needs}"),
            Self::Path(refusal) => write!(f, "{refusal}"),
            Self::Unclosed { closing, swallowed } => {
                write!(
                    f,
                    "is not closed: {closing} is missing, so the rest of the message was taken as its body"
                )?;
                not_run(f, *swallowed)
            }
            Self::Ambiguous {
                path,
                inner,
                unclosed,
            } => explain_ambiguous(f, command, path.as_deref(), *inner, *unclosed),
            Self::StrayClosing => write!(
                f,
                "[/{command}] closes nothing, so an earlier body may have ended too early: nothing back to there was run; \
                 if a body holds this tag, use end=\"TOKEN\" and [/{command} TOKEN]"
            ),
            Self::HeldBack { closing } => write!(
                f,
                "not run, because the closing tag on line {closing} has no opening tag: a body may have ended too early; \
                 send the command again, with end=\"TOKEN\" if its body holds tags"
            ),
            Self::OneLine => write!(
                f,
                "write the body on lines of its own, between [{command} …] and [/{command}]"
            ),
            Self::EmptyCommand => write!(f, "there is no command in the body"),
            Self::Unknown { swallowed } => explain_unknown(f, command, *swallowed),
            Self::Decorated => write!(
                f,
                "the tag has to begin its line: nothing up to its closing tag was run; send it again without the marks"
            ),
        }
    }
}

fn explain_ambiguous(
    f: &mut fmt::Formatter<'_>,
    command: &str,
    path: Option<&str>,
    inner: usize,
    unclosed: bool,
) -> fmt::Result {
    if let Some(path) = path {
        write!(f, "'{path}' ")?;
    }
    write!(f, "contains another [{command} …] (line {inner}); ")?;
    if unclosed {
        write!(
            f,
            "its end cannot be found, so nothing up to the end of the message was run; "
        )?;
    }
    write!(
        f,
        "close the first one, or use end=\"TOKEN\" and [/{command} TOKEN] if the tag belongs to the body"
    )
}

fn explain_unknown(f: &mut fmt::Formatter<'_>, command: &str, swallowed: usize) -> fmt::Result {
    write!(f, "unknown command {command} (known:")?;
    for kind in super::Kind::ALL {
        write!(f, " {}", kind.name())?;
    }
    write!(f, ")")?;
    not_run(f, swallowed)
}

fn not_run(f: &mut fmt::Formatter<'_>, swallowed: usize) -> fmt::Result {
    match swallowed {
        0 => Ok(()),
        1 => write!(f, "; 1 command after it was not run: send it again"),
        many => write!(
            f,
            "; {many} commands after it were not run: send them again"
        ),
    }
}

/// Something about a command that runs, which the LLM should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The name was not in upper case.
    OtherCase,
    /// A value was in single or typographic quotes.
    OtherQuotes,
    /// A number was not in quotes.
    MissingQuotes,
    /// An attribute that the command does not have was passed over.
    UnknownAttribute {
        /// The attribute.
        key: String,
    },
    /// A command without a body had one, which was passed over.
    BodyIgnored,
    /// The body begins and ends with a Markdown fence, which went into the file.
    Fenced,
    /// The body began and ended with a Markdown fence, which was taken away.
    FenceRemoved,
    /// The path is one that some systems refuse.
    Path(super::path::Warning),
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
            Self::FenceRemoved => f.write_str("the ``` lines around the body were removed"),
            Self::Path(warning) => warning.fmt(f),
        }
    }
}

/// Why a whole message is refused. Nothing of it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejected {
    /// Longer than [`super::MESSAGE_LIMIT`].
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A line longer than [`super::LINE_LIMIT`].
    LineTooLong {
        /// Its number, from 1.
        line: usize,
    },
    /// A body longer than [`super::BODY_LIMIT`].
    BodyTooLong {
        /// The line of its opening tag.
        line: usize,
    },
    /// More than [`super::COMMAND_LIMIT`] commands and errors.
    TooManyCommands,
    /// Not UTF-8, nor UTF-16 with a byte order mark.
    NotText {
        /// The first byte that fits no character.
        offset: usize,
    },
    /// `<think>` is never closed, so what follows may be a draft.
    UnclosedThought {
        /// Its line, from 1.
        line: usize,
    },
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => write!(
                f,
                "the message has {bytes} bytes; the limit is {}",
                super::MESSAGE_LIMIT
            ),
            Self::LineTooLong { line } => {
                write!(f, "line {line} is longer than {} bytes", super::LINE_LIMIT)
            }
            Self::BodyTooLong { line } => {
                write!(
                    f,
                    "the body of the command on line {line} is longer than {} bytes",
                    super::BODY_LIMIT
                )
            }
            Self::TooManyCommands => write!(
                f,
                "the message holds more than {} commands",
                super::COMMAND_LIMIT
            ),
            Self::NotText { offset } => write!(
                f,
                "the message is not UTF-8 text (byte {offset}); save it as UTF-8"
            ),
            Self::UnclosedThought { line } => {
                write!(
                    f,
                    "<think> on line {line} is never closed; copy the whole reply, or only what follows the thoughts"
                )
            }
        }
    }
}

/// Why a message that can be read is not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// It holds no command and no error.
    NoCommands,
    /// It holds a copy of an outbox; a person has to say whether what follows the copy is meant.
    OutboxCopy {
        /// How many commands follow the copy.
        commands: usize,
    },
    /// It says that it answers another outbox.
    Stale {
        /// The number of the outbox that waits.
        waiting: u32,
    },
    /// The session is complete.
    Complete,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommands => f.write_str("no command blocks found; copy the whole reply"),
            Self::OutboxCopy { commands } => write!(
                f,
                "the text holds a copy of an outbox, and {commands} commands after it; copy the reply alone, or say that they are meant"
            ),
            Self::Stale { waiting } => {
                write!(
                    f,
                    "the reply answers another outbox; outbox {waiting} waits"
                )
            }
            Self::Complete => f.write_str("the session is complete"),
        }
    }
}

impl core::error::Error for Fault {}
impl core::error::Error for Rejected {}
impl core::error::Error for Unfit {}

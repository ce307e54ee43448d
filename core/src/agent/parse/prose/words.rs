//! Words an error for the LLM: the mistake, and its correction.

use core::fmt;

use crate::agent::command::Kind;
use crate::agent::parse::{
    fault::{Fault, Form, Reason},
    prose::invented,
};

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
                "the tag cannot be read from '{rest}' on; write [{command} key=\"value\"]; a value cannot contain a double quote"
            ),
            Self::TextAfterTag => write!(
                f,
                "text follows the opening tag; the tag must be alone on its line"
            ),
            Self::UnquotedValue { key } => {
                write!(f, "the value of '{key}' must be in double quotes")
            }
            Self::OtherQuotes => write!(f, "values must be in plain double quotes"),
            Self::DuplicateAttribute { key } => write!(f, "'{key}' is given twice"),
            Self::EmptyAttribute { key } => write!(f, "'{key}' is empty"),
            Self::MissingAttribute { key } => write!(f, "the attribute '{key}' is missing"),
            Self::InvalidAttribute { key, needs } => write!(f, "'{key}' must be {needs}"),
            Self::Path(refusal) => write!(f, "{refusal}"),
            Self::Unclosed { closing, swallowed } => {
                write!(
                    f,
                    "is not closed: {closing} is missing, so the rest of the message was read as its body"
                )?;
                if command == Kind::CreateFile.name() || command == Kind::AppendFile.name() {
                    write!(
                        f,
                        "; a file that is too long for one reply can be sent in parts, the first with CREATE_FILE, the others \
                         with APPEND_FILE"
                    )?;
                }
                not_run(f, *swallowed)
            }
            Self::Ambiguous {
                path,
                inner,
                unclosed,
            } => explain_ambiguous(f, command, path.as_deref(), *inner, *unclosed),
            Self::StrayClosing => write!(
                f,
                "[/{command}] closes nothing, so an earlier body may have ended too early: nothing since then was run; \
                 if a body contains this tag, use end=\"TOKEN\" and [/{command} TOKEN]"
            ),
            Self::HeldBack { closing } => write!(
                f,
                "not run, because the closing tag on line {closing} has no opening tag: a body may have ended too early; \
                 send the command again, with end=\"TOKEN\" if its body contains tags"
            ),
            Self::OneLine => write!(
                f,
                "write the body on lines of its own, between [{command} …] and [/{command}]"
            ),
            Self::EmptyCommand => write!(f, "there is no command in the body"),
            Self::Unknown { swallowed } => explain_unknown(f, command, *swallowed),
            Self::Decorated => write!(
                f,
                "the tag must be alone on its line, so nothing up to its closing tag was run; send it again without the text around it"
            ),
            Self::Numbered => write!(
                f,
                "every line of the body begins with a line number, which is not part of the file; send it again without the \
                 numbers, or with numbered=\"no\" if they belong to the file"
            ),
            Self::Curly { line } => write!(
                f,
                "line {line} of the body has a curly quote where code has a plain one; send it again with plain quotes, or with \
                 exact=\"yes\" if it belongs there"
            ),
            Self::Indented => write!(
                f,
                "all lines of the body are indented like the tags, so it is unclear whether the indentation belongs to the file; write \
                 the tags at the start of their lines"
            ),
            Self::Example { line } => write!(
                f,
                "line {line} of your reply presents it as an example, so nothing in the reply was carried out; if it is intended, \
                 send it again without such words around it"
            ),
            Self::TwoBodies { key } => write!(
                f,
                "both '{key}' and a body are given; write only the body, between [{command}] and [/{command}]"
            ),
            Self::Pattern => write!(
                f,
                "a path names one file, and patterns are not expanded; send a {command} for each file, with its name under \
                 Workspace Files; with exact=\"yes\" the path is taken literally"
            ),
            Self::LeftOut { line } => write!(
                f,
                "line {line} of the body stands for omitted code, which it would replace; send the code itself, or complete=\"yes\" \
                 if the line is intended as it is"
            ),
            Self::Replacement { why } => write!(
                f,
                "{why}; write a line <<<<<<< SEARCH, the old lines, a line =======, the new lines, a line >>>>>>> REPLACE"
            ),
            Self::FencedPart => write!(
                f,
                "the body begins with a fence that does not enclose all of it; send each script in a RUN_COMMAND of its \
                 own, without fences"
            ),
            Self::Draft { commands } => write!(
                f,
                "a draft ends here, so the text before it was read as a draft, and its commands ({commands}) were not run; send the \
                 intended ones again"
            ),
            Self::Foreign { form, swallowed } => {
                explain_form(f, *form)?;
                match swallowed {
                    0 => Ok(()),
                    _ => write!(
                        f,
                        "; the text in it that looks like commands ({swallowed}) was not run"
                    ),
                }
            }
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
    for kind in Kind::ALL {
        write!(f, " {}", kind.name())?;
    }
    write!(f, ")")?;
    if let Some(instead) = invented::instead(command) {
        write!(f, "; {instead}")?;
    }
    not_run(f, swallowed)
}

fn explain_form(f: &mut fmt::Formatter<'_>, form: Form) -> fmt::Result {
    match form {
        Form::XmlTag(kind) => {
            let (name, attributes) = (kind.name(), example(kind));
            write!(
                f,
                "tags are in square brackets here, so this had no effect; write [{name}{attributes}]"
            )?;
            if kind.has_body() {
                write!(f, ", the body on lines of its own, and [/{name}]")?;
            }
            Ok(())
        }
        Form::ToolCall => write!(
            f,
            "there are no tools here, so this had no effect; write the commands as the message describes: [CREATE_FILE{}], the \
             contents, [/CREATE_FILE]; [RUN_COMMAND], the script, [/RUN_COMMAND]",
            example(Kind::CreateFile)
        ),
        Form::Diff | Form::SearchReplace => write!(
            f,
            "this has no effect outside a command; to replace lines write [EDIT_FILE{}], the new lines, and [/EDIT_FILE], or send the \
             whole file with [CREATE_FILE{}]",
            example(Kind::EditFile),
            example(Kind::CreateFile)
        ),
        Form::CodeBlock => write!(
            f,
            "code outside a command has no effect; write the contents of a file between [CREATE_FILE{}] and \
             [/CREATE_FILE], without a fence",
            example(Kind::CreateFile)
        ),
    }
}

/// Returns the attributes that a command needs.
const fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::CreateFile | Kind::AppendFile | Kind::DeleteFile | Kind::ReadFile => " path=\"…\"",
        Kind::EditFile => " path=\"…\" start_line=\"N\" end_line=\"M\"",
        Kind::RunCommand | Kind::Message | Kind::Done => "",
    }
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

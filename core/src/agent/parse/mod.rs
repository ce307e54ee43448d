//! Parses a whole message into commands and errors before anything runs.

mod body;
mod build;
mod fault;
mod inbox;
mod items;
mod note;
mod prose;
mod rejected;
mod render;
mod replace;
mod tags;
mod text;
mod walk;

use super::settings::Commands;

pub use fault::{Fault, Form, Reason};
pub use inbox::{Echo, Inbox, Item};
pub use note::Note;
pub use rejected::Rejected;
pub use render::render;
pub use text::decode;

/// Options for reading a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct ParseOptions {
    /// Follow the letter of the CodingAgent protocol v1.0, "Parsing Rules": different case, other quotes, marks around
    /// tags, one-line blocks and blanks in closing tags are errors. Content is protected just as well.
    pub strict: bool,
    /// Remove a Markdown fence that encloses the whole body of a file that is not Markdown.
    pub strip_fences: bool,
    /// Language of scripts: a shell's, or the Python of a board.
    pub commands: Commands,
}

/// Reads a message. Content is never mistaken for a command; text that could be content is an error.
///
/// ```
/// use flylead_core::agent::{parse, Command, ParseOptions};
///
/// let reply = "I add the file.\n[CREATE_FILE path=\"hi.txt\"]\nhi\n[/CREATE_FILE]\n";
/// let inbox = parse(reply, ParseOptions::default()).unwrap();
/// let wanted = Command::CreateFile { path: "hi.txt".into(), content: "hi\n".into() };
/// assert_eq!(inbox.commands().collect::<Vec<_>>(), [&wanted]);
/// ```
///
/// # Errors
/// The message as a whole is refused, and nothing of it may run.
pub fn parse(message: &str, options: ParseOptions) -> Result<Inbox, Rejected> {
    if message.len() > MESSAGE_LIMIT {
        return Err(Rejected::TooLong {
            bytes: message.len(),
        });
    }
    text::check_lines(message)?;
    walk::Parser::new(message, options).read()
}

/// Size limit of a message, in bytes.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
/// Size limit of a body, in bytes.
pub const BODY_LIMIT: usize = 8 * 1024 * 1024;
/// Length limit of a line, in bytes.
pub const LINE_LIMIT: usize = 1024 * 1024;
/// Limit of commands and errors in one message.
pub const COMMAND_LIMIT: usize = 1000;

#[cfg(test)]
mod tests;

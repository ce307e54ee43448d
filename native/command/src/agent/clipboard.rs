//! The clipboard, through the systems' own tools. They outlive this program, as the owner of a clipboard has to under
//! X11 and Wayland. Without a tool, the terminal is asked to copy (OSC 52), which also works through SSH.

use std::{
    env, fs,
    io::{self, Write},
    process::{Command, Stdio},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    super::{Exit, Failure},
    bounded,
};
use crate::terminal::say;

/// A program and its arguments. `needs` is the environment variable without which the program has no clipboard.
struct Tool {
    program: &'static str,
    arguments: &'static [&'static str],
    needs: Option<&'static str>,
}

const fn tool(
    program: &'static str,
    arguments: &'static [&'static str],
    needs: Option<&'static str>,
) -> Tool {
    Tool {
        program,
        arguments,
        needs,
    }
}

const COPY: [Tool; 6] = [
    tool("pbcopy", &[], None),
    tool("clip.exe", &[], None),
    tool("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    tool(
        "xclip",
        &["-selection", "clipboard", "-in"],
        Some("DISPLAY"),
    ),
    tool("xsel", &["--clipboard", "--input"], Some("DISPLAY")),
    tool("termux-clipboard-set", &[], None),
];

const PASTE: [Tool; 6] = [
    tool("pbpaste", &[], None),
    tool(
        "powershell.exe",
        &["-NoProfile", "-Command", POWERSHELL],
        None,
    ),
    tool(
        "wl-paste",
        &["--no-newline", "--type", "text"],
        Some("WAYLAND_DISPLAY"),
    ),
    tool(
        "xclip",
        &["-selection", "clipboard", "-out"],
        Some("DISPLAY"),
    ),
    tool("xsel", &["--clipboard", "--output"], Some("DISPLAY")),
    tool("termux-clipboard-get", &[], None),
];

/// By default, PowerShell prints in a code page that has no typographic quotes.
const POWERSHELL: &str = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw";

/// Copies a message to the LLM, after printing its length: chats have limits.
pub(super) fn copy_message(text: &str) -> Result<(), Failure> {
    say(in_numbers(text));
    let how = copy(text)?;
    say(format_args!("copied with {how}"));
    Ok(())
}

/// Returns the length of a text, with an estimate of tokens: a token has about four characters of English or code, and
/// one or two of other scripts.
fn in_numbers(text: &str) -> String {
    let characters = text.chars().count();
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let tokens = ascii / 4 + (characters - ascii) * 2 / 3;
    format!("{characters} characters, about {tokens} tokens")
}

/// Copies a text, and returns the means by which it was copied.
fn copy(text: &str) -> Result<&'static str, Failure> {
    for tool in usable(&COPY) {
        match tool.feed(text) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => {
                return done
                    .map(|()| tool.program)
                    .map_err(|error| failed(tool, &error));
            }
        }
    }
    match fs::File::options().write(true).open("/dev/tty") {
        Ok(mut terminal) => {
            write!(terminal, "\x1b]52;c;{}\x07", STANDARD.encode(text))?;
            Ok("the terminal (OSC 52)")
        }
        Err(_) => Err(none()),
    }
}

/// Returns the content of the clipboard. `patience` limits the wait for an owner that hangs.
pub(super) fn paste(patience: Duration) -> Result<Vec<u8>, Failure> {
    for tool in usable(&PASTE) {
        match bounded::output(&mut tool.command(), Vec::new(), patience) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(tool, &error)),
            Ok(output) if output.status.success() => return Ok(output.stdout),
            Ok(output) => {
                return Err(failed(
                    tool,
                    &String::from_utf8_lossy(&output.stderr).trim(),
                ));
            }
        }
    }
    Err(none())
}

/// Checks that there is a tool to read the clipboard.
pub(super) fn require_reader() -> Result<(), Failure> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let is_installed =
        |tool: &Tool| env::split_paths(&folders).any(|folder| folder.join(tool.program).is_file());
    match usable(&PASTE).any(is_installed) {
        true => Ok(()),
        false => Err(none()),
    }
}

fn usable(tools: &[Tool]) -> impl Iterator<Item = &Tool> {
    let is_there = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    tools
        .iter()
        .filter(move |tool| tool.needs.is_none_or(is_there))
}

impl Tool {
    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.args(self.arguments);
        command
    }

    /// Passes a text to the tool. Some tools stay in the background and keep the outputs that they were given, so they
    /// get none.
    fn feed(&self, text: &str) -> io::Result<()> {
        let mut child = self
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let written = child
            .stdin
            .take()
            .map_or(Ok(()), |mut to| to.write_all(text.as_bytes()));
        let status = child.wait()?;
        written?;
        match status.success() {
            true => Ok(()),
            false => Err(io::Error::other(status.to_string())),
        }
    }
}

fn failed(tool: &Tool, why: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Usage,
        format!("the clipboard: {}: {why}", tool.program),
    )
}

fn none() -> Failure {
    let tools = "wl-clipboard, xclip or xsel";
    Failure::new(
        Exit::Usage,
        format!("no clipboard tool was found; install {tools}, or use a file"),
    )
}

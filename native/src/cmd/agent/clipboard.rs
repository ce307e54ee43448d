//! The clipboard, through the tools that systems have for it. They outlive this program, as what owns a clipboard under
//! X11 and Wayland has to. Without a tool a terminal is asked to copy (OSC 52), which reaches through SSH.

use std::{
    env, fs,
    io::{self, Write},
    process::{Command, Stdio},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::super::{Exit, Failure};

/// A program and its arguments. `needs`: the variable without which it has no clipboard to work on.
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

/// Unless told so, it answers in a code page that has no typographic quotes.
const POWERSHELL: &str = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw";

/// Copies a text. Answers by which means.
pub(super) fn copy(text: &str) -> Result<&'static str, Failure> {
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

/// What is on the clipboard.
pub(super) fn paste() -> Result<Vec<u8>, Failure> {
    for tool in usable(&PASTE) {
        match tool.command().stdin(Stdio::null()).output() {
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

    /// Some of these tools go on in the background with the outputs that they were given: none.
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
        format!("there is no tool for the clipboard; install {tools}, or use a file"),
    )
}

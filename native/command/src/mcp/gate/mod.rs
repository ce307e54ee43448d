//! Confirmation by the user before anything that can run code on a device or change its files.
//!
//! ```text
//!   tool ──Deed──► pass ──a recording would end?──► refused
//!                    ├──it can run, replace or erase something──► the person is asked
//!                    └──► Passed, without which neither a port nor a board takes a change
//! ```

pub(crate) mod confirm;

use std::fmt::Write as _;

use flylead_core::export::Command;

use crate::terminal::{visible, visible_line};

use super::{answer::Fault, ports::Ports};
use confirm::{Call, Stop};

/// Action that a tool is about to take.
#[derive(Debug)]
pub(super) enum Deed<'a> {
    /// Sends bytes over the serial line: a board at its prompt runs them.
    Send(&'a [u8]),
    /// Sets control lines, by which many boards restart or wait for firmware, and then sends bytes.
    SetLines {
        dtr: Option<bool>,
        rts: Option<bool>,
        then: &'a [u8],
    },
    /// Runs a program.
    Run(&'a str),
    /// Restarts the board, which runs its `boot.py`.
    Reset(Restart),
    /// Writes a file, in place of another one or as a new one.
    Write { path: &'a str, replaces: bool },
    /// Makes a folder.
    MakeFolder,
    /// Removes a file, or a folder with everything in it.
    Remove { path: &'a str, recursive: bool },
    /// Makes a folder match another one.
    Sync {
        replaced: usize,
        removed: usize,
        new: Vec<&'a str>,
    },
    /// Installs a package.
    Install { package: &'a str, target: &'a str },
}

/// Kind of a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restart {
    /// Restart of the interpreter, without `main.py`.
    Soft,
    /// Restart of the interpreter, with `main.py`.
    WithMain,
    /// Restart of the whole board.
    Hard,
}

/// Proof that the gate was passed; only [`pass`] makes one.
#[derive(Debug)]
pub(super) struct Passed(());

/// Returns once an action may be taken: it ends no recording, and the person agrees or cannot be asked.
pub(super) async fn pass(
    ports: &Ports,
    call: &Call<'_>,
    port: &str,
    deed: &Deed<'_>,
) -> Result<Passed, Stop> {
    let recording = ports.port(port)?.recording();
    // A person may send a recording device something other than STOP; a board's tools always interrupt the recording.
    if !matches!(deed, Deed::Send(_)) {
        check(ports, port)?;
    }
    if let Some(mut question) = deed.question(port) {
        let port = &ports.port(port)?.name;
        let scope = deed.scope().filter(|_| recording.is_none());
        let scope = scope.map(|deeds| format!("{deeds} at {port}"));
        if let Some(run_id) = recording {
            let _ = write!(question, " The run {run_id} is being recorded there.");
        }
        call.confirm(&question, scope).await?;
    }
    Ok(Passed(()))
}

/// Returns an error if the board is recording.
pub(super) fn check(ports: &Ports, port: &str) -> Result<(), Fault> {
    ports.port(port)?.check_not_recording()
}

impl Deed<'_> {
    /// Returns the words for all actions of this kind, to which a person may agree at once; `None` for actions that are
    /// confirmed each time.
    fn scope(&self) -> Option<&'static str> {
        match self {
            Self::Send(_) => Some("bytes that are sent to the device"),
            Self::SetLines { .. } => Some("control lines that are set"),
            Self::Run(_) => Some("programs that are run"),
            Self::Reset(Restart::Soft) => Some("resets of the interpreter"),
            Self::Reset(Restart::WithMain) => Some("restarts with main.py"),
            Self::Reset(Restart::Hard) => Some("resets of the whole board"),
            Self::Write { .. } => Some("files that are written"),
            Self::Sync { removed: 0, .. } => Some("folders that are copied"),
            Self::MakeFolder | Self::Remove { .. } | Self::Sync { .. } | Self::Install { .. } => {
                None
            }
        }
    }

    /// Returns the question to the person; `None` for actions that can neither run nor destroy anything.
    fn question(&self, port: &str) -> Option<String> {
        Some(match self {
            Self::Send(data) if Command::parse(data).is_ok() => return None,
            Self::Send(data) => format!(
                "This is to be sent to the device at {port}, and a board at its prompt runs it:\n\n{}\n\n",
                visible(&String::from_utf8_lossy(data))
            ),
            Self::SetLines { dtr, rts, then } => {
                let line = |name, on| match on {
                    Some(true) => format!(" {name} is to be asserted."),
                    Some(false) => format!(" {name} is to be cleared."),
                    None => String::new(),
                };
                let sent = match then.is_empty() {
                    true => String::new(),
                    false => format!(
                        " Then this is to be sent:\n\n{}\n\n",
                        visible(&String::from_utf8_lossy(then))
                    ),
                };
                format!(
                    "Control lines at {port}:{}{} Many boards restart or wait for firmware by them.{sent}",
                    line("DTR", *dtr),
                    line("RTS", *rts)
                )
            }
            Self::Run(code) => format!(
                "A program is to run on the board at {port}:\n\n{}\n\n",
                visible(code)
            ),
            Self::Reset(restart) => {
                let then = match restart {
                    Restart::Soft => "its interpreter starts again",
                    Restart::WithMain => "its interpreter starts again, with main.py",
                    Restart::Hard => "it starts again as by its button, with main.py",
                };
                format!("The board at {port} is to be reset: what runs on it ends, and {then}.")
            }
            Self::Write {
                path,
                replaces: true,
            } => format!(
                "The file {} of the board is to be replaced.",
                visible_line(path)
            ),
            Self::Write { path, .. } if can_run(path) => format!(
                "The file {} is to be written to the board at {port}, which may run it.",
                visible_line(path)
            ),
            Self::Write { .. } | Self::MakeFolder => return None,
            Self::Remove { path, recursive } => {
                let what = if *recursive {
                    "with all that is in it "
                } else {
                    ""
                };
                format!(
                    "{} is to be removed {what}from the board at {port}.",
                    visible_line(path)
                )
            }
            Self::Sync {
                replaced,
                removed,
                new,
            } => {
                let programs: Vec<_> = new.iter().filter(|path| can_run(path)).collect();
                if replaced + removed + programs.len() == 0 {
                    return None;
                }
                let mut question = format!(
                    "{replaced} files of the board are to be replaced, and {removed} removed."
                );
                if let Some(first) = programs.first() {
                    let _ = write!(
                        question,
                        " {} new files are to be written that the board may run, {} first.",
                        programs.len(),
                        visible_line(first)
                    );
                }
                question
            }
            Self::Install { package, target } => format!(
                "The package {} is to be installed in {} of the board at {port}.",
                visible_line(package),
                visible_line(target)
            ),
        })
    }
}

/// Returns true for a file that a board runs or imports by itself: MicroPython's modules, and the text files that
/// CircuitPython starts. FAT ignores case, and drops dots and blanks at the end of a name.
fn can_run(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    [".py", ".mpy"].iter().any(|end| name.ends_with(end))
        || ["code.txt", "main.txt"].contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(deed: &Deed<'_>) -> bool {
        deed.question("COM7").is_some()
    }

    #[test]
    fn only_the_three_commands_of_the_protocol_are_sent_unasked() {
        for data in [
            &b"STOP\n"[..],
            b"STOP",
            b"START run_id=a\r\n",
            b"EXPORT run_id=a\n",
        ] {
            assert!(!asks(&Deed::Send(data)), "{}", data.escape_ascii());
        }
        for data in [
            &b"\x03"[..],
            b"\x04",
            b"\x01",
            b"\n",
            b"",
            b"import evil\n",
            b"STOP\nimport evil\n",
            b"STOP;import evil\n",
            b"START run_id=a\nx()\n",
            b" STOP\n",
            b"\xff",
        ] {
            assert!(asks(&Deed::Send(data)), "{}", data.escape_ascii());
        }
    }

    #[test]
    fn control_lines_are_asked_about_with_what_is_sent_after_them() {
        let lines = |then| Deed::SetLines {
            dtr: Some(false),
            rts: None,
            then,
        };
        let question = lines(b"").question("COM7").unwrap();
        assert!(question.contains("DTR is to be cleared"), "{question}");
        assert!(!question.contains("RTS is") && !question.contains("sent"));
        let question = lines(b"STOP\n").question("COM7").unwrap();
        assert!(question.contains("\n\nSTOP"), "{question}");
    }

    #[test]
    fn a_file_that_a_board_may_run_is_asked_about_even_if_it_is_new() {
        let write = |path, replaces| Deed::Write { path, replaces };
        for path in [
            "main.py",
            "/flash/BOOT.PY",
            "lib/json.mpy",
            "main.py.",
            "main.py ",
            "code.txt",
        ] {
            assert!(asks(&write(path, false)), "{path}");
        }
        for path in ["log.csv", "settings.json", "py", "a.py/x.txt"] {
            assert!(!asks(&write(path, false)), "{path}");
            assert!(asks(&write(path, true)), "{path}");
        }
        let sync = |replaced, removed, new| Deed::Sync {
            replaced,
            removed,
            new,
        };
        assert!(!asks(&sync(0, 0, vec!["a.txt"])));
        assert!(asks(&sync(0, 0, vec!["a.txt", "main.py"])));
        assert!(asks(&sync(1, 0, vec![])) && asks(&sync(0, 1, vec![])));
    }

    #[test]
    fn a_question_shows_what_would_not_be_seen() {
        let question = |deed: &Deed<'_>| deed.question("COM7").unwrap();
        let sent = question(&Deed::Send(b"x\x03\x04\r\n"));
        assert!(sent.contains("x\u{2403}\u{2404}"), "{sent}");
        let run = question(&Deed::Run("a = 1 # \u{202e}\n\tb\u{200b}"));
        assert!(run.contains("# \\u{202e}\n\tb\\u{200b}"), "{run}");
    }
}

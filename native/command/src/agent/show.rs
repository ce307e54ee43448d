//! Output for the person.

use std::io;

use flylead_core::agent::{CommandResult, Inbox};
use flylead_native::agent::{Agent, AgentError, Home, Preview, Processed};
use serde_json::json;

use super::{Common, Exit, Failure, stop};
use crate::terminal::{name, print_line, say, say_in, visible_line};

/// Shows the effects of a reply, and what its commands may touch.
pub(super) fn before(agent: &Agent, inbox: &Inbox) -> Result<(), AgentError> {
    let shown = agent.preview(inbox)?;
    previews(&shown, inbox);
    if shown
        .iter()
        .any(|preview| matches!(preview, Preview::Run { .. }))
    {
        say_in(DIM, agent.workspace()?.in_words());
    }
    Ok(())
}

/// Shows the effects of a reply on stderr, in colors on a terminal.
pub(super) fn previews(previews: &[Preview], inbox: &Inbox) {
    previews.iter().for_each(preview);
    for line in &inbox.hints {
        say(format_args!(
            "line {line} looks like a command, but there is text before the tag"
        ));
    }
}

fn preview(preview: &Preview) {
    match preview {
        Preview::Change {
            path,
            diff,
            shrinks,
            runner,
        } => {
            say_in(BOLD, format_args!("--- {}", visible_line(path)));
            diff.lines().for_each(say_diff);
            if *shrinks {
                say_in(
                    RED,
                    "more than half of this file is removed: is that intended?",
                );
            }
            if let Some(runner) = runner {
                say_in(
                    RED,
                    format_args!("this file runs outside of the sandbox: {runner}"),
                );
            }
        }
        Preview::Read {
            path,
            bytes,
            secret,
        } => {
            let path = visible_line(path);
            say_in(
                BOLD,
                format_args!("reads {path} ({bytes} bytes): the LLM will see it"),
            );
            if let Some(why) = secret {
                say_in(RED, format_args!("it may be a secret: {why}"));
            }
        }
        Preview::Run { script } => say_in(YELLOW, command(script)),
        Preview::Fails { line, why } => say_in(RED, format_args!("line {line}: {why}")),
    }
}

/// Returns a script as shown to the person. A prefix distinguishes its lines from ours.
pub(super) fn command(script: &str) -> String {
    format!("$ {}", script.replace('\n', "\n  "))
}

pub(super) fn say_diff(line: &str) {
    let color = match line.as_bytes().first() {
        Some(b'+') => GREEN,
        Some(b'-') => RED,
        Some(b'@') => CYAN,
        _ => PLAIN,
    };
    say_in(color, line);
}

/// Reports the outcome of a reply.
pub(super) fn report(done: &Processed, common: &Common) -> Result<Exit, Failure> {
    if common.json {
        print_line(json!({
            "results": done.results, "messages": done.messages, "outbox": done.outbox,
        }))?;
    } else {
        done.results.iter().try_for_each(print_result)?;
        for text in &done.messages {
            print_line(indented(text))?;
        }
        match &done.outbox {
            Some(outbox) => print_line(format_args!("outbox {}", outbox.display()))?,
            None => print_line("the session is complete")?,
        }
    }
    let failed = done.results.iter().any(|result| !result.success);
    Ok(match (stop::is_stopped(), failed) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Raised,
        (false, false) => Exit::Done,
    })
}

/// Prints one result, with the end of a command's output, where errors are, and further remarks.
fn print_result(result: &CommandResult) -> io::Result<()> {
    let mark = if result.success { "OK" } else { "FAILED" };
    let summary = name(&result.summary);
    print_line(format_args!(
        "[{mark}] {}: {summary}",
        name(&result.command)
    ))?;
    let output = result.output.as_deref().unwrap_or_default();
    let lines: Vec<&str> = output.lines().collect();
    let left_out = lines.len().saturating_sub(LINES_SHOWN);
    if result.command == "RUN_COMMAND" && left_out > 0 {
        print_line(format_args!(
            "  … ({left_out} lines; the outbox has more of them)"
        ))?;
    }
    if result.command == "RUN_COMMAND" && !lines.is_empty() {
        print_line(indented(&lines[left_out..].join("\n")))?;
    }
    let mut notes = result.notes.iter();
    notes.try_for_each(|note| print_line(format_args!("  note: {}", name(note))))
}

/// Indents third-party text, to distinguish it from our own lines.
fn indented(text: &str) -> String {
    format!("  {}", text.replace('\n', "\n  "))
}

/// Number of lines of a command's output to show.
const LINES_SHOWN: usize = 10;

/// Prints the state of a session.
pub(super) fn status(agent: &Agent, common: &Common) -> Result<Exit, Failure> {
    let session = agent.session();
    match common.json {
        true => print_line(session.to_json())?,
        false => {
            let state = if session.is_complete {
                "complete"
            } else {
                "waits for the reply"
            };
            print_line(format_args!(
                "session {}: outbox {}, {state}\n{}",
                session.session_id,
                session.sequence_number,
                indented(&session.task)
            ))?;
        }
    }
    Ok(Exit::Done)
}

/// Reports that there are no sessions.
pub(super) fn no_sessions(common: &Common) -> Result<Exit, Failure> {
    if common.json {
        print_line("[]")?;
    }
    common.note(super::no_session());
    Ok(Exit::Done)
}

/// Lists all sessions.
pub(super) fn list(home: &Home, common: &Common) -> Result<Exit, Failure> {
    let sessions = home.sessions()?;
    for path in home.damaged()? {
        common.note(format_args!("damaged: {}", path.display()));
    }
    if common.json {
        print_line(json!(sessions))?;
        return Ok(Exit::Done);
    }
    for session in sessions {
        let state = if session.is_complete {
            "complete"
        } else {
            "open"
        };
        print_line(format_args!(
            "{}  {}  {:>3}  {state:<8}  {}",
            session.session_id,
            session.updated_at,
            session.sequence_number,
            name(&session.task.replace('\n', " "))
        ))?;
    }
    Ok(Exit::Done)
}

const PLAIN: &str = "0";
pub(super) const BOLD: &str = "1";
const DIM: &str = "2";
pub(super) const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const CYAN: &str = "36";

//! What the person sees.

use std::io::{self, IsTerminal};

use flylead::agent::{Agent, AgentError, Home, Preview, Processed};
use flylead_core::agent::{CommandResult, Inbox};
use serde_json::json;

use super::{Common, Exit, Failure, stop};

/// Shows what a reply would do, and what its commands may touch.
pub(super) fn before(agent: &Agent, inbox: &Inbox) -> Result<(), AgentError> {
    let shown = agent.preview(inbox)?;
    previews(&shown, inbox);
    if shown
        .iter()
        .any(|preview| matches!(preview, Preview::Run { .. }))
    {
        eprintln!("{}", paint("2", &agent.workspace()?.in_words()));
    }
    Ok(())
}

/// Shows what a reply would do, on stderr, in colours on a terminal.
pub(super) fn previews(previews: &[Preview], inbox: &Inbox) {
    for preview in previews {
        match preview {
            Preview::Change {
                path,
                diff,
                shrinks,
            } => {
                eprintln!("{}", paint("1", &format!("--- {}", visible(path))));
                diff.lines()
                    .for_each(|line| eprintln!("{}", paint_diff(line)));
                if *shrinks {
                    let warning = "more than half of this file goes: is it meant?";
                    eprintln!("{}", paint("31", warning));
                }
            }
            Preview::Run { script } => {
                eprintln!("{}", paint("33", &format!("$ {}", visible(script))));
            }
            Preview::Fails { line, why } => {
                eprintln!("{}", paint("31", &format!("line {line}: {}", visible(why))));
            }
            _ => {}
        }
    }
    for line in &inbox.hints {
        eprintln!("line {line} looks like a command, but something stands before the tag");
    }
}

fn paint_diff(line: &str) -> String {
    let colour = match line.as_bytes().first() {
        Some(b'+') => "32",
        Some(b'-') => "31",
        Some(b'@') => "36",
        _ => "0",
    };
    paint(colour, &visible(line))
}

fn paint(colour: &str, text: &str) -> String {
    match io::stderr().is_terminal() {
        true => format!("\x1b[{colour}m{text}\x1b[0m"),
        false => text.to_owned(),
    }
}

/// What an LLM wrote moves no cursor and hides nothing on the person's terminal.
pub(super) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars()
        .map(|c| if hidden(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Says what became of a reply.
pub(super) fn report(done: &Processed, common: &Common) -> Result<Exit, Failure> {
    if common.json {
        println!(
            "{}",
            json!({ "results": done.results, "messages": done.messages, "outbox": done.outbox })
        );
    } else {
        for result in &done.results {
            let mark = if result.success { "OK" } else { "FAILED" };
            println!("[{mark}] {}: {}", result.command, visible(&result.summary));
            more(result);
        }
        done.messages
            .iter()
            .for_each(|text| println!("{}", visible(text)));
        match &done.outbox {
            Some(outbox) => println!("outbox {}", outbox.display()),
            None => println!("the session is complete"),
        }
    }
    let failed = done.results.iter().any(|result| !result.success);
    Ok(match (stop::is_stopped(), failed) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Raised,
        (false, false) => Exit::Done,
    })
}

/// What a command printed at its end, where errors are, and what else is to be known.
fn more(result: &CommandResult) {
    let output = result.output.as_deref().unwrap_or_default();
    let lines: Vec<&str> = output.lines().collect();
    let left_out = lines.len().saturating_sub(LINES_SHOWN);
    if result.command == "RUN_COMMAND" && left_out > 0 {
        println!("  … ({left_out} lines; the outbox has more of them)");
    }
    if result.command == "RUN_COMMAND" {
        let last = &lines[left_out..];
        last.iter().for_each(|line| println!("  {}", visible(line)));
    }
    let notes = result.notes.iter();
    notes.for_each(|note| println!("  note: {}", visible(note)));
}

/// Of a command's output.
const LINES_SHOWN: usize = 10;

/// Says where a session stands.
pub(super) fn status(agent: &Agent, common: &Common) -> Result<Exit, Failure> {
    let session = agent.session();
    match common.json {
        true => println!("{}", session.to_json()),
        false => {
            let state = if session.is_complete {
                "complete"
            } else {
                "waits for the reply"
            };
            println!(
                "session {}: outbox {}, {state}\n{}",
                session.session_id,
                session.sequence_number,
                visible(&session.task)
            );
        }
    }
    Ok(Exit::Done)
}

/// Says that there is nothing to list.
pub(super) fn no_sessions(common: &Common) -> Exit {
    if common.json {
        println!("[]");
    }
    common.note(super::no_session());
    Exit::Done
}

/// Lists all sessions.
pub(super) fn list(home: &Home, common: &Common) -> Result<Exit, Failure> {
    let sessions = home.sessions()?;
    for path in home.damaged()? {
        common.note(format_args!("damaged: {}", path.display()));
    }
    if common.json {
        println!("{}", json!(sessions));
        return Ok(Exit::Done);
    }
    for session in sessions {
        let state = if session.is_complete {
            "complete"
        } else {
            "open"
        };
        println!(
            "{}  {}  {:>3}  {state:<8}  {}",
            session.session_id,
            session.updated_at,
            session.sequence_number,
            visible(&session.task.replace('\n', " "))
        );
    }
    Ok(Exit::Done)
}

//! `flylead agent`

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use flylead::agent::{Agent, AgentError, Home, Options, Preview, Processed};
use flylead_core::agent::{Inbox, Reading, split_outbox};
use serde_json::json;

use super::{Common, Exit, Failure};

/// Work with an LLM through text that you copy to and fro, without an API
///
/// `new` writes the first outbox: paste it into a chat, save the reply, and give it to `apply`, which shows what it
/// would do, does it, and writes the next outbox. There is no sandbox around shell commands: on a terminal each one is
/// shown and asked for.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Where sessions and outboxes are kept
    #[arg(long, global = true, value_name = "DIR", default_value = ".flylead")]
    home: PathBuf,

    /// The session [default: the one that was used last]
    #[arg(long, global = true, value_name = "ID")]
    session: Option<String>,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin a session and write its first outbox
    New {
        /// What the LLM shall do
        #[arg(long)]
        task: String,
        /// The folder that it works on
        #[arg(long, value_name = "DIR", default_value = ".")]
        workspace: PathBuf,
    },
    /// Print the outbox that waits for its reply
    Next {
        /// Cut it into parts of at most N characters, and print part K of them as K/N
        #[arg(long, value_name = "N")]
        split: Option<usize>,
        /// Which part to print, from 1 [default: all of them]
        #[arg(long, value_name = "K", requires = "split")]
        part: Option<usize>,
    },
    /// Process a reply, and write the next outbox
    Apply(Apply),
    /// Say what a reply would do; exit code 1 if something in it would fail
    Check {
        #[command(flatten)]
        reply: Reply,
    },
    /// Continue after an interruption, and say where the outbox is
    Resume {
        #[command(flatten)]
        approval: Approval,
    },
    /// Say where the session stands
    Status,
    /// List all sessions
    List,
    /// Put back the files that a reply changed
    Undo {
        /// The outbox that the reply answered [default: the last one]
        sequence: Option<u32>,
    },
}

#[derive(Debug, Args)]
struct Apply {
    #[command(flatten)]
    reply: Reply,
    #[command(flatten)]
    approval: Approval,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Process it although the same text was processed before, or answers another outbox
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
struct Reply {
    /// The file with the reply, or - for the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Accept only what the protocol's document says, letter by letter
    #[arg(long)]
    strict: bool,
    /// Take away ``` lines around the whole text of a file
    #[arg(long)]
    strip_fences: bool,
    /// The text begins with a copy of an outbox, and what follows it is meant
    #[arg(long)]
    accept_copy: bool,
}

#[derive(Debug, Args)]
struct Approval {
    /// Ask nothing and run all shell commands
    #[arg(short, long)]
    yes: bool,
    /// Run shell commands that begin with these words, and hold no shell syntax, without asking; may be repeated
    #[arg(long, value_name = "WORDS")]
    allow: Vec<String>,
}

impl Cmd {
    #[expect(clippy::unused_async, reason = "every command runs the same way")]
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let home = Home::open(&self.home)?;
        let open = |home| Agent::open(home, self.session.as_deref());
        match self.action {
            Action::New { task, workspace } => begin(home, &task, &workspace, common),
            Action::Next { split, part } => next(&open(home)?, split, part),
            Action::Apply(apply) => apply.run(&mut open(home)?, common),
            Action::Check { reply } => reply.check(&open(home)?, common),
            Action::Resume { approval } => {
                let mut agent = open(home)?;
                let done = agent.resume(&mut |script| approval.decide(script))?;
                report(&done, common)
            }
            Action::Status => status(&open(home)?, common),
            Action::List => list(&home, common),
            Action::Undo { sequence } => {
                open(home)?
                    .undo(sequence)?
                    .iter()
                    .for_each(|said| println!("{said}"));
                Ok(Exit::Done)
            }
        }
    }
}

fn begin(home: Home, task: &str, workspace: &Path, common: &Common) -> Result<Exit, Failure> {
    let agent = Agent::begin(home, task, workspace)?;
    let outbox = agent.write_outbox()?;
    let id = &agent.session().session_id;
    match common.json {
        true => println!("{}", json!({ "session": id, "outbox": outbox })),
        false => println!("session {id}\noutbox {}", outbox.display()),
    }
    Ok(Exit::Done)
}

fn next(agent: &Agent, split: Option<usize>, part: Option<usize>) -> Result<Exit, Failure> {
    let text = fs::read_to_string(agent.write_outbox()?)?;
    let parts = match split {
        Some(limit) => split_outbox(&text, agent.session(), limit),
        None => vec![text],
    };
    match part {
        None => parts.iter().for_each(|part| print!("{part}")),
        Some(part) => match part.checked_sub(1).and_then(|at| parts.get(at)) {
            Some(text) => print!("{text}"),
            None => {
                return Err(Failure::new(
                    Exit::Usage,
                    format!("there are {} parts", parts.len()),
                ));
            }
        },
    }
    Ok(Exit::Done)
}

impl Apply {
    fn run(self, agent: &mut Agent, common: &Common) -> Result<Exit, Failure> {
        let reply = self.reply.read()?;
        let options = Options {
            force: self.force,
            ..self.reply.options()
        };
        let inbox = agent.check(&reply, options)?;
        if !common.json {
            show(&agent.preview(&inbox), &inbox);
        }
        if self.dry_run {
            return Ok(Exit::Done);
        }
        if !self.approval.yes && is_terminal() && !ask("Apply? [y/N] ")? {
            return Ok(Exit::Interrupted);
        }
        let done = agent.apply(&reply, options, &mut |script| self.approval.decide(script))?;
        report(&done, common)
    }
}

impl Reply {
    fn read(&self) -> io::Result<Vec<u8>> {
        if self.file.as_os_str() != "-" {
            return fs::read(&self.file);
        }
        let mut reply = Vec::new();
        io::stdin().read_to_end(&mut reply)?;
        Ok(reply)
    }

    fn options(&self) -> Options {
        let reading = Reading {
            strict: self.strict,
            strip_fences: self.strip_fences,
        };
        Options {
            reading,
            accept_copy: self.accept_copy,
            force: false,
        }
    }

    fn check(&self, agent: &Agent, common: &Common) -> Result<Exit, Failure> {
        let inbox = agent.check(&self.read()?, self.options())?;
        let previews = agent.preview(&inbox);
        match common.json {
            true => println!(
                "{}",
                json!({
                    "commands": inbox.commands().collect::<Vec<_>>(),
                    "errors": inbox.faults().map(|(line, fault)| json!({ "line": line, "command": fault.command, "error": fault.to_string() })).collect::<Vec<_>>(),
                })
            ),
            false => show(&previews, &inbox),
        }
        let fails = previews
            .iter()
            .any(|preview| matches!(preview, Preview::Fails { .. }));
        Ok(if fails { Exit::Raised } else { Exit::Done })
    }
}

impl Approval {
    /// Whether a shell command may run.
    fn decide(&self, script: &str) -> Result<(), String> {
        if self.yes || self.allow.iter().any(|rule| matches_rule(rule, script)) {
            return Ok(());
        }
        if !is_terminal() {
            return Err(
                "not allowed by policy; the person has to allow it with --allow or --yes".into(),
            );
        }
        let question = format!("Run this command?\n{}\n[y/N] ", visible(script));
        match ask(&question) {
            Ok(true) => Ok(()),
            _ => Err("the person refused".into()),
        }
    }
}

/// A rule is the first words of a command without any shell syntax.
fn matches_rule(rule: &str, script: &str) -> bool {
    let plain =
        !script.contains(|c: char| c.is_control() || "|&;<>()$`\\\"'*?[]#~=%{}!".contains(c));
    let mut words = script.split_whitespace();
    plain
        && !rule.trim().is_empty()
        && rule
            .split_whitespace()
            .all(|word| words.next() == Some(word))
}

fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

fn ask(question: &str) -> io::Result<bool> {
    let mut stderr = io::stderr();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Shows what a reply would do, on stderr, in colours on a terminal.
fn show(previews: &[Preview], inbox: &Inbox) {
    for preview in previews {
        match preview {
            Preview::Change { path, diff } => {
                eprintln!("{}", paint("1", &format!("--- {}", visible(path))));
                diff.lines()
                    .for_each(|line| eprintln!("{}", paint_diff(line)));
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
fn visible(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars()
        .map(|c| if hidden(c) { '\u{fffd}' } else { c })
        .collect()
}

fn report(done: &Processed, common: &Common) -> Result<Exit, Failure> {
    if common.json {
        println!(
            "{}",
            json!({ "results": done.results, "messages": done.messages, "outbox": done.outbox })
        );
    } else {
        for result in &done.results {
            let mark = if result.success { "OK" } else { "FAILED" };
            println!("[{mark}] {}: {}", result.command, visible(&result.summary));
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
    Ok(if failed { Exit::Raised } else { Exit::Done })
}

fn status(agent: &Agent, common: &Common) -> Result<Exit, Failure> {
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
                session.session_id, session.sequence_number, session.task
            );
        }
    }
    Ok(Exit::Done)
}

fn list(home: &Home, common: &Common) -> Result<Exit, Failure> {
    let sessions = home.sessions()?;
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

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

//! `flylead zylisp repl`

mod directive;
mod editor;
mod history;

use std::{
    io::{self, IsTerminal},
    mem,
    path::PathBuf,
    thread,
};

use clap::Args;
use flylead::zylisp::{Client, Evaluation, Reply, ReplyOutcome};
use rustyline::error::ReadlineError;
use tokio::{sync::mpsc, task::spawn_blocking};

use super::{Exit, Failure, ServerArgs, evaluate};
use crate::cmd::{interrupts::Interrupts, terminal::say};
use directive::Directive;
use editor::{Language, Lines};
use history::History;

/// Type programs and see what they come to
///
/// What is open goes on in the next line. Tab completes names, Ctrl-R searches what was typed, Ctrl-C interrupts what
/// runs or clears the line, Ctrl-D leaves; `:help` tells what else there is. When stdin is not a terminal, what comes from
/// there is evaluated, program by program.
#[derive(Debug, Args)]
pub(super) struct Repl {
    #[command(flatten)]
    server: ServerArgs,
    /// Where to keep what was typed; lines that begin with a blank are not kept [default: flylead/zylisp-history in the
    /// user's state folder]
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Keep nothing of what is typed
    #[arg(long, conflicts_with = "history")]
    no_history: bool,
}

/// What comes in next.
enum Typed {
    Program(String),
    /// The line was given up.
    Nothing,
    End,
}

impl Repl {
    pub(super) async fn run(self) -> Result<Exit, Failure> {
        let client = self.server.connect().await?;
        let language = Language::of(&client.describe().await?);
        if !io::stdin().is_terminal() {
            return run_all(&client, language).await;
        }
        say(format_args!(
            "{} at {}. Ctrl-D leaves, :help tells what there is.",
            language.title(),
            self.server.address
        ));
        let mut lines = Some(self.lines(language)?);
        while let Some(editor) = lines.take() {
            let (editor, typed) = next(editor).await?;
            match typed {
                Typed::Program(program) => enter(&client, program).await?,
                Typed::Nothing => {}
                Typed::End => break,
            }
            lines = Some(editor);
        }
        Ok(Exit::Done)
    }

    fn lines(&self, language: Language) -> Result<Lines, Failure> {
        let history = match (self.no_history, &self.history) {
            (true, _) => History::none(),
            (false, Some(file)) => History::at(file.clone()),
            (false, None) => History::of_user(),
        };
        Lines::new(language, history).map_err(|error| Failure::new(Exit::Usage, error))
    }
}

/// Reads what a person types, which blocks a thread.
async fn next(mut lines: Lines) -> Result<(Lines, Typed), Failure> {
    let reading = spawn_blocking(move || {
        let read = lines.read();
        (lines, read)
    });
    let (lines, read) = reading
        .await
        .map_err(|error| Failure::new(Exit::Lost, error))?;
    match read {
        Ok(program) => Ok((lines, Typed::Program(program))),
        Err(ReadlineError::Interrupted) => Ok((lines, Typed::Nothing)),
        Err(ReadlineError::Eof) => Ok((lines, Typed::End)),
        Err(error) => Err(Failure::new(Exit::Usage, error)),
    }
}

/// Carries out what was typed.
async fn enter(client: &Client, program: String) -> Result<(), Failure> {
    match Directive::of(&program) {
        Some(Directive::Load(path)) => show(client.start_file(path).await?, client).await,
        Some(directive) => {
            directive.tell();
            Ok(())
        }
        None if program.trim().is_empty() => Ok(()),
        None => show(client.start(program).await?, client).await,
    }
}

async fn show(evaluation: Evaluation, client: &Client) -> Result<(), Failure> {
    evaluate(None, client, evaluation, false).await.map(drop)
}

/// Evaluates all that stdin has, whole programs at a time. Ctrl-C ends it.
async fn run_all(client: &Client, language: Language) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::new()?;
    let mut lines = lines_of_stdin();
    let mut program = String::new();
    loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            () = interrupts.next() => return Ok(Exit::Interrupted),
        };
        let ended = line.is_none();
        if let Some(line) = line {
            program += &line?;
        }
        if ended || !language.is_unfinished(&program) {
            enter(client, mem::take(&mut program)).await?;
        } else {
            program.push('\n');
        }
        if ended {
            return Ok(Exit::Done);
        }
    }
}

/// The lines of stdin, from a thread that may wait for ever without keeping this program from its end.
fn lines_of_stdin() -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(1);
    thread::spawn(move || {
        for line in io::stdin().lines() {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// What the server says it evaluates.
fn evaluator(description: &Reply) -> Option<&str> {
    match description.outcome {
        ReplyOutcome::Refused(_) => None,
        _ => description.data.get("evaluator")?.as_str(),
    }
}

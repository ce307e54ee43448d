//! `flylead zylisp repl`

use std::path::PathBuf;

use clap::Args;
use flylead::zylisp::{Client, lang::is_unfinished};
use rustyline::{
    Completer, Config, Editor, Helper, Highlighter, Hinter,
    error::ReadlineError,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use tokio::task::spawn_blocking;

use super::{Exit, Failure, ServerArgs, evaluate};

/// Type programs and see what they come to
///
/// An open list or string goes on in the next line. Ctrl-C interrupts what runs, or clears the line; Ctrl-D leaves.
#[derive(Debug, Args)]
pub(super) struct Repl {
    #[command(flatten)]
    server: ServerArgs,
    /// Where to keep what was typed [default: nowhere]
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
}

type Lines = Editor<Whole, FileHistory>;

impl Repl {
    pub(super) async fn run(self) -> Result<Exit, Failure> {
        let client = self.server.connect().await?;
        let mut lines = Some(self.lines()?);
        while let Some(mut editor) = lines.take() {
            // Reading a line blocks its thread.
            let (editor, line) = spawn_blocking(move || {
                let line = editor.readline("zylisp> ");
                (editor, line)
            })
            .await
            .map_err(|error| Failure::new(Exit::Lost, error))?;
            match line {
                Ok(line) => show(&client, line).await?,
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => {
                    return self.keep(editor);
                }
                Err(error) => return Err(Failure::new(Exit::Usage, error)),
            }
            lines = Some(editor);
        }
        Ok(Exit::Done)
    }

    fn lines(&self) -> Result<Lines, Failure> {
        let config = Config::builder().auto_add_history(true).build();
        let mut lines =
            Editor::with_config(config).map_err(|error| Failure::new(Exit::Usage, error))?;
        lines.set_helper(Some(Whole));
        if let Some(history) = self.history.as_ref().filter(|history| history.exists()) {
            lines
                .load_history(history)
                .map_err(|error| Failure::new(Exit::Usage, error))?;
        }
        Ok(lines)
    }

    fn keep(&self, mut lines: Lines) -> Result<Exit, Failure> {
        if let Some(history) = &self.history {
            lines
                .save_history(history)
                .map_err(|error| Failure::new(Exit::Usage, error))?;
        }
        Ok(Exit::Done)
    }
}

async fn show(client: &Client, line: String) -> Result<(), Failure> {
    if line.trim().is_empty() {
        return Ok(());
    }
    let evaluation = client.start(line)?;
    evaluate(None, client, evaluation, false).await.map(drop)
}

/// Lets a line end only where the program could.
#[derive(Completer, Helper, Highlighter, Hinter)]
struct Whole;

impl Validator for Whole {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match is_unfinished(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

//! Sources of commands: a terminal or a script.

use std::{
    collections::VecDeque,
    fs,
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use rustyline::{Editor, error::ReadlineError, history::DefaultHistory};
use tokio::task::spawn_blocking;

use super::{
    super::{Exit, Failure},
    completion::Names,
};
use crate::terminal::{interrupts::Interrupts, print_line, stdin::Stdin};

/// Source of commands: a person with a line editor, or a script.
pub(super) struct Typist {
    pub(super) first: VecDeque<String>,
    /// Commands that are not typed now: the rest of a line, those of a breakpoint, and those of a file.
    pub(super) quiet: VecDeque<Line>,
    pub(super) prompt: &'static str,
    /// Names that Tab completes.
    pub(super) names: Names,
    editor: Option<LineEditor>,
    lines: Option<Stdin>,
}

/// A line with a command.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) source: Source,
}

/// Origin of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A person or a script, at the prompt.
    Typed,
    /// `.pdbrc`.
    File,
    /// The commands of a breakpoint.
    Breakpoint,
}

impl Typist {
    pub(super) fn new() -> Result<Self, Failure> {
        let is_terminal = io::stdin().is_terminal();
        let editor = is_terminal.then(Editor::new).transpose();
        let editor = editor.map_err(|error| Failure::new(Exit::Usage, error))?;
        let lines = (!is_terminal).then(Stdin::default);
        Ok(Self {
            first: VecDeque::new(),
            quiet: VecDeque::new(),
            prompt: PROMPT,
            names: Names::default(),
            editor,
            lines,
        })
    }

    /// Returns the next line; `None` at the end, and after a Ctrl-C that no editor reads.
    pub(super) async fn next(
        &mut self,
        interrupts: &mut Interrupts,
    ) -> Result<Option<Line>, Failure> {
        if let Some(line) = self.quiet.pop_front() {
            return Ok(Some(line));
        }
        let text = self.typed(interrupts).await?;
        let source = Source::Typed;
        Ok(text.map(|text| Line { text, source }))
    }

    async fn typed(&mut self, interrupts: &mut Interrupts) -> Result<Option<String>, Failure> {
        if let Some(line) = self.first.pop_front() {
            print_line(format_args!("{}{line}", self.prompt))?;
            return Ok(Some(line));
        }
        match &mut self.lines {
            Some(lines) => tokio::select! {
                line = lines.line() => Ok(line?),
                () = interrupts.next() => Ok(None),
            },
            None => self.edit_line().await,
        }
    }

    async fn edit_line(&mut self) -> Result<Option<String>, Failure> {
        while let Some(mut editor) = self.editor.take() {
            editor.set_helper(Some(self.names.clone()));
            let prompt = self.prompt;
            let reading = spawn_blocking(move || read_line(editor, prompt)).await;
            let (editor, line) = reading.map_err(|error| Failure::new(Exit::Lost, error))?;
            self.editor = Some(editor);
            match line {
                Ok(line) => return Ok(Some(line)),
                Err(ReadlineError::Interrupted) => print_line("(quit ends the program)")?,
                Err(ReadlineError::Eof) => break,
                Err(error) => return Err(Failure::new(Exit::Usage, error)),
            }
        }
        Ok(None)
    }
}

type LineEditor = Editor<Names, DefaultHistory>;

fn read_line(mut editor: LineEditor, prompt: &str) -> (LineEditor, Result<String, ReadlineError>) {
    let line = editor.readline(prompt);
    if let Ok(line) = &line {
        let _ = editor.add_history_entry(line.as_str());
    }
    (editor, line)
}

/// Returns the commands of `.pdbrc` in the home folder and in the current one, as in pdb. Aliases are not supported.
pub(super) fn startup_commands() -> VecDeque<Line> {
    let home = std::env::home_dir().unwrap_or_default();
    let files = [home.join(".pdbrc"), PathBuf::from(".pdbrc")];
    let texts = files
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines
        .filter(|line| is_command(line))
        .map(|text| Line {
            text,
            source: Source::File,
        })
        .collect()
}

fn is_command(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    !word.is_empty() && !word.starts_with('#') && !matches!(word, "alias" | "unalias")
}

/// Prompt for commands.
pub(super) const PROMPT: &str = "(debug) ";
/// Prompt for Python.
pub(super) const INTERACTIVE: &str = ">>> ";

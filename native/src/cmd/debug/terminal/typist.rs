//! Who types the commands.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _},
};

use rustyline::{DefaultEditor, error::ReadlineError};
use tokio::task::spawn_blocking;

use super::super::{Exit, Failure};
use crate::cmd::{interrupts::Interrupts, stdin::Stdin, terminal::print_line};

/// Who types the commands: a person with an editor for lines, or a script.
pub(super) struct Typist {
    pub(super) first: VecDeque<String>,
    editor: Option<DefaultEditor>,
    lines: Option<Stdin>,
}

impl Typist {
    pub(super) fn new() -> Result<Self, Failure> {
        let is_terminal = io::stdin().is_terminal();
        let editor = is_terminal.then(DefaultEditor::new).transpose();
        let editor = editor.map_err(|error| Failure::new(Exit::Usage, error))?;
        let lines = (!is_terminal).then(Stdin::default);
        Ok(Self {
            first: VecDeque::new(),
            editor,
            lines,
        })
    }

    /// The next line; none at the end, and after Ctrl-C that no editor reads.
    pub(super) async fn next(
        &mut self,
        interrupts: &mut Interrupts,
    ) -> Result<Option<String>, Failure> {
        if let Some(line) = self.first.pop_front() {
            print_line(format_args!("{PROMPT}{line}"))?;
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
        while let Some(editor) = self.editor.take() {
            let reading = spawn_blocking(move || read_line(editor)).await;
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

fn read_line(mut editor: DefaultEditor) -> (DefaultEditor, Result<String, ReadlineError>) {
    let line = editor.readline(PROMPT);
    if let Ok(line) = &line {
        let _ = editor.add_history_entry(line.as_str());
    }
    (editor, line)
}

const PROMPT: &str = "(debug) ";

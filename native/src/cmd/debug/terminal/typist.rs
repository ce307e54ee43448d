//! Who types the commands.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _},
    thread,
};

use rustyline::{DefaultEditor, error::ReadlineError};
use tokio::{sync::mpsc, task::spawn_blocking};

use super::super::{Exit, Failure};
use crate::cmd::{interrupts::Interrupts, terminal::print_line};

/// Who types the commands: a person with an editor for lines, or a script.
pub(super) struct Typist {
    pub(super) first: VecDeque<String>,
    editor: Option<DefaultEditor>,
    lines: Option<mpsc::Receiver<io::Result<String>>>,
}

impl Typist {
    pub(super) fn new() -> Result<Self, Failure> {
        let is_terminal = io::stdin().is_terminal();
        let editor = is_terminal.then(DefaultEditor::new).transpose();
        let editor = editor.map_err(|error| Failure::new(Exit::Usage, error))?;
        let lines = (!is_terminal).then(lines_of_stdin);
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
                line = lines.recv() => Ok(line.transpose()?),
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

const PROMPT: &str = "(debug) ";

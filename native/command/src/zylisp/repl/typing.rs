//! Lines that a person types.

use flylead_native::zylisp::Client;
use rustyline::{Result as Read, error::ReadlineError};
use tokio::task::{JoinHandle, spawn_blocking};

use super::{
    super::evaluate::{Given, Input},
    Exit, Failure,
    editor::Lines,
};

/// The editor, which reads in a thread of its own.
pub(super) struct Typing {
    lines: Option<Lines>,
    /// Read in progress, which is kept when nobody waits for the line any more, as it holds the editor.
    reading: Option<JoinHandle<(Lines, Read<String>)>>,
}

/// Next input.
pub(super) enum Typed {
    Line(String),
    /// The line was abandoned.
    Nothing,
    End,
}

impl Typing {
    pub(super) const fn new(lines: Lines) -> Self {
        Self {
            lines: Some(lines),
            reading: None,
        }
    }

    /// Sets the client to query for names.
    pub(super) fn ask_of(&mut self, client: Option<&Client>) {
        if let Some(lines) = &mut self.lines {
            lines.ask_of(client.cloned());
        }
    }

    /// Waits for a whole program.
    pub(super) async fn program(&mut self) -> Result<Typed, Failure> {
        self.read(Lines::program).await
    }

    async fn read(&mut self, read: fn(&mut Lines) -> Read<String>) -> Result<Typed, Failure> {
        if let Some(mut lines) = self.lines.take() {
            self.reading = Some(spawn_blocking(move || {
                let typed = read(&mut lines);
                (lines, typed)
            }));
        }
        let Some(reading) = &mut self.reading else {
            return Ok(Typed::End);
        };
        let (lines, typed) = reading
            .await
            .map_err(|error| Failure::new(Exit::Lost, error))?;
        self.reading = None;
        self.lines = Some(lines);
        match typed {
            Ok(line) => Ok(Typed::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Typed::Nothing),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(Failure::new(Exit::Usage, error)),
        }
    }
}

impl Input for Typing {
    async fn next(&mut self) -> Result<Given, Failure> {
        Ok(match self.read(Lines::input).await? {
            Typed::Line(line) => Given::Line(line),
            Typed::Nothing => Given::Interrupt,
            Typed::End => Given::End,
        })
    }
}

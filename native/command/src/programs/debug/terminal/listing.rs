//! The source around a stop.

use super::{
    super::{Failure, command::Range, show},
    Terminal,
};
use crate::terminal::{print, print_line};

impl Terminal {
    pub(super) async fn list(&self, range: Range) -> Result<(), Failure> {
        let Some(frame) = self.current().cloned() else {
            return Ok(());
        };
        let around = |line: u32| line.saturating_sub(5).max(1)..=line.saturating_add(5);
        let lines = match range {
            Range::Here => around(frame.line),
            Range::Around(line) => around(line),
            Range::Lines(first, last) => first.max(1)..=last,
        };
        let text = self
            .project(move |project| show::source(project.file(frame.module), lines, frame.line));
        print(text.await?)?;
        Ok(())
    }

    pub(super) async fn list_function(&self) -> Result<(), Failure> {
        let Some(frame) = self.current().cloned() else {
            return Ok(());
        };
        let text = self.project(move |project| {
            let file = project.file(frame.module);
            let id = file.module.function_at(frame.line);
            let lines = id
                .map(|id| file.module.function(id))
                .map_or(1..=u32::MAX, |one| one.line..=one.last_line);
            show::source(file, lines, frame.line)
        });
        print(text.await?)?;
        Ok(())
    }

    pub(super) async fn list_source(&self, name: String) -> Result<(), Failure> {
        let current = self.current().cloned();
        let text = self.project(move |project| {
            let (id, function) = project.function(&name)?;
            let line = current.as_ref().filter(|frame| frame.module == id);
            let line = line.map_or(0, |frame| frame.line);
            let lines = function.line..=function.last_line;
            Some(show::source(project.file(id), lines, line))
        });
        match text.await? {
            Some(text) => print(text)?,
            None => print_line("*** there is no such function in the program")?,
        }
        Ok(())
    }
}

//! Breakpoints that are typed.

use flylead_core::debug::{Breakpoint, ModuleId, Project};

use super::{
    super::{
        Failure,
        command::{Breakpoints, Place},
    },
    Terminal,
};
use crate::cmd::terminal::print_line;

/// A breakpoint that was typed.
pub(super) struct Set {
    pub(super) number: u32,
    pub(super) module: ModuleId,
    pub(super) wish: Breakpoint,
    pub(super) temporary: bool,
}

impl Terminal {
    pub(super) async fn change_breakpoints(&mut self, wanted: Breakpoints) -> Result<(), Failure> {
        match wanted {
            Breakpoints::List => self.list_breakpoints().await?,
            Breakpoints::Break {
                place,
                condition,
                temporary,
            } => {
                let wish = Breakpoint {
                    condition,
                    ..Breakpoint::default()
                };
                self.set(place, wish, temporary).await?;
            }
            Breakpoints::Log { place, text } => {
                let wish = Breakpoint {
                    log: Some(text),
                    ..Breakpoint::default()
                };
                self.set(place, wish, false).await?;
            }
            Breakpoints::Clear(None) => {
                let modules: Vec<_> = self.breakpoints.drain(..).map(|one| one.module).collect();
                for module in modules {
                    self.send_breakpoints(module).await?;
                }
            }
            Breakpoints::Clear(Some(number)) => {
                match self.breakpoints.iter().position(|one| one.number == number) {
                    Some(at) => {
                        let gone = self.breakpoints.remove(at);
                        self.send_breakpoints(gone.module).await?;
                    }
                    None => print_line(format_args!("*** there is no breakpoint {number}"))?,
                }
            }
            Breakpoints::Condition(number, condition) => {
                self.change(number, |wish| wish.condition = condition)
                    .await?;
            }
            Breakpoints::Hits(number, hits) => {
                self.change(number, |wish| wish.hits = Some(hits)).await?;
            }
        }
        Ok(())
    }

    async fn change(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut Breakpoint),
    ) -> Result<(), Failure> {
        let Some(set) = self.breakpoints.iter_mut().find(|one| one.number == number) else {
            print_line(format_args!("*** there is no breakpoint {number}"))?;
            return Ok(());
        };
        change(&mut set.wish);
        let module = set.module;
        self.send_breakpoints(module).await
    }

    async fn list_breakpoints(&self) -> Result<(), Failure> {
        for set in &self.breakpoints {
            let module = set.module;
            let path = self
                .project(move |project| project.file(module).path.clone())
                .await?;
            let Breakpoint {
                line,
                condition,
                hits,
                log,
            } = &set.wish;
            let condition = condition
                .iter()
                .map(|text| format!(" if {text}"))
                .collect::<String>();
            let hits = hits
                .iter()
                .map(|text| format!(" hits {text}"))
                .collect::<String>();
            let log = log
                .iter()
                .map(|text| format!(" log {text}"))
                .collect::<String>();
            print_line(format_args!(
                "{} {path}:{line}{condition}{hits}{log}",
                set.number
            ))?;
        }
        Ok(())
    }

    async fn set(
        &mut self,
        place: Place,
        wish: Breakpoint,
        temporary: bool,
    ) -> Result<(), Failure> {
        let here = self.current().map_or(ModuleId::MAIN, |frame| frame.module);
        let found = self
            .project(move |project| find(project, &place, here))
            .await?;
        let Some((module, line)) = found else {
            print_line("*** there is no such file or function in the program")?;
            return Ok(());
        };
        self.last_number += 1;
        let number = self.last_number;
        self.breakpoints.push(Set {
            number,
            module,
            wish: Breakpoint { line, ..wish },
            temporary,
        });
        self.send_breakpoints(module).await
    }

    /// Tells the board of a module's breakpoints, and of the last one what became of it.
    pub(super) async fn send_breakpoints(&mut self, module: ModuleId) -> Result<(), Failure> {
        let of_it = self.breakpoints.iter().filter(|one| one.module == module);
        let (numbers, wishes): (Vec<_>, Vec<_>) =
            of_it.map(|one| (one.number, one.wish.clone())).unzip();
        let statuses = self
            .session(move |session, now| session.set_breakpoints(now, module, &wishes))
            .await?;
        let path = self
            .project(move |project| project.file(module).path.clone())
            .await?;
        for (number, status) in numbers.into_iter().zip(statuses) {
            let Some(set) = self.breakpoints.iter_mut().find(|one| one.number == number) else {
                continue;
            };
            match (status.line, status.problem) {
                (Some(line), None) if set.wish.line != line || number == self.last_number => {
                    set.wish.line = line;
                    print_line(format_args!("Breakpoint {number} at {path}:{line}"))?;
                }
                (_, Some(problem)) => {
                    print_line(format_args!("*** breakpoint {number}: {problem}"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The module and line that a place means.
fn find(project: &Project, place: &Place, here: ModuleId) -> Option<(ModuleId, u32)> {
    let files = || project.ids().map(|id| (id, project.file(id)));
    match place {
        Place::Line(line) => Some((here, *line)),
        Place::FileLine(name, line) => {
            let is_it = |path: &str| {
                path == name
                    || path.ends_with(&format!("/{name}"))
                    || path.ends_with(&format!("\\{name}"))
            };
            files()
                .find(|(_, file)| is_it(&file.path))
                .map(|(id, _)| (id, *line))
        }
        Place::Function(name) => files().find_map(|(id, file)| {
            let module = &file.module;
            let is_it = |id: &_| {
                let function = module.function(*id);
                function.qualified_name == *name || function.name == *name
            };
            let function = module.function_ids().find(is_it)?;
            Some((id, module.lines_of(function).next()?))
        }),
    }
}

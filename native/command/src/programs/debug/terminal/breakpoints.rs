//! Breakpoints set by typed commands.

use flylead_core::debug::{Breakpoint, BreakpointProblem, ModuleId, Project};

use super::{
    super::{
        Failure,
        command::{Breakpoints, Place},
    },
    Terminal,
};
use crate::terminal::print_line;

/// A breakpoint set by a typed command.
pub(super) struct Set {
    pub(super) number: u32,
    pub(super) module: ModuleId,
    pub(super) wish: Breakpoint,
    pub(super) temporary: bool,
    pub(super) is_enabled: bool,
    /// Commands that run at each stop there.
    pub(super) commands: Vec<String>,
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
                    self.send_breakpoints(module, None).await?;
                }
            }
            Breakpoints::Clear(Some(number)) => {
                match self.breakpoints.iter().position(|one| one.number == number) {
                    Some(at) => {
                        let gone = self.breakpoints.remove(at);
                        self.send_breakpoints(gone.module, None).await?;
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
            Breakpoints::Ignore(number, count) => {
                let hits = (count > 0).then(|| format!(">{count}"));
                self.change(number, |wish| wish.hits = hits).await?;
            }
            Breakpoints::Enable(number, is_enabled) => {
                if let Some(set) = self.numbered(number)? {
                    set.is_enabled = is_enabled;
                    let module = set.module;
                    self.send_breakpoints(module, Some(number)).await?;
                }
            }
            // Their lines follow.
            Breakpoints::Commands(_) => {}
        }
        Ok(())
    }

    /// Returns the breakpoint with this number, or reports that there is none.
    pub(super) fn numbered(&mut self, number: u32) -> Result<Option<&mut Set>, Failure> {
        let at = self.breakpoints.iter().position(|one| one.number == number);
        if at.is_none() {
            print_line(format_args!("*** there is no breakpoint {number}"))?;
        }
        Ok(at.map(|at| &mut self.breakpoints[at]))
    }

    async fn change(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut Breakpoint),
    ) -> Result<(), Failure> {
        let Some(set) = self.numbered(number)? else {
            return Ok(());
        };
        let before = set.wish.clone();
        change(&mut set.wish);
        let module = set.module;
        let problem = self.send_breakpoints(module, Some(number)).await?;
        if problem.is_some_and(|problem| is_refused(&problem)) {
            if let Some(set) = self.numbered(number)? {
                set.wish = before;
            }
            self.send_breakpoints(module, None).await?;
        }
        Ok(())
    }

    async fn list_breakpoints(&self) -> Result<(), Failure> {
        for set in &self.breakpoints {
            let module = set.module;
            let path = self.path(module).await?;
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
            let disabled = if set.is_enabled { "" } else { " (disabled)" };
            print_line(format_args!(
                "{} {path}:{line}{condition}{hits}{log}{disabled}",
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
        let number = self.last_number + 1;
        self.breakpoints.push(Set {
            number,
            module,
            wish: Breakpoint { line, ..wish },
            temporary,
            is_enabled: true,
            commands: Vec::new(),
        });
        let problem = self.send_breakpoints(module, Some(number)).await?;
        match problem.is_some_and(|problem| is_refused(&problem)) {
            true => self.breakpoints.retain(|one| one.number != number),
            false => self.last_number = number,
        }
        if let Some(set) = self.breakpoints.iter().find(|one| one.number == number) {
            let path = self.path(set.module).await?;
            print_line(format_args!(
                "Breakpoint {number} at {path}:{}",
                set.wish.line
            ))?;
        }
        Ok(())
    }

    async fn path(&self, module: ModuleId) -> Result<String, Failure> {
        self.project(move |project| project.file(module).path.clone())
            .await
    }

    /// Sends a module's breakpoints to the board, and returns the problem of one of them, if it has one.
    pub(super) async fn send_breakpoints(
        &mut self,
        module: ModuleId,
        about: Option<u32>,
    ) -> Result<Option<BreakpointProblem>, Failure> {
        let is_sent = |one: &&Set| one.module == module && one.is_enabled;
        let of_it = self.breakpoints.iter().filter(is_sent);
        let (numbers, wishes): (Vec<_>, Vec<_>) =
            of_it.map(|one| (one.number, one.wish.clone())).unzip();
        let statuses = self
            .session(move |session, now| session.set_breakpoints(now, module, &wishes))
            .await?;
        let mut told = None;
        for (number, status) in numbers.into_iter().zip(statuses) {
            let Some(set) = self.breakpoints.iter_mut().find(|one| one.number == number) else {
                continue;
            };
            set.wish.line = status.line.unwrap_or(set.wish.line);
            if about == Some(number) {
                told = status.problem;
            }
        }
        if let Some((number, problem)) = about.zip(told.as_ref()) {
            // A new one that is refused leaves its number to the next.
            match number > self.last_number && is_refused(problem) {
                true => print_line(format_args!("*** no breakpoint: {problem}"))?,
                false => print_line(format_args!("*** breakpoint {number}: {problem}"))?,
            }
        }
        Ok(told)
    }
}

/// Returns the module and line of a place.
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
        Place::Function(name) => project.function_line(name),
    }
}

/// Returns true if the program can never stop there.
const fn is_refused(problem: &BreakpointProblem) -> bool {
    matches!(
        problem,
        BreakpointProblem::Unstoppable(_)
            | BreakpointProblem::Condition
            | BreakpointProblem::Hits
            | BreakpointProblem::Log
    )
}

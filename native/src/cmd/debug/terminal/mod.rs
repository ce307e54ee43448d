//! A debugger at this terminal.

mod breakpoints;
mod typist;
mod values;

use std::collections::BTreeMap;

use flylead::{Driver, Gone, link::Link};
use flylead_core::{
    Instant,
    debug::{
        Container, DebugError, Debugger, End, Event, Project, Reply, RequestId, Session, Step, Stop,
    },
    raw_repl::Config,
};

use self::{breakpoints::Set, typist::Typist};
use super::{
    Exit, Failure,
    command::{Command, HELP},
    show,
};
use crate::cmd::{
    interrupts::Interrupts,
    terminal::{print, print_line, print_raw, say},
};

/// A program under the commands of who sits at the terminal.
pub(super) struct Terminal {
    driver: Driver<Debugger>,
    typist: Typist,
    stop: Option<Stop>,
    /// The frame that commands are about.
    frame: usize,
    breakpoints: Vec<Set>,
    last_number: u32,
    displayed: Vec<String>,
    /// What the program reads when it goes on.
    typed: Vec<String>,
    last: Command,
    replies: BTreeMap<RequestId, Result<Reply, DebugError>>,
    end: Option<End>,
}

/// Whether to wait for the next command, or for the program.
enum Next {
    Command,
    Program,
}

impl Terminal {
    pub(super) async fn start(
        link: Link,
        session: Session,
        config: Config,
        reset: bool,
    ) -> Result<Self, Failure> {
        let mut debugger = Debugger::new(session, config);
        debugger.reset_first(reset);
        let driver = Driver::spawn(link, debugger);
        let terminal = Self {
            driver,
            typist: Typist::new()?,
            stop: None,
            frame: 0,
            breakpoints: Vec::new(),
            last_number: 0,
            displayed: Vec::new(),
            typed: Vec::new(),
            last: Command::Nothing,
            replies: BTreeMap::new(),
            end: None,
        };
        terminal.session(|session, _| session.start()).await?;
        Ok(terminal)
    }

    /// Obeys commands until the program has ended.
    pub(super) async fn run(mut self, commands: Vec<String>) -> Result<Exit, Failure> {
        self.typist.first = commands.into();
        let mut interrupts = Interrupts::new()?;
        while self.end.is_none() {
            self.until_stop(&mut interrupts).await?;
            while self.stop.is_some() {
                match self.next_command(&mut interrupts).await? {
                    Next::Command => {}
                    Next::Program => break,
                }
            }
        }
        let end = self.end.take();
        self.leave().await;
        end.map_or(Ok(Exit::Done), report)
    }

    async fn session<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut Session, Instant) -> R + Send + 'static,
    ) -> Result<R, Failure> {
        let command = self
            .driver
            .command(|debugger, now| command(debugger.session_mut(), now));
        command
            .await
            .map_err(|Gone| Failure::new(Exit::Lost, "the connection to the board is over"))
    }

    async fn leave(self) {
        let _ = self
            .driver
            .command(|debugger, _| debugger.repl_mut().leave())
            .await;
        self.driver.close().await;
    }

    /// Waits while the program runs. Ctrl-C asks it to stop, and ends it the second time.
    async fn until_stop(&mut self, interrupts: &mut Interrupts) -> Result<(), Failure> {
        let mut interrupted = false;
        while self.stop.is_none() && self.end.is_none() {
            tokio::select! {
                biased;
                event = self.driver.next_event() => self.take(event).await?,
                () = interrupts.next() => {
                    let again = std::mem::replace(&mut interrupted, true);
                    self.session(move |session, now| match again {
                        true => session.terminate(now),
                        false => session.pause(now),
                    }).await?;
                }
            }
        }
        Ok(())
    }

    async fn take(&mut self, event: Option<Event>) -> Result<(), Failure> {
        match event {
            None => {
                return Err(Failure::new(
                    Exit::Lost,
                    "the connection to the board is over",
                ));
            }
            Some(Event::Output(output)) => print_raw(&output)?,
            Some(Event::Log { text, .. }) => print_line(text)?,
            Some(Event::Note(note)) => say(format_args!("flylead: {note}")),
            Some(Event::Replied { id, reply }) => drop(self.replies.insert(id, reply)),
            Some(Event::Ended(end)) => self.end = Some(end),
            Some(Event::Stopped(stop)) => self.stopped(stop).await?,
            Some(_) => {}
        }
        Ok(())
    }

    async fn stopped(&mut self, stop: Stop) -> Result<(), Failure> {
        let shown = stop.clone();
        print(
            self.project(move |project| show::stop(project, &shown))
                .await?,
        )?;
        self.frame = 0;
        let place = stop.frames.first().map(|frame| (frame.module, frame.line));
        self.stop = Some(stop);
        let is_here = |one: &Set| one.temporary && Some((one.module, one.wish.line)) == place;
        if let Some(at) = self.breakpoints.iter().position(is_here) {
            let gone = self.breakpoints.remove(at);
            self.send_breakpoints(gone.module).await?;
        }
        for expression in self.displayed.clone() {
            self.print_value(&expression, Some(&expression)).await?;
        }
        Ok(())
    }

    async fn project<R: Send + 'static>(
        &self,
        look: impl FnOnce(&Project) -> R + Send + 'static,
    ) -> Result<R, Failure> {
        self.session(move |session, _| look(session.project()))
            .await
    }
}

/// Commands.
impl Terminal {
    async fn next_command(&mut self, interrupts: &mut Interrupts) -> Result<Next, Failure> {
        let command = match self.typist.next(interrupts).await? {
            Some(line) => Command::parse(&line),
            None => Command::Quit,
        };
        let command = if command == Command::Nothing {
            self.last.clone()
        } else {
            command
        };
        self.last = command.clone();
        self.obey(command).await
    }

    async fn obey(&mut self, command: Command) -> Result<Next, Failure> {
        match command {
            Command::Step => return self.resume(Step::Into).await,
            Command::Next => return self.resume(Step::Over).await,
            Command::Return => return self.resume(Step::Out).await,
            Command::Continue => return self.resume(Step::Continue).await,
            Command::Quit => return self.quit().await,
            Command::Help => print_line(HELP)?,
            Command::Where => self.show_stack().await?,
            Command::Up(count) => self.select(self.frame + count).await?,
            Command::Down(count) => self.select(self.frame.saturating_sub(count)).await?,
            Command::List(line) => self.list(line).await?,
            Command::LongList => self.list_function().await?,
            Command::Arguments => self.show_arguments().await?,
            Command::Locals => self.show_variables(Container::Locals(self.frame)).await?,
            Command::Globals => self.show_variables(Container::Globals(self.frame)).await?,
            Command::Print(expression) => self.print_value(&expression, None).await?,
            Command::WhatIs(expression) => self.print_kind(&expression).await?,
            Command::Python(python) => self.run_python(&python).await?,
            Command::Display(Some(expression)) => {
                self.print_value(&expression, Some(&expression)).await?;
                self.displayed.push(expression);
            }
            Command::Display(None) => self.displayed.iter().try_for_each(print_line)?,
            Command::Undisplay => self.displayed.clear(),
            Command::Type(text) => self.typed.push(text),
            Command::Nothing => {}
            Command::Wrong(usage) => print_line(format_args!("*** {usage}"))?,
            Command::Breakpoints(wanted) => self.change_breakpoints(wanted).await?,
        }
        Ok(Next::Command)
    }

    async fn resume(&mut self, step: Step) -> Result<Next, Failure> {
        let typed = std::mem::take(&mut self.typed);
        self.stop = None;
        let resumed = self.session(move |session, now| {
            session.resume(now, step)?;
            typed.iter().try_for_each(|line| session.type_in(line))
        });
        if let Err(error) = resumed.await? {
            print_line(format_args!("*** {error}"))?;
        }
        Ok(Next::Program)
    }

    async fn quit(&mut self) -> Result<Next, Failure> {
        self.stop = None;
        self.session(|session, now| session.terminate(now)).await?;
        Ok(Next::Program)
    }

    async fn show_stack(&self) -> Result<(), Failure> {
        if let Some(stop) = self.stop.clone() {
            let current = self.frame;
            print(
                self.project(move |project| show::stack(project, &stop, current))
                    .await?,
            )?;
        }
        Ok(())
    }

    async fn select(&mut self, frame: usize) -> Result<(), Failure> {
        let Some(stop) = &self.stop else {
            return Ok(());
        };
        self.frame = frame.min(stop.frames.len().saturating_sub(1));
        if let Some(one) = stop.frames.get(self.frame).cloned() {
            print(
                self.project(move |project| show::frame(project, &one, "> "))
                    .await?,
            )?;
        }
        Ok(())
    }

    async fn list(&self, line: Option<u32>) -> Result<(), Failure> {
        let Some(frame) = self.current().cloned() else {
            return Ok(());
        };
        let middle = line.unwrap_or(frame.line);
        let lines = middle.saturating_sub(5).max(1)..=middle.saturating_add(5);
        let text = self
            .project(move |project| show::source(project.file(frame.module), lines, frame.line));
        print(text.await?)?;
        Ok(())
    }

    async fn list_function(&self) -> Result<(), Failure> {
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

    fn current(&self) -> Option<&flylead_core::debug::Frame> {
        self.stop.as_ref()?.frames.get(self.frame)
    }
}

/// How the command ends.
fn report(end: End) -> Result<Exit, Failure> {
    match end {
        End::Completed | End::Exited | End::Terminated => Ok(Exit::Done),
        End::Raised(traceback) => Err(Failure::raised(Exit::Raised, traceback)),
        End::NotReady { .. } => Err(Failure::new(Exit::Refused, end)),
        End::BoardReset | End::Lost(_) => Err(Failure::new(Exit::Lost, end)),
    }
}

//! A debugger at this terminal.

mod breakpoints;
mod commands;
mod completion;
mod listing;
mod typist;
mod values;

use std::collections::BTreeMap;

use flylead_core::{
    Instant,
    debug::{
        Container, DebugError, Debugger, End, Event, Project, Reason, Reply, RequestId, Session,
        Step, Stop,
    },
    raw_repl::Config,
};
use flylead_native::{Driver, Gone, link::Link};

use self::{
    breakpoints::Set,
    typist::{INTERACTIVE, Line, PROMPT, Source, Typist, startup_commands},
};
use super::{
    Exit, Failure,
    command::{Breakpoints, Command},
    help::HELP,
    show,
};
use crate::terminal::{interrupts::Interrupts, print, print_line, print_raw, say};

/// A program under the control of the person at the terminal.
pub(super) struct Terminal {
    driver: Driver<Debugger>,
    typist: Typist,
    stop: Option<Stop>,
    /// Frame that commands refer to.
    frame: usize,
    breakpoints: Vec<Set>,
    last_number: u32,
    displayed: Vec<String>,
    /// Input for the program once it continues.
    typed: Vec<String>,
    last: Command,
    until: Option<Until>,
    /// True if every line is Python.
    is_interactive: bool,
    /// True if each run begins with a reset of the board.
    resets: bool,
    replies: BTreeMap<RequestId, Result<Reply, DebugError>>,
    end: Option<End>,
}

/// Place up to which `until` continues: a line of a function, or after it.
#[derive(Debug, Clone, Copy)]
struct Until {
    /// Number of frames.
    depth: usize,
    line: u32,
}

/// Next wait: for a command, or for the program.
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
            until: None,
            is_interactive: false,
            resets: reset,
            replies: BTreeMap::new(),
            end: None,
        };
        terminal.session(|session, _| session.start()).await?;
        Ok(terminal)
    }

    /// Runs commands until the program has ended.
    pub(super) async fn run(mut self, commands: Vec<String>, rc: bool) -> Result<Exit, Failure> {
        self.typist.first = commands.into();
        if rc {
            self.typist.quiet = startup_commands();
        }
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
            .map_err(|Gone| Failure::new(Exit::Lost, "the connection to the board has closed"))
    }

    async fn leave(self) {
        let _ = self
            .driver
            .command(|debugger, _| debugger.repl_mut().leave())
            .await;
        self.driver.close().await;
    }

    /// Waits while the program runs. The first Ctrl-C stops it, and the second one ends it.
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
                    "the connection to the board has closed",
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
        if self.is_before(&stop) {
            self.session(|session, now| session.resume(now, Step::Over).ok())
                .await?;
            return Ok(());
        }
        self.until = None;
        self.frame = 0;
        let commands = self.commands_at(&stop);
        if !commands.iter().any(|line| commands::is_silent(line)) {
            let shown = stop.clone();
            print(
                self.project(move |project| show::stop(project, &shown))
                    .await?,
            )?;
        }
        let gone = self.take_temporary(&stop);
        self.stop = Some(stop);
        self.begin_commands(commands);
        self.learn_names().await?;
        if let Some(module) = gone {
            self.send_breakpoints(module, None).await?;
        }
        self.print_displayed().await
    }

    /// Returns true if `until` has not reached its line.
    fn is_before(&self, stop: &Stop) -> bool {
        let line = stop.frames.first().map_or(0, |frame| frame.line);
        let is_step = stop.reason == Reason::Step;
        self.until
            .is_some_and(|until| is_step && until.depth == stop.frames.len() && line < until.line)
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
        let Some(line) = self.typist.next(interrupts).await? else {
            return match self.is_interactive {
                true => Ok(self.end_interaction()),
                false => self.obey(Command::Quit).await,
            };
        };
        if self.is_interactive && line.source == Source::Typed {
            return self.interact(line.text.trim()).await;
        }
        let is_typed = line.source == Source::Typed;
        let command = self.first_of(line);
        if let Command::Breakpoints(Breakpoints::Commands(number)) = command {
            self.read_commands(number.unwrap_or(self.last_number), interrupts)
                .await?;
            return Ok(Next::Command);
        }
        // An empty line repeats what a person typed last.
        let command = match command {
            Command::Nothing if is_typed => self.last.clone(),
            command => command,
        };
        if is_typed {
            self.last = command.clone();
        }
        self.obey(command).await
    }

    /// Returns the first command of a line, and queues the others, which `;;` separates.
    fn first_of(&mut self, line: Line) -> Command {
        let Line { text, source } = line;
        if let Some((first, rest)) = text.split_once(";;") {
            let text = rest.to_owned();
            self.typist.quiet.push_front(Line { text, source });
            return Command::parse(first);
        }
        Command::parse(&text)
    }

    async fn obey(&mut self, command: Command) -> Result<Next, Failure> {
        match command {
            Command::Step => return self.resume(Step::Into).await,
            Command::Next => return self.resume(Step::Over).await,
            Command::Return => return self.resume(Step::Out).await,
            Command::Part => return self.resume_to_part().await,
            Command::Continue => return self.resume(Step::Continue).await,
            Command::Until(line) => return self.resume_until(line).await,
            Command::Quit => return self.quit().await,
            Command::Restart => return self.restart().await,
            Command::Interact => self.begin_interaction()?,
            Command::Help => print_line(HELP)?,
            Command::Where => self.show_stack().await?,
            Command::Up(_) if self.is_oldest() => print_line("*** this is the oldest frame")?,
            Command::Up(count) => self.select(self.frame.saturating_add(count)).await?,
            Command::Down(_) if self.frame == 0 => print_line("*** this is the newest frame")?,
            Command::Down(count) => self.select(self.frame.saturating_sub(count)).await?,
            Command::List(range) => self.list(range).await?,
            Command::LongList => self.list_function().await?,
            Command::Source(name) => self.list_source(name).await?,
            Command::Arguments => self.show_arguments().await?,
            Command::Locals => self.show_variables(Container::Locals(self.frame)).await?,
            Command::Globals => self.show_variables(Container::Globals(self.frame)).await?,
            Command::Print(expression) => self.print_whole(&expression, ", ").await?,
            Command::PrettyPrint(expression) => self.print_whole(&expression, ",\n ").await?,
            Command::WhatIs(expression) => self.print_kind(&expression).await?,
            Command::Python(python) => self.run_python(&python).await?,
            Command::Display(Some(expression)) => {
                self.print_value(&expression, Some(&expression)).await?;
                self.displayed.push(expression);
            }
            Command::Display(None) => self.show_displayed().await?,
            Command::Undisplay(None) => self.displayed.clear(),
            Command::Undisplay(Some(expression)) => self.undisplay(&expression)?,
            Command::Type(text) => self.typed.push(text),
            Command::Nothing => {}
            Command::Wrong(usage) => print_line(format_args!("*** {usage}"))?,
            Command::Breakpoints(wanted) => self.change_breakpoints(wanted).await?,
        }
        Ok(Next::Command)
    }

    async fn resume(&mut self, step: Step) -> Result<Next, Failure> {
        let typed = std::mem::take(&mut self.typed);
        self.end_commands();
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

    async fn resume_to_part(&mut self) -> Result<Next, Failure> {
        if self.session(|session, _| session.has_parts()).await? {
            return self.resume(Step::Part).await;
        }
        print_line(format_args!("*** {}", DebugError::NoParts))?;
        Ok(Next::Command)
    }

    async fn resume_until(&mut self, line: Option<u32>) -> Result<Next, Failure> {
        let depth = self.stop.as_ref().map_or(0, |stop| stop.frames.len());
        let current = self.stop.as_ref().and_then(|stop| stop.frames.first());
        let current = current.map_or(0, |frame| frame.line);
        let line = line.unwrap_or(current.saturating_add(1));
        if line <= current {
            print_line(format_args!(
                "*** line {line} is not after the current line {current}, and `until` goes forward"
            ))?;
            return Ok(Next::Command);
        }
        self.until = Some(Until { depth, line });
        self.resume(Step::Over).await
    }

    async fn quit(&mut self) -> Result<Next, Failure> {
        self.stop = None;
        self.session(|session, now| session.terminate(now)).await?;
        Ok(Next::Program)
    }

    /// Ends the program, and runs it again with the same breakpoints.
    async fn restart(&mut self) -> Result<Next, Failure> {
        self.stop = None;
        self.session(|session, now| session.terminate(now)).await?;
        while self.end.is_none() {
            let event = self.driver.next_event().await;
            self.take(event).await?;
        }
        if !matches!(
            self.end,
            Some(End::Terminated | End::Completed | End::Exited)
        ) {
            return Ok(Next::Program);
        }
        self.end = None;
        self.end_commands();
        let reset = self.resets;
        let restarted = self
            .driver
            .command(move |debugger, _| debugger.restart(reset));
        restarted
            .await
            .map_err(|Gone| Failure::new(Exit::Lost, "the connection to the board has closed"))?;
        print_line("Restarting the program")?;
        Ok(Next::Program)
    }

    fn begin_interaction(&mut self) -> Result<(), Failure> {
        self.is_interactive = true;
        self.typist.prompt = INTERACTIVE;
        Ok(print_line(
            "Every line is Python in this frame; `exit` or Ctrl-D ends that",
        )?)
    }

    fn end_interaction(&mut self) -> Next {
        self.is_interactive = false;
        self.typist.prompt = PROMPT;
        Next::Command
    }

    async fn interact(&mut self, line: &str) -> Result<Next, Failure> {
        match line {
            "exit" | "exit()" | "quit" | "quit()" => return Ok(self.end_interaction()),
            "" => {}
            python => self.run_python(python).await?,
        }
        Ok(Next::Command)
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

    /// Returns true if no frame called the one that commands refer to.
    fn is_oldest(&self) -> bool {
        let frames = self.stop.as_ref().map_or(0, |stop| stop.frames.len());
        self.frame + 1 >= frames
    }

    async fn show_displayed(&mut self) -> Result<(), Failure> {
        if self.displayed.is_empty() {
            return Ok(print_line("*** nothing is displayed")?);
        }
        print_line("Currently displaying:")?;
        self.print_displayed().await
    }

    /// Prints each displayed expression with its value.
    async fn print_displayed(&mut self) -> Result<(), Failure> {
        for expression in self.displayed.clone() {
            self.print_value(&expression, Some(&expression)).await?;
        }
        Ok(())
    }

    fn undisplay(&mut self, expression: &str) -> Result<(), Failure> {
        let before = self.displayed.len();
        self.displayed.retain(|one| one != expression);
        if self.displayed.len() == before {
            print_line(format_args!("*** {expression} is not displayed"))?;
        }
        Ok(())
    }

    fn current(&self) -> Option<&flylead_core::debug::Frame> {
        self.stop.as_ref()?.frames.get(self.frame)
    }
}

/// Reports the end of the session as the end of the command.
pub(super) fn report(end: End) -> Result<Exit, Failure> {
    match end {
        End::Completed | End::Exited | End::Terminated => Ok(Exit::Done),
        End::Raised(traceback) => Err(Failure::raised(Exit::Raised, traceback)),
        End::NotReady { .. } => Err(Failure::new(Exit::Refused, end)),
        End::BoardReset | End::Lost(_) => Err(Failure::new(Exit::Lost, end)),
    }
}

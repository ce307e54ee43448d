//! A debugger on a real board, step by step.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use flylead_core::{
    debug::{
        Breakpoint, BreakpointStatus, Container, DebugError, Debugger, End, Event, Exceptions,
        Handle, Launch, ModuleId, Project, Reach, Reply, RequestId, Session, Step, Stop, Variable,
    },
    raw_repl::Config,
};
use flylead_native::{Driver, link};
use tokio::{runtime::Runtime, time::timeout_at};

/// Time limit of a step; a busy machine is not a fault.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// A program that is being debugged.
pub(crate) struct Debugging {
    runtime: Runtime,
    /// Time limit of a step.
    limit: Duration,
    /// None once the program is over, so that the board is free.
    driver: Option<Driver<Debugger>>,
    /// Output of the program, as the board sent it.
    printed: Vec<u8>,
    /// Output of log breakpoints.
    pub(crate) log: Vec<String>,
    pub(crate) end: Option<End>,
    replies: BTreeMap<RequestId, Result<Reply, DebugError>>,
}

/// Settings of the start.
pub(crate) struct Start<'a> {
    pub(crate) files: Vec<(&'a str, &'a str)>,
    /// By file and line.
    pub(crate) breakpoints: Vec<(usize, Breakpoint)>,
    pub(crate) stop_on_entry: bool,
    pub(crate) exceptions: Exceptions,
    pub(crate) reach: Reach,
    pub(crate) parts: bool,
    pub(crate) reset_first: bool,
    /// Time limit of a step.
    pub(crate) limit: Duration,
}

impl<'a> Start<'a> {
    pub(crate) fn program(text: &'a str) -> Self {
        Self {
            files: vec![("main.py", text)],
            breakpoints: Vec::new(),
            stop_on_entry: false,
            exceptions: Exceptions::default(),
            reach: Reach::All,
            parts: false,
            reset_first: false,
            limit: LIMIT,
        }
    }

    pub(crate) fn at(mut self, line: u32) -> Self {
        self.breakpoints.push((
            0,
            Breakpoint {
                line,
                ..Breakpoint::default()
            },
        ));
        self
    }

    pub(crate) fn with(mut self, breakpoint: Breakpoint) -> Self {
        self.breakpoints.push((0, breakpoint));
        self
    }
}

impl Debugging {
    /// Begins on the board behind a terminal.
    pub(crate) fn start(board: &Path, start: &Start<'_>) -> Self {
        let mut session = Session::new(project(start), launch(start));
        for id in 0..start.files.len() {
            let wishes: Vec<_> = start
                .breakpoints
                .iter()
                .filter(|(file, _)| *file == id)
                .map(|(_, wish)| wish.clone())
                .collect();
            let module = session
                .project()
                .find(start.files[id].0)
                .expect("it was added");
            session.set_breakpoints(flylead_core::Instant::START, module, &wishes);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let address = board
            .display()
            .to_string()
            .parse()
            .expect("a path is an address");
        let driver = runtime.block_on(async {
            let link = link::open(&address).await.expect("the board is there");
            let mut debugger = Debugger::new(session, Config::default());
            debugger.reset_first(start.reset_first);
            Driver::spawn(link, debugger)
        });
        let debugging = Self {
            runtime,
            limit: start.limit,
            driver: Some(driver),
            printed: Vec::new(),
            log: Vec::new(),
            end: None,
            replies: BTreeMap::new(),
        };
        debugging.command(|session, _| session.start());
        debugging
    }

    /// Gives the session a command.
    pub(crate) fn command<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut Session, flylead_core::Instant) -> R + Send + 'static,
    ) -> R {
        let driver = self.driver.as_ref().expect("the program is not over");
        let command = driver.command(|debugger, now| command(debugger.session_mut(), now));
        self.runtime.block_on(command).expect("the driver runs")
    }

    fn next_event(&mut self, give_up: Instant) -> Option<Event> {
        let next = self.driver.as_mut()?.next_event();
        let event = self
            .runtime
            .block_on(async { timeout_at(give_up.into(), next).await });
        event.unwrap_or_else(|_| panic!("it does not happen; printed so far: {}", self.output()))
    }

    /// Output of the program, with equal line ends for every board.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.printed).replace("\r\n", "\n")
    }

    /// Takes in what happens until something that the test waits for does.
    fn until<R>(&mut self, mut wanted: impl FnMut(&mut Self, &Event) -> Option<R>) -> R {
        let give_up = Instant::now() + self.limit;
        loop {
            let Some(event) = self.next_event(give_up) else {
                panic!("the debugger is gone; printed: {}", self.output())
            };
            match &event {
                Event::Output(bytes) => self.printed.extend(bytes),
                Event::Log { text, .. } => self.log.push(text.clone()),
                Event::Replied { id, reply } => drop(self.replies.insert(*id, reply.clone())),
                Event::Ended(end) => self.end = Some(end.clone()),
                _ => {}
            }
            if let Some(found) = wanted(self, &event) {
                return found;
            }
        }
    }

    /// Waits until the program has printed this.
    pub(crate) fn until_printed(&mut self, text: &str) {
        while !self.output().contains(text) {
            self.until(|_, event| matches!(event, Event::Output(_)).then_some(()));
        }
    }

    /// The next stop, or none when the program ends first.
    pub(crate) fn next_stop(&mut self) -> Option<Stop> {
        self.until(|_, event| match event {
            Event::Stopped(stop) => Some(Some(stop.clone())),
            Event::Ended(_) => Some(None),
            _ => None,
        })
    }

    /// Lets the program go on, to the next stop if there is one.
    pub(crate) fn go(&mut self, step: Step) -> Option<Stop> {
        self.step(step);
        self.next_stop()
    }

    /// Lets the program go on.
    pub(crate) fn resume(&self) {
        self.step(Step::Continue);
    }

    fn step(&self, step: Step) {
        self.command(move |session, now| session.resume(now, step))
            .expect("it is stopped");
    }

    /// Lets the program run to its end, whatever it stops at.
    pub(crate) fn finish(&mut self) -> End {
        while self.end.is_none() {
            let is_stopped = self.command(|session, _| session.stopped().is_some());
            if is_stopped {
                self.go(Step::Continue);
            } else {
                self.next_stop();
            }
        }
        if let Some(driver) = self.driver.take() {
            self.runtime.block_on(driver.close());
        }
        self.end.clone().expect("it has ended")
    }

    pub(crate) fn reply(
        &mut self,
        request: Result<RequestId, DebugError>,
    ) -> Result<Reply, DebugError> {
        let id = request?;
        if let Some(reply) = self.replies.remove(&id) {
            return reply;
        }
        self.until(|it, _| it.replies.remove(&id))
    }

    pub(crate) fn variables(&mut self, container: Container) -> Vec<Variable> {
        let request = self.command(move |session, now| session.variables(now, container));
        match self.reply(request) {
            Ok(Reply::Variables(variables)) => variables,
            other => panic!("{container:?}: {other:?}"),
        }
    }

    /// A frame's variables as `name=repr`.
    pub(crate) fn locals(&mut self, frame: usize) -> Vec<String> {
        let variables = self.variables(Container::Locals(frame));
        variables
            .iter()
            .map(|one| format!("{}={}", one.name, one.value.text))
            .collect()
    }

    pub(crate) fn items(&mut self, of: Handle) -> Vec<String> {
        let variables = self.variables(Container::Items {
            of,
            start: 0,
            count: 100,
        });
        variables
            .iter()
            .map(|one| format!("{}={}", one.name, one.value.text))
            .collect()
    }

    pub(crate) fn evaluate(&mut self, frame: usize, python: &str) -> Result<Reply, DebugError> {
        let python = python.to_owned();
        let request = self.command(move |session, now| session.evaluate(now, frame, &python));
        self.reply(request)
    }

    /// Returns the value of an expression, as `repr` writes it.
    pub(crate) fn value(&mut self, frame: usize, python: &str) -> String {
        match self.evaluate(frame, python) {
            Ok(Reply::Value(value)) => value.text,
            other => format!("{other:?}"),
        }
    }

    pub(crate) fn set(
        &mut self,
        frame: usize,
        name: &str,
        python: &str,
    ) -> Result<Reply, DebugError> {
        let (name, python) = (name.to_owned(), python.to_owned());
        let request = self.command(move |session, now| {
            session.set_variable(now, frame, Container::Locals(frame), &name, &python)
        });
        self.reply(request)
    }

    pub(crate) fn set_breakpoints(&mut self, lines: &[u32]) -> Vec<BreakpointStatus> {
        let wishes: Vec<_> = lines
            .iter()
            .map(|&line| Breakpoint {
                line,
                ..Breakpoint::default()
            })
            .collect();
        self.command(move |session, now| session.set_breakpoints(now, ModuleId::MAIN, &wishes))
    }
}

/// `function:line` of each frame, the innermost first.
pub(crate) fn stack(stop: &Stop) -> String {
    let frames: Vec<_> = stop
        .frames
        .iter()
        .map(|frame| format!("{}:{}", frame.function, frame.line))
        .collect();
    frames.join(" ")
}

fn project(start: &Start<'_>) -> Project {
    let (path, text) = start.files[0];
    let mut project = Project::new(path, text).expect("it is Python");
    let _ = project.wanted();
    for (path, text) in &start.files[1..] {
        project.add(path, *path, text).expect("it is Python");
    }
    project
}

fn launch(start: &Start<'_>) -> Launch {
    Launch {
        stop_on_entry: start.stop_on_entry,
        exceptions: start.exceptions,
        reach: start.reach,
        parts: start.parts,
        arguments: Vec::new(),
        token: "5a17c0de".to_owned(),
    }
}

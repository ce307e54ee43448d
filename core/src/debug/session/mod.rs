//! A debugging session: a program on a board, controlled by a person.

mod breakpoints;
mod budget;
mod commands;
mod conditions;
mod ending;
mod event;
mod exchange;
mod flags;
mod inspect;
mod load;
mod messages;
mod outcome;
mod parts;
mod project;

use alloc::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    string::{String, ToString},
    vec::Vec,
};

use super::{
    rewrite::{Dialect, Names},
    runtime::{Features, Polls, Runtime},
    source::{FunctionId, Reach, hooked},
    wire::{Literal, Wire},
};
use crate::Instant;
use breakpoints::Breakpoints;
use conditions::Undecided;
use exchange::{Echo, Expected, Typed};
use outcome::LineMap;
use parts::Parts;

pub use breakpoints::{Breakpoint, BreakpointProblem, BreakpointStatus};
pub use commands::Step;
pub use conditions::ExceptionConditions;
pub use event::{
    BreakpointId, DebugError, End, Event, Frame, Handle, Note, Reason, Reply, RequestId, Stop,
    Value, Variable,
};
pub use inspect::Container;
pub use parts::{Part, Position};
pub use project::{File, ModuleId, Project};

/// Settings for debugging a program.
#[derive(Debug, Clone)]
pub struct Launch {
    /// True to stop at its first statement.
    pub stop_on_entry: bool,
    /// Exceptions to stop at. Either setting adds hooks to every function, whatever the reach.
    pub exceptions: Exceptions,
    /// Functions that get hooks.
    pub reach: Reach,
    /// True if hooks report the parts of expressions as well, for [`Step::Part`]. They take time and memory.
    pub parts: bool,
    /// The program's `sys.argv`: its file and its words. Empty to leave the board's as it is.
    pub arguments: Vec<String>,
    /// Eight hexadecimal digits that no program can guess.
    pub token: String,
}

/// Exceptions at which a program stops, while the frame that raised them is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exceptions {
    /// All that are raised in a function, once each.
    pub raised: bool,
    /// Exceptions that no enclosing handler will catch.
    pub uncaught: bool,
}

/// Action that a session requests: a command for the raw REPL, or an event for the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Run this program.
    Exec(Vec<u8>),
    /// Type this into the program's stdin.
    Send(Vec<u8>),
    /// Press Ctrl-C.
    Interrupt,
    /// Report this event to the application.
    Tell(Event),
}

/// Debugs one run of a program, over a raw REPL that the caller owns: it returns [`Action`]s and receives the REPL's
/// events.
#[derive(Debug)]
pub struct Session {
    project: Project,
    launch: Launch,
    /// Reach of the launch, or as much as the board's memory allows.
    reach: Reach,
    phase: Phase,
    names: Names,
    features: Option<Features>,
    breakpoints: Breakpoints,
    /// Functions that get hooks when they are sent.
    to_hook: BTreeSet<(usize, FunctionId)>,
    /// Functions that have hooks on the board.
    hooked: BTreeSet<(usize, FunctionId)>,
    /// Modules whose breakpoints the board has not received yet.
    changed: BTreeSet<ModuleId>,
    /// True if the board must still be told the exceptions to stop at.
    exceptions_changed: bool,
    /// Lines known to a board without `:=`, and the breakpoints at each.
    told: BTreeMap<u32, Vec<BreakpointId>>,
    /// Modules that the board has read.
    served: BTreeSet<ModuleId>,
    /// Programs that prepare the board.
    preparations: VecDeque<String>,
    map: LineMap,
    /// First line of the program not yet sent.
    next_line: u32,
    wire: Wire,
    echo: Echo,
    /// Input that has not reached the program yet.
    typed: Typed,
    /// True if no part of the program runs, so that input would reach the prompt.
    is_between: bool,
    expected: VecDeque<Expected>,
    helpers: BTreeSet<&'static str>,
    /// Texts of modules that the board is reading.
    serving: BTreeMap<String, Vec<u8>>,
    stop: Option<Stop>,
    /// Functions of the frames of the current stop.
    frames: Vec<(usize, FunctionId)>,
    asked: Asked,
    /// Conditions for stops at exceptions.
    conditions: ExceptionConditions,
    /// Stop at an exception whose condition the board evaluates.
    undecided: Option<Undecided>,
    /// Way in which the program continued last.
    step: Step,
    /// Functions of the call that the next step goes into; empty for all.
    targets: Vec<(usize, FunctionId)>,
    /// Step from the entry, until the program stops again.
    after_entry: Option<Step>,
    last_request: u32,
    output: VecDeque<Action>,
    deadline: Option<Instant>,
    /// True if Ctrl-C was sent because an answer is late.
    interrupted: bool,
    /// Variables that arrive one by one, until the last.
    partial: Vec<Variable>,
    /// Parts of the current statement that have values.
    evaluated: Parts,
    /// Values of an answer whose last part is still missing.
    parts: Vec<Literal>,
    /// Class of the last exception reported.
    last_exception: Option<String>,
    /// Message of the exception that ended the program, while it is inspected.
    final_exception: Option<String>,
    /// Way in which the session ends, once everything of this crate is removed from the board.
    ending: Option<End>,
}

/// Request to a running program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Asked {
    pause: bool,
    terminate: bool,
    /// True if the next completed step is the program's entry.
    entry: bool,
    /// True if the program was asked to take in changed breakpoints, without a stop.
    update: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Probing,
    /// The board's free memory is being queried.
    Measuring,
    /// The board compiles the program as it is, before any piece of it runs.
    Compiling,
    Preparing,
    Running,
    /// The code of this crate is being removed from the board.
    Cleaning,
    Over,
}

impl Session {
    /// Creates a session that has not begun.
    #[must_use]
    pub fn new(project: Project, launch: Launch) -> Self {
        let names = Names::new(project.files().iter().map(|file| &file.module));
        Self {
            wire: Wire::new(&launch.token),
            asked: Asked {
                entry: launch.stop_on_entry,
                ..Asked::default()
            },
            project,
            reach: launch.reach,
            launch,
            phase: Phase::New,
            names,
            features: None,
            breakpoints: Breakpoints::default(),
            to_hook: BTreeSet::new(),
            hooked: BTreeSet::new(),
            changed: BTreeSet::new(),
            exceptions_changed: false,
            told: BTreeMap::new(),
            served: BTreeSet::new(),
            preparations: VecDeque::new(),
            map: LineMap::default(),
            next_line: 1,
            echo: Echo::default(),
            typed: Typed::default(),
            is_between: true,
            expected: VecDeque::new(),
            helpers: BTreeSet::new(),
            serving: BTreeMap::new(),
            stop: None,
            frames: Vec::new(),
            conditions: ExceptionConditions::default(),
            undecided: None,
            step: Step::Continue,
            targets: Vec::new(),
            after_entry: None,
            last_request: 0,
            output: VecDeque::new(),
            deadline: None,
            interrupted: false,
            partial: Vec::new(),
            evaluated: Parts::default(),
            parts: Vec::new(),
            last_exception: None,
            final_exception: None,
            ending: None,
        }
    }

    /// Prepares another run of the program, with the same breakpoints, once it has ended.
    pub fn rewind(&mut self) {
        let project = core::mem::replace(&mut self.project, Project::empty());
        let mut breakpoints = core::mem::take(&mut self.breakpoints);
        breakpoints.forget_board();
        let conditions = core::mem::take(&mut self.conditions);
        *self = Self {
            breakpoints,
            conditions,
            ..Self::new(project, self.launch.clone())
        };
    }

    /// Returns the next action, if any.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.output.pop_front()
    }

    /// Time at which [`handle_timeout`](Self::handle_timeout) is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.or(self.echo.deadline())
    }

    /// Returns the program and its modules.
    #[must_use]
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// Current stop of the program, if any.
    #[must_use]
    pub const fn stopped(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Returns the names that a frame's module mentions, and the variables of its function.
    #[must_use]
    pub fn names(&self, frame: usize) -> BTreeSet<String> {
        let frame = self.stop.as_ref().and_then(|stop| stop.frames.get(frame));
        let Some(frame) = frame else {
            return BTreeSet::new();
        };
        let module = &self.project.file(frame.module).module;
        let function = module.function_at(frame.line).map(|id| module.function(id));
        let variables = function.into_iter().flat_map(|one| one.variables());
        let names = module.names.iter().cloned();
        names.chain(variables.map(ToString::to_string)).collect()
    }

    /// True once the session has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    fn tell(&mut self, event: Event) {
        self.output.push_back(Action::Tell(event));
    }

    fn dialect(&self) -> Dialect {
        self.features
            .map_or(Dialect::Walrus, |features| features.dialect)
    }

    /// Returns the board's part of the debugger.
    fn runtime(&self) -> Runtime {
        let features = self.features.as_ref();
        Runtime {
            prefix: self.names.prefix().to_string(),
            line: self.names.line().to_string(),
            token: self.launch.token.clone(),
            has_threads: self.imports_threads() && features.is_some_and(|one| one.threads),
            has_tasks: self.imports_tasks() && features.is_some_and(|one| one.tasks),
            has_files: features.is_some_and(|one| one.has_files),
            polls: self.polls(),
            has_suspended: self.project.has_any(&["yield", "await", "async"]),
            has_parts: self.has_parts(),
            has_classes: self.project.has_any(&["class"]),
        }
    }

    fn imports_threads(&self) -> bool {
        self.project.imports(&["_thread"])
    }

    fn imports_tasks(&self) -> bool {
        self.project.imports(&["asyncio", "uasyncio"])
    }

    /// Returns the way in which hooks check for a pause; `None` if the program reads input itself, or has threads,
    /// several of which would read at once.
    fn polls(&self) -> Option<Polls> {
        let is_free = !self.project.reads() && !self.imports_threads();
        self.features?.polls.filter(|_| is_free)
    }

    /// Returns the name of a hook.
    fn name(&self, letter: &str) -> String {
        self.names.prefix().to_string() + letter
    }

    /// Returns the functions that need hooks for the current breakpoints.
    fn reckon(&self) -> BTreeSet<(usize, FunctionId)> {
        let modules = self.project.modules();
        let mut wanted = BTreeSet::new();
        let at = |(id, one): (ModuleId, &breakpoints::Placed)| {
            Some((id.0, modules[id.0].function_at(one.line)?))
        };
        wanted.extend(self.breakpoints.all().filter_map(at));
        if self.launch.stop_on_entry {
            wanted.insert((0, FunctionId::BODY));
        }
        let Exceptions { raised, uncaught } = self.launch.exceptions;
        if raised || uncaught {
            let all = |(number, module): (usize, &&crate::debug::Module)| {
                module
                    .function_ids()
                    .map(move |id| (number, id))
                    .collect::<Vec<_>>()
            };
            wanted.extend(modules.iter().enumerate().flat_map(all));
        }
        hooked(&modules, &wanted, self.reach)
    }
}

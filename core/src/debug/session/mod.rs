//! A program on a board under a person's hand.

mod breakpoints;
mod commands;
mod ending;
mod event;
mod exchange;
mod inspect;
mod load;
mod messages;
mod outcome;
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
    wire::Wire,
};
use crate::Instant;
use breakpoints::Breakpoints;
use exchange::{Echo, Expected};
use outcome::LineMap;

pub use breakpoints::{Breakpoint, BreakpointProblem, BreakpointStatus};
pub use commands::Step;
pub use event::{
    BreakpointId, DebugError, End, Event, Frame, Handle, Note, Reason, Reply, RequestId, Stop,
    Value, Variable,
};
pub use inspect::Container;
pub use project::{File, ModuleId, Project};

/// How a program is to be debugged.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Whether to stop at its first statement.
    pub stop_on_entry: bool,
    /// Which exceptions to stop at. Either makes every function have hooks.
    pub exceptions: Exceptions,
    /// How much around the functions with breakpoints gets hooks.
    pub reach: Reach,
    /// Eight hexadecimal digits that no program can guess.
    pub token: String,
}

/// Which exceptions a program stops at, with the frame alive that raised them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exceptions {
    /// All that are raised in a function, once each.
    pub raised: bool,
    /// Those that no handler around will catch.
    pub uncaught: bool,
}

/// What a session wants done: a command for the raw REPL, or an event for the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Run this program.
    Exec(Vec<u8>),
    /// Type this into the program's stdin.
    Send(Vec<u8>),
    /// Press Ctrl-C.
    Interrupt,
    /// Tell the application.
    Tell(Event),
}

/// Debugs one run of a program, over a raw REPL that somebody else has: [`Action`]s come out, what the REPL says goes
/// in.
#[derive(Debug)]
pub struct Session {
    project: Project,
    launch: Launch,
    phase: Phase,
    names: Names,
    features: Option<Features>,
    breakpoints: Breakpoints,
    /// Functions that are to have hooks wherever they are still to be sent.
    wanted: BTreeSet<(usize, FunctionId)>,
    /// Functions that get them when they are sent.
    to_hook: BTreeSet<(usize, FunctionId)>,
    /// Functions that have them on the board.
    hooked: BTreeSet<(usize, FunctionId)>,
    /// Modules whose breakpoints the board does not know yet.
    changed: BTreeSet<ModuleId>,
    /// Whether the board does not know yet at which exceptions to stop.
    exceptions_changed: bool,
    /// Lines of breakpoints that a board without `:=` knows of.
    told: BTreeSet<u32>,
    /// Modules that the board has read.
    served: BTreeSet<ModuleId>,
    /// Programs that make the board ready.
    preparations: VecDeque<String>,
    map: LineMap,
    /// The first line of the program that was not sent.
    next_line: u32,
    wire: Wire,
    echo: Echo,
    /// What was typed for the program and has not reached it.
    typed: Vec<u8>,
    /// Whether no part of the program runs, so that what is typed would reach the prompt.
    is_between: bool,
    expected: VecDeque<Expected>,
    helpers: BTreeSet<&'static str>,
    /// Texts of modules that the board reads.
    serving: BTreeMap<String, Vec<u8>>,
    stop: Option<Stop>,
    /// The functions of the frames of the stop.
    frames: Vec<(usize, FunctionId)>,
    asked: Asked,
    /// How the program went on from its entry, until it stops again.
    after_entry: Option<Step>,
    last_request: u32,
    output: VecDeque<Action>,
    deadline: Option<Instant>,
    /// Whether Ctrl-C was sent because an answer is late.
    interrupted: bool,
    /// Variables that came one by one, until the last.
    partial: Vec<Variable>,
    /// The class of the exception that was last told.
    last_exception: Option<String>,
    /// What the exception that ended the program says, while it is looked at.
    final_exception: Option<String>,
    /// How it ends, once all that is ours is gone from the board.
    ending: Option<End>,
}

/// What was asked of a running program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Asked {
    pause: bool,
    terminate: bool,
    /// Whether the next step that is done is the program's entry.
    entry: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Probing,
    Preparing,
    Running,
    /// What is ours goes from the board.
    Cleaning,
    Over,
}

impl Session {
    /// A session that has not begun.
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
            launch,
            phase: Phase::New,
            names,
            features: None,
            breakpoints: Breakpoints::default(),
            wanted: BTreeSet::new(),
            to_hook: BTreeSet::new(),
            hooked: BTreeSet::new(),
            changed: BTreeSet::new(),
            exceptions_changed: false,
            told: BTreeSet::new(),
            served: BTreeSet::new(),
            preparations: VecDeque::new(),
            map: LineMap::default(),
            next_line: 1,
            echo: Echo::default(),
            typed: Vec::new(),
            is_between: true,
            expected: VecDeque::new(),
            helpers: BTreeSet::new(),
            serving: BTreeMap::new(),
            stop: None,
            frames: Vec::new(),
            after_entry: None,
            last_request: 0,
            output: VecDeque::new(),
            deadline: None,
            interrupted: false,
            partial: Vec::new(),
            last_exception: None,
            final_exception: None,
            ending: None,
        }
    }

    /// The next thing to do, if there is one.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.output.pop_front()
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.or(self.echo.deadline())
    }

    /// The program and its modules.
    #[must_use]
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// Where the program waits, if it does.
    #[must_use]
    pub const fn stopped(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Whether the session is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// How many functions have hooks on the board, of how many there are.
    #[must_use]
    pub fn hooked_functions(&self) -> (usize, usize) {
        let all = self
            .project
            .files()
            .iter()
            .map(|file| file.module.functions().len());
        (self.hooked.len(), all.sum())
    }

    fn tell(&mut self, event: Event) {
        self.output.push_back(Action::Tell(event));
    }

    fn dialect(&self) -> Dialect {
        self.features
            .map_or(Dialect::Walrus, |features| features.dialect)
    }

    /// The board's part of the debugger.
    fn runtime(&self) -> Runtime {
        let features = self.features.as_ref();
        let has_threads = self.project.imports(&["_thread"]);
        Runtime {
            prefix: self.names.prefix().to_string(),
            token: self.launch.token.clone(),
            has_threads: has_threads && features.is_some_and(|one| one.threads),
            has_tasks: self.project.imports(&["asyncio", "uasyncio"])
                && features.is_some_and(|one| one.tasks),
            has_files: features.is_some_and(|one| one.has_files),
            polls: self.polls(),
            has_suspended: self.project.has_any(&["yield", "await", "async"]),
            has_classes: self.project.has_any(&["class"]),
        }
    }

    /// How hooks look for a pause. What a program reads itself is not theirs, and several threads would read at once.
    fn polls(&self) -> Option<Polls> {
        let is_free = !self.project.reads() && !self.project.imports(&["_thread"]);
        self.features?.polls.filter(|_| is_free)
    }

    /// A name of the hooks.
    fn name(&self, letter: &str) -> String {
        self.names.prefix().to_string() + letter
    }

    /// The functions that need hooks for the breakpoints that there are.
    fn reckon(&self) -> BTreeSet<(usize, FunctionId)> {
        let modules = self.project.modules();
        let mut wanted = self.wanted.clone();
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
        hooked(&modules, &wanted, self.launch.reach)
    }
}

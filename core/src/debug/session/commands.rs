//! What a person does with a program: steps, breakpoints, pauses, an end.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::time::Duration;

use super::{
    Action, Breakpoint, BreakpointId, BreakpointProblem, BreakpointStatus, DebugError, Event,
    Exceptions, ModuleId, Phase, Reason, Session, Stop, exchange::Expected, inspect::VALUES,
    load::BREAKPOINT,
};
use crate::{
    Instant,
    debug::{
        rewrite::Dialect,
        runtime::Runtime,
        source::{FunctionId, Home, named},
        wire::quote,
    },
};

/// How a stopped program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the next breakpoint.
    Continue,
    /// To the next line, in a function that is called if there is one.
    Into,
    /// To the next line of this function, or of its caller when it returns.
    Over,
    /// To the next line of the caller.
    Out,
}

impl Session {
    /// Replaces the breakpoints of a module. The answer has one status for each, in the same order.
    pub fn set_breakpoints(
        &mut self,
        now: Instant,
        module: ModuleId,
        wishes: &[Breakpoint],
    ) -> Vec<BreakpointStatus> {
        let text = &self.project.file(module).module;
        let mut statuses = self.breakpoints.replace(module, text, wishes);
        if matches!(self.phase, Phase::New | Phase::Probing) {
            return statuses;
        }
        self.changed.insert(module);
        let can_log = self.dialect() == Dialect::Walrus;
        if self.stop.is_some() {
            self.update_breakpoints(now);
        }
        for (status, wish) in statuses.iter_mut().zip(wishes) {
            status.problem = status.problem.take().or_else(|| match () {
                () if wish.log.is_some() && !can_log => Some(BreakpointProblem::NoLog),
                () if self.is_fixed(module, status.line) => Some(BreakpointProblem::Fixed),
                () if self.stop.is_none() => Some(BreakpointProblem::NotYet),
                () => None,
            });
        }
        statuses
    }

    fn is_fixed(&self, module: ModuleId, line: Option<u32>) -> bool {
        let text = &self.project.file(module).module;
        let function = line.and_then(|line| text.function_at(line));
        function
            .is_some_and(|id| !self.hooked.contains(&(module.0, id)) && self.is_sent(module, id))
    }

    /// Whether the board has a function already, so that hooks come too late unless it is exchanged.
    fn is_sent(&self, module: ModuleId, id: FunctionId) -> bool {
        match module {
            ModuleId::MAIN => self.project.file(module).module.function(id).line < self.next_line,
            _ => self.served.contains(&module),
        }
    }

    /// Tells a stopped board of the modules whose breakpoints have changed.
    pub(super) fn update_breakpoints(&mut self, now: Instant) {
        let changed = core::mem::take(&mut self.changed);
        if !changed.is_empty() {
            let functions = self.reckon();
            self.exchange(now, &functions);
        }
        for module in changed {
            let ids: Vec<_> = self
                .breakpoints
                .placed
                .get(&module)
                .into_iter()
                .flatten()
                .map(|one| one.id)
                .collect();
            match self.dialect() {
                Dialect::Walrus => self.send_flags(now, module, ids),
                Dialect::Old => self.send_old_flags(now, ids),
            }
        }
    }

    fn send_flags(&mut self, now: Instant, module: ModuleId, ids: Vec<BreakpointId>) {
        if self.breakpoints.all().any(|(_, one)| one.is_special()) {
            self.help(now, BREAKPOINT, Runtime::breakpoint);
        }
        let flags = self.name("m");
        let number = module.0;
        let text = format!(
            "{}for i in range(1,len({flags}[{number}])):{flags}[{number}][i]&=249\n{}",
            self.add_flags(module),
            self.flags(module)
        );
        let command = format!("exec({});{}('d')", quote(&text), self.name("R"));
        self.ask(now, &command, Expected::Breakpoints(ids));
    }

    /// Plain ones go line by line: a board with little memory may have no room to compile anything, and a loop there
    /// would have a variable among the program's own.
    fn send_old_flags(&mut self, now: Instant, ids: Vec<BreakpointId>) {
        let placed = self.breakpoints.placed.get(&ModuleId::MAIN);
        let placed = placed.cloned().unwrap_or_default();
        let lines = placed.iter().map(|one| one.line).collect();
        for line in core::mem::replace(&mut self.told, lines) {
            self.type_line(now, &format!("b {line} 0"));
        }
        let (decided, plain): (Vec<_>, Vec<_>) = placed.iter().partition(|one| one.is_decided());
        for one in plain {
            self.type_line(now, &format!("b {} 2", one.line));
        }
        let flags: String = decided.into_iter().map(|one| self.old_flag(one)).collect();
        let set = match flags.is_empty() {
            true => String::new(),
            false => format!("exec({});", quote(&flags)),
        };
        let command = format!("{set}print(\"\\x1e{} 'd'\")", self.launch.token);
        self.ask(now, &command, Expected::Breakpoints(ids));
    }

    /// Gives a module flags for its lines, if it has none yet.
    fn add_flags(&self, module: ModuleId) -> String {
        let lines = self.project.file(module).module.line_count();
        let (flags, number) = (self.name("m"), module.0);
        let new = self.runtime().flags(lines);
        format!("if {number} not in {flags}:{flags}[{number}]={new}\n")
    }

    pub(super) fn breakpoints_set(&mut self, ids: &[BreakpointId]) {
        let mut new = Vec::new();
        for placed in self.breakpoints.placed.values_mut().flatten() {
            if ids.contains(&placed.id) && !core::mem::replace(&mut placed.is_set, true) {
                new.push(placed.id);
            }
        }
        if !new.is_empty() {
            self.tell(Event::Verified(new));
        }
    }

    /// Lets the stopped program go on.
    ///
    /// # Errors
    /// [`DebugError::Running`] where it is not stopped.
    pub fn resume(&mut self, now: Instant, step: Step) -> Result<(), DebugError> {
        let stop = self.stop.clone().ok_or(DebugError::Running)?;
        self.after_entry = (stop.reason == Reason::Entry).then_some(step);
        self.go_on(now, step, &stop);
        self.forget_stop();
        self.type_kept();
        self.tell(Event::Continued);
        Ok(())
    }

    /// What makes the program go on from a stop.
    pub(super) fn go_on(&mut self, now: Instant, step: Step, stop: &Stop) {
        if step == Step::Into {
            self.hook_callees(now, stop);
        }
        let depth = usize::from(step == Step::Out);
        let is_out = step == Step::Out && self.frames.len() < 2;
        self.let_go_of_values(now, step);
        if step != Step::Continue && !is_out {
            let command = match self.dialect() {
                Dialect::Walrus => self.step_command(now, step, depth),
                Dialect::Old => format!("s {} {depth}", if step == Step::Into { 1 } else { 2 }),
            };
            self.type_line(now, &command);
        }
        self.type_line(now, "c");
    }

    /// Objects that were shown are needed no longer than the stop lasts, and what shows them and makes steps no longer than a
    /// person goes on step by step: memory is short on boards.
    fn let_go_of_values(&mut self, now: Instant, step: Step) {
        if step != Step::Continue {
            if self.helpers.contains(VALUES) {
                self.type_line(now, &format!("{}.clear()", self.name("H")));
            }
            return;
        }
        let helpers = [(VALUES, "HvOAuKWZt"), (STEPS, "S")];
        let letters: String = helpers
            .into_iter()
            .filter(|(name, _)| self.helpers.remove(name))
            .map(|(_, letters)| letters)
            .collect();
        if !letters.is_empty() {
            let all = format!(
                "for i in'{letters}':globals().pop({}+i,0)",
                quote(self.names.prefix())
            );
            self.type_line(now, &format!("exec({})", quote(&all)));
        }
    }

    fn step_command(&mut self, now: Instant, step: Step, depth: usize) -> String {
        if self.helpers.insert(STEPS) {
            let text = self.runtime().steps();
            self.type_line(now, &format!("exec({},globals())", quote(&text)));
        }
        let functions: BTreeSet<_> = match step {
            // What is sent while the step lasts has them too: at the entry that is all there is.
            Step::Into => self.hooked.union(&self.reckon()).copied().collect(),
            Step::Continue | Step::Over | Step::Out => {
                self.frames.iter().skip(depth).copied().collect()
            }
        };
        let modules: BTreeSet<_> = functions.iter().map(|at| at.0).collect();
        let mut ranges = String::new();
        for module in modules {
            if !self.hooked.iter().any(|at| at.0 == module) {
                let add = self.add_flags(ModuleId(module));
                self.type_line(now, &format!("exec({})", quote(&add)));
            }
            let of_it = functions
                .iter()
                .filter(|at| at.0 == module)
                .map(|at| at.1)
                .collect();
            for (from, to) in self.project.file(ModuleId(module)).module.ranges_of(&of_it) {
                ranges += &format!(",({module},{from},{to})");
            }
        }
        let mode = if step == Step::Into { 1 } else { 2 };
        format!("{}({mode},{depth}{ranges})", self.name("S"))
    }

    /// Functions that the line may call get hooks before they are called.
    fn hook_callees(&mut self, now: Instant, stop: &Stop) {
        let Some(frame) = stop.frames.first() else {
            return;
        };
        let modules = self.project.modules();
        let mentions = modules[frame.module.0].mentions_at(frame.line);
        let called: BTreeSet<_> = named(&modules, &mentions).collect();
        self.wanted.extend(called.iter().copied());
        self.exchange(now, &called);
    }

    /// Exchanges functions on the board for the same with hooks, where that can be done.
    fn exchange(&mut self, now: Instant, functions: &BTreeSet<(usize, FunctionId)>) {
        if self.dialect() == Dialect::Old {
            return;
        }
        let is_new = |&&(module, id): &&(usize, FunctionId)| {
            !self.hooked.contains(&(module, id)) && self.is_sent(ModuleId(module), id)
        };
        let new: Vec<_> = functions.iter().filter(is_new).copied().collect();
        for (module, id) in new {
            if let Some(command) = self.exchange_command(ModuleId(module), id) {
                self.ask(now, &command, Expected::Nobody);
                self.hooked.insert((module, id));
            }
        }
    }

    fn exchange_command(&mut self, id: ModuleId, function: FunctionId) -> Option<String> {
        let file = self.project.file(id);
        let known = file.module.function(function);
        if known.refusal.is_some() || !known.decorators.iter().all(|name| is_plain(name)) {
            return None;
        }
        let (class, put) = match &known.home {
            Home::Module if file.module.is_at_margin(function) => (None, String::new()),
            Home::Class(path) => {
                let [hidden, name] = [self.name("t"), known.name.clone()];
                let put = format!(
                    "{}.{name}={hidden}.__dict__['{name}']\ndel {hidden}\n",
                    path.join(".")
                );
                (Some((format!("class {hidden}:"), path.join("."))), put)
            }
            Home::Module | Home::Function => return None,
        };
        let name = match id {
            ModuleId::MAIN => "<stdin>".to_string(),
            _ => format!("/{}/{}", self.name("m"), file.name),
        };
        let module_name = file.module_name();
        self.to_hook = self.reckon();
        self.to_hook.insert((id.0, function));
        let header = class.as_ref().map(|(header, _)| header.as_str());
        let mut piece = self.plan(id, |plan| plan.function(function, header))?;
        if let Some((_, class)) = &class {
            piece.text = with_class(&piece.text, class);
        }
        self.map.add(id, &self.project.file(id).module, &piece);
        let [globals, done, join] = ["g", "R", "i"].map(|letter| self.name(letter));
        let number = id.0;
        let add = self.add_flags(id);
        let text = format!(
            "{add}if {number} not in {globals}:\n {join}({number},sys.modules['{module_name}'].__dict__)\n {}.get('{frame}').__exit__(0,0,0)\nexec(compile({},'{name}','exec'),{globals}[{number}])\nexec({},{globals}[{number}])",
            format_args!("{globals}[{number}]"),
            quote(&piece.text),
            quote(&put),
            frame = self.name("f"),
        );
        Some(format!("exec({});{done}('d')", quote(&text)))
    }

    /// Sends a part of the board's code that not every session needs.
    pub(super) fn help(&mut self, now: Instant, name: &'static str, text: fn(&Runtime) -> String) {
        if self.helpers.insert(name) {
            let text = text(&self.runtime());
            let command = format!("exec({},globals());{}('d')", quote(&text), self.name("R"));
            self.ask(now, &command, Expected::Nobody);
        }
    }

    /// Changes at which exceptions to stop. A stopped program is told at once, one that runs at its next stop; functions
    /// that it has without hooks get them where they can be exchanged.
    pub fn set_exceptions(&mut self, now: Instant, exceptions: Exceptions) {
        if self.launch.exceptions == exceptions {
            return;
        }
        self.launch.exceptions = exceptions;
        self.exceptions_changed = !matches!(self.phase, Phase::New | Phase::Probing);
        if self.stop.is_some() {
            self.update_exceptions(now);
        }
    }

    /// Tells a stopped board whether to look at exceptions, if that has changed.
    pub(super) fn update_exceptions(&mut self, now: Instant) {
        if !core::mem::take(&mut self.exceptions_changed) {
            return;
        }
        let Exceptions { raised, uncaught } = self.launch.exceptions;
        let wanted = u8::from(raised || uncaught);
        let command = match self.dialect() {
            Dialect::Walrus => {
                let all = format!("for f in {}.values():f[0]={wanted}", self.name("m"));
                let [flag, reply] = ["X", "R"].map(|letter| self.name(letter));
                format!("{flag}={wanted};exec({});{reply}('d')", quote(&all))
            }
            Dialect::Old => format!(
                "{}={}[0]={wanted};print(\"\\x1e{} 'd'\")",
                self.name("X"),
                self.name("b"),
                self.launch.token
            ),
        };
        self.ask(now, &command, Expected::Nobody);
        let functions = self.reckon();
        self.exchange(now, &functions);
    }

    /// Asks the running program to stop: it does at its next line with hooks that looks for a pause, else where Ctrl-C meets
    /// it. One that has not begun stops at its first statement.
    pub fn pause(&mut self, now: Instant) {
        match self.phase {
            Phase::New | Phase::Probing | Phase::Preparing => {
                self.launch.stop_on_entry = true;
                self.asked.entry = true;
            }
            Phase::Running if self.stop.is_none() => {
                let is_first = !core::mem::replace(&mut self.asked.pause, true);
                if is_first && !self.is_between && self.polls().is_some() {
                    self.output.push_back(Action::Send(PAUSE.to_vec()));
                    self.deadline = Some(now + PAUSE_TIMEOUT);
                } else {
                    self.interrupt(now);
                }
            }
            Phase::Running | Phase::Cleaning | Phase::Over => {}
        }
    }

    /// Ends the program with `KeyboardInterrupt`, wherever it is.
    pub fn terminate(&mut self, now: Instant) {
        self.asked.terminate = true;
        if self.phase == Phase::New {
            self.end(super::End::Terminated);
        } else if self.stop.is_some() {
            self.type_line(now, "q");
            self.forget_stop();
        } else {
            self.interrupt(now);
        }
    }

    /// Types a line into the running program's stdin.
    ///
    /// # Errors
    /// Those of [`send`](Self::send).
    pub fn type_in(&mut self, line: &str) -> Result<(), DebugError> {
        let has_files = self.features.is_some_and(|features| features.has_files);
        let enter = if has_files { b'\n' } else { b'\r' };
        self.send(&[line.as_bytes(), &[enter]].concat())
    }

    /// Types bytes into the running program's stdin. What it has not read when it stops, or when a part of it ends, it
    /// finds when it goes on.
    ///
    /// # Errors
    /// [`DebugError::Unknown`] while it is stopped, or where it has left more than 64 KiB unread.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), DebugError> {
        let is_running = self.phase == Phase::Running && self.final_exception.is_none();
        if self.stop.is_some() || !is_running || !self.keep(bytes) {
            return Err(DebugError::Unknown);
        }
        self.type_kept();
        Ok(())
    }
}

/// What hooks look for when they look for a pause.
const PAUSE: &[u8] = b"\x1e";
/// How long a program may take to come to such a hook before it gets a Ctrl-C.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(2);
/// What the helper that makes steps is called.
const STEPS: &str = "steps";

/// Decorators that do nothing but change how a function is called.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "staticmethod" | "classmethod" | "property" | "native" | "micropython.native"
    )
}

/// `super()` finds its class by where it is written, which is no longer there.
fn with_class(text: &str, class: &str) -> String {
    text.replace("super()", &format!("super({class},self)"))
}

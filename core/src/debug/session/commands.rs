//! Commands to a program: steps, breakpoints, pauses, termination.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::time::Duration;

use super::{
    Action, Asked, Breakpoint, BreakpointId, BreakpointProblem, BreakpointStatus, DebugError,
    Event, Exceptions, ModuleId, Phase, Reason, Session, exchange::Expected, inspect::VALUES,
};
use crate::{
    Instant,
    debug::{rewrite::Dialect, runtime::Runtime, source::FunctionId, wire::quote},
};

/// Way in which a stopped program continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the next breakpoint.
    Continue,
    /// To the next line, including lines of called functions.
    Into,
    /// To the next line of this function, or of its caller when it returns.
    Over,
    /// To the next line of the caller.
    Out,
    /// To the next part of an expression that has a value, or to the next line of this function. Needs
    /// [`Launch::parts`](super::Launch::parts).
    Part,
}

impl Session {
    /// Replaces the breakpoints of a module. Returns one status for each, in the same order.
    pub fn set_breakpoints(
        &mut self,
        now: Instant,
        module: ModuleId,
        wishes: &[Breakpoint],
    ) -> Vec<BreakpointStatus> {
        let text = &self.project.file(module).module;
        let mut statuses = self.breakpoints.replace(module, text, wishes);
        if matches!(self.phase, Phase::New | Phase::Probing | Phase::Measuring) {
            return statuses;
        }
        self.changed.insert(module);
        let can_log = self.dialect() == Dialect::Walrus;
        match self.stop {
            Some(_) => self.update_breakpoints(now),
            None => self.request_update(),
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

    /// Makes the running program read changed breakpoints and exceptions, at its next hook that checks for a pause. A
    /// step ends soon, and this would discard it.
    pub(super) fn request_update(&mut self) {
        let Asked {
            pause,
            terminate,
            update,
            ..
        } = self.asked;
        let is_free = !pause && !terminate && !update && self.step == Step::Continue;
        let can_check = self.dialect() == Dialect::Walrus && self.polls().is_some();
        if self.phase == Phase::Running && is_free && can_check && self.listens() {
            self.asked.update = true;
            self.output.push_back(Action::Send(PAUSE.to_vec()));
        }
    }

    fn is_fixed(&self, module: ModuleId, line: Option<u32>) -> bool {
        let text = &self.project.file(module).module;
        let function = line.and_then(|line| text.function_at(line));
        function
            .is_some_and(|id| !self.hooked.contains(&(module.0, id)) && self.is_sent(module, id))
    }

    /// True if the board already has a function, so that hooks come too late.
    fn is_sent(&self, module: ModuleId, id: FunctionId) -> bool {
        match module {
            ModuleId::MAIN => self.project.file(module).module.function(id).line < self.next_line,
            _ => self.served.contains(&module),
        }
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

    /// Resumes the stopped program.
    ///
    /// # Errors
    /// [`DebugError::Running`] if it is not stopped, [`DebugError::NoParts`] if its hooks report no parts.
    pub fn resume(&mut self, now: Instant, step: Step) -> Result<(), DebugError> {
        let stop = self.stop.clone().ok_or(DebugError::Running)?;
        if step == Step::Part && !self.has_parts() {
            return Err(DebugError::NoParts);
        }
        self.step = step;
        self.after_entry = (stop.reason == Reason::Entry).then_some(step);
        self.go_on(now, step);
        self.forget_stop();
        self.type_kept();
        self.tell(Event::Continued);
        Ok(())
    }

    /// Resumes the stopped program into a call of one of these functions, or to the next line of the current one.
    ///
    /// # Errors
    /// [`DebugError::Running`] if it is not stopped.
    pub fn resume_into(
        &mut self,
        now: Instant,
        functions: &[(ModuleId, FunctionId)],
    ) -> Result<(), DebugError> {
        let targets = functions.iter().map(|(module, id)| (module.0, *id));
        self.targets = targets.collect();
        self.resume(now, Step::Into)
    }

    /// Continues the program after a stop.
    pub(super) fn go_on(&mut self, now: Instant, step: Step) {
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
        self.follow_parts(now, step);
        self.type_line(now, "c");
    }

    /// Releases objects that were shown once the stop ends. On a board with little memory, releases the code that shows
    /// them or makes steps as well, once the person stops stepping; others keep it, since sending it takes them longer
    /// than anything else at a stop.
    fn let_go_of_values(&mut self, now: Instant, step: Step) {
        if step != Step::Continue || self.has_room_for_helpers() {
            if self.helpers.contains(VALUES) {
                self.type_line(now, &format!("{}.clear()", self.name("H")));
            }
            return;
        }
        let helpers = [(VALUES, "H v vc vs O A ur K W Z t "), (STEPS, "S ")];
        let names: String = helpers
            .into_iter()
            .filter(|(name, _)| self.helpers.remove(name))
            .map(|(_, names)| names)
            .collect();
        if !names.is_empty() {
            let all = format!(
                "for i in'{names}'.split():globals().pop({}+i,0)",
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
        let targets = core::mem::take(&mut self.targets);
        if step == Step::Into && targets.is_empty() {
            return format!("{}()", self.name("S"));
        }
        let first = match step {
            // Whichever frame reaches the lines first.
            Step::Into => "-1".to_string(),
            _ => depth.to_string(),
        };
        let frames = self.frames.iter().skip(depth);
        let functions: BTreeSet<_> = frames.copied().chain(targets).collect();
        let modules: BTreeSet<_> = functions.iter().map(|at| at.0).collect();
        let mut ranges = String::new();
        for module in modules {
            let of_it = functions
                .iter()
                .filter(|at| at.0 == module)
                .map(|at| at.1)
                .collect();
            for (from, to) in self.project.file(ModuleId(module)).module.ranges_of(&of_it) {
                ranges += &format!(",({module},{from},{to})");
            }
        }
        format!("{}({first}{ranges})", self.name("S"))
    }

    /// Sends a part of the runtime that not every session needs.
    pub(super) fn help(&mut self, now: Instant, name: &'static str, text: fn(&Runtime) -> String) {
        if self.helpers.insert(name) {
            let text = text(&self.runtime());
            let command = format!("exec({},globals());{}('d')", quote(&text), self.name("R"));
            self.ask(now, &command, Expected::Nobody);
        }
    }

    /// Changes the exceptions to stop at. A stopped program receives the change immediately, a running one at its next
    /// stop.
    pub fn set_exceptions(&mut self, now: Instant, exceptions: Exceptions) {
        if self.launch.exceptions == exceptions {
            return;
        }
        self.launch.exceptions = exceptions;
        self.exceptions_changed =
            !matches!(self.phase, Phase::New | Phase::Probing | Phase::Measuring);
        match self.stop {
            Some(_) => self.update_exceptions(now),
            None if self.exceptions_changed => self.request_update(),
            None => {}
        }
    }

    /// Tells a stopped board whether it must check exceptions, if that has changed.
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
    }

    /// Pauses the running program: it stops at its next line with a hook that checks for a pause, otherwise where
    /// Ctrl-C interrupts it. A program that has not begun stops at its first statement.
    pub fn pause(&mut self, now: Instant) {
        match self.phase {
            Phase::New
            | Phase::Probing
            | Phase::Measuring
            | Phase::Compiling
            | Phase::Preparing => {
                self.launch.stop_on_entry = true;
                self.asked.entry = true;
            }
            Phase::Running if self.stop.is_none() => {
                let is_first = !core::mem::replace(&mut self.asked.pause, true);
                if is_first && self.asked.update {
                    // The update that was sent stops it as well.
                    self.deadline = Some(now + PAUSE_TIMEOUT);
                } else if is_first && !self.is_between && self.polls().is_some() {
                    self.output.push_back(Action::Send(PAUSE.to_vec()));
                    self.deadline = Some(now + PAUSE_TIMEOUT);
                } else {
                    self.interrupt(now);
                }
            }
            Phase::Running | Phase::Cleaning | Phase::Over => {}
        }
    }

    /// Withdraws a pause that the program has not reached.
    pub fn cancel_pause(&mut self) {
        let is_asked = core::mem::take(&mut self.asked.pause);
        if is_asked && !self.asked.terminate && self.stop.is_none() {
            self.deadline = None;
        }
    }

    /// Returns true if the program was asked to end, and has not ended yet.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.asked.terminate && !self.is_over()
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

    /// Types bytes into the running program's stdin. Input that is still unread when the program stops, or when a part
    /// of it ends, is available when it continues.
    ///
    /// # Errors
    /// [`DebugError::Unknown`] while the program is stopped, or if more than 64 KiB remain unread.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), DebugError> {
        let is_running = self.phase == Phase::Running && self.final_exception.is_none();
        if self.stop.is_some() || !is_running || !self.typed.keep(bytes) {
            return Err(DebugError::Unknown);
        }
        self.type_kept();
        Ok(())
    }
}

/// Input that hooks take as a request to pause.
const PAUSE: &[u8] = b"\x1e";
/// Time that a program has to reach a hook that checks for a pause before it receives a Ctrl-C.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Name of the helper that makes steps.
const STEPS: &str = "steps";

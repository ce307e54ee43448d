//! Breakpoints, steps, pauses and the end.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Value, json};

use super::{Adapter, Want, attach::PROGRAM_ENDED, request::Request};
use crate::{
    Instant,
    debug::{
        Breakpoint, BreakpointStatus, DebugError, ExceptionConditions, Exceptions, ModuleId,
        Session, Step,
    },
};

impl Adapter {
    pub(super) fn set_breakpoints(&mut self, now: Instant, request: &Request) {
        let path = request.arguments["source"]["path"]
            .as_str()
            .unwrap_or_default();
        let wishes: Vec<_> = list(&request.arguments["breakpoints"])
            .iter()
            .map(|one| self.wish(one))
            .collect();
        let Some(module) = self.find(path) else {
            let unknown =
                json!({"verified": false, "message": "this file is not part of the program"});
            let breakpoints: Vec<_> = wishes.iter().map(|_| unknown.clone()).collect();
            return self.answer(request, json!({"breakpoints": breakpoints}));
        };
        let count = wishes.len();
        self.lines.insert(module, wishes);
        let statuses = self.apply(now, module);
        let breakpoints: Vec<_> = statuses
            .iter()
            .take(count)
            .map(|status| self.breakpoint(module, status))
            .collect();
        self.answer(request, json!({"breakpoints": breakpoints}));
    }

    /// Sets breakpoints at functions, which stop at the function's first line.
    pub(super) fn set_function_breakpoints(&mut self, now: Instant, request: &Request) {
        let before: Vec<_> = core::mem::take(&mut self.functions).into_keys().collect();
        let asked = list(&request.arguments["breakpoints"]);
        let places: Vec<_> = asked.iter().map(|one| self.function_place(one)).collect();
        let mut numbers = Vec::new();
        for (place, asked) in places.iter().zip(&asked) {
            numbers.push(place.map(|(module, line)| {
                let list = self.functions.entry(module).or_default();
                list.push(Breakpoint {
                    line,
                    ..wish_without_line(asked)
                });
                (module, list.len() - 1)
            }));
        }
        let modules: Vec<_> = before
            .into_iter()
            .chain(self.functions.keys().copied())
            .collect();
        let statuses: BTreeMap<_, _> = modules
            .into_iter()
            .map(|module| (module, self.apply(now, module)))
            .collect();
        let unknown =
            json!({"verified": false, "message": "the program has no function with this name"});
        let answers = numbers.into_iter().map(|number| match number {
            Some((module, index)) => {
                let skip = self.lines.get(&module).map_or(0, Vec::len);
                self.breakpoint(module, &statuses[&module][skip + index])
            }
            None => unknown.clone(),
        });
        let answers: Vec<_> = answers.collect();
        self.answer(request, json!({"breakpoints": answers}));
    }

    fn function_place(&self, asked: &Value) -> Option<(ModuleId, u32)> {
        let project = self.session.as_ref()?.project();
        project.function_line(asked["name"].as_str()?)
    }

    /// Passes all breakpoints of a module to the session, those in lines first.
    fn apply(&mut self, now: Instant, module: ModuleId) -> Vec<BreakpointStatus> {
        let both = [&self.lines, &self.functions];
        let wishes: Vec<_> = both
            .iter()
            .filter_map(|list| list.get(&module))
            .flatten()
            .cloned()
            .collect();
        let session = self.session.as_mut();
        session
            .map(|session| session.set_breakpoints(now, module, &wishes))
            .unwrap_or_default()
    }

    fn wish(&self, asked: &Value) -> Breakpoint {
        let line = asked["line"].as_u64();
        let line = line.and_then(|line| u32::try_from(line + u64::from(self.lines_from_zero)).ok());
        Breakpoint {
            // No file has a last line, so a line that none can have is refused as one after the end.
            line: line.filter(|&line| line > 0).unwrap_or(u32::MAX),
            ..wish_without_line(asked)
        }
    }

    fn breakpoint(&self, module: ModuleId, status: &BreakpointStatus) -> Value {
        let mut breakpoint = json!({"id": status.id.0, "verified": status.problem.is_none(), "source": self.source(module)});
        if let Some(line) = status.line {
            breakpoint["line"] = self.shown(line).into();
        }
        if let Some(problem) = &status.problem {
            breakpoint["message"] = problem.to_string().into();
        }
        breakpoint
    }

    pub(super) fn set_exception_breakpoints(&mut self, now: Instant, request: &Request) {
        let mut filters: Vec<String> = Vec::new();
        filters.extend(
            list(&request.arguments["filters"])
                .iter()
                .filter_map(|one| one.as_str().map(ToString::to_string)),
        );
        let options = list(&request.arguments["filterOptions"]);
        filters.extend(
            options
                .iter()
                .filter_map(|one| one["filterId"].as_str().map(ToString::to_string)),
        );
        let has = |name: &str| filters.iter().any(|filter| filter == name);
        let condition = |name: &str| {
            let mut of_it = options.iter().filter(|one| one["filterId"] == name);
            let text = of_it.find_map(|one| one["condition"].as_str())?;
            Some(text.to_string()).filter(|text| !text.trim().is_empty())
        };
        let conditions = ExceptionConditions {
            raised: condition("raised"),
            uncaught: condition("uncaught"),
        };
        self.exceptions = Exceptions {
            raised: has("raised"),
            uncaught: has("uncaught"),
        };
        if let Some(session) = &mut self.session {
            session.set_exceptions(now, self.exceptions);
            if !session.set_exception_conditions(conditions) {
                let message = "the condition of an exception is not valid Python";
                return self.refuse(request, message);
            }
        }
        self.answer(request, json!({}));
    }

    pub(super) fn breakpoint_locations(&mut self, request: &Request) {
        let path = request.arguments["source"]["path"]
            .as_str()
            .unwrap_or_default();
        let zero = u32::from(self.lines_from_zero);
        let first = request
            .number("line")
            .unwrap_or_default()
            .saturating_add(zero);
        let last = request
            .number("endLine")
            .map_or(first, |line| line.saturating_add(zero));
        let lines = self
            .find(path)
            .zip(self.session.as_ref())
            .map(|(module, session)| {
                let lines = session.project().file(module).module.stoppable_lines();
                lines
                    .filter(|line| (first..=last).contains(line))
                    .collect::<Vec<_>>()
            });
        let lines = lines.unwrap_or_default();
        let locations: Vec<_> = lines
            .into_iter()
            .map(|line| json!({"line": self.shown(line)}))
            .collect();
        self.answer(request, json!({"breakpoints": locations}));
    }

    pub(super) fn configuration_done(&mut self, request: &Request) {
        self.answer(request, json!({}));
        self.start_once();
    }

    pub(super) fn resume(&mut self, now: Instant, request: &Request) {
        let step = match request.command.as_str() {
            "next" | "stepIn" if self.wants_part(request) => Step::Part,
            "next" => Step::Over,
            "stepIn" => Step::Into,
            "stepOut" => Step::Out,
            _ => Step::Continue,
        };
        let target = request.number("targetId").map(|id| id as usize);
        let targets = target.and_then(|id| self.targets.get(id.checked_sub(1)?));
        let targets = targets.filter(|_| step == Step::Into).cloned();
        let done = self.session.as_mut().map(|session| match &targets {
            Some(functions) => session.resume_into(now, functions),
            None => session.resume(now, step),
        });
        match done {
            Some(Err(error)) => self.refuse(request, &error.to_string()),
            _ if step == Step::Continue => {
                self.answer(request, json!({"allThreadsContinued": true}));
            }
            _ => self.answer(request, json!({})),
        }
    }

    /// Returns true if a request asks for the next part of an expression: as a target, or as the smallest step that the
    /// protocol has.
    fn wants_part(&self, request: &Request) -> bool {
        let is_target = request.number("targetId") == Some(EACH_PART);
        let is_smallest = request.text("granularity") == Some("instruction");
        let has_parts = self.session.as_ref().is_some_and(Session::has_parts);
        has_parts && (is_target || is_smallest)
    }

    /// Offers the functions of the program that the current line calls.
    pub(super) fn step_in_targets(&mut self, request: &Request) {
        let frame = self.frame(request);
        let stop = self.stops.stop.as_ref();
        let frame = frame.and_then(|index| stop?.frames.get(index));
        let (Some(frame), Some(session)) = (frame, &self.session) else {
            return self.refuse(request, &DebugError::Running.to_string());
        };
        let project = session.project();
        let calls = project.file(frame.module).module.calls_at(frame.line);
        let known = calls.into_iter().map(|name| {
            let functions = project.functions_named(&name);
            (name, functions)
        });
        let known = known.filter(|(_, functions)| !functions.is_empty());
        let (names, targets): (Vec<_>, Vec<_>) = known.unzip();
        self.targets = targets;
        let targets = names.iter().enumerate();
        let mut targets: Vec<_> = targets
            .map(|(index, name)| json!({"id": index + 1, "label": name}))
            .collect();
        if session.has_parts() {
            targets.push(json!({"id": EACH_PART, "label": "each part of the expression"}));
        }
        self.answer(request, json!({"targets": targets}));
    }

    /// Ends the program, and runs it again.
    pub(super) fn restart(&mut self, now: Instant, request: Request) {
        let is_hosted = self.is_hosted();
        match self.session.as_mut().filter(|session| !session.is_over()) {
            Some(session) => {
                session.terminate(now);
                self.restarting = Some(request);
            }
            None if is_hosted => self.refuse(&request, PROGRAM_ENDED),
            None => self.run_again(&request),
        }
    }

    /// Runs the program again, with the same breakpoints.
    pub(super) fn run_again(&mut self, request: &Request) {
        self.stops.forget();
        if self.resets {
            self.want(Want::Reset);
        }
        self.answer(request, json!({}));
        if let Some(session) = &mut self.session {
            session.rewind();
            session.start();
        }
    }

    pub(super) fn pause(&mut self, now: Instant, request: &Request) {
        match self.session.as_mut().filter(|session| !session.is_over()) {
            Some(session) => {
                session.pause(now);
                self.answer(request, json!({}));
            }
            None => self.refuse(request, &DebugError::Over.to_string()),
        }
    }

    pub(super) fn terminate(&mut self, now: Instant, request: &Request) {
        self.answer(request, json!({}));
        self.session
            .iter_mut()
            .for_each(|session| session.terminate(now));
    }

    /// Returns the module that an editor means by a path.
    pub(super) fn find(&self, path: &str) -> Option<ModuleId> {
        self.session
            .as_ref()
            .and_then(|session| find(session, path))
    }

    pub(super) fn source(&self, module: ModuleId) -> Value {
        let path = self
            .session
            .as_ref()
            .map_or("", |session| session.project().file(module).path.as_str());
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let mut source = json!({"name": name, "path": path});
        if self.is_boot {
            source["sourceReference"] = (module.0 + 1).into();
        }
        source
    }

    /// Converts a line to the editor's numbering.
    pub(super) fn shown(&self, line: u32) -> u32 {
        line.saturating_sub(u32::from(self.lines_from_zero))
    }
}

/// Finds a module by its path. File names on Windows are case-insensitive, and editors write drive letters in both
/// cases.
fn find(session: &Session, path: &str) -> Option<ModuleId> {
    let project = session.project();
    let same = |file: &crate::debug::File| {
        let is_windows = path.contains('\\');
        file.path == path || (is_windows && file.path.eq_ignore_ascii_case(path))
    };
    project.files().iter().position(same).map(ModuleId)
}

fn wish_without_line(asked: &Value) -> Breakpoint {
    let text = |name: &str| {
        asked[name]
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .map(ToString::to_string)
    };
    Breakpoint {
        line: 0,
        condition: text("condition"),
        hits: text("hitCondition"),
        log: text("logMessage"),
    }
}

/// Target of a step to the next part of an expression; those of functions count from 1.
const EACH_PART: u32 = 1_000_000;

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

//! Inspects a stopped program, and changes it.

mod old;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    DebugError, Handle, ModuleId, RequestId, Session, breakpoints::tuple, exchange::Expected,
};
use crate::{
    Instant,
    debug::{
        rewrite::Dialect,
        runtime::Runtime,
        source::{Function, FunctionId, deleted_names, free_names, is_expression},
        wire::quote,
    },
};

/// Container of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// Variables of a frame, by its index in the stack.
    Locals(usize),
    /// Globals of a frame's module.
    Globals(usize),
    /// Items of a value, from a start index on.
    Items {
        /// The value.
        of: Handle,
        /// The first item.
        start: u32,
        /// Number of variables.
        count: u32,
    },
}

impl Session {
    /// Requests variables. [`Reply::Variables`](super::Reply::Variables) carries the request's number.
    ///
    /// # Errors
    /// [`DebugError`], if the container does not exist.
    pub fn variables(
        &mut self,
        now: Instant,
        container: Container,
    ) -> Result<RequestId, DebugError> {
        self.check_stopped()?;
        match (self.dialect(), container) {
            (Dialect::Old, Container::Locals(frame)) => self.old_locals(now, frame),
            (Dialect::Old, Container::Globals(_)) => Ok(self.old_globals(now)),
            (Dialect::Old, Container::Items { .. }) => Err(DebugError::Unknown),
            (Dialect::Walrus, Container::Locals(frame)) => self.locals(now, frame),
            (Dialect::Walrus, Container::Globals(frame)) => {
                let (module, _) = self.frame_at(frame)?;
                let command = format!("{}({}({module}))", self.name("vs"), self.name("Z"));
                Ok(self.ask_values(now, &command, None))
            }
            (Dialect::Walrus, Container::Items { of, start, count }) => {
                let [send, items, handles] = ["vs", "K", "H"].map(|letter| self.name(letter));
                let end = start.saturating_add(count);
                let command = format!(
                    "{send}({items}({handles}[{}],{start},{end}))",
                    of.0.saturating_sub(1)
                );
                Ok(self.ask_values(now, &command, None))
            }
        }
    }

    /// Evaluates an expression in a frame, or runs a statement there. The answer is
    /// [`Reply::Value`](super::Reply::Value) for an expression, [`Reply::Done`](super::Reply::Done) for a statement.
    ///
    /// # Errors
    /// [`DebugError`], if that is impossible.
    pub fn evaluate(
        &mut self,
        now: Instant,
        frame: usize,
        python: &str,
    ) -> Result<RequestId, DebugError> {
        self.check_stopped()?;
        let (module, id) = self.frame_at(frame)?;
        let text = &self.project.file(ModuleId(module)).module;
        let python = text.with_constants(python.trim());
        let python = python.as_str();
        let (read, bound) = free_names(python).ok_or(DebugError::Syntax)?;
        let function = text.function(id);
        let (names, numbers) = numbered(function, read.iter());
        // `(n := 5)` binds in a function of its own, if evaluated as an expression.
        if is_expression(python) && bound.is_empty() {
            return Ok(self.ask_value(now, frame, module, python, &names, &numbers));
        }
        let (written, targets) = numbered(function, bound.iter());
        let is_outer = |&number: &usize| number > function.variables.own.len();
        if targets.iter().any(is_outer) {
            return Err(DebugError::Outer);
        }
        let deleted = deleted_names(python);
        if deleted.iter().any(|name| written.contains(name)) {
            return Err(DebugError::Undeletable);
        }
        if self.dialect() == Dialect::Old {
            return self.old_statement(now, python, !written.is_empty() || !names.is_empty());
        }
        // Names that the function does not have belong to its module from then on.
        let global: Vec<_> = bound
            .difference(&written.iter().cloned().collect())
            .cloned()
            .collect();
        let is_body = id == FunctionId::BODY;
        let (text, reads) = match is_body {
            true => (python.to_string() + "\n", "None".to_string()),
            false => (
                statement_in(&self.name("t"), python, &names, &written, &global),
                tuple(numbers),
            ),
        };
        self.help(now, VALUES, Runtime::values);
        let [run, reply] = ["t", "R"].map(|letter| self.name(letter));
        let command = format!(
            "{run}({frame},{module},{},{reads},{});{reply}('d')",
            quote(&text),
            tuple(targets)
        );
        let request = self.next_request();
        self.ask(now, &command, Expected::Done(request));
        Ok(request)
    }

    /// Sets a variable or an item to the value of an expression in a frame. [`Reply::Value`](super::Reply::Value)
    /// returns the new value.
    ///
    /// # Errors
    /// [`DebugError`], if that is impossible.
    pub fn set_variable(
        &mut self,
        now: Instant,
        frame: usize,
        container: Container,
        name: &str,
        python: &str,
    ) -> Result<RequestId, DebugError> {
        self.check_stopped()?;
        if !is_expression(python) {
            return Err(DebugError::Syntax);
        }
        match container {
            Container::Items { of, .. } => self.set_item(now, frame, of, name, python),
            Container::Globals(_) if free_names(name).is_some() => {
                let (module, _) = self.frame_at(frame)?;
                let value = self.expression(frame, python)?;
                let [globals, reply, show] = ["g", "R", "v"].map(|letter| self.name(letter));
                let place = format!("{globals}[{module}][{}]", quote(name));
                self.ask_set(
                    now,
                    &format!("{place}={value};{reply}('v',[{show}({place})])"),
                )
            }
            Container::Globals(_) => Err(DebugError::Unknown),
            Container::Locals(at) => self.set_local(now, at, name, python),
        }
    }

    fn ask_set(&mut self, now: Instant, command: &str) -> Result<RequestId, DebugError> {
        if self.dialect() == Dialect::Old {
            return Err(DebugError::ReadOnly);
        }
        self.help(now, VALUES, Runtime::values);
        let request = self.next_request();
        self.ask(now, command, Expected::Value(request));
        Ok(request)
    }

    fn set_item(
        &mut self,
        now: Instant,
        frame: usize,
        of: Handle,
        name: &str,
        python: &str,
    ) -> Result<RequestId, DebugError> {
        let value = self.expression(frame, python)?;
        let [set, handles, reply, show] = ["W", "H", "R", "v"].map(|letter| self.name(letter));
        let at = of.0.saturating_sub(1);
        let command = format!(
            "{reply}('v',[{show}({set}({handles}[{at}],{},{value}))])",
            quote(name)
        );
        self.ask_set(now, &command)
    }

    fn set_local(
        &mut self,
        now: Instant,
        frame: usize,
        name: &str,
        python: &str,
    ) -> Result<RequestId, DebugError> {
        let (module, id) = self.frame_at(frame)?;
        if id == FunctionId::BODY {
            return self.set_variable(now, frame, Container::Globals(frame), name, python);
        }
        let function = self.project.file(ModuleId(module)).module.function(id);
        let number = function.variables.number(name).ok_or(DebugError::Unknown)?;
        if number > function.variables.own.len() {
            return Err(DebugError::Outer);
        }
        let value = self.expression(frame, python)?;
        let [source, frames, reply, show] = ["w", "L", "R", "v"].map(|letter| self.name(letter));
        let command = format!(
            "{source}=({number},{value});next({frames}[{frame}].v);{reply}('v',[{show}({frames}[{frame}].g({number}))])"
        );
        self.ask_set(now, &command)
    }

    fn locals(&mut self, now: Instant, frame: usize) -> Result<RequestId, DebugError> {
        let (module, id) = self.frame_at(frame)?;
        if id == FunctionId::BODY {
            return self.variables(now, Container::Globals(frame));
        }
        let function = self.project.file(ModuleId(module)).module.function(id);
        let names: Vec<_> = function.variables().map(ToString::to_string).collect();
        let [send, one, frames] = ["vs", "ur", "L"].map(|letter| self.name(letter));
        let command = format!(
            "{send}({one}({frames}[{frame}],i)for i in range(1,{}))",
            names.len() + 1
        );
        Ok(self.ask_values(now, &command, Some(names)))
    }

    fn ask_values(&mut self, now: Instant, command: &str, names: Option<Vec<String>>) -> RequestId {
        self.help(now, VALUES, Runtime::values);
        let request = self.next_request();
        self.ask(now, command, Expected::Variables(request, names));
        request
    }

    fn ask_value(
        &mut self,
        now: Instant,
        frame: usize,
        module: usize,
        python: &str,
        names: &[String],
        numbers: &[usize],
    ) -> RequestId {
        let command = match self.dialect() {
            Dialect::Walrus => {
                self.help(now, VALUES, Runtime::values);
                let value = self.call(frame, module, python, names, numbers);
                format!("{}('v',[{}({value})])", self.name("R"), self.name("v"))
            }
            Dialect::Old => self.old_value(frame, python, names, numbers),
        };
        let request = self.next_request();
        self.ask(now, &command, Expected::Value(request));
        request
    }

    /// Converts an expression in a frame to one of the debugger's own.
    fn expression(&self, frame: usize, python: &str) -> Result<String, DebugError> {
        let (module, id) = self.frame_at(frame)?;
        let text = &self.project.file(ModuleId(module)).module;
        let python = text.with_constants(python);
        let (read, _) = free_names(&python).ok_or(DebugError::Syntax)?;
        let (names, numbers) = numbered(text.function(id), read.iter());
        Ok(self.call(frame, module, &python, &names, &numbers))
    }

    fn call(
        &self,
        frame: usize,
        module: usize,
        python: &str,
        names: &[String],
        numbers: &[usize],
    ) -> String {
        let function = format!("lambda {}:({python}\n)", names.join(","));
        let [globals, frames] = ["g", "L"].map(|letter| self.name(letter));
        let numbers = tuple(numbers);
        format!(
            "eval({},{globals}[{module}])(*[{frames}[{frame}].g(i)for i in{numbers}])",
            quote(&function)
        )
    }

    fn check_stopped(&self) -> Result<(), DebugError> {
        match (&self.stop, self.is_over()) {
            (_, true) => Err(DebugError::Over),
            (None, _) => Err(DebugError::Running),
            (Some(_), _) => Ok(()),
        }
    }

    pub(super) fn frame_at(&self, frame: usize) -> Result<(usize, FunctionId), DebugError> {
        self.frames.get(frame).copied().ok_or(DebugError::Unknown)
    }
}

/// Selects the names that are variables of a function, with their numbers.
pub(super) fn numbered<'a>(
    function: &Function,
    names: impl Iterator<Item = &'a String>,
) -> (Vec<String>, Vec<usize>) {
    names
        .filter_map(|name| Some((name.clone(), function.variables.number(name)?)))
        .unzip()
}

/// Converts a statement to a function of the variables that it reads and writes, which returns those it writes: a
/// variable that is not reached keeps its value.
fn statement_in(
    name: &str,
    python: &str,
    reads: &[String],
    writes: &[String],
    global: &[String],
) -> String {
    let kept = writes.iter().filter(|name| !reads.contains(name));
    let parameters: Vec<_> = reads.iter().chain(kept).map(String::as_str).collect();
    let lines: String = python.lines().map(|line| format!(" {line}\n")).collect();
    let global = match global {
        [] => String::new(),
        names => format!(" global {}\n", names.join(",")),
    };
    format!(
        "def {name}({}):\n{global}{lines} return {}\n",
        parameters.join(","),
        tuple(writes)
    )
}

/// Name of the helper that shows values.
pub(super) const VALUES: &str = "values";

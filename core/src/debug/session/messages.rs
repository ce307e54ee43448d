//! Messages from the board's part of the debugger.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{
    DebugError, Event, Frame, Handle, ModuleId, Reason, Reply, RequestId, Session, Stop, Value,
    Variable, exchange::Expected,
};
use crate::{
    Instant,
    debug::{
        rewrite::FUNCTION_BITS,
        runtime::Features,
        source::{FunctionId, Kind, Try, is_caught},
        wire::{Incoming, Literal, quote_bytes},
    },
};

impl Session {
    pub(super) fn receive(&mut self, now: Instant, bytes: &[u8]) {
        for one in self.wire.push(bytes) {
            match one {
                Incoming::Output(output) => self.output(now, output),
                Incoming::Message(message) => self.message(now, &message),
            }
        }
    }

    pub(super) fn output(&mut self, now: Instant, output: Vec<u8>) {
        let is_typing = !self.echo.is_empty();
        let rest = self.echo.strip(now, output);
        self.printed(rest);
        if is_typing {
            self.type_on();
            self.type_kept();
        }
        if is_typing && self.interrupted && self.echo.is_empty() && self.expected.is_empty() {
            self.interrupted = false;
            self.deadline = None;
        }
    }

    fn printed(&mut self, output: Vec<u8>) {
        if !output.is_empty() {
            self.tell(Event::Output(output));
        }
    }

    /// Stops expecting echoes of commands from an earlier stop.
    pub(super) fn forget_echo(&mut self) {
        let rest = self.echo.finish();
        self.printed(rest);
    }

    fn message(&mut self, now: Instant, message: &[Literal]) {
        let Some((kind, rest)) = message.split_first() else {
            return;
        };
        match (kind.text(), rest) {
            (Some("f"), [flags]) => self.features = features(flags),
            (Some("F"), [free]) => self.has_room(free),
            (Some("s"), [why, frames, exception, thread]) => {
                self.stopped_at(
                    now,
                    why.text().unwrap_or_default(),
                    frames,
                    exception,
                    thread.int().unwrap_or_default(),
                );
            }
            (Some("u"), [start, end, text]) => self.part_evaluated(start, end, text),
            (Some("r"), [text]) => self.plain_value(now, text),
            (Some("p"), [values]) => self.part(now, values),
            (Some("v"), [values]) => self.values(now, values),
            (Some("d"), _) => self.done(now),
            (Some("e"), [text]) => self.failed(now, text.text().unwrap_or_default()),
            (Some("l"), [id, text, ..]) => self.log(id, text),
            (Some("m"), [name, offset]) => self.serve(now, name, offset),
            (Some("t"), [text]) => self.give_back(text.text().unwrap_or_default()),
            (Some("g"), _) => {
                self.is_between = true;
                self.type_line(now, "c");
            }
            _ => {}
        }
    }

    fn has_room(&mut self, free: &Literal) {
        let free = free.int().and_then(|free| u32::try_from(free).ok());
        if let Some(features) = &mut self.features {
            features.free = free;
        }
    }

    fn stopped_at(
        &mut self,
        now: Instant,
        why: &str,
        frames: &Literal,
        exception: &Literal,
        thread: i64,
    ) {
        let frames = frames
            .list()
            .unwrap_or_default()
            .iter()
            .filter_map(|frame| self.frame(frame));
        let (frames, mut functions): (Vec<_>, Vec<_>) = frames.unzip();
        self.forget_echo();
        let mut frames: Vec<Frame> = frames;
        // The program's own frame is known even if nothing reports its line.
        while frames.len() > 1 && frames.last().is_some_and(|frame| frame.line == 0) {
            frames.pop();
            functions.pop();
        }
        let exception = self
            .final_exception
            .clone()
            .or_else(|| exception.text().map(ToString::to_string));
        self.last_exception = exception
            .as_deref()
            .and_then(|text| text.split(['(', ':']).next())
            .map(ToString::to_string);
        let thread = u64::from_ne_bytes(thread.to_ne_bytes());
        self.frames = functions;
        let part = self.part_at(why, frames.first());
        let reason = self.reason(why, exception.as_deref(), &frames);
        let again = self.after_entry.take();
        match reason {
            Some(reason) => {
                let stop = Stop {
                    reason,
                    frames,
                    exception,
                    thread,
                    part,
                };
                if let Some(step) = again.filter(|_| self.is_entry_again(&stop)) {
                    return self.go_on(now, step);
                }
                if !self.decide(now, &stop) {
                    self.stop_there(now, stop);
                }
            }
            None => {
                if core::mem::take(&mut self.asked.update) && !self.asked.terminate {
                    self.update_exceptions(now);
                    self.update_breakpoints(now);
                }
                self.type_line(now, "c");
            }
        }
    }

    pub(super) fn stop_there(&mut self, now: Instant, stop: Stop) {
        self.asked.pause = false;
        self.asked.entry = false;
        self.asked.update = false;
        self.deadline = None;
        self.stop = Some(stop.clone());
        self.update_exceptions(now);
        self.update_breakpoints(now);
        self.tell(Event::Stopped(stop));
    }

    /// Returns true if the program is still at its entry, where it has already stopped: the entry's
    /// stop comes before the first statement is sent, whose hook then stops as well.
    fn is_entry_again(&self, stop: &Stop) -> bool {
        let main = &self.project.file(ModuleId::MAIN).module;
        let is_hook = matches!(stop.reason, Reason::Step | Reason::Breakpoint);
        match stop.frames.as_slice() {
            [frame] if is_hook && !self.asked.pause => {
                frame.module == ModuleId::MAIN && Some(frame.line) == main.first_line()
            }
            _ => false,
        }
    }

    /// Returns the reason for the stop, if there is one.
    fn reason(&self, why: &str, exception: Option<&str>, frames: &[Frame]) -> Option<Reason> {
        let is_interrupt = exception.is_some_and(|text| text.starts_with("KeyboardInterrupt"));
        let filters = self.launch.exceptions;
        match why {
            _ if self.asked.terminate => None,
            _ if is_interrupt && self.asked.pause => Some(Reason::Interrupt),
            _ if self.final_exception.is_some() => Some(Reason::Uncaught),
            "b" => Some(Reason::Breakpoint),
            "u" | "s" if self.asked.pause => Some(Reason::Pause),
            "s" if self.asked.entry => Some(Reason::Entry),
            "s" if self.asked.update => None,
            "u" | "s" => Some(Reason::Step),
            _ if filters.uncaught && why == "x" && !self.will_be_caught(exception?, frames) => {
                Some(Reason::Uncaught)
            }
            "x" | "h" if filters.raised => Some(Reason::Raised),
            _ => None,
        }
    }

    /// Returns true if a handler around the calls catches the exception, as far as the text shows.
    fn will_be_caught(&self, exception: &str, frames: &[Frame]) -> bool {
        let modules = self.project.modules();
        let is_task = |&&(module, function): &&(usize, FunctionId)| {
            modules[module].function(function).kind == Kind::Coroutine
        };
        if self.frames.iter().any(|at| is_task(&at)) && self.awaits_catch(exception) {
            return true;
        }
        let mut around = frames.iter().zip(&self.frames).skip(1);
        around.any(|(frame, &(module, function))| {
            let tries = modules[module].catches(function, frame.line);
            tries
                .flat_map(|one| &one.catches)
                .any(|what| is_caught(&modules, exception, what.as_deref()))
        })
    }

    /// Returns true if a coroutine catches an exception of another task, which its own frames do not show, or if
    /// `asyncio` stores it.
    fn awaits_catch(&self, exception: &str) -> bool {
        let modules = self.project.modules();
        let keeps = ["return_exceptions", "set_exception_handler"];
        let is_kept = |name: &&str| modules.iter().any(|module| module.names.contains(*name));
        let tries = modules.iter().flat_map(|module| {
            let is_awaiting = |one: &&Try| module.function(one.function).kind == Kind::Coroutine;
            module.tries.iter().filter(is_awaiting)
        });
        let mut handlers = tries.flat_map(|one| &one.catches);
        exception.starts_with("CancelledError")
            || keeps.iter().any(is_kept)
            || handlers.any(|what| is_caught(&modules, exception, what.as_deref()))
    }

    fn frame(&self, frame: &Literal) -> Option<(Frame, (usize, FunctionId))> {
        let [number, line] = frame.list()? else {
            return None;
        };
        let number = usize::try_from(number.int()?).ok()?;
        let (module, function) = (number >> FUNCTION_BITS, number & ((1 << FUNCTION_BITS) - 1));
        let file = self.project.files().get(module)?;
        let known = file.module.functions().get(function)?;
        let frame = Frame {
            module: ModuleId(module),
            function: known.qualified_name.clone(),
            line: u32::try_from(line.int()?).ok()?,
        };
        Some((frame, (module, FunctionId(function))))
    }

    fn log(&mut self, id: &Literal, text: &Literal) {
        let id = id.int().and_then(|id| u32::try_from(id).ok());
        let Some((module, line)) = id
            .and_then(|id| self.breakpoints.by_id(id))
            .map(|(module, one)| (module, one.line))
        else {
            return;
        };
        let text = text.text().unwrap_or_default().to_string();
        self.tell(Event::Log { module, line, text });
    }

    /// Sends a part of a module's text, from an offset on; an empty part ends it.
    fn serve(&mut self, now: Instant, name: &Literal, offset: &Literal) {
        let (Some(name), Some(offset)) = (
            name.text(),
            offset.int().and_then(|at| usize::try_from(at).ok()),
        ) else {
            return;
        };
        if offset == 0 {
            let text = self.module_text(name).unwrap_or_default();
            self.serving.insert(name.to_string(), text.into_bytes());
        }
        let text = self
            .serving
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let from = offset.min(text.len());
        let part = &text[from..text.len().min(from + PART)];
        let is_last = part.is_empty();
        let line = quote_bytes(part);
        self.type_line(now, &line);
        if is_last {
            self.serving.remove(name);
            self.type_kept();
        }
    }
}

/// Answers.
impl Session {
    fn plain_value(&mut self, now: Instant, text: &Literal) {
        let value = Value {
            kind: String::new(),
            text: text.text().unwrap_or_default().to_string(),
            handle: None,
            length: None,
        };
        match self.answered(now) {
            Some(Expected::Value(id)) => self.reply(id, Ok(Reply::Value(value))),
            Some(Expected::OneOf(id, name, is_last)) => {
                self.one_of(id, Some(Variable { name, value }), is_last);
            }
            _ => {}
        }
    }

    fn one_of(&mut self, id: RequestId, variable: Option<Variable>, is_last: bool) {
        self.partial.extend(variable);
        if is_last {
            let variables = core::mem::take(&mut self.partial);
            self.reply(id, Ok(Reply::Variables(variables)));
        }
    }

    fn values(&mut self, now: Instant, values: &Literal) {
        let mut all = core::mem::take(&mut self.parts);
        all.extend_from_slice(values.list().unwrap_or_default());
        let values = all.as_slice();
        match self.answered(now) {
            Some(Expected::Condition) => {
                let value = values.first().and_then(value);
                self.decided(now, value.is_some_and(|value| value.text == "True"));
            }
            Some(Expected::Value(id)) => {
                let value = values.first().and_then(value).ok_or(DebugError::Unknown);
                self.reply(id, value.map(Reply::Value));
            }
            Some(Expected::Variables(id, names)) => {
                let variables = match names {
                    Some(names) => names
                        .iter()
                        .zip(values)
                        .filter_map(|(name, one)| variable(name, one))
                        .collect(),
                    None => values.iter().filter_map(named_variable).collect(),
                };
                self.reply(id, Ok(Reply::Variables(variables)));
            }
            _ => {}
        }
    }

    fn done(&mut self, now: Instant) {
        match self.answered(now) {
            Some(Expected::Done(id)) => self.reply(id, Ok(Reply::Done)),
            Some(Expected::Breakpoints(ids)) => self.breakpoints_set(&ids),
            _ => {}
        }
    }

    fn failed(&mut self, now: Instant, text: &str) {
        self.parts.clear();
        let error = DebugError::Raised(text.to_string());
        match self.answered(now) {
            Some(Expected::Value(id) | Expected::Variables(id, _) | Expected::Done(id)) => {
                self.reply(id, Err(error));
            }
            Some(Expected::Condition) => self.undecidable(now, text),
            // A variable without a value so far.
            Some(Expected::OneOf(id, _, is_last)) => self.one_of(id, None, is_last),
            _ => {}
        }
    }
}

fn features(flags: &Literal) -> Option<Features> {
    let flags: Vec<_> = flags
        .list()?
        .iter()
        .map(|flag| flag.int() == Some(1))
        .collect();
    Features::new(&flags)
}

/// Reads `(kind, text, handle, length)`.
fn value(literal: &Literal) -> Option<Value> {
    let [kind, text, handle, length] = literal.list()? else {
        return None;
    };
    let handle = u32::try_from(handle.int()?)
        .ok()
        .filter(|&handle| handle > 0);
    Some(Value {
        kind: kind.text()?.to_string(),
        text: text.text()?.to_string(),
        handle: handle.map(Handle),
        length: u32::try_from(length.int()?).ok(),
    })
}

fn variable(name: &str, literal: &Literal) -> Option<Variable> {
    Some(Variable {
        name: name.to_string(),
        value: value(literal)?,
    })
}

/// Reads `(name, kind, text, handle, length)`.
fn named_variable(literal: &Literal) -> Option<Variable> {
    let (name, rest) = literal.list()?.split_first()?;
    variable(name.text()?, &Literal::List(rest.to_vec()))
}

/// Length limit of a part of a module's text in one line, before quoting.
const PART: usize = 512;

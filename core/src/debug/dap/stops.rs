//! Describes the state of a stopped program: threads, frames, scopes.

use alloc::{collections::BTreeMap, string::ToString, vec::Vec};

use serde_json::{Value, json};

use super::{Adapter, inspect::Reference, request::Request};
use crate::debug::{Container, Reason, Stop};

/// Meaning of the numbers handed out while the program is stopped.
#[derive(Debug, Default)]
pub(super) struct Stops {
    pub(super) stop: Option<Stop>,
    pub(super) references: Vec<Reference>,
    /// Small numbers for the threads that have stopped.
    threads: BTreeMap<u64, u32>,
}

/// Thread that a program begins with.
const MAIN_THREAD: u32 = 1;

impl Stops {
    pub(super) fn thread(&mut self, number: u64) -> u32 {
        if number == 0 {
            return MAIN_THREAD;
        }
        let next = MAIN_THREAD + 1 + u32::try_from(self.threads.len()).unwrap_or_default();
        *self.threads.entry(number).or_insert(next)
    }

    pub(super) fn forget(&mut self) {
        self.stop = None;
        self.references.clear();
    }

    /// Returns a number for a container of variables.
    pub(super) fn reference(&mut self, reference: Reference) -> usize {
        self.references.push(reference);
        self.references.len()
    }

    pub(super) fn referred(&self, number: u32) -> Option<Reference> {
        self.references
            .get((number as usize).checked_sub(1)?)
            .cloned()
    }
}

impl Adapter {
    pub(super) fn stopped(&mut self, stop: Stop) {
        let thread = self.stops.thread(stop.thread);
        let (reason, description) = reason(stop.reason);
        let mut body = json!({"reason": reason, "description": description, "threadId": thread, "allThreadsStopped": stop.thread == 0});
        if let Some(exception) = &stop.exception {
            body["text"] = exception.clone().into();
        }
        if let Some(part) = &stop.part {
            body["description"] = part.to_string().into();
            body["text"] = part.statement.clone().into();
        }
        self.stops.stop = Some(stop);
        self.event("stopped", body);
    }

    pub(super) fn threads(&mut self, request: &Request) {
        let others = self
            .stops
            .threads
            .values()
            .map(|id| json!({"id": id, "name": alloc::format!("thread {id}")}));
        let main = json!({"id": MAIN_THREAD, "name": "main"});
        let threads: Vec<_> = core::iter::once(main).chain(others).collect();
        self.answer(request, json!({"threads": threads}));
    }

    pub(super) fn stack_trace(&mut self, request: &Request) {
        let Some(stop) = self.stops.stop.clone() else {
            return self.refuse(request, "the program is running");
        };
        let is_known =
            |id: u32| id == MAIN_THREAD || self.stops.threads.values().any(|&one| one == id);
        if request.number("threadId").is_some_and(|id| !is_known(id)) {
            return self.refuse(request, "there is no such thread");
        }
        let first = request.number("startFrame").unwrap_or_default() as usize;
        let count = request
            .number("levels")
            .filter(|&levels| levels > 0)
            .unwrap_or(u32::MAX) as usize;
        let frames = stop.frames.iter().enumerate().skip(first).take(count);
        let part = |index: usize| stop.part.as_ref().filter(|_| index == 0);
        let frames: Vec<Value> = frames
            .map(|(index, frame)| {
                let mut shown = json!({
                    "id": index + 1, "name": frame.function, "source": self.source(frame.module),
                    "line": self.shown(frame.line), "column": u32::from(!self.columns_from_zero),
                });
                if let Some(part) = part(index) {
                    let column = |column: u32| column - u32::from(self.columns_from_zero);
                    shown["line"] = self.shown(part.start.line).into();
                    shown["column"] = column(part.start.column).into();
                    shown["endLine"] = self.shown(part.end.line).into();
                    shown["endColumn"] = column(part.end.column).into();
                }
                shown
            })
            .collect();
        self.answer(
            request,
            json!({"stackFrames": frames, "totalFrames": stop.frames.len()}),
        );
    }

    pub(super) fn scopes(&mut self, request: &Request) {
        let Some(frame) = self.frame(request) else {
            return self.refuse(request, "there is no such frame");
        };
        let [locals, globals] =
            [Container::Locals(frame), Container::Globals(frame)].map(|container| {
                self.stops.reference(Reference {
                    frame,
                    container,
                    parent: None,
                })
            });
        let is_body = self.is_body(frame);
        let locals = json!({"name": "Locals", "presentationHint": "locals", "variablesReference": locals, "expensive": false});
        let globals = json!({"name": "Globals", "presentationHint": "globals", "variablesReference": globals, "expensive": !is_body});
        let scopes = if is_body {
            Vec::from([globals])
        } else {
            Vec::from([locals, globals])
        };
        self.answer(request, json!({"scopes": scopes}));
    }

    /// Returns true for a frame of a module's own statements, whose variables are globals.
    pub(super) fn is_body(&self, frame: usize) -> bool {
        let stop = self.stops.stop.as_ref();
        let frame = stop.and_then(|stop| stop.frames.get(frame));
        frame.is_some_and(|frame| frame.function == "<module>")
    }

    /// Returns the stack index of the frame that a request names; the innermost one if it names none.
    pub(super) fn frame(&self, request: &Request) -> Option<usize> {
        let stop = self.stops.stop.as_ref()?;
        let index = match request.number("frameId") {
            Some(id) => (id as usize).checked_sub(1)?,
            None => 0,
        };
        (index < stop.frames.len()).then_some(index)
    }

    pub(super) fn exception_info(&mut self, request: &Request) {
        let stop = self.stops.stop.as_ref();
        let Some((exception, reason)) =
            stop.and_then(|stop| Some((stop.exception.clone()?, stop.reason)))
        else {
            return self.refuse(request, "the program did not stop at an exception");
        };
        let name = exception
            .split(['(', ':'])
            .next()
            .unwrap_or_default()
            .to_string();
        let mode = if reason == Reason::Raised {
            "always"
        } else {
            "unhandled"
        };
        self.answer(
            request,
            json!({"exceptionId": name, "description": exception, "breakMode": mode}),
        );
    }
}

fn reason(reason: Reason) -> (&'static str, &'static str) {
    match reason {
        Reason::Entry => ("entry", "Paused on entry"),
        Reason::Breakpoint => ("breakpoint", "Paused on breakpoint"),
        Reason::Step => ("step", "Paused on step"),
        Reason::Pause => ("pause", "Paused"),
        Reason::Interrupt => ("pause", "Interrupted; continuing raises KeyboardInterrupt"),
        Reason::Raised => ("exception", "Paused on exception"),
        Reason::Uncaught => ("exception", "Paused on uncaught exception"),
    }
}

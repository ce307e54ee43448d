//! Receives the debugger's messages, and passes them to their callers.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::ControlFlow,
};

use flylead_core::{
    debug::{
        self as core, BreakpointId, End, Event, ModuleId, Project, Reply as Answer, RequestId,
    },
    raw_repl,
};
use futures::channel::oneshot;

use super::{
    events::Events,
    types::{DebugEnd, DebugEvent, DebugFrame, DebugPart},
};
use crate::{
    binding::channel::Sender,
    binding::error::Error,
    driver::{Application, Driver},
};

/// One run of a program: its pending requests, and its end.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// `None` before the program was started and after it has ended.
    run: RefCell<Option<Run>>,
    requests: RefCell<BTreeMap<RequestId, oneshot::Sender<Result<Answer, Error>>>>,
    is_started: Cell<bool>,
    is_over: Cell<bool>,
}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) end: oneshot::Sender<Result<DebugEnd, Error>>,
    pub(super) events: Sender<Events>,
}

impl Conversation {
    /// Returns true for the first start before the end, and false otherwise.
    pub(super) fn start(&self) -> bool {
        !self.is_started.replace(true) && !self.is_over()
    }

    pub(super) fn begin(&self, run: Run) {
        self.run.replace(Some(run));
    }

    /// Returns true once the program has ended, or the conversation was closed.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    pub(super) fn expect(&self, id: RequestId, sender: oneshot::Sender<Result<Answer, Error>>) {
        self.requests.borrow_mut().insert(id, sender);
    }

    /// Closes the conversation: pending calls fail with `ClosedError`, as their senders are
    /// dropped.
    pub(super) fn close(&self) {
        self.is_over.set(true);
        self.run.take();
        self.requests.take();
    }

    fn tell(&self, event: DebugEvent) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.events.send(event);
        }
    }

    fn answer(&self, id: RequestId, reply: Result<Answer, core::DebugError>) {
        if let Some(sender) = self.requests.borrow_mut().remove(&id) {
            // Refused if the receiver is gone.
            let _ = sender.send(reply.map_err(Error::from));
        }
    }

    fn end(&self, driver: &Driver<core::Debugger>, end: &End) {
        self.is_over.set(true);
        let lost = |reason: &raw_repl::LostReason| Error::lost_board(reason, driver.fault());
        if let Some(run) = self.run.take() {
            // Refused if the receiver is gone.
            let _ = run.end.send(DebugEnd::new(end).map_err(lost));
        }
        self.requests.take();
    }
}

impl Application<core::Debugger> for Conversation {
    fn event(&self, driver: &Driver<core::Debugger>, event: Event) -> ControlFlow<()> {
        let file = |module: ModuleId| {
            driver.inspect(|debugger| path(debugger.session().project(), module))
        };
        match event {
            Event::Started => self.tell(DebugEvent::Started),
            Event::Output(bytes) => self.tell(DebugEvent::Output { bytes }),
            Event::Stopped(stop) => self.tell(stopped(stop, file)),
            Event::Continued => self.tell(DebugEvent::Continued),
            Event::Log { module, line, text } => self.tell(DebugEvent::Log {
                file: file(module),
                line,
                text,
            }),
            Event::Replied { id, reply } => self.answer(id, reply),
            Event::Verified(ids) => self.tell(DebugEvent::Verified {
                ids: ids.into_iter().map(|BreakpointId(id)| id).collect(),
            }),
            Event::Note(note) => self.tell(DebugEvent::Note {
                text: note.to_string(),
            }),
            Event::Ended(end) => {
                self.end(driver, &end);
                if let End::Lost(_) = end {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }
}

fn stopped(stop: core::Stop, file: impl Fn(ModuleId) -> String) -> DebugEvent {
    let frame = |frame: core::Frame| DebugFrame {
        file: file(frame.module),
        line: frame.line,
        function: frame.function,
    };
    DebugEvent::Stopped {
        reason: (&stop.reason).into(),
        frames: stop.frames.into_iter().map(frame).collect(),
        exception: stop.exception,
        part: stop.part.map(part),
    }
}

fn part(part: core::Part) -> DebugPart {
    let place = part.place.unwrap_or_default();
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    DebugPart {
        at: units(&part.statement[..place.start]),
        length: units(&part.statement[place]),
        expression: part.expression,
        value: part.value,
        becoming: part.becoming,
        statement: part.statement,
    }
}

fn path(project: &Project, module: ModuleId) -> String {
    project.file(module).path.clone()
}

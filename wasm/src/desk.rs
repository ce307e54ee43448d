//! Where a board's events meet the promises that wait for them.

use std::{
    cell::{Cell, OnceCell, RefCell},
    ops::ControlFlow,
};

use flylead_core::{
    board::{Answer, Board, Error, Event, Progress},
    raw_repl::Mode,
};
use js_sys::{Function, Promise};
use wasm_bindgen::JsValue;

use crate::{
    deferred::Deferred,
    driver::{Application, Driver},
    error, events,
    program::Program,
    queue::Queue,
    request::Pending,
};

/// One board's side of the border: what is under way, who listens, and why it ended.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) output_limit: usize,
    pub(crate) terminal: Queue,
    lost: Deferred,
    task: RefCell<Option<Task>>,
    /// What every command is answered with once the conversation is over.
    over: OnceCell<JsValue>,
    mode: Cell<Mode>,
    listeners: RefCell<Vec<Listener>>,
}

/// The one command that is under way.
#[derive(Debug)]
pub(crate) enum Task {
    /// A change of mode.
    Step(Deferred),
    Program(Program),
    Request(Pending),
}

#[derive(Debug, Clone)]
struct Listener {
    id: usize,
    callback: Function,
}

impl Desk {
    pub(crate) fn new(output_limit: usize) -> Self {
        Self {
            output_limit,
            terminal: Queue::new(output_limit),
            lost: Deferred::new(),
            task: RefCell::default(),
            over: OnceCell::new(),
            mode: Cell::new(Mode::Normal),
            listeners: RefCell::default(),
        }
    }

    pub(crate) fn lost(&self) -> Promise {
        self.lost.promise.clone()
    }

    /// Whether a command may be issued at all.
    pub(crate) fn check(&self) -> Result<(), JsValue> {
        self.over.get().cloned().map_or(Ok(()), Err)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.get().is_some()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.task.borrow().is_some()
    }

    /// Where the conversation stands.
    pub(crate) fn mode(&self, driver: &Driver<Board>) -> Mode {
        if self.is_over() {
            return Mode::Lost;
        }
        driver.inspect(Board::mode)
    }

    pub(crate) fn begin(&self, task: Task) {
        self.task.replace(Some(task));
    }

    /// Ends what is under way because the page closed the board.
    pub(crate) fn close(&self) {
        if self.over.set(error::closed()).is_ok() {
            self.abandon(&error::closed());
            self.terminal.end(Ok(()));
            self.lost.settle(Ok(JsValue::UNDEFINED));
            self.tell_mode(Mode::Lost);
        }
    }

    /// Calls `callback` with each new mode, and answers with the id to end that.
    pub(crate) fn listen(&self, callback: Function) -> usize {
        let mut listeners = self.listeners.borrow_mut();
        let id = listeners.last().map_or(0, |last| last.id + 1);
        listeners.push(Listener { id, callback });
        id
    }

    pub(crate) fn unlisten(&self, id: usize) {
        self.listeners
            .borrow_mut()
            .retain(|listener| listener.id != id);
    }

    fn tell_mode(&self, mode: Mode) {
        if self.mode.replace(mode) == mode {
            return;
        }
        // A listener may add or remove listeners, so they are called from a copy.
        let listeners = self.listeners.borrow().clone();
        for listener in listeners {
            let told = listener
                .callback
                .call1(&JsValue::UNDEFINED, &events::mode_name(mode).into());
            if let Err(error) = told {
                report(&error);
            }
        }
    }

    fn stdout(&self, driver: &Driver<Board>, bytes: Vec<u8>) {
        let overflows = match &mut *self.task.borrow_mut() {
            Some(Task::Program(program)) => program.take_output(bytes),
            Some(Task::Step(_) | Task::Request(_)) | None => false,
        };
        if overflows {
            // Refused only when the conversation is over, and then the program is too.
            let _ = driver.command(Board::interrupt);
        }
    }

    fn end(&self, error: JsValue) -> ControlFlow<()> {
        self.abandon(&error);
        self.terminal.end(Err(error.clone()));
        self.lost.settle(Ok(error.clone()));
        // Over only once: `close` may have come first.
        let _ = self.over.set(error);
        self.tell_mode(Mode::Lost);
        ControlFlow::Break(())
    }

    fn abandon(&self, error: &JsValue) {
        match self.task.take() {
            Some(Task::Step(answer)) => answer.settle(Err(error.clone())),
            Some(Task::Program(program)) => program.abandon(error),
            Some(Task::Request(request)) => request.abandon(error),
            None => {}
        }
    }
}

impl Application<Board> for Desk {
    fn event(&self, driver: &Driver<Board>, event: Event) -> ControlFlow<()> {
        match event {
            Event::Terminal(bytes) => self.terminal.push(bytes),
            Event::Stdout(bytes) => self.stdout(driver, bytes),
            Event::Progress(progress) => self.progress(progress),
            Event::Answered(answer) => self.answered(answer),
            Event::Released(_) | Event::Content(_) => {}
            Event::Lost { reason } => return self.end(error::lost(reason, driver.fault())),
        }
        ControlFlow::Continue(())
    }

    fn settled(&self, driver: &Driver<Board>) {
        self.tell_mode(self.mode(driver));
    }
}

impl Desk {
    fn progress(&self, progress: Progress) {
        if let Some(Task::Request(request)) = &*self.task.borrow() {
            request.tell(progress);
        }
    }

    fn answered(&self, answer: Result<Answer, Error>) {
        match (self.task.take(), answer) {
            // The loss itself comes next, and knows what the link threw.
            (Some(task), Err(Error::Lost(_))) => self.begin(task),
            (Some(Task::Request(request)), answer) => request.finish(answer),
            (Some(Task::Program(program)), Ok(Answer::Ran(outcome))) => program.finish(&outcome),
            (Some(Task::Step(step)), Ok(_)) => step.settle(Ok(JsValue::UNDEFINED)),
            (Some(Task::Program(program)), Ok(_)) => drop(program),
            (Some(Task::Program(program)), Err(error)) => program.abandon(&error::file(&error, "")),
            (Some(Task::Step(step)), Err(error)) => step.settle(Err(error::file(&error, ""))),
            (None, _) => {}
        }
    }
}

/// A listener's own mistake is shown like any other uncaught one, and stops nothing here.
fn report(error: &JsValue) {
    drop(Promise::reject(error));
}

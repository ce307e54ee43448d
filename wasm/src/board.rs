//! A board as a JavaScript object.

use std::{cell::OnceCell, rc::Rc, time::Duration};

use flylead_core::{
    Instant,
    raw_repl::{CommandError, Mode, RawRepl},
};
use js_sys::{Function, Promise};
use wasm_bindgen::{JsValue, closure::Closure, prelude::wasm_bindgen};

use crate::{
    deferred::Deferred,
    desk::{Desk, Task},
    driver::Driver,
    error, events,
    link::Link,
    options::{self, AttachOptions},
    program::Program,
    queue::Queue,
    run::Run,
    streams::{self, object},
    terminal,
};

/// A conversation with one board.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Board {
    driver: Rc<Driver<RawRepl>>,
    desk: Rc<Desk>,
    terminal: OnceCell<JsValue>,
}

#[wasm_bindgen]
impl Board {
    /// Takes both streams of an open link.
    ///
    /// # Errors
    /// A `TypeError` when a stream is missing or locked, a `RangeError` for an option that makes no sense.
    pub fn attach(link: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let options = AttachOptions::read(options)?;
        let link = Link::lock(link)?;
        let desk = Rc::new(Desk::new(options.output_limit));
        Ok(Self {
            driver: Driver::spawn(link, RawRepl::new(options.config), Rc::clone(&desk)),
            desk,
            terminal: OnceCell::new(),
        })
    }

    /// Where the conversation stands.
    #[wasm_bindgen(getter)]
    pub fn mode(&self) -> String {
        let mode = match self.desk.is_over() {
            true => Mode::Lost,
            false => self.driver.inspect(RawRepl::mode),
        };
        events::mode_name(mode).to_owned()
    }

    /// Calls `listener` with each new mode until the answer is called.
    #[wasm_bindgen(js_name = onMode)]
    pub fn on_mode(&self, listener: Function) -> JsValue {
        let id = self.desk.listen(listener);
        let desk = Rc::clone(&self.desk);
        Closure::<dyn Fn()>::new(move || desk.unlisten(id)).into_js_value()
    }

    /// Resolves when the conversation is over.
    #[wasm_bindgen(getter)]
    pub fn lost(&self) -> Promise {
        self.desk.lost()
    }

    /// Goes into raw mode.
    pub fn enter(&self) -> Promise {
        self.step(RawRepl::enter, Task::Enter)
    }

    /// Runs a program and collects its output.
    pub fn exec(&self, source: &JsValue, options: &JsValue) -> Promise {
        let program = Program::collected(self.desk.output_limit);
        let answer = program.answer();
        self.start(source, options, program)
            .map_or_else(|error| Promise::reject(&error), |()| answer)
    }

    /// Runs a program with its output live.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, source: &JsValue, options: &JsValue) -> Result<Run, JsValue> {
        let queue = Queue::new(self.desk.output_limit);
        let program = Program::live(queue.clone());
        let run = Run::new(queue, program.answer());
        self.start(source, options, program).map(|()| run)
    }

    /// Sends Ctrl-C.
    ///
    /// # Errors
    /// When the conversation is over.
    pub fn interrupt(&self) -> Result<(), JsValue> {
        self.command(RawRepl::interrupt)
    }

    /// Restarts the interpreter.
    #[wasm_bindgen(js_name = softReset)]
    pub fn soft_reset(&self) -> Promise {
        self.step(RawRepl::soft_reset, Task::SoftReset)
    }

    /// Goes back to the normal prompt.
    pub fn leave(&self) -> Promise {
        self.step(RawRepl::leave, Task::Leave)
    }

    /// Types.
    ///
    /// # Errors
    /// When nobody there could read it.
    pub fn send(&self, data: &JsValue) -> Result<(), JsValue> {
        let bytes = streams::bytes(data)?;
        self.command(|repl, now| repl.send(now, &bytes))
    }

    /// The board's prompt as a pair of streams.
    #[wasm_bindgen(getter)]
    pub fn terminal(&self) -> JsValue {
        self.terminal.get_or_init(|| self.open_terminal()).clone()
    }

    /// Ends the conversation and unlocks the link.
    pub fn close(&self) -> Promise {
        self.end();
        Promise::resolve(&JsValue::UNDEFINED)
    }

    /// `close`, for `await using`.
    #[wasm_bindgen(js_name = "[Symbol.asyncDispose]")]
    pub fn dispose(&self) -> Promise {
        self.close()
    }
}

impl Board {
    fn command(
        &self,
        command: impl FnOnce(&mut RawRepl, Instant) -> Result<(), CommandError>,
    ) -> Result<(), JsValue> {
        self.desk.check()?;
        self.driver.command(command).map_err(error::refused)
    }

    /// A command that ends with an event, one at a time.
    fn begin(
        &self,
        task: Task,
        command: impl FnOnce(&mut RawRepl, Instant) -> Result<(), CommandError>,
    ) -> Result<(), JsValue> {
        self.desk.check()?;
        if self.desk.is_busy() {
            return Err(error::refused(CommandError::Busy));
        }
        self.command(command)?;
        self.desk.begin(task);
        Ok(())
    }

    fn step(
        &self,
        command: impl FnOnce(&mut RawRepl, Instant) -> Result<(), CommandError>,
        task: impl FnOnce(Deferred) -> Task,
    ) -> Promise {
        let deferred = Deferred::new();
        let promise = deferred.promise.clone();
        self.begin(task(deferred), command)
            .map_or_else(|error| Promise::reject(&error), |()| promise)
    }

    fn start(&self, source: &JsValue, options: &JsValue, program: Program) -> Result<(), JsValue> {
        let source = streams::bytes(source)?;
        let timeout: Option<Duration> = options::duration(options, "timeout")?;
        self.begin(Task::Program(program), |repl, now| {
            repl.exec(now, &source, timeout)
        })
    }

    fn open_terminal(&self) -> JsValue {
        let keyboard = terminal::keyboard(Rc::clone(&self.driver), Rc::clone(&self.desk));
        let screen = streams::readable(self.desk.terminal.clone());
        object(&[("readable", screen), ("writable", keyboard)]).into()
    }

    fn end(&self) {
        self.driver.close();
        self.desk.close();
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.end();
    }
}

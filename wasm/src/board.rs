//! A board as a JavaScript object.

use std::{cell::OnceCell, rc::Rc, time::Duration};

use flylead_core::board::{self, Request};
use js_sys::{Function, Promise};
use wasm_bindgen::{JsValue, closure::Closure, prelude::wasm_bindgen};

use crate::{
    conversation::Conversation,
    desk::{Desk, Task},
    driver::Driver,
    events,
    files::Files,
    link::{self, Link},
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
    conversation: Conversation,
    terminal: OnceCell<JsValue>,
    files: OnceCell<JsValue>,
}

#[wasm_bindgen]
impl Board {
    /// Takes both streams of an open link.
    ///
    /// # Errors
    /// A `TypeError` when a stream is missing or locked, a `RangeError` for an option that makes no sense.
    pub fn attach(link: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let options = AttachOptions::read(options)?;
        let mut config = board::Config::default();
        config.repl = options.config;
        config.text_link = link::is_text_only(link);
        let link = Link::lock(link)?;
        let desk = Rc::new(Desk::new(options.output_limit));
        let driver = Driver::spawn(link, board::Board::new(config), Rc::clone(&desk));
        Ok(Self {
            conversation: Conversation { driver, desk },
            terminal: OnceCell::new(),
            files: OnceCell::new(),
        })
    }

    /// Where the conversation stands.
    #[wasm_bindgen(getter)]
    pub fn mode(&self) -> String {
        let mode = self.desk().mode(&self.conversation.driver);
        events::mode_name(mode).to_owned()
    }

    /// Calls `listener` with each new mode until the answer is called.
    #[wasm_bindgen(js_name = onMode)]
    pub fn on_mode(&self, listener: Function) -> JsValue {
        let id = self.desk().listen(listener);
        let desk = Rc::clone(self.desk());
        Closure::<dyn Fn()>::new(move || desk.unlisten(id)).into_js_value()
    }

    /// Resolves when the conversation is over.
    #[wasm_bindgen(getter)]
    pub fn lost(&self) -> Promise {
        self.desk().lost()
    }

    /// Goes into raw mode.
    pub fn enter(&self) -> Promise {
        self.conversation.step(Request::Enter)
    }

    /// Runs a program and collects its output.
    pub fn exec(&self, source: &JsValue, options: &JsValue) -> Promise {
        let program = Program::collected(self.desk().output_limit);
        let answer = program.answer();
        self.start(source, options, program)
            .map_or_else(|error| Promise::reject(&error), |()| answer)
    }

    /// Runs a program with its output live.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, source: &JsValue, options: &JsValue) -> Result<Run, JsValue> {
        let queue = Queue::new(self.desk().output_limit);
        let program = Program::live(queue.clone());
        let run = Run::new(queue, program.answer());
        self.start(source, options, program).map(|()| run)
    }

    /// Sends Ctrl-C, or ends the transfer under way.
    ///
    /// # Errors
    /// When the conversation is over.
    pub fn interrupt(&self) -> Result<(), JsValue> {
        self.conversation.interrupt()
    }

    /// Restarts the interpreter.
    #[wasm_bindgen(js_name = softReset)]
    pub fn soft_reset(&self) -> Promise {
        self.conversation.step(Request::SoftReset)
    }

    /// Goes back to the normal prompt.
    pub fn leave(&self) -> Promise {
        self.conversation.step(Request::Leave)
    }

    /// Types.
    ///
    /// # Errors
    /// When nobody there could read it.
    pub fn send(&self, data: &JsValue) -> Result<(), JsValue> {
        self.conversation.send(&streams::bytes(data)?)
    }

    /// The board's prompt as a pair of streams.
    #[wasm_bindgen(getter)]
    pub fn terminal(&self) -> JsValue {
        self.terminal.get_or_init(|| self.open_terminal()).clone()
    }

    /// The board's files.
    #[wasm_bindgen(getter)]
    pub fn files(&self) -> JsValue {
        let make = || Files::new(self.conversation.clone()).into();
        self.files.get_or_init(make).clone()
    }

    /// Ends the conversation and unlocks the link.
    pub fn close(&self) -> Promise {
        self.conversation.end();
        Promise::resolve(&JsValue::UNDEFINED)
    }

    /// `close`, for `await using`.
    #[wasm_bindgen(js_name = "[Symbol.asyncDispose]")]
    pub fn dispose(&self) -> Promise {
        self.close()
    }
}

impl Board {
    fn start(&self, source: &JsValue, options: &JsValue, program: Program) -> Result<(), JsValue> {
        let source = streams::bytes(source)?;
        let timeout: Option<Duration> = options::duration(options, "timeout")?;
        self.conversation
            .begin(Task::Program(program), Request::Exec { source, timeout })
    }

    fn open_terminal(&self) -> JsValue {
        let keyboard = terminal::keyboard(self.conversation.clone());
        let screen = streams::readable(self.desk().terminal.clone());
        object(&[("readable", screen), ("writable", keyboard)]).into()
    }

    fn desk(&self) -> &Rc<Desk> {
        &self.conversation.desk
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.conversation.end();
    }
}

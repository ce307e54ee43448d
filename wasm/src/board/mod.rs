//! MicroPython boards: their programs, their files, their prompt.

mod answers;
mod error;
mod files;
mod options;
mod session;
mod terminal;

use std::{cell::OnceCell, rc::Rc};

use flylead_core::{
    board::{self, Request},
    raw_repl,
};
use futures::{StreamExt, stream::LocalBoxStream};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    binding::arguments::{Data, Options, Streams},
    binding::channel::{Bytes, channel},
    binding::error::Error,
    binding::values::words,
    link::Link,
    task::{Reply, Task},
    types::Outcome,
};
use answers::Answered;
pub use answers::{
    Capabilities, Content, EntryKind, FileEntry, Progress, Space, TransferMethod, Written,
};
pub use files::{Files, MakeDirectoryOptions, NewEntries, NewEntry, RemoveOptions, TreeOptions};
pub use options::{AttachOptions, ExecOptions, ExecResult};
pub use session::Listener;
use session::{Conversation, News};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str =
    r#"import type { Link, LostError, Run, Terminal, Transfer } from "../../types/index.js";"#;

/// Conversation with one board. It sends nothing before the first request, and handles one request at a time.
///
/// In Rust, dropping it closes it:
///
/// ```no_run
/// # async fn example(port: flylead_wasm::link::serial::SerialPort) -> Result<(), flylead_wasm::Error> {
/// let board = flylead_wasm::Board::attach(port.into(), None)?;
/// let result = board.exec("print(6 * 7)".into(), None).await?;
/// assert_eq!(result.stdout, "42\r\n");
/// # Ok(()) }
/// ```
#[wasm_bindgen]
#[derive(Debug)]
pub struct Board {
    conversation: Rc<Conversation>,
    files: OnceCell<JsValue>,
    terminal: OnceCell<JsValue>,
}

words! {
    /// State of the conversation with a board.
    Mode of raw_repl::Mode {
        /// At the friendly prompt, or running a program there.
        Normal,
        /// Entering raw mode.
        Entering,
        /// In raw mode, waiting for a command.
        Raw,
        /// Running a program, or working with files.
        Running,
        /// Resetting the interpreter.
        Resetting,
        /// Closed.
        Lost,
    }
}

#[wasm_bindgen]
impl Board {
    /// Takes both streams of an open link and locks them until `close`. Fails with a `TypeError` if one is missing (the
    /// port is not open) or locked.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for the link or an option.
    pub fn attach(link: Streams, options: Option<Options<AttachOptions>>) -> Result<Self, Error> {
        let options = Options::get(options)?;
        let conversation = Conversation::begin(Link::lock(&link)?, &options);
        Ok(Self {
            conversation,
            files: OnceCell::new(),
            terminal: OnceCell::new(),
        })
    }

    /// State of the conversation.
    #[wasm_bindgen(getter)]
    pub fn mode(&self) -> Mode {
        self.conversation.mode()
    }

    /// Resolves when the conversation ends: with the reason if the board was lost, without one after `close`.
    #[wasm_bindgen(getter, unchecked_return_type = "Promise<LostError | undefined>")]
    pub fn lost(&self) -> Reply<Option<Error>> {
        self.conversation.session.ending.lost()
    }

    /// Enters raw mode, interrupting whatever runs. Programs and file commands do so themselves.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn enter(&self) -> Reply<()> {
        self.step(Request::Enter)
    }

    /// Restarts the interpreter: variables are lost, `boot.py` runs, `main.py` does not. The board is then in raw mode.
    #[wasm_bindgen(js_name = softReset, unchecked_return_type = "Promise<void>")]
    pub fn soft_reset(&self) -> Reply<()> {
        self.step(Request::SoftReset)
    }

    /// Returns to the normal prompt.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn leave(&self) -> Reply<()> {
        self.step(Request::Leave)
    }

    /// Runs a program and collects its output. Fails with `ProgramError` if it raised an exception, `RestartedError`,
    /// `TimeoutError`, `TooLongError` (it printed more than `outputLimit` and was interrupted), `BusyError`,
    /// `ControlByteError`, `LostError`.
    #[wasm_bindgen(unchecked_return_type = "Promise<ExecResult>")]
    pub fn exec(&self, source: Data, options: Option<Options<ExecOptions>>) -> Reply<ExecResult> {
        let stdout = Rc::default();
        let limit = self.conversation.session.output_limit;
        let news = News::Collected(Rc::clone(&stdout));
        let asked = program(&source, options);
        let asked = asked.and_then(|program| self.conversation.request(program, news));
        Reply::new(async move { ExecResult::new(asked?.await?, stdout.take(), limit) })
    }

    /// Runs a program with live output. Iterate the returned task for the output as it arrives, in JavaScript as text
    /// whose characters are never cut in two. `cancel` sends Ctrl-C, which a program may catch, and repeats it each
    /// second for ten seconds. The outcome fails only with `LostError` or `ClosedError`, and need not be awaited.
    ///
    /// ```ts
    /// const run = board.run("for i in range(3): print(i)");
    /// for await (const text of run) terminal.write(text);
    /// const outcome = await run;
    /// if (outcome.kind === "raised") show(outcome.traceback);
    /// ```
    ///
    /// # Errors
    /// Throws `BusyError`, `ControlByteError` or `LostError` if it cannot be started.
    #[wasm_bindgen(unchecked_return_type = "Run")]
    pub fn run(
        &self,
        source: Data,
        options: Option<Options<ExecOptions>>,
    ) -> Result<Task<Outcome, Vec<u8>>, Error> {
        let (output, events) = channel(Bytes::new(self.conversation.session.output_limit));
        let program = program(&source, options)?;
        let ended = self.conversation.request(program, News::Output(output))?;
        let outcome = ended.map(Outcome::read);
        Ok(Task::new(outcome, events, self.conversation.canceler()))
    }

    /// Sends Ctrl-C: ends a running program with `KeyboardInterrupt`, clears a half-typed line. A file command ends
    /// with `CancelledError`.
    ///
    /// # Errors
    /// The conversation has ended.
    pub fn interrupt(&self) -> Result<(), Error> {
        self.conversation.command(board::Board::interrupt)
    }

    /// Types at the normal prompt, or into the running program's stdin.
    ///
    /// # Errors
    /// `NotRunningError` if nothing reads there, `LostError`.
    pub fn send(&self, data: Data) -> Result<(), Error> {
        let bytes = data.bytes()?;
        self.conversation.command(|board, _| board.send(&bytes))
    }

    /// Ends the conversation and unlocks both streams of the link, which stay open. Earlier requests are still sent; a
    /// request in progress ends with `ClosedError`. May be called twice.
    pub fn close(&self) {
        self.conversation.close();
    }
}

/// Methods only for Rust.
impl Board {
    /// Returns the board's files.
    #[must_use]
    pub fn files(&self) -> Files {
        Files::new(Rc::clone(&self.conversation))
    }

    /// Calls `listener` with each new mode, until the returned value is dropped.
    pub fn on_mode(&self, listener: impl Fn(Mode) + 'static) -> Listener {
        self.conversation.session.listen(Rc::new(listener))
    }

    /// Returns the board's output while no program of ours runs, to the first caller.
    #[must_use]
    pub fn output(&self) -> Option<LocalBoxStream<'static, Vec<u8>>> {
        let output = self.conversation.session.unread_terminal.take()?;
        Some(output.boxed_local())
    }

    fn step(&self, request: Request) -> Reply<()> {
        let stepped = self.conversation.request(request, News::None);
        Reply::new(async move { stepped?.await.map(drop) })
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.close();
    }
}

fn program(source: &Data, options: Option<Options<ExecOptions>>) -> Result<Request, Error> {
    Ok(Request::Exec {
        timeout: Options::get(options)?.timeout,
        source: source.bytes()?,
    })
}

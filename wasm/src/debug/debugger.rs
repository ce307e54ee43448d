//! A debugged program, as the application sees it.

use std::{collections::BTreeMap, fmt, rc::Rc};

use flylead_core::{
    Instant,
    debug::{
        self as core, DebugError, Exceptions, Launch, Project, Reach, Reply as Answer, RequestId,
        Session, SyntaxError,
    },
    raw_repl::Config,
};
use serde::{Deserialize, de::DeserializeOwned};
use tsify::Tsify;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use super::{
    conversation::{Conversation, Run},
    events::Events,
    types::{
        DebugBreakpoint, DebugBreakpointStatus, DebugContainer, DebugEnd, DebugEvent,
        DebugExceptions, DebugStep, DebugValue, DebugVariable,
    },
};
use crate::{
    binding::arguments::{Data, Options, Streams, Text},
    binding::channel::channel,
    binding::error::{Error, ErrorKind},
    binding::random::eight_digits,
    binding::values::{self},
    driver::Driver,
    link::Link,
    task::{Reply, Task},
};

/// Options for debugging a program. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DebuggerOptions {
    /// Imported modules in which the program may stop, by their path among the modules, such as `lib/sensor.py`: the
    /// board gets them from here. Default: none.
    #[tsify(type = "Record<string, string>")]
    pub modules: BTreeMap<String, String>,
    /// Stops at the first statement. Default `false`.
    pub stop_on_entry: bool,
    /// Stops at every exception, even in functions that `withoutCallers` leaves without hooks. Default `false`.
    pub raised: bool,
    /// Stops at exceptions that nothing will catch, even in such functions. Default `false`.
    pub uncaught: bool,
    /// Adds hooks only to functions with breakpoints: all others run at full speed, and are stepped over. Default
    /// `false`.
    pub without_callers: bool,
    /// Adds hooks to the parts of expressions, for steps of `part`; the program is slower. Default `false`.
    pub parts: bool,
    /// The program's `sys.argv`, the program's name first. Default: as it is on the board.
    pub arguments: Vec<String>,
    /// Resets the board first. Default `false`.
    pub reset: bool,
    /// Limit of unread output, in bytes; the newest is kept. Default 16 MiB.
    #[tsify(type = "number")]
    pub output_limit: Option<usize>,
}

/// Debugged program on a MicroPython board: it stops at breakpoints, continues by steps, and shows its variables. It is
/// sent with hooks in every function; the board needs no special firmware, and keeps none of the hooks. In Rust,
/// dropping it closes it.
///
/// ```ts
/// const debug = Debugger.attach(link, "main.py", "for i in range(3):\n    print(i)\n");
/// debug.setBreakpoints("main.py", [{ line: 2 }]);
/// const run = debug.run();
/// for await (const event of run) {
///   if (event.kind !== "stopped") continue;
///   console.log(event.frames[0].line, await debug.evaluate(0, "i * i"));
///   debug.resume("continue");
/// }
/// console.log((await run).kind); // completed
/// debug.close();
/// ```
#[wasm_bindgen]
pub struct Debugger {
    driver: Rc<Driver<core::Debugger>>,
    conversation: Rc<Conversation>,
    output_limit: usize,
}

#[wasm_bindgen]
extern "C" {
    /// List of [`DebugBreakpoint`]s.
    #[wasm_bindgen(typescript_type = "DebugBreakpoint[]")]
    pub type Breakpoints;

    /// A [`DebugContainer`].
    #[wasm_bindgen(typescript_type = "DebugContainer")]
    pub type Container;

    /// A [`DebugExceptions`].
    #[wasm_bindgen(typescript_type = "DebugExceptions")]
    pub type ExceptionsWish;

    /// A [`DebugStep`].
    #[wasm_bindgen(typescript_type = "DebugStep")]
    pub type Step;
}

#[wasm_bindgen]
impl Debugger {
    /// Takes both streams of an open link to a board at its prompt, and locks them until `close`. `file` is the name of
    /// the program in frames, tracebacks and `setBreakpoints`; nothing is sent before `run`.
    ///
    /// # Errors
    /// `SourceError` if the program or a module is not valid Python; a `TypeError` for the link or an option.
    pub fn attach(
        link: Streams,
        file: &str,
        program: &str,
        options: Option<Options<DebuggerOptions>>,
    ) -> Result<Self, Error> {
        let options = Options::get(options)?;
        let project = project(file, program, &options.modules)?;
        let mut machine =
            core::Debugger::new(Session::new(project, options.launch()), Config::default());
        machine.reset_first(options.reset);
        let link = Link::lock(&link)?;
        let conversation = Rc::new(Conversation::default());
        let driver = Driver::spawn(link, machine, Rc::clone(&conversation));
        Ok(Self {
            driver,
            conversation,
            output_limit: options.output_limit.unwrap_or(OUTPUT_LIMIT),
        })
    }

    /// Replaces the breakpoints of a file, also while the program runs. Returns the status of each one, in the same
    /// order.
    ///
    /// # Errors
    /// A `TypeError` for a file that is not part of the program, or for an invalid breakpoint.
    #[wasm_bindgen(js_name = setBreakpoints, unchecked_return_type = "DebugBreakpointStatus[]")]
    pub fn set_breakpoints(&self, file: &str, breakpoints: &Breakpoints) -> Result<JsValue, Error> {
        let wishes: Vec<DebugBreakpoint> = read(breakpoints, "breakpoints")?;
        let wishes: Vec<_> = wishes.into_iter().map(Into::into).collect();
        let unknown = || Error::argument(format_args!("{file} is not a file of the program"));
        let statuses = self.command(|session, now| {
            let module = session.project().find(file)?;
            Some(session.set_breakpoints(now, module, &wishes))
        });
        let statuses = statuses.ok_or_else(unknown)?;
        let statuses: Vec<DebugBreakpointStatus> = statuses.into_iter().map(Into::into).collect();
        Ok(values::to_js(&statuses))
    }

    /// Sets the exceptions at which to stop. This takes effect immediately in a stopped program, and at the next stop
    /// of a running one.
    ///
    /// # Errors
    /// A `TypeError` for an invalid value.
    #[wasm_bindgen(js_name = setExceptions)]
    pub fn set_exceptions(&self, exceptions: &ExceptionsWish) -> Result<(), Error> {
        let exceptions: DebugExceptions = read(exceptions, "the exceptions")?;
        self.command(|session, now| session.set_exceptions(now, exceptions.into()));
        Ok(())
    }

    /// Starts the program, once. The task's result is the program's end; it fails with `LostError`, `ClosedError`. Its
    /// `cancel` ends the program with `KeyboardInterrupt`, wherever it is.
    ///
    /// # Errors
    /// `BusyError` if it was started before.
    #[wasm_bindgen(unchecked_return_type = "Debugging")]
    pub fn run(&self) -> Result<Task<DebugEnd, DebugEvent>, Error> {
        if !self.conversation.start() {
            return Err(Error::new(
                ErrorKind::Busy,
                "the program has already been started",
            ));
        }
        let (end, reply) = Reply::channel();
        let (events, receiver) = channel(Events::new(self.output_limit));
        self.conversation.begin(Run { end, events });
        self.command(|session, _| session.start());
        let (driver, conversation) = (Rc::clone(&self.driver), Rc::clone(&self.conversation));
        Ok(Task::new(reply, receiver, move || {
            if !conversation.is_over() {
                driver.command(|debugger, now| debugger.session_mut().terminate(now));
            }
        }))
    }

    /// Resumes the stopped program.
    ///
    /// # Errors
    /// `DebugError` if it is not stopped.
    pub fn resume(&self, step: &Step) -> Result<(), Error> {
        let step: DebugStep = read(step, "a step")?;
        Ok(self.command(|session, now| session.resume(now, step.into()))?)
    }

    /// Asks the running program to stop, which it does at its next hook that checks for a pause. If it reaches none for
    /// two seconds, or reads input, it is stopped by Ctrl-C, with the reason `interrupt`: it can be inspected, and
    /// continues with `KeyboardInterrupt`, which ends most programs.
    pub fn pause(&self) {
        self.command(Session::pause);
    }

    /// Types text or bytes into the running program's stdin.
    ///
    /// # Errors
    /// `DebugError` while it is stopped, because it would read the data as a command of the debugger.
    pub fn send(&self, data: Data) -> Result<(), Error> {
        let bytes = data.bytes()?;
        Ok(self.command(|session, _| session.send(&bytes))?)
    }

    /// Returns variables of a stopped program, or the items of a value. Fails with `DebugError`.
    #[wasm_bindgen(unchecked_return_type = "Promise<DebugVariable[]>")]
    pub fn variables(&self, of: &Container) -> Result<Reply<Vec<DebugVariable>>, Error> {
        let of: DebugContainer = read(of, "where the variables are")?;
        let asked = self.ask(|session, now| session.variables(now, of.into()));
        Ok(asked.map(|answer| match answer {
            Answer::Variables(variables) => variables.into_iter().map(Into::into).collect(),
            Answer::Value(_) | Answer::Done => Vec::new(),
        }))
    }

    /// Evaluates an expression in a frame of the stopped program, or runs a statement there, which has no value. Fails
    /// with `DebugError`.
    #[wasm_bindgen(unchecked_return_type = "Promise<DebugValue | undefined>")]
    pub fn evaluate(&self, frame: usize, python: Text) -> Result<Reply<Option<DebugValue>>, Error> {
        let python = python.get()?;
        let asked = self.ask(|session, now| session.evaluate(now, frame, &python));
        Ok(asked.map(value))
    }

    /// Sets a variable or an item of the stopped program to the value of an expression in a frame, and returns its new
    /// value. Fails with `DebugError`.
    #[wasm_bindgen(js_name = setVariable, unchecked_return_type = "Promise<DebugValue | undefined>")]
    pub fn set_variable(
        &self,
        frame: usize,
        of: &Container,
        name: &str,
        python: &str,
    ) -> Result<Reply<Option<DebugValue>>, Error> {
        let of: DebugContainer = read(of, "where the variable is")?;
        let asked =
            self.ask(|session, now| session.set_variable(now, frame, of.into(), name, python));
        Ok(asked.map(value))
    }

    /// Ends the conversation and unlocks both streams of the link, which stay open. A board whose program has ended
    /// returns to its normal prompt; a running program is left alone, so `cancel` the run and await it first. May be
    /// called twice.
    pub fn close(&self) {
        // Refused if the program still runs, or the board is gone.
        let _ = self
            .driver
            .command(|debugger, _| debugger.repl_mut().leave());
        self.driver.close();
        self.conversation.close();
    }
}

impl Debugger {
    fn command<R>(&self, command: impl FnOnce(&mut Session, Instant) -> R) -> R {
        self.driver
            .command(|debugger, now| command(debugger.session_mut(), now))
    }

    fn ask(
        &self,
        request: impl FnOnce(&mut Session, Instant) -> Result<RequestId, DebugError>,
    ) -> Reply<Answer> {
        let (sender, reply) = Reply::channel();
        let asked = match self.conversation.is_over() {
            true => Err(DebugError::Over),
            false => self.command(request),
        };
        match asked {
            Ok(id) => self.conversation.expect(id, sender),
            // The receiver exists: it is the returned answer.
            Err(error) => drop(sender.send(Err(error.into()))),
        }
        reply
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Debugger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Debugger")
    }
}

impl DebuggerOptions {
    fn launch(&self) -> Launch {
        Launch {
            stop_on_entry: self.stop_on_entry,
            exceptions: Exceptions {
                raised: self.raised,
                uncaught: self.uncaught,
            },
            reach: match self.without_callers {
                true => Reach::Only,
                false => Reach::All,
            },
            parts: self.parts,
            arguments: self.arguments.clone(),
            token: eight_digits(),
        }
    }
}

/// Assembles the program and the modules that it imports, directly or indirectly.
fn project(
    file: &str,
    program: &str,
    modules: &BTreeMap<String, String>,
) -> Result<Project, Error> {
    let mut project = Project::new(file, program).map_err(|error| source(file, &error))?;
    loop {
        let wanted = project.wanted();
        if wanted.is_empty() {
            return Ok(project);
        }
        for name in wanted {
            if let Some(text) = modules.get(&name) {
                let added = project.add(&name, name.as_str(), text);
                added.map_err(|error| source(&name, &error))?;
            }
        }
    }
}

fn source(file: &str, error: &SyntaxError) -> Error {
    let kind = ErrorKind::Source {
        file: file.to_owned(),
        line: error.line,
        column: error.column,
    };
    Error::new(kind, &error.message)
}

fn value(answer: Answer) -> Option<DebugValue> {
    match answer {
        Answer::Value(value) => Some(value.into()),
        Answer::Variables(_) | Answer::Done => None,
    }
}

fn read<T: DeserializeOwned>(value: &JsValue, what: &str) -> Result<T, Error> {
    serde_wasm_bindgen::from_value(value.clone())
        .map_err(|error| Error::argument(format_args!("give {what} as it is declared: {error}")))
}

/// Default output limit, in bytes.
const OUTPUT_LIMIT: usize = 16 << 20;

//! One environment, and the program that runs in it.

use alloc::{string::String, sync::Arc, vec, vec::Vec};
use core::{fmt, mem};

use crate::{
    compile::{Compiler, World},
    error::{Error, Fault},
    machine::budget::{Budget, Share},
    machine::page::Pages,
    machine::results::Results,
    machine::symbol::Symbols,
    machine::value::Value,
    machine::vm::{Pause, Vm},
    place::{Origin, Source},
    primitive::Primitive,
    print::{Item, Output, Walk},
    reader::Reader,
};

/// Limits of a program's resources.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Memory of the environment and the running program together, in bytes; the count is approximate.
    pub memory: usize,
    /// Limit of nested calls. A tail call does not count.
    pub depth: usize,
    /// Limit of stored output, in bytes. Further output is only counted.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            depth: 200_000,
            output: 256 << 10,
        }
    }
}

/// Result of running a program for a slice of fuel.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The fuel is used up; run it again.
    OutOfFuel,
    /// The program reads a line, but no input is available: call [`input`](Interpreter::input) or
    /// [`end_input`](Interpreter::end_input), then run it again.
    NeedsInput,
    /// A form has a value, which can be [inspected](Interpreter::next_item) before the next one runs. Only if the
    /// [source](Source::each_form) requests it.
    Form,
    /// The program has ended. Its value is available until another one begins.
    Done(Result<(), Error>),
}

/// An environment, whose definitions persist from one program to the next.
pub struct Interpreter {
    /// Names, shared with the environment of which this is a [copy](Self::fork) until more are needed.
    pub(crate) symbols: Arc<Symbols>,
    pub(crate) vm: Vm,
    work: Work,
    each_form: bool,
    results: Results,
    /// Number of names that every environment has.
    own_names: usize,
    items: Walk,
    pages: Pages,
    share: Share,
    /// Operations since the last check for memory to release.
    untidied: u64,
}

#[derive(Debug)]
enum Work {
    Nothing,
    Read { source: Source, reader: Reader },
    Compile(Compiler),
    Run(Compiler),
}

impl Interpreter {
    /// Creates an environment with only the language's own functions.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::within(limits, &Budget::unlimited())
    }

    /// Creates an environment that shares a memory budget with others.
    #[must_use]
    pub fn within(limits: Limits, budget: &Budget) -> Self {
        let mut symbols = Symbols::new();
        let mut vm = Vm::new(limits);
        for (symbol, primitive) in Primitive::all(&mut symbols) {
            vm.set_global(symbol, Value::Primitive(primitive));
        }
        let results = Results::new(&mut symbols);
        Self {
            own_names: symbols.len(),
            symbols: Arc::new(symbols),
            vm,
            work: Work::Nothing,
            each_form: false,
            results,
            items: Walk::default(),
            pages: Pages::default(),
            share: budget.share(),
            untidied: 0,
        }
    }

    /// Returns a factory of environments with only the language's own functions, which share a budget and their first
    /// names.
    pub fn many(limits: Limits, budget: &Budget) -> impl Fn() -> Self + Send + Sync + use<> {
        let first = Self::within(limits, budget);
        move || {
            let limits = &first.vm.limits;
            let fork = first.fork();
            fork.unwrap_or_else(|_| Self::within(limits.clone(), first.share.budget()))
        }
    }

    /// Copies the environment, without a running program.
    ///
    /// # Errors
    /// The budget does not have enough memory left.
    pub fn fork(&self) -> Result<Self, Error> {
        let mut fork = Self {
            symbols: Arc::clone(&self.symbols),
            vm: self.vm.clone(),
            work: Work::Nothing,
            each_form: false,
            results: self.results.clone(),
            own_names: self.own_names,
            items: Walk::default(),
            pages: Pages::default(),
            share: self.share.budget().share(),
            untidied: self.untidied,
        };
        fork.vm.stop();
        fork.vm.output = Output::new(fork.vm.limits.output);
        fork.reserve(fork.vm.held_bytes()).map_err(untraced)?;
        Ok(fork)
    }

    /// Prepares to evaluate all forms of `source`, abandoning a running program. If the source is invalid, none of it
    /// runs, and [`run`](Self::run) returns the error.
    pub fn begin(&mut self, source: impl Into<Source>) {
        let source = source.into();
        self.stop();
        self.each_form = source.each_form;
        let reader = Reader::new(&source, self.vm.limits.memory);
        self.work = Work::Read { source, reader };
    }

    /// Reads, compiles and evaluates for at most about `fuel` operations. An operation takes some nanoseconds.
    pub fn run(&mut self, fuel: u64) -> Step {
        self.run_for(&mut { fuel })
    }

    /// Like [`run`](Self::run), and subtracts the operations used from the fuel.
    pub fn run_for(&mut self, fuel: &mut u64) -> Step {
        let before = *fuel;
        let step = self.run_on(fuel);
        self.untidied += before - *fuel;
        if matches!(step, Step::Done(_)) {
            self.rest(self.untidied);
        }
        step
    }

    fn run_on(&mut self, fuel: &mut u64) -> Step {
        loop {
            match self.advance(fuel) {
                Ok(Some(step)) => return step,
                Ok(None) if *fuel == 0 => return self.pause(),
                Ok(None) => {}
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Abandons the running program. Its definitions persist.
    pub fn stop(&mut self) {
        self.vm.stop();
        self.work = Work::Nothing;
        self.items = Walk::default();
        self.pages = Pages::default();
        self.rest(self.untidied);
    }

    /// Releases as much memory as possible, before a time without evaluations. It does nothing while a program runs, or
    /// if none has run since.
    pub fn tidy(&mut self) {
        if self.untidied > 0 && matches!(self.work, Work::Nothing) {
            self.rest(u64::MAX);
            self.untidied = 0;
        }
    }

    /// Passes typed input to a program: lines with their ends.
    pub fn input(&mut self, text: &str) {
        self.vm.input.push(text);
    }

    /// Makes the next read without input return the end of the input.
    pub fn end_input(&mut self) {
        self.vm.input.end();
    }

    /// Returns number of unread bytes of input.
    #[must_use]
    pub fn unread_input(&self) -> usize {
        self.vm.input.bytes()
    }

    /// Returns the output since the last call, and a lower bound of the number of bytes dropped
    /// because it was too long.
    pub fn take_output(&mut self) -> (String, usize) {
        let empty = Output::new(self.vm.limits.output);
        let output = mem::replace(&mut self.vm.output, empty);
        let omitted = output.omitted();
        (output.into_text(), omitted)
    }

    /// Returns the next part of the last form's value; from the beginning after [`rewind`](Self::rewind).
    pub fn next_item(&mut self) -> Option<Item<'_>> {
        self.items.step(self.vm.names(&self.symbols))
    }

    /// Starts again at the beginning of the last form's value.
    pub fn rewind(&mut self) {
        self.items = Walk::of(self.vm.result);
        self.pages = Pages::of(self.vm.result);
    }

    /// Returns the next page of the last form's value as it prints: at most `limit` bytes, fewer
    /// only at its end or where a character would be cut. It starts from the beginning after
    /// [`rewind`](Self::rewind).
    pub fn next_page(&mut self, limit: usize) -> String {
        self.pages.next(limit, self.vm.names(&self.symbols))
    }

    /// Returns true if there is more for [`next_page`](Self::next_page).
    #[must_use]
    pub fn has_page(&self) -> bool {
        self.pages.is_unfinished()
    }

    /// Returns the printed value, truncated to this length.
    pub fn printed(&mut self, limit: usize) -> String {
        self.rewind();
        self.next_page(limit)
    }

    fn advance(&mut self, fuel: &mut u64) -> Result<Option<Step>, Error> {
        match mem::replace(&mut self.work, Work::Nothing) {
            Work::Nothing => Ok(Some(Step::Done(Ok(())))),
            Work::Read { source, reader } => self.read(source, reader, fuel),
            Work::Compile(compiler) => self.compile(compiler, fuel),
            Work::Run(compiler) => self.execute(compiler, fuel),
        }
    }

    fn read(
        &mut self,
        source: Source,
        mut reader: Reader,
        fuel: &mut u64,
    ) -> Result<Option<Step>, Error> {
        let before = self.symbols.bytes();
        let read = reader.step(&source, &mut self.symbols, fuel)?;
        // An environment whose names fill their part of the memory still runs programs without new names.
        if self.symbols.bytes() > before.max(self.vm.limits.memory / 2) {
            return Err(untraced(Fault::memory_full(self.vm.limits.memory)));
        }
        if !read {
            self.work = Work::Read { source, reader };
            return Ok(None);
        }
        let (tree, lines) = reader.into_parts();
        let name = source.name;
        self.work = Work::Compile(Compiler::new(tree, Origin { name, lines }));
        Ok(None)
    }

    fn compile(&mut self, mut compiler: Compiler, fuel: &mut u64) -> Result<Option<Step>, Error> {
        let mut world = World {
            heap: &mut self.vm.heap,
            symbols: &self.symbols,
            globals: &self.vm.globals,
        };
        let unit = compiler.step(&mut world, fuel).map_err(untraced)?;
        self.work = match unit {
            None => Work::Compile(compiler),
            Some(unit) => {
                self.vm.start(unit, &self.symbols);
                let used = self.vm.used_bytes();
                self.vm.room = used + START_ROOM.max(used / 2);
                Work::Run(compiler)
            }
        };
        Ok(None)
    }

    fn execute(&mut self, compiler: Compiler, fuel: &mut u64) -> Result<Option<Step>, Error> {
        let paused = self.vm.run(*fuel, &self.symbols);
        *fuel = self.vm.fuel;
        let pause = paused.map_err(|fault| self.traced(fault))?;
        if pause == Pause::Ended {
            return Ok(self.ended(compiler));
        }
        self.work = Work::Run(compiler);
        match pause {
            Pause::OutOfRoom { wanted } => self.make_room(wanted).map_err(|fault| {
                let error = self.traced(fault);
                self.work = Work::Nothing;
                error
            })?,
            Pause::NeedsInput => return Ok(Some(Step::NeedsInput)),
            Pause::OutOfFuel | Pause::Ended => {}
        }
        Ok(None)
    }

    /// Handles the end of a form: begins the next one, or ends.
    fn ended(&mut self, compiler: Compiler) -> Option<Step> {
        let (last, empty) = (compiler.is_done(), compiler.is_empty());
        if !last {
            self.work = Work::Compile(compiler);
        }
        if (last || self.each_form) && !empty {
            self.results.add(&mut self.vm);
            self.rewind();
        }
        if self.each_form && !empty {
            return Some(Step::Form);
        }
        last.then_some(Step::Done(Ok(())))
    }

    fn fail(&mut self, error: Error) -> Step {
        self.stop();
        self.results.add_error(&mut self.vm, &error);
        Step::Done(Err(error))
    }

    /// Checks between two slices if there is enough memory for the result of the last one.
    fn pause(&mut self) -> Step {
        let runs = matches!(self.work, Work::Run(_));
        let used = match runs {
            true => self.vm.room.max(self.vm.used_bytes()),
            false => self.vm.used_bytes(),
        };
        let full = self.vm.heap.bytes() > self.vm.limits.memory;
        let checked = match full && !runs {
            true => Err(Fault::memory_full(self.vm.limits.memory)),
            false => self.reserve(used),
        };
        match checked {
            Ok(()) => Step::OutOfFuel,
            Err(fault) => {
                let error = self.traced(fault);
                self.fail(error)
            }
        }
    }

    fn make_room(&mut self, wanted: usize) -> Result<(), Fault> {
        let roots: Vec<_> = self.items.values().chain(self.pages.values()).collect();
        let more = wanted.saturating_sub(self.vm.used_bytes());
        let room = self.vm.make_room(wanted, &self.symbols, &roots)?;
        let needed = self.vm.used_bytes() + more + START_ROOM;
        self.vm.room = match self.reserve(room) {
            Ok(()) => room,
            Err(_) => self.reserve(needed).map(|()| needed)?,
        };
        Ok(())
    }

    /// Reserves this much of the budget for the machine, in addition to the needs of everything else.
    fn reserve(&mut self, machine: usize) -> Result<(), Fault> {
        let rest = match &self.work {
            Work::Nothing => 0,
            Work::Read { source, reader } => source.code.len() + reader.bytes(),
            Work::Compile(compiler) | Work::Run(compiler) => compiler.bytes(),
        };
        let bytes = machine + rest + self.symbols.bytes();
        match self.share.resize(bytes) {
            true => Ok(()),
            false => Err(Fault::budget_spent(self.share.budget().limit())),
        }
    }

    /// Forgets unused names; the heap has just been compacted.
    fn forget_names(&mut self) {
        let mut marked = vec![false; self.symbols.len()];
        marked[..self.own_names].fill(true);
        let looked_at = self.items.values().chain(self.pages.values());
        self.vm.mark_names(&mut marked, looked_at);
        Arc::make_mut(&mut self.symbols).keep(&marked);
        self.vm.globals.truncate(self.symbols.len());
        self.vm.globals.shrink_to_fit();
    }

    /// Releases memory that is unnecessary between two programs, if the last check was enough operations ago.
    fn rest(&mut self, operations: u64) {
        let grown = self.symbols.has_grown() && matches!(self.work, Work::Nothing);
        if self.vm.is_worth_compacting(operations, grown) {
            let looked_at = self.items.values_mut().chain(self.pages.values_mut());
            self.vm.compact(looked_at);
            self.forget_names();
            self.untidied = 0;
        }
        // Held memory was reserved before; a small excess is refused to the next program.
        let _ = self.reserve(self.vm.held_bytes());
    }
}

/// Omits the heap, which may contain millions of objects.
impl fmt::Debug for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interpreter")
            .field("limits", &self.vm.limits)
            .field("memory", &self.share.bytes())
            .finish_non_exhaustive()
    }
}

/// Creates an error without a position.
fn untraced(fault: Fault) -> Error {
    fault.with_trace(Vec::new(), 0)
}

/// Memory that a program may use before the first check of its limit, in bytes.
const START_ROOM: usize = 64 << 10;

//! Runs code: a stack of values, a stack of calls, and a heap.

use alloc::vec::Vec;

use crate::{
    error::{ErrorKind, Fault},
    input::Lines,
    interpreter::Limits,
    machine::heap::{Closure, Handle, Heap, UnitHandle},
    machine::op::{Op, Place, Unit},
    machine::symbol::{Symbol, Symbols},
    machine::value::Value,
    print::{Names, Output},
};

/// The machine that runs units, independent of sources and protocols.
#[derive(Debug, Clone)]
pub(crate) struct Vm {
    pub(crate) heap: Heap,
    pub(crate) output: Output,
    pub(crate) input: Lines,
    pub(crate) globals: Vec<Value>,
    pub(crate) stack: Vec<Value>,
    pub(crate) callers: Vec<Frame>,
    pub(crate) frame: Option<Frame>,
    /// Result of the last unit, valid until the next one begins.
    pub(crate) result: Value,
    pub(crate) fuel: u64,
    /// Amount of memory in use at which to make room.
    pub(crate) room: usize,
    pub(crate) limits: Limits,
}

/// Active function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) unit: UnitHandle,
    pub(crate) next: u32,
    /// Start of its variables on the stack; below them is the function itself.
    pub(crate) base: u32,
    pub(crate) scope: Option<Handle>,
}

/// Reason why the machine paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    OutOfFuel,
    /// The machine has used up its memory: it needs this many bytes, after a collection.
    OutOfRoom {
        wanted: usize,
    },
    /// The program reads a line, and none is available yet.
    NeedsInput,
    /// The unit has a result.
    Ended,
}

impl Vm {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            heap: Heap::new(),
            output: Output::new(limits.output),
            input: Lines::default(),
            globals: Vec::new(),
            stack: Vec::new(),
            callers: Vec::new(),
            frame: None,
            result: Value::Nil,
            fuel: 0,
            room: 0,
            limits,
        }
    }

    pub(crate) fn set_global(&mut self, symbol: Symbol, value: Value) {
        if self.globals.len() <= symbol.index() {
            self.globals.resize(symbol.index() + 1, Value::Unset);
        }
        self.globals[symbol.index()] = value;
    }

    pub(crate) fn global(&self, symbol: Symbol) -> Option<Value> {
        let value = self.globals.get(symbol.index()).copied()?;
        (value != Value::Unset).then_some(value)
    }

    /// Prepares to run a unit.
    pub(crate) fn start(&mut self, unit: Unit, symbols: &Symbols) {
        self.stop();
        if self.globals.len() < symbols.len() {
            self.globals.resize(symbols.len(), Value::Unset);
        }
        let unit = self.heap.insert_unit(unit);
        self.stack.push(Value::Nil);
        self.frame = Some(Frame {
            unit,
            next: 0,
            base: 1,
            scope: None,
        });
    }

    /// Drops the running program.
    pub(crate) fn stop(&mut self) {
        let main = self.callers.first().copied().or(self.frame.take());
        self.frame = None;
        self.result = Value::Nil;
        self.stack.clear();
        self.stack.shrink_to(IDLE_STACK);
        self.callers.clear();
        self.callers.shrink_to(IDLE_STACK);
        if let Some(Frame { unit, .. }) = main {
            self.forget_unit(unit);
        }
    }

    /// Runs until the unit has a result, or other work has to come first. After a fault, the frames are unchanged, so
    /// that its position can be determined.
    pub(crate) fn run(&mut self, fuel: u64, symbols: &Symbols) -> Result<Pause, Fault> {
        self.fuel = fuel;
        let Some(mut frame) = self.frame else {
            return Ok(Pause::Ended);
        };
        let pause = self.run_frame(&mut frame, symbols);
        if pause != Ok(Pause::Ended) {
            self.frame = Some(frame);
        }
        pause
    }

    fn run_frame(&mut self, frame: &mut Frame, symbols: &Symbols) -> Result<Pause, Fault> {
        while self.fuel > 0 {
            self.fuel -= 1;
            let op = self.heap.unit(frame.unit).ops[frame.next as usize];
            frame.next += 1;
            match op {
                Op::Nil => self.stack.push(Value::Nil),
                Op::Bool(truth) => self.stack.push(Value::Bool(truth)),
                Op::Number(number) => self.stack.push(Value::Number(number.into())),
                Op::Constant(constant) => {
                    let value = self.heap.unit(frame.unit).constants[constant as usize];
                    self.stack.push(value);
                }
                Op::Stack { slot } => self.stack.push(self.stack[(frame.base + slot) as usize]),
                Op::Scope { out, slot } => {
                    let value = self.heap.scope_value(frame.scope, out, slot);
                    self.stack.push(value);
                }
                Op::Global(symbol) => match self.globals[symbol.index()] {
                    Value::Unset => return Err(unbound(symbol, symbols)),
                    value => self.stack.push(value),
                },
                Op::Lookup(lookup) => self.look_up(lookup, frame, symbols)?,
                Op::SetStack { slot } => self.stack[(frame.base + slot) as usize] = self.top(),
                Op::SetScope { slot } => self.heap.set_scope_value(frame.scope, slot, self.top()),
                Op::SetGlobal(symbol) => self.globals[symbol.index()] = self.top(),
                Op::Jump(target) => frame.next = target,
                Op::JumpIfFalse(target) => {
                    if !self.pop().is_true() {
                        frame.next = target;
                    }
                }
                Op::Pop => {
                    self.pop();
                }
                Op::MakeFunction(function) => self.make_function(function, frame),
                Op::Call(count) => {
                    if let Some(pause) = self.call(count, frame, false, symbols)? {
                        return Ok(pause);
                    }
                }
                Op::TailCall(count) => {
                    if let Some(pause) = self.call(count, frame, true, symbols)? {
                        return Ok(pause);
                    }
                }
                Op::Return => {
                    if self.give_back(frame) {
                        return Ok(Pause::Ended);
                    }
                }
                Op::Raise(error) => {
                    return Err(self.heap.unit(frame.unit).errors[error as usize].clone());
                }
            }
        }
        Ok(Pause::OutOfFuel)
    }

    fn make_function(&mut self, function: u32, frame: &Frame) {
        let closure = Closure {
            unit: frame.unit,
            function,
            scope: frame.scope,
        };
        let value = self.heap.closure(closure);
        self.stack.push(value);
    }

    fn look_up(&mut self, lookup: u32, frame: &Frame, symbols: &Symbols) -> Result<(), Fault> {
        let lookup = &self.heap.unit(frame.unit).lookups[lookup as usize];
        let value = lookup
            .places
            .iter()
            .map(|place| match *place {
                Place::Stack { slot } => self.stack[(frame.base + slot) as usize],
                Place::Scope { out, slot } => self.heap.scope_value(frame.scope, out, slot),
            })
            .find(|value| *value != Value::Unset)
            .unwrap_or(self.globals[lookup.symbol.index()]);
        if value == Value::Unset {
            return Err(unbound(lookup.symbol, symbols));
        }
        self.stack.push(value);
        Ok(())
    }

    fn top(&self) -> Value {
        self.stack.last().copied().unwrap_or(Value::Nil)
    }

    pub(crate) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Nil)
    }

    /// Frees a unit that has run, unless it contains a function that may still be called.
    pub(crate) fn forget_unit(&mut self, unit: UnitHandle) {
        if self.heap.unit(unit).functions.is_empty() {
            self.heap.remove_unit(unit);
        }
    }

    pub(crate) fn names<'a>(&'a self, symbols: &'a Symbols) -> Names<'a> {
        Names {
            heap: &self.heap,
            symbols,
        }
    }
}

/// Capacity of the stacks kept between programs.
const IDLE_STACK: usize = 64;

fn unbound(symbol: Symbol, symbols: &Symbols) -> Fault {
    let name = symbols.name(symbol);
    let message = alloc::format!("undefined variable: {name}");
    Fault::new(ErrorKind::UnboundVariable, message)
}

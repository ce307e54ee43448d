//! Running code: a stack of values, a stack of calls, and a heap.

use alloc::{format, vec::Vec};

use super::{
    error::{Error, ErrorKind},
    heap::{Closure, Handle, Heap, PAIR_BYTES, UnitHandle},
    interpreter::{Limits, memory_full},
    op::{Function, Op, Place, Unit},
    primitive::{Primitive, World},
    print::{Names, Output, brief},
    symbol::{Symbol, Symbols},
    value::Value,
};

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) heap: Heap,
    pub(super) output: Output,
    globals: Vec<Value>,
    stack: Vec<Value>,
    callers: Vec<Frame>,
    frame: Option<Frame>,
    fuel: u64,
    /// At this much memory in use, make room.
    room: usize,
    limits: Limits,
}

/// A function at work.
#[derive(Debug, Clone, Copy)]
struct Frame {
    unit: UnitHandle,
    next: u32,
    /// Where its variables begin on the stack; below them is the function itself.
    base: u32,
    scope: Option<Handle>,
}

impl Machine {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            heap: Heap::default(),
            output: Output::new(limits.output),
            globals: Vec::new(),
            stack: Vec::new(),
            callers: Vec::new(),
            frame: None,
            fuel: 0,
            room: FIRST_ROOM.min(limits.memory),
            limits,
        }
    }

    pub(super) fn set_global(&mut self, symbol: Symbol, value: Value) {
        if self.globals.len() <= symbol.index() {
            self.globals.resize(symbol.index() + 1, Value::Unset);
        }
        self.globals[symbol.index()] = value;
    }

    /// Makes ready to run a unit.
    pub(super) fn start(&mut self, unit: Unit, symbols: &Symbols) {
        self.stop();
        self.globals.resize(symbols.len(), Value::Unset);
        let unit = self.heap.insert_unit(unit);
        self.stack.push(Value::Nil);
        self.frame = Some(Frame {
            unit,
            next: 0,
            base: 1,
            scope: None,
        });
    }

    /// Forgets what was running.
    pub(super) fn stop(&mut self) {
        let main = self.callers.first().copied().or(self.frame.take());
        self.frame = None;
        self.stack.clear();
        self.stack.shrink_to(IDLE_STACK);
        self.callers.clear();
        self.callers.shrink_to(IDLE_STACK);
        if let Some(Frame { unit, .. }) = main
            && self.heap.unit(unit).functions.is_empty()
        {
            self.heap.remove_unit(unit);
        }
    }

    /// Runs until the unit has a value, or `None` when the fuel is used up.
    pub(super) fn run(&mut self, fuel: u64, symbols: &Symbols) -> Result<Option<Value>, Error> {
        self.fuel = fuel;
        let Some(mut frame) = self.frame else {
            return Ok(Some(Value::Nil));
        };
        while self.fuel > 0 {
            self.fuel -= 1;
            let op = self.heap.unit(frame.unit).ops[frame.next as usize];
            frame.next += 1;
            match op {
                Op::Push(value) => self.stack.push(value),
                Op::Stack { slot } => self.stack.push(self.stack[(frame.base + slot) as usize]),
                Op::Scope { out, slot } => {
                    self.stack
                        .push(self.heap.scope_value(frame.scope, out, slot));
                }
                Op::Global(symbol) => match self.globals[symbol.index()] {
                    Value::Unset => return Err(unbound(symbol, symbols)),
                    value => self.stack.push(value),
                },
                Op::Lookup(lookup) => self.look_up(lookup, &frame, symbols)?,
                Op::SetStack { slot } => self.stack[(frame.base + slot) as usize] = self.top(),
                Op::SetScope { slot } => self.heap.set_scope_value(frame.scope, slot, self.top()),
                Op::SetGlobal(symbol) => self.globals[symbol.index()] = self.top(),
                Op::Jump(target) => frame.next = target,
                Op::JumpIfFalse(target) => {
                    if !self.pop().is_true() {
                        frame.next = target;
                    }
                }
                Op::MakeFunction(function) => {
                    let closure = Closure {
                        unit: frame.unit,
                        function,
                        scope: frame.scope,
                    };
                    let value = self.heap.closure(closure);
                    self.stack.push(value);
                }
                Op::Call(count) => self.call(count, &mut frame, false, symbols)?,
                Op::TailCall(count) => {
                    self.call(count, &mut frame, true, symbols)?;
                    if self.frame.is_none() {
                        return Ok(Some(self.pop()));
                    }
                }
                Op::Return => {
                    self.give_back(&mut frame);
                    if self.frame.is_none() {
                        return Ok(Some(self.pop()));
                    }
                }
                Op::Pop => {
                    self.pop();
                }
                Op::Raise(error) => {
                    return Err(self.heap.unit(frame.unit).errors[error as usize].clone());
                }
            }
        }
        self.frame = Some(frame);
        Ok(None)
    }

    fn top(&self) -> Value {
        self.stack.last().copied().unwrap_or(Value::Nil)
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Nil)
    }

    fn look_up(&mut self, lookup: u32, frame: &Frame, symbols: &Symbols) -> Result<(), Error> {
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
}

/// Calls.
impl Machine {
    fn call(
        &mut self,
        count: u32,
        frame: &mut Frame,
        tail: bool,
        symbols: &Symbols,
    ) -> Result<(), Error> {
        if self.calculate(count) {
            if tail {
                self.give_back(frame);
            }
            return Ok(());
        }
        if self.used() + count as usize * PAIR_BYTES >= self.room {
            self.make_room(count, frame, symbols)?;
        }
        let arguments = self.stack.len() - count as usize;
        match self.stack[arguments - 1] {
            Value::Primitive(primitive) => {
                self.apply(primitive, arguments, symbols)?;
                if tail {
                    self.give_back(frame);
                }
                Ok(())
            }
            Value::Function(function) => {
                let closure = self.heap.get_closure(function);
                let function = self.heap.unit(closure.unit).functions[closure.function as usize];
                if function.parameters != count {
                    return Err(wrong_parameters(function.parameters, count));
                }
                let arguments = if tail {
                    self.replace_frame(frame, arguments)
                } else {
                    self.keep_frame(frame)?;
                    arguments
                };
                self.enter(closure, function, arguments, frame);
                Ok(())
            }
            other => Err(not_a_function(other, Names::new(&self.heap, symbols))),
        }
    }

    /// Two numbers and an operator are most of what programs do: done here if it cannot fail.
    fn calculate(&mut self, count: u32) -> bool {
        let [
            ..,
            Value::Primitive(primitive),
            Value::Number(a),
            Value::Number(b),
        ] = self.stack[..]
        else {
            return false;
        };
        let Some(value) = primitive.calculate(a, b).filter(|_| count == 2) else {
            return false;
        };
        self.stack.truncate(self.stack.len() - 2);
        if let Some(top) = self.stack.last_mut() {
            *top = value;
        }
        true
    }

    fn apply(
        &mut self,
        primitive: Primitive,
        arguments: usize,
        symbols: &Symbols,
    ) -> Result<(), Error> {
        let mut world = World {
            heap: &mut self.heap,
            symbols,
            output: &mut self.output,
        };
        let value = primitive.apply(&self.stack[arguments..], &mut world)?;
        self.stack.truncate(arguments);
        self.stack[arguments - 1] = value;
        Ok(())
    }

    fn keep_frame(&mut self, frame: &Frame) -> Result<(), Error> {
        if self.callers.len() >= self.limits.depth {
            return Err(too_deep(self.limits.depth));
        }
        self.callers.push(*frame);
        Ok(())
    }

    /// Moves the function and its arguments to where the caller's were: a tail call costs no stack.
    fn replace_frame(&mut self, frame: &Frame, arguments: usize) -> usize {
        let base = frame.base as usize;
        let end = self.stack.len();
        self.stack.copy_within(arguments - 1..end, base - 1);
        self.stack.truncate(base + (end - arguments));
        base
    }

    fn enter(&mut self, closure: Closure, function: Function, arguments: usize, frame: &mut Frame) {
        let mut scope = closure.scope;
        if function.captured {
            scope = Some(
                self.heap
                    .scope(&self.stack[arguments..], function.locals, scope),
            );
            self.stack.truncate(arguments);
        } else if function.locals > 0 {
            let end = self.stack.len() + function.locals as usize;
            self.stack.resize(end, Value::Unset);
        }
        *frame = Frame {
            unit: closure.unit,
            next: function.entry,
            base: u32::try_from(arguments).unwrap_or(u32::MAX),
            scope,
        };
    }

    /// Puts the value on top in place of the call, and goes on with the caller; without one, the unit has ended.
    fn give_back(&mut self, frame: &mut Frame) {
        let value = self.pop();
        let base = frame.base as usize;
        self.stack.truncate(base);
        self.stack[base - 1] = value;
        match self.callers.pop() {
            Some(caller) => *frame = caller,
            None => {
                self.frame = None;
                if self.heap.unit(frame.unit).functions.is_empty() {
                    self.heap.remove_unit(frame.unit);
                }
            }
        }
    }
}

/// Memory.
impl Machine {
    fn used(&self) -> usize {
        self.heap.bytes()
            + self.stack.len() * size_of::<Value>()
            + self.callers.len() * size_of::<Frame>()
    }

    #[cold]
    fn make_room(&mut self, count: u32, frame: &Frame, symbols: &Symbols) -> Result<(), Error> {
        self.collect(frame);
        let names = symbols.bytes();
        let limit = self.limits.memory.saturating_sub(names);
        let wanted = self.used() + count as usize * PAIR_BYTES;
        // The last part stays free, or a program at the edge would collect at every step.
        if wanted > limit - limit / 8 {
            return Err(memory_full(self.limits.memory));
        }
        self.room = (wanted * 2).max(FIRST_ROOM).min(limit);
        Ok(())
    }

    fn collect(&mut self, frame: &Frame) {
        for value in self.stack.iter().chain(&self.globals) {
            self.heap.mark(*value);
        }
        for frame in self.callers.iter().chain([frame]) {
            self.heap.mark_scope(frame.scope);
            self.heap.mark_unit(frame.unit);
        }
        self.heap.sweep();
        let work = (self.heap.places() + self.stack.len()) / PLACES_PER_FUEL;
        self.fuel = self.fuel.saturating_sub(work as u64);
    }
}

/// Memory in use before the first collection, in bytes.
const FIRST_ROOM: usize = 1 << 20;

/// How many places a collection looks at in the time of one operation.
const PLACES_PER_FUEL: usize = 2;

/// What the stacks keep between programs.
const IDLE_STACK: usize = 256;

fn unbound(symbol: Symbol, symbols: &Symbols) -> Error {
    let name = symbols.name(symbol);
    Error::new(
        ErrorKind::UnboundVariable,
        format!("undefined variable: {name}"),
    )
}

fn not_a_function(value: Value, names: Names<'_>) -> Error {
    Error::new(
        ErrorKind::Type,
        format!("not a function: {}", brief(value, names)),
    )
}

fn wrong_parameters(wanted: u32, got: u32) -> Error {
    Error::new(
        ErrorKind::Arity,
        format!("function expects {wanted} arguments, got {got}"),
    )
}

fn too_deep(depth: usize) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!(
            "calls nest deeper than {depth}; make the last call of the function the recursive one"
        ),
    )
}

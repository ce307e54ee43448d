//! Calls of functions and primitives, and returns.

use alloc::format;

use crate::{
    error::{ErrorKind, Fault},
    machine::heap::{Closure, PAIR_BYTES},
    machine::op::Function,
    machine::symbol::Symbols,
    machine::value::Value,
    machine::vm::{Frame, Pause, Vm},
    primitive::{Primitive, World},
    print::{Names, brief},
};

impl Vm {
    /// Calls the value below this many arguments, and continues there. Returns the reason if that is not possible yet:
    /// the same instruction must then be run again.
    pub(crate) fn call(
        &mut self,
        count: u32,
        frame: &mut Frame,
        tail: bool,
        symbols: &Symbols,
    ) -> Result<Option<Pause>, Fault> {
        if self.calculate(count) {
            return Ok(self.returned(frame, tail));
        }
        let text = self.text_bytes(count);
        self.fuel = self.fuel.saturating_sub((text / BYTES_PER_FUEL) as u64);
        let wanted = self.used_bytes() + count as usize * PAIR_BYTES + text;
        if wanted >= self.room {
            return Ok(again(frame, Pause::OutOfRoom { wanted }));
        }
        let arguments = self.stack.len() - count as usize;
        match self.stack[arguments - 1] {
            Value::Primitive(Primitive::ReadLine) if count == 0 && !self.input.is_ready() => {
                Ok(again(frame, Pause::NeedsInput))
            }
            Value::Primitive(primitive) => {
                self.apply(primitive, arguments, symbols)?;
                Ok(self.returned(frame, tail))
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
                Ok(None)
            }
            other => Err(not_a_function(other, self.names(symbols))),
        }
    }

    /// Puts the value on top in place of the call, and continues with the caller. Returns true without a caller: the
    /// unit has ended.
    pub(crate) fn give_back(&mut self, frame: &mut Frame) -> bool {
        let value = self.pop();
        let base = frame.base as usize;
        self.stack.truncate(base);
        self.stack[base - 1] = value;
        if let Some(caller) = self.callers.pop() {
            *frame = caller;
            return false;
        }
        self.frame = None;
        self.forget_unit(frame.unit);
        self.result = self.pop();
        true
    }

    /// Returns the bytes of text that a string function examines, and that a new string may have.
    fn text_bytes(&self, count: u32) -> usize {
        let (Value::Primitive(primitive), arguments) = self.called(count) else {
            return 0;
        };
        if !primitive.is_of_strings() {
            return 0;
        }
        let texts = arguments.iter().filter_map(|value| match value {
            Value::Text(text) => Some(self.heap.str(*text).len()),
            _ => None,
        });
        texts.sum()
    }

    /// Returns the called function, and its arguments.
    fn called(&self, count: u32) -> (Value, &[Value]) {
        let arguments = self.stack.len() - count as usize;
        (self.stack[arguments - 1], &self.stack[arguments..])
    }

    /// Completes a call that returned immediately.
    fn returned(&mut self, frame: &mut Frame, tail: bool) -> Option<Pause> {
        (tail && self.give_back(frame)).then_some(Pause::Ended)
    }

    /// Computes two numbers and an operator, the most frequent operation of programs, if that cannot fail.
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
    ) -> Result<(), Fault> {
        let mut world = World {
            heap: &mut self.heap,
            symbols,
            output: &mut self.output,
            input: &mut self.input,
        };
        let value = primitive.apply(&self.stack[arguments..], &mut world)?;
        self.stack.truncate(arguments);
        self.stack[arguments - 1] = value;
        Ok(())
    }

    fn keep_frame(&mut self, frame: &Frame) -> Result<(), Fault> {
        if self.callers.len() >= self.limits.depth {
            return Err(too_deep(self.limits.depth));
        }
        self.callers.push(*frame);
        Ok(())
    }

    /// Moves the function and its arguments to the caller's place: a tail call uses no stack.
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
            let values = &self.stack[arguments..];
            scope = Some(self.heap.scope(values, function.locals, scope));
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
}

/// Number of bytes that a string function processes in the time of one operation.
const BYTES_PER_FUEL: usize = 64;

/// Repeats the call later.
fn again(frame: &mut Frame, pause: Pause) -> Option<Pause> {
    frame.next -= 1;
    Some(pause)
}

fn not_a_function(value: Value, names: Names<'_>) -> Fault {
    let message = format!("not a function: {}", brief(value, names));
    Fault::new(ErrorKind::Type, message)
}

fn wrong_parameters(wanted: u32, got: u32) -> Fault {
    let message = format!("function expects {wanted} arguments, got {got}");
    Fault::new(ErrorKind::Arity, message)
}

fn too_deep(depth: usize) -> Fault {
    let message = format!(
        "calls nest deeper than {depth}; make the last call of the function the recursive one"
    );
    Fault::new(ErrorKind::Limit, message)
}

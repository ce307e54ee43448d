//! Position of a running program, for errors.

use alloc::string::String;

use crate::{
    error::{Call, Error, Fault},
    interpreter::Interpreter,
    machine::symbol::Symbol,
    machine::vm::Frame,
};

impl Interpreter {
    /// Adds the position to a fault: the active functions, innermost first.
    pub(crate) fn traced(&self, fault: Fault) -> Error {
        let frames = self.vm.callers.iter().chain(&self.vm.frame);
        let count = self.vm.callers.len() + usize::from(self.vm.frame.is_some());
        let omitted = count.saturating_sub(INNERMOST + OUTERMOST);
        let shown = |at: &usize| *at < INNERMOST || *at >= INNERMOST + omitted;
        let trace = frames
            .rev()
            .enumerate()
            .filter(|(at, _)| shown(at))
            .filter_map(|(_, frame)| self.call(frame));
        fault.with_trace(trace.collect(), omitted)
    }

    fn call(&self, frame: &Frame) -> Option<Call> {
        let unit = self.vm.heap.unit(frame.unit);
        let op = frame.next.checked_sub(1)?;
        let offset = unit.offset_of(op)?;
        Some(Call {
            function: unit
                .function_at(op)
                .map(|function| self.name(function.name)),
            source: unit.origin.name.clone(),
            place: unit.origin.lines.place(offset),
        })
    }

    fn name(&self, name: Option<Symbol>) -> String {
        name.map_or("lambda", |name| self.symbols.name(name)).into()
    }
}

/// Number of calls shown from the inner end of a long trace, and from its outer end.
const INNERMOST: usize = 40;
const OUTERMOST: usize = 10;

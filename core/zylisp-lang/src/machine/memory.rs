//! Accounts for a program's memory, and schedules garbage collection.

use alloc::vec::Vec;

use crate::{
    error::Fault,
    machine::collect::Marks,
    machine::symbol::Symbols,
    machine::value::Value,
    machine::vm::{Frame, Vm},
};

impl Vm {
    /// Returns memory used by the running program, in bytes, including garbage.
    pub(crate) fn used_bytes(&self) -> usize {
        self.heap.bytes()
            + self.stack.len() * size_of::<Value>()
            + self.callers.len() * size_of::<Frame>()
    }

    /// Returns memory held, used or not, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.heap.held_bytes()
            + (self.stack.capacity() + self.globals.capacity()) * size_of::<Value>()
            + self.callers.capacity() * size_of::<Frame>()
            + self.output.bytes()
            + self.input.bytes()
    }

    /// Frees unreachable objects, for a program that needs this many bytes. Returns the amount it may use from now on.
    #[cold]
    pub(crate) fn make_room(
        &mut self,
        wanted: usize,
        symbols: &Symbols,
        roots: &[Value],
    ) -> Result<usize, Fault> {
        let before = self.used_bytes();
        let marks = self.mark(roots);
        self.heap.sweep(&marks);
        let work = (self.heap.places() + self.stack.len()) / PLACES_PER_FUEL;
        self.fuel = self.fuel.saturating_sub(work as u64);
        let wanted = self.used_bytes() + wanted.saturating_sub(before);
        let limit = self.limits.memory.saturating_sub(symbols.bytes());
        // The last part stays free; otherwise a program near the limit would collect at every step.
        if wanted > limit - limit / 8 {
            return Err(Fault::memory_full(self.limits.memory));
        }
        Ok((wanted * 2).max(FIRST_ROOM).min(limit))
    }

    /// Releases memory that is unnecessary between two programs, while nothing runs. Others may hold values too.
    pub(crate) fn compact<'a>(&mut self, others: impl Iterator<Item = &'a mut Value>) {
        let mut others: Vec<_> = others.collect();
        let roots: Vec<_> = others.iter().map(|value| **value).collect();
        let moves = self.heap.compact(&self.mark(&roots));
        let values = self.globals.iter_mut().chain([&mut self.result]);
        for value in values.chain(others.iter_mut().map(|value| &mut **value)) {
            *value = moves.value(&self.heap, *value);
        }
    }

    /// Returns true if the last compaction, this many operations ago, is long enough past for another one: it must not
    /// take longer than the programs themselves. Many new names are another reason.
    pub(crate) fn is_worth_compacting(&self, operations: u64, many_names: bool) -> bool {
        let work = (self.heap.places() / PLACES_PER_FUEL) as u64;
        operations >= work && (many_names || self.heap.held_bytes() >= SMALL)
    }

    /// Marks the names used by values, variables or code.
    pub(crate) fn mark_names(&self, marked: &mut [bool], others: impl Iterator<Item = Value>) {
        let globals = self.globals.iter().enumerate();
        for (index, _) in globals.filter(|(_, value)| **value != Value::Unset) {
            marked[index] = true;
        }
        let values = self.globals.iter().chain(&self.stack).copied();
        for value in values.chain([self.result]).chain(others) {
            mark_name(marked, value);
        }
        self.heap.symbols(|symbol| marked[symbol.index()] = true);
    }

    fn mark(&self, roots: &[Value]) -> Marks {
        let mut marks = Marks::new(&self.heap);
        let values = self.stack.iter().chain(&self.globals).chain(roots);
        for value in values.chain([&self.result]) {
            marks.value(&self.heap, *value);
        }
        for frame in self.callers.iter().chain(&self.frame) {
            marks.scope(&self.heap, frame.scope);
            marks.unit(&self.heap, frame.unit);
        }
        marks
    }
}

fn mark_name(marked: &mut [bool], value: Value) {
    if let Value::Symbol(symbol) = value {
        marked[symbol.index()] = true;
    }
}

/// Memory in use before the first collection, in bytes.
pub(crate) const FIRST_ROOM: usize = 1 << 20;

/// Amount of memory below which compaction is not worthwhile, in bytes.
const SMALL: usize = 128 << 10;

/// Number of places that a collection examines in the time of one operation.
const PLACES_PER_FUEL: usize = 2;

//! How much memory a program has, and when what it dropped is looked for.

use alloc::vec::Vec;

use crate::{
    collect::Marks,
    error::Fault,
    symbol::Symbols,
    value::Value,
    vm::{Frame, Vm},
};

impl Vm {
    /// What the running program uses, counting what a collection would free.
    pub(crate) fn used_bytes(&self) -> usize {
        self.heap.bytes()
            + self.stack.len() * size_of::<Value>()
            + self.callers.len() * size_of::<Frame>()
    }

    /// What is held, used or not.
    pub(crate) fn held_bytes(&self) -> usize {
        self.heap.held_bytes()
            + (self.stack.capacity() + self.globals.capacity()) * size_of::<Value>()
            + self.callers.capacity() * size_of::<Frame>()
            + self.output.bytes()
            + self.input.bytes()
    }

    /// Frees what nothing reaches, for a program that wants to use so many bytes. How much it may use from now on.
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
        // The last part stays free, or a program at the edge would collect at every step.
        if wanted > limit - limit / 8 {
            return Err(Fault::memory_full(self.limits.memory));
        }
        Ok((wanted * 2).max(FIRST_ROOM).min(limit))
    }

    /// Gives back what is not needed between two programs, when nothing runs. Others may hold values too.
    pub(crate) fn compact<'a>(&mut self, others: impl Iterator<Item = &'a mut Value>) {
        let mut others: Vec<_> = others.collect();
        let roots: Vec<_> = others.iter().map(|value| **value).collect();
        let moves = self.heap.compact(&self.mark(&roots));
        let values = self.globals.iter_mut().chain([&mut self.result]);
        for value in values.chain(others.iter_mut().map(|value| &mut **value)) {
            *value = moves.value(&self.heap, *value);
        }
    }

    /// Whether so many operations ago the last look for what can be given back is long enough ago for another one: it
    /// must not take longer than the programs themselves.
    pub(crate) fn is_worth_compacting(&self, operations: u64) -> bool {
        let work = (self.heap.places() / PLACES_PER_FUEL) as u64;
        operations >= work && self.heap.held_bytes() >= SMALL
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

/// Memory in use before the first collection, in bytes.
pub(crate) const FIRST_ROOM: usize = 1 << 20;

/// What is not worth being looked at for what can be given back, in bytes.
const SMALL: usize = 128 << 10;

/// How many places a collection looks at in the time of one operation.
const PLACES_PER_FUEL: usize = 2;

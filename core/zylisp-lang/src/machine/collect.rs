//! Garbage collection: marks from the roots, sweeps, and returns memory.

use alloc::{vec, vec::Vec};

use crate::{
    machine::heap::{Handle, Heap, NONE, Object, UnitHandle, number},
    machine::value::Value,
};

/// Objects reached from the roots.
#[derive(Debug)]
pub(crate) struct Marks {
    /// A bit for each object.
    objects: Vec<u64>,
    units: Vec<bool>,
    work: Vec<Handle>,
}

impl Marks {
    pub(crate) fn new(heap: &Heap) -> Self {
        Self {
            objects: vec![0; heap.objects.len().div_ceil(64)],
            units: vec![false; heap.units.len()],
            work: Vec::new(),
        }
    }

    pub(crate) fn value(&mut self, heap: &Heap, value: Value) {
        if let Some(handle) = value.handle() {
            self.reach(heap, handle);
        }
    }

    pub(crate) fn scope(&mut self, heap: &Heap, scope: Option<Handle>) {
        if let Some(handle) = scope {
            self.reach(heap, handle);
        }
    }

    pub(crate) fn unit(&mut self, heap: &Heap, unit: UnitHandle) {
        self.reach_unit(heap, unit);
        self.drain(heap);
    }

    fn reach(&mut self, heap: &Heap, handle: Handle) {
        self.work.push(handle);
        self.drain(heap);
    }

    fn drain(&mut self, heap: &Heap) {
        while let Some(handle) = self.work.pop() {
            if self.mark(handle) {
                self.reach_object(heap, handle);
            }
        }
    }

    /// Marks an object; returns true if it was not marked before.
    fn mark(&mut self, Handle(index): Handle) -> bool {
        let (word, bit) = (&mut self.objects[index as usize / 64], 1 << (index % 64));
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    fn has(&self, index: usize) -> bool {
        self.objects[index / 64] & 1 << (index % 64) != 0
    }

    fn reach_object(&mut self, heap: &Heap, Handle(index): Handle) {
        match &heap.objects[index as usize] {
            Object::Free(_) | Object::Moved(_) | Object::Text(_) => {}
            Object::Pair(first, rest) => {
                self.work.extend(first.handle());
                self.work.extend(rest.handle());
            }
            Object::Closure(closure) => {
                self.work.extend(closure.scope);
                self.reach_unit(heap, closure.unit);
            }
            Object::Scope(scope) => {
                self.work.extend(scope.outer);
                let values = scope.values.iter().filter_map(|value| value.handle());
                self.work.extend(values);
            }
        }
    }

    fn reach_unit(&mut self, heap: &Heap, UnitHandle(index): UnitHandle) {
        let marked = &mut self.units[index as usize];
        if !core::mem::replace(marked, true)
            && let Some(unit) = &heap.units[index as usize]
        {
            let constants = unit.constants.iter().filter_map(|value| value.handle());
            self.work.extend(constants);
        }
    }
}

impl Heap {
    /// Frees all objects that were not marked.
    pub(crate) fn sweep(&mut self, marks: &Marks) {
        self.free = NONE;
        // The first places are reused first, so that the last ones become free.
        for index in (0..self.objects.len()).rev() {
            if !marks.has(index) {
                self.forget(index);
                self.objects[index] = Object::Free(self.free);
                self.free = number(index);
            }
        }
        for index in 0..self.units.len() {
            if !marks.units[index] {
                self.remove_unit(UnitHandle(number(index)));
            }
        }
    }

    fn forget(&mut self, index: usize) {
        let object = &self.objects[index];
        if !matches!(object, Object::Free(_)) {
            self.bytes -= object.bytes();
            self.used -= 1;
        }
    }

    /// Moves marked objects together at the beginning, and releases the rest of the arena. All other holders of handles
    /// must look up their new places in the result.
    pub(crate) fn compact(&mut self, marks: &Marks) -> Moves {
        self.sweep(marks);
        let kept = self.move_down(marks);
        let moves = Moves(self.objects.split_off(kept));
        for object in &mut self.objects {
            object.follow(kept, &moves);
        }
        for unit in self.units.iter_mut().flatten() {
            for constant in &mut unit.constants {
                *constant = constant.moved(|handle| moves.follow(kept, handle));
            }
        }
        self.objects.shrink_to_fit();
        self.free = NONE;
        while self.units.pop_if(|unit| unit.is_none()).is_some() {}
        let units = self.units.len();
        self.free_units.retain(|free| (*free as usize) < units);
        self.units.shrink_to_fit();
        self.free_units.shrink_to_fit();
        moves
    }

    /// Fills each free place, from the first, with the last object. Returns the number of filled places.
    fn move_down(&mut self, marks: &Marks) -> usize {
        let (mut to, mut from) = (0, self.objects.len());
        loop {
            while to < from && marks.has(to) {
                to += 1;
            }
            while to < from && !marks.has(from - 1) {
                from -= 1;
            }
            if to >= from {
                return to;
            }
            from -= 1;
            let moved = Object::Moved(Handle(number(to)));
            self.objects[to] = core::mem::replace(&mut self.objects[from], moved);
            to += 1;
        }
    }
}

/// New places of the moved objects, which stood at the end of the arena.
#[derive(Debug)]
pub(crate) struct Moves(Vec<Object>);

impl Moves {
    /// Returns the new place of the object at `handle`, given the number of objects kept.
    fn follow(&self, kept: usize, handle: Handle) -> Handle {
        let moved = (handle.0 as usize).checked_sub(kept);
        match moved.and_then(|index| self.0.get(index)) {
            Some(Object::Moved(to)) => *to,
            _ => handle,
        }
    }

    /// Returns the value with its new place, after the heap was compacted.
    pub(crate) fn value(&self, heap: &Heap, value: Value) -> Value {
        value.moved(|handle| self.follow(heap.objects.len(), handle))
    }
}

impl Object {
    fn follow(&mut self, kept: usize, moves: &Moves) {
        let to = |handle| moves.follow(kept, handle);
        match self {
            Self::Free(_) | Self::Moved(_) | Self::Text(_) => {}
            Self::Pair(first, rest) => {
                *first = first.moved(to);
                *rest = rest.moved(to);
            }
            Self::Closure(closure) => closure.scope = closure.scope.map(to),
            Self::Scope(scope) => {
                scope.outer = scope.outer.map(to);
                for value in &mut scope.values {
                    *value = value.moved(to);
                }
            }
        }
    }
}

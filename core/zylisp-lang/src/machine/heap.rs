//! Heap of lists, strings, functions, scopes and code.

use alloc::{boxed::Box, vec::Vec};
use core::mem;

use crate::{machine::op::Unit, machine::symbol::Symbol, machine::value::Value};

/// Place of an object in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle(pub(crate) u32);

/// Place of a compiled form in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnitHandle(pub(crate) u32);

/// Both halves of a closure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closure {
    pub(crate) unit: UnitHandle,
    /// Index into [`Unit::functions`].
    pub(crate) function: u32,
    pub(crate) scope: Option<Handle>,
}

#[derive(Debug, Clone)]
pub(crate) enum Object {
    /// The next free place, or [`NONE`].
    Free(u32),
    Pair(Value, Value),
    Text(Box<str>),
    Closure(Closure),
    Scope(Box<Scope>),
    /// New place of an object: only while the heap is compacted.
    Moved(Handle),
}

#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) values: Box<[Value]>,
    pub(crate) outer: Option<Handle>,
}

/// Arena of all objects, so that dropping and marking need no recursion, and cycles do not leak.
#[derive(Debug, Clone)]
pub(crate) struct Heap {
    pub(crate) objects: Vec<Object>,
    /// The first free place in the arena, or [`NONE`].
    pub(crate) free: u32,
    pub(crate) units: Vec<Option<Unit>>,
    pub(crate) free_units: Vec<u32>,
    /// Number of places in use.
    pub(crate) used: usize,
    pub(crate) bytes: usize,
}

impl Heap {
    pub(crate) const fn new() -> Self {
        Self {
            objects: Vec::new(),
            free: NONE,
            units: Vec::new(),
            free_units: Vec::new(),
            used: 0,
            bytes: 0,
        }
    }

    /// Returns approximate memory in use, in bytes, including garbage.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns approximate memory held, in bytes, including free places.
    pub(crate) fn held_bytes(&self) -> usize {
        self.bytes + (self.objects.capacity() - self.used) * size_of::<Object>()
    }

    /// Returns number of places, used or free: the work of a collection.
    pub(crate) fn places(&self) -> usize {
        self.objects.len()
    }

    pub(crate) fn pair(&mut self, first: Value, rest: Value) -> Value {
        Value::Pair(self.insert(Object::Pair(first, rest)))
    }

    pub(crate) fn list(&mut self, elements: &[Value]) -> Value {
        elements
            .iter()
            .rev()
            .fold(Value::Empty, |rest, first| self.pair(*first, rest))
    }

    pub(crate) fn text(&mut self, text: &str) -> Value {
        Value::Text(self.insert(Object::Text(text.into())))
    }

    pub(crate) fn closure(&mut self, closure: Closure) -> Value {
        Value::Function(self.insert(Object::Closure(closure)))
    }

    pub(crate) fn scope(&mut self, values: &[Value], unset: u32, outer: Option<Handle>) -> Handle {
        let mut slots = Vec::with_capacity(values.len() + unset as usize);
        slots.extend_from_slice(values);
        slots.resize(values.len() + unset as usize, Value::Unset);
        let values = slots.into_boxed_slice();
        self.insert(Object::Scope(Box::new(Scope { values, outer })))
    }

    pub(crate) fn unit(&self, unit: UnitHandle) -> &Unit {
        match &self.units[unit.0 as usize] {
            Some(unit) => unit,
            None => unreachable!("a unit is freed only when no frame and no function has it"),
        }
    }

    pub(crate) fn insert_unit(&mut self, unit: Unit) -> UnitHandle {
        self.bytes += unit.bytes();
        if let Some(index) = self.free_units.pop() {
            self.units[index as usize] = Some(unit);
            return UnitHandle(index);
        }
        let index = number(self.units.len());
        self.units.push(Some(unit));
        UnitHandle(index)
    }

    /// Frees an unreachable unit: it has run, and contains no function.
    pub(crate) fn remove_unit(&mut self, unit: UnitHandle) {
        if let Some(freed) = self.units[unit.0 as usize].take() {
            self.bytes -= freed.bytes();
            self.free_units.push(unit.0);
        }
    }

    pub(crate) fn first_and_rest(&self, pair: Handle) -> (Value, Value) {
        let Object::Pair(first, rest) = self.objects[pair.0 as usize] else {
            unreachable!("a pair's handle is to a pair");
        };
        (first, rest)
    }

    /// Extends a list that is being built.
    pub(crate) fn set_rest(&mut self, pair: Handle, value: Value) {
        if let Object::Pair(_, rest) = &mut self.objects[pair.0 as usize] {
            *rest = value;
        }
    }

    pub(crate) fn str(&self, text: Handle) -> &str {
        let Object::Text(text) = &self.objects[text.0 as usize] else {
            unreachable!("a string's handle is to a string");
        };
        text
    }

    pub(crate) fn get_closure(&self, function: Handle) -> Closure {
        let Object::Closure(closure) = self.objects[function.0 as usize] else {
            unreachable!("a function's handle is to a closure");
        };
        closure
    }

    pub(crate) fn scope_value(&self, scope: Option<Handle>, out: u16, slot: u32) -> Value {
        let mut scope = self.get_scope(scope);
        for _ in 0..out {
            scope = self.get_scope(scope.outer);
        }
        scope.values[slot as usize]
    }

    pub(crate) fn set_scope_value(&mut self, scope: Option<Handle>, slot: u32, value: Value) {
        if let Some(Handle(index)) = scope
            && let Object::Scope(scope) = &mut self.objects[index as usize]
        {
            scope.values[slot as usize] = value;
        }
    }

    /// Calls `found` with every name in the heap, including garbage; some names occur more than once.
    pub(crate) fn symbols(&self, mut found: impl FnMut(Symbol)) {
        let mut value = |value: Value| {
            if let Value::Symbol(symbol) = value {
                found(symbol);
            }
        };
        for object in &self.objects {
            match object {
                Object::Pair(first, rest) => [*first, *rest].into_iter().for_each(&mut value),
                Object::Scope(scope) => scope.values.iter().copied().for_each(&mut value),
                Object::Free(_) | Object::Text(_) | Object::Closure(_) | Object::Moved(_) => {}
            }
        }
        for unit in self.units.iter().flatten() {
            unit.constants.iter().copied().for_each(&mut value);
        }
        self.units
            .iter()
            .flatten()
            .for_each(|unit| unit.symbols(&mut found));
    }

    fn get_scope(&self, scope: Option<Handle>) -> &Scope {
        match scope.map(|Handle(index)| &self.objects[index as usize]) {
            Some(Object::Scope(scope)) => scope,
            _ => unreachable!("the compiler counts scopes as the machine makes them"),
        }
    }

    fn insert(&mut self, object: Object) -> Handle {
        self.bytes += object.bytes();
        self.used += 1;
        let index = self.free;
        if index != NONE {
            let place = &mut self.objects[index as usize];
            if let Object::Free(next) = mem::replace(place, object) {
                self.free = next;
            }
            return Handle(index);
        }
        let index = number(self.objects.len());
        if self.objects.len() == self.objects.capacity() {
            self.objects.reserve_exact(self.objects.len() / 2 + 8);
        }
        self.objects.push(object);
        Handle(index)
    }
}

/// Marks the absence of a place: the memory limit keeps the number of places below this.
pub(crate) const NONE: u32 = u32::MAX;

pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}

/// Size of a pair in bytes.
pub(crate) const PAIR_BYTES: usize = size_of::<Object>();

impl Object {
    pub(crate) fn bytes(&self) -> usize {
        let slot = size_of::<Self>();
        match self {
            Self::Text(text) => slot + text.len(),
            Self::Scope(scope) => slot + size_of::<Scope>() + size_of_val(&*scope.values),
            Self::Free(_) | Self::Pair(..) | Self::Closure(_) | Self::Moved(_) => slot,
        }
    }
}

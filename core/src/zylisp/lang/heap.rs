//! Where lists, strings, functions, scopes and code live: marked from the roots, and swept.

use alloc::{boxed::Box, vec::Vec};
use core::mem;

use super::{op::Unit, value::Value};

/// Where something is in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handle(u32);

/// Where a compiled source is in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitHandle(u32);

/// A closure's two halves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closure {
    pub(super) unit: UnitHandle,
    /// An index into [`Unit::functions`].
    pub(super) function: u32,
    pub(super) scope: Option<Handle>,
}

#[derive(Debug)]
enum Object {
    Free,
    Pair(Value, Value),
    Text(Box<str>),
    Closure(Closure),
    Scope(Box<Scope>),
}

#[derive(Debug)]
struct Scope {
    values: Box<[Value]>,
    outer: Option<Handle>,
}

/// One arena, so that dropping and marking need no recursion and a cycle is no leak.
#[derive(Debug, Default)]
pub(super) struct Heap {
    objects: Vec<Object>,
    marks: Vec<bool>,
    free: Vec<u32>,
    units: Vec<Option<Unit>>,
    free_units: Vec<u32>,
    unit_marks: Vec<bool>,
    bytes: usize,
    work: Vec<Handle>,
}

impl Heap {
    /// How much memory is in use, about, counting what a collection would free.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many places there are, used or free: what a collection has to look at.
    pub(super) fn places(&self) -> usize {
        self.objects.len()
    }

    pub(super) fn pair(&mut self, first: Value, rest: Value) -> Value {
        Value::Pair(self.insert(Object::Pair(first, rest)))
    }

    pub(super) fn list(&mut self, elements: &[Value]) -> Value {
        elements
            .iter()
            .rev()
            .fold(Value::Empty, |rest, first| self.pair(*first, rest))
    }

    pub(super) fn text(&mut self, text: &str) -> Value {
        Value::Text(self.insert(Object::Text(text.into())))
    }

    pub(super) fn closure(&mut self, closure: Closure) -> Value {
        Value::Function(self.insert(Object::Closure(closure)))
    }

    pub(super) fn scope(&mut self, values: &[Value], unset: u32, outer: Option<Handle>) -> Handle {
        let mut slots = Vec::with_capacity(values.len() + unset as usize);
        slots.extend_from_slice(values);
        slots.resize(values.len() + unset as usize, Value::Unset);
        let values = slots.into_boxed_slice();
        self.insert(Object::Scope(Box::new(Scope { values, outer })))
    }

    pub(super) fn unit(&self, unit: UnitHandle) -> &Unit {
        match &self.units[unit.0 as usize] {
            Some(unit) => unit,
            None => unreachable!("a unit is freed only when no frame and no function has it"),
        }
    }

    pub(super) fn insert_unit(&mut self, unit: Unit) -> UnitHandle {
        self.bytes += unit.bytes();
        if let Some(index) = self.free_units.pop() {
            self.units[index as usize] = Some(unit);
            return UnitHandle(index);
        }
        let index = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        self.units.push(Some(unit));
        self.unit_marks.push(false);
        UnitHandle(index)
    }

    /// Frees a unit that nothing can reach any more: it has run, and there is no function in it.
    pub(super) fn remove_unit(&mut self, unit: UnitHandle) {
        if let Some(freed) = self.units[unit.0 as usize].take() {
            self.bytes -= freed.bytes();
            self.free_units.push(unit.0);
        }
    }

    pub(super) fn first_and_rest(&self, pair: Handle) -> (Value, Value) {
        match self.objects[pair.0 as usize] {
            Object::Pair(first, rest) => (first, rest),
            _ => unreachable!("a pair's handle is to a pair"),
        }
    }

    pub(super) fn str(&self, text: Handle) -> &str {
        match &self.objects[text.0 as usize] {
            Object::Text(text) => text,
            _ => unreachable!("a string's handle is to a string"),
        }
    }

    pub(super) fn get_closure(&self, function: Handle) -> Closure {
        match self.objects[function.0 as usize] {
            Object::Closure(closure) => closure,
            _ => unreachable!("a function's handle is to a closure"),
        }
    }

    pub(super) fn scope_value(&self, scope: Option<Handle>, out: u32, slot: u32) -> Value {
        let mut scope = self.get_scope(scope);
        for _ in 0..out {
            scope = self.get_scope(scope.outer);
        }
        scope.values[slot as usize]
    }

    pub(super) fn set_scope_value(&mut self, scope: Option<Handle>, slot: u32, value: Value) {
        if let Some(Handle(index)) = scope
            && let Object::Scope(scope) = &mut self.objects[index as usize]
        {
            scope.values[slot as usize] = value;
        }
    }

    fn get_scope(&self, scope: Option<Handle>) -> &Scope {
        match scope.map(|Handle(index)| &self.objects[index as usize]) {
            Some(Object::Scope(scope)) => scope,
            _ => unreachable!("the compiler counts scopes as the machine makes them"),
        }
    }

    fn insert(&mut self, object: Object) -> Handle {
        self.bytes += object.bytes();
        if let Some(index) = self.free.pop() {
            self.objects[index as usize] = object;
            return Handle(index);
        }
        let index = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        self.objects.push(object);
        self.marks.push(false);
        Handle(index)
    }
}

/// Collecting: mark each root, then sweep.
impl Heap {
    pub(super) fn mark(&mut self, value: Value) {
        if let Some(handle) = value.handle() {
            self.mark_from(handle);
        }
    }

    pub(super) fn mark_scope(&mut self, scope: Option<Handle>) {
        if let Some(handle) = scope {
            self.mark_from(handle);
        }
    }

    pub(super) fn mark_unit(&mut self, unit: UnitHandle) {
        self.reach_unit(unit);
        self.drain_work();
    }

    /// Frees all that was not marked since the last sweep.
    pub(super) fn sweep(&mut self) {
        for (index, marked) in self.marks.iter_mut().enumerate() {
            if !mem::take(marked) && !matches!(self.objects[index], Object::Free) {
                self.bytes -= self.objects[index].bytes();
                self.objects[index] = Object::Free;
                self.free.push(u32::try_from(index).unwrap_or(u32::MAX));
            }
        }
        for index in 0..self.unit_marks.len() {
            if !mem::take(&mut self.unit_marks[index]) {
                self.remove_unit(UnitHandle(u32::try_from(index).unwrap_or(u32::MAX)));
            }
        }
    }

    fn mark_from(&mut self, handle: Handle) {
        self.work.push(handle);
        self.drain_work();
    }

    fn drain_work(&mut self) {
        while let Some(Handle(index)) = self.work.pop() {
            if !mem::replace(&mut self.marks[index as usize], true) {
                self.reach_object(index as usize);
            }
        }
    }

    fn reach_object(&mut self, index: usize) {
        match &self.objects[index] {
            Object::Free | Object::Text(_) => {}
            Object::Pair(first, rest) => {
                self.work.extend(first.handle());
                self.work.extend(rest.handle());
            }
            Object::Closure(closure) => {
                let unit = closure.unit;
                self.work.extend(closure.scope);
                self.reach_unit(unit);
            }
            Object::Scope(scope) => {
                self.work.extend(scope.outer);
                self.work
                    .extend(scope.values.iter().filter_map(|value| value.handle()));
            }
        }
    }

    fn reach_unit(&mut self, unit: UnitHandle) {
        let index = unit.0 as usize;
        if !mem::replace(&mut self.unit_marks[index], true)
            && let Some(unit) = &self.units[index]
        {
            self.work
                .extend(unit.constants.iter().filter_map(|value| value.handle()));
        }
    }
}

/// What one pair costs.
pub(super) const PAIR_BYTES: usize = size_of::<Object>() + SLOT_BYTES;

/// An object's mark, and its place in the free list.
const SLOT_BYTES: usize = 5;

impl Object {
    fn bytes(&self) -> usize {
        let slot = size_of::<Self>() + SLOT_BYTES;
        match self {
            Self::Text(text) => slot + text.len(),
            Self::Scope(scope) => slot + size_of::<Scope>() + size_of_val(&*scope.values),
            _ => slot,
        }
    }
}

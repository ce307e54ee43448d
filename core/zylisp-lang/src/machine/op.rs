//! The machine's instructions.

use alloc::{sync::Arc, vec::Vec};

use crate::{error::Fault, machine::symbol::Symbol, machine::value::Value, place::Origin};

/// A compiled form, including all functions written in it.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub(crate) ops: Vec<Op>,
    pub(crate) functions: Vec<Function>,
    /// Numbers of the functions in the order of their code.
    pub(crate) order: Vec<u32>,
    /// Parameters of the functions.
    pub(crate) parameters: Vec<Symbol>,
    /// Names that a function binds by `define`: looked up at run time, innermost first, then globally.
    pub(crate) lookups: Vec<Lookup>,
    /// Errors that malformed forms raise when they are reached.
    pub(crate) errors: Vec<Fault>,
    /// Constants that do not fit into an instruction. Their objects in the heap live as long as this unit.
    pub(crate) constants: Vec<Value>,
    /// Places in the source of the instructions that can fail: their numbers, in order, and
    /// offsets.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) origin: Arc<Origin>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Function {
    /// Name given by its `define`.
    pub(crate) name: Option<Symbol>,
    /// Offset of its beginning in the source.
    pub(crate) offset: u32,
    /// Start of its code.
    pub(crate) entry: u32,
    /// Index of its first parameter, and the number of parameters.
    pub(crate) first_parameter: u32,
    pub(crate) parameters: u32,
    /// Number of variables that it binds with `define`.
    pub(crate) locals: u32,
    /// True if its variables live in the heap, because a function made in it may outlive the call.
    pub(crate) captured: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Lookup {
    pub(crate) symbol: Symbol,
    pub(crate) places: Vec<Place>,
}

/// Place of an enclosing function's variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// On the stack of the running function.
    Stack { slot: u32 },
    /// On the heap, `out` scopes outward.
    Scope { out: u16, slot: u32 },
}

/// An instruction: eight bytes, so that a large source does not become a huge program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    Nil,
    Bool(bool),
    Number(i32),
    Constant(u32),
    Stack {
        slot: u32,
    },
    Scope {
        out: u16,
        slot: u32,
    },
    Global(Symbol),
    Lookup(u32),
    SetStack {
        slot: u32,
    },
    SetScope {
        slot: u32,
    },
    SetGlobal(Symbol),
    Jump(u32),
    /// Pops a value, and jumps if it was false or nil.
    JumpIfFalse(u32),
    /// Drops the value of a form that is not the last in a sequence.
    Pop,
    MakeFunction(u32),
    Call(u32),
    TailCall(u32),
    Return,
    Raise(u32),
}

const _: () = assert!(size_of::<Op>() == 8);

impl Unit {
    pub(crate) const fn new(origin: Arc<Origin>) -> Self {
        Self {
            ops: Vec::new(),
            functions: Vec::new(),
            order: Vec::new(),
            parameters: Vec::new(),
            lookups: Vec::new(),
            errors: Vec::new(),
            constants: Vec::new(),
            places: Vec::new(),
            origin,
        }
    }

    /// Releases unused memory: the unit may be long-lived.
    pub(crate) fn shrink(&mut self) {
        self.ops.shrink_to_fit();
        self.functions.shrink_to_fit();
        self.order.shrink_to_fit();
        self.parameters.shrink_to_fit();
        self.lookups.shrink_to_fit();
        self.constants.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    /// Returns the function that contains this instruction, if any.
    pub(crate) fn function_at(&self, op: u32) -> Option<&Function> {
        let entry = |number: &u32| self.functions[*number as usize].entry;
        let after = self.order.partition_point(|number| entry(number) <= op);
        let number = self.order[..after].last()?;
        self.functions.get(*number as usize)
    }

    /// Calls `found` with every name in the code, except for constants.
    pub(crate) fn symbols(&self, found: &mut impl FnMut(Symbol)) {
        for op in &self.ops {
            if let Op::Global(symbol) | Op::SetGlobal(symbol) = op {
                found(*symbol);
            }
        }
        let functions = self.functions.iter().filter_map(|function| function.name);
        let lookups = self.lookups.iter().map(|lookup| lookup.symbol);
        let parameters = self.parameters.iter().copied();
        functions.chain(lookups).chain(parameters).for_each(found);
    }

    /// Returns the source offset of an instruction, or of the nearest one before it that can fail.
    pub(crate) fn offset_of(&self, op: u32) -> Option<u32> {
        let after = self.places.partition_point(|(place, _)| *place <= op);
        self.places[..after].last().map(|(_, offset)| *offset)
    }

    pub(crate) fn parameters_of(&self, function: &Function) -> &[Symbol] {
        let first = function.first_parameter as usize;
        &self.parameters[first..first + function.parameters as usize]
    }

    /// Returns approximate memory in use, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.ops.capacity() * size_of::<Op>()
            + self.functions.capacity() * size_of::<Function>()
            + (self.order.capacity() + self.parameters.capacity()) * size_of::<u32>()
            + self.lookups.capacity() * (size_of::<Lookup>() + 2 * size_of::<Place>())
            + self.errors.capacity() * (size_of::<Fault>() + 64)
            + self.constants.capacity() * size_of::<Value>()
            + self.places.capacity() * size_of::<(u32, u32)>()
    }
}

//! The machine's instructions.

use alloc::vec::Vec;

use super::{error::Error, symbol::Symbol, value::Value};

/// One source, compiled. All of its functions are in it.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub(super) ops: Vec<Op>,
    pub(super) functions: Vec<Function>,
    /// Names that a function binds by `define`: looked for at run time, innermost first, then globally.
    pub(super) lookups: Vec<Lookup>,
    /// What malformed forms raise when they are reached.
    pub(super) errors: Vec<Error>,
    /// Constants that live in the heap, and live as long as this.
    pub(super) constants: Vec<Value>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Function {
    /// Where its code begins.
    pub(super) entry: u32,
    pub(super) parameters: u32,
    /// How many variables it binds itself, with `define`.
    pub(super) locals: u32,
    /// Whether its variables live in the heap, because a function made in it may outlive the call.
    pub(super) captured: bool,
}

#[derive(Debug)]
pub(super) struct Lookup {
    pub(super) symbol: Symbol,
    pub(super) places: Vec<Place>,
}

/// Where a variable of an enclosing function lives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// On the stack of the running function.
    Stack { slot: u32 },
    /// In the heap, so many scopes out.
    Scope { out: u32, slot: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Op {
    Push(Value),
    Stack {
        slot: u32,
    },
    Scope {
        out: u32,
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
    /// Pops, and jumps if that was false or nil.
    JumpIfFalse(u32),
    MakeFunction(u32),
    Call(u32),
    TailCall(u32),
    Return,
    Pop,
    Raise(u32),
}

impl Unit {
    /// How much memory it holds, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.ops.capacity() * size_of::<Op>()
            + self.functions.capacity() * size_of::<Function>()
            + self.lookups.capacity() * (size_of::<Lookup>() + 2 * size_of::<Place>())
            + self.errors.capacity() * (size_of::<Error>() + 64)
            + self.constants.capacity() * size_of::<Value>()
    }
}

//! What the machine computes with.

use super::{heap::Handle, primitive::Primitive, symbol::Symbol};

/// A value: itself, or where it is in the heap. Copied freely; nothing to drop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// What `()` evaluates to: false, and no list.
    Nil,
    Bool(bool),
    Number(i64),
    Symbol(Symbol),
    Text(Handle),
    /// The empty list: true, and a list.
    Empty,
    /// A list of at least one element.
    Pair(Handle),
    Function(Handle),
    Primitive(Primitive),
    /// A variable that nobody has defined. A program never sees it.
    Unset,
}

impl Value {
    pub(super) const fn is_true(self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    pub(super) const fn is_list(self) -> bool {
        matches!(self, Self::Empty | Self::Pair(_))
    }

    /// Where it is in the heap, if it is there.
    pub(super) const fn handle(self) -> Option<Handle> {
        match self {
            Self::Text(handle) | Self::Pair(handle) | Self::Function(handle) => Some(handle),
            _ => None,
        }
    }
}

//! Values that programs compute with.

use crate::{machine::heap::Handle, machine::symbol::Symbol, primitive::Primitive};

/// A value: either stored directly, or a handle into the heap. Copied freely; nothing to drop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    /// Value of `()`: false, but not a list.
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
    /// Value of an undefined variable. Programs never see it.
    Unset,
}

impl Value {
    pub(crate) const fn is_true(self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    pub(crate) const fn is_list(self) -> bool {
        matches!(self, Self::Empty | Self::Pair(_))
    }

    /// Returns the place in the heap, if it has one.
    pub(crate) const fn handle(self) -> Option<Handle> {
        match self {
            Self::Text(handle) | Self::Pair(handle) | Self::Function(handle) => Some(handle),
            Self::Nil
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Symbol(_)
            | Self::Empty
            | Self::Primitive(_)
            | Self::Unset => None,
        }
    }

    /// Returns the value at its new place, if it was moved.
    pub(crate) fn moved(self, to: impl FnOnce(Handle) -> Handle) -> Self {
        match self {
            Self::Text(handle) => Self::Text(to(handle)),
            Self::Pair(handle) => Self::Pair(to(handle)),
            Self::Function(handle) => Self::Function(to(handle)),
            Self::Nil
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Symbol(_)
            | Self::Empty
            | Self::Primitive(_)
            | Self::Unset => self,
        }
    }
}

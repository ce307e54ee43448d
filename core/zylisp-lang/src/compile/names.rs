//! Resolves names to the locations of their values at run time.

use alloc::vec::Vec;

use crate::{
    compile::{Compiler, Scope, index},
    machine::op::{Lookup, Op, Place},
    machine::symbol::Symbol,
};

impl Compiler {
    pub(super) fn assignment(&self, symbol: Symbol) -> Op {
        let Some(scope) = self.current.map(|current| &self.scopes[current]) else {
            return Op::SetGlobal(symbol);
        };
        match scope.slots.get(&symbol) {
            Some(slot) if scope.captured => Op::SetScope { slot: slot.index },
            Some(slot) => Op::SetStack { slot: slot.index },
            None => unreachable!("a scope has a slot for every name that is defined in it"),
        }
    }

    pub(super) fn variable(&mut self, symbol: Symbol) -> Op {
        let (places, certain) = self.places(symbol);
        match places.as_slice() {
            [] => Op::Global(symbol),
            [Place::Stack { slot }] if certain => Op::Stack { slot: *slot },
            [Place::Scope { out, slot }] if certain => Op::Scope {
                out: *out,
                slot: *slot,
            },
            _ => {
                let number = index(self.unit.lookups.len());
                self.unit.lookups.push(Lookup { symbol, places });
                Op::Lookup(number)
            }
        }
    }

    /// Returns true if a function around this place binds the name.
    pub(super) fn is_local(&self, symbol: Symbol) -> bool {
        let mut scope = self.current.map(|current| &self.scopes[current]);
        while let Some(Scope { outer, slots, .. }) = scope {
            if slots.contains_key(&symbol) {
                return true;
            }
            scope = outer.map(|outer| &self.scopes[outer]);
        }
        false
    }

    /// Returns the places where a name may be bound, innermost first, and true if the last one
    /// certainly binds it.
    fn places(&self, symbol: Symbol) -> (Vec<Place>, bool) {
        let mut places = Vec::new();
        let mut scope = self.current.map(|current| &self.scopes[current]);
        let mut out = 0;
        while let Some(Scope {
            outer,
            captured,
            slots,
            ..
        }) = scope
        {
            if let Some(slot) = slots.get(&symbol) {
                places.push(match *captured {
                    true => Place::Scope {
                        out,
                        slot: slot.index,
                    },
                    false => Place::Stack { slot: slot.index },
                });
                if slot.always_set {
                    return (places, true);
                }
            }
            // Only the innermost function's variables can be on the stack: nested functions capture the others.
            out += u16::from(*captured);
            scope = outer.map(|outer| &self.scopes[outer]);
        }
        (places, false)
    }
}

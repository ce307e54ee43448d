//! Results of the last programs, bound to `*1`, `*2`, `*3` and `*e`.

use crate::{
    error::Error,
    machine::symbol::{Symbol, Symbols},
    machine::vm::Vm,
};

/// Symbols of the names, which are those of nREPL and Clojure:
/// <https://clojure.org/guides/repl/launching_a_basic_repl>, "Referring to previous results".
#[derive(Debug, Clone)]
pub(crate) struct Results {
    last: [Symbol; 3],
    error: Symbol,
}

impl Results {
    pub(crate) fn new(symbols: &mut Symbols) -> Self {
        Self {
            last: ["*1", "*2", "*3"].map(|name| symbols.intern(name)),
            error: symbols.intern("*e"),
        }
    }

    /// Stores the last form's value, and drops the oldest.
    pub(crate) fn add(&self, vm: &mut Vm) {
        let [first, second, third] = self.last;
        for (to, from) in [(third, second), (second, first)] {
            if let Some(value) = vm.global(from) {
                vm.set_global(to, value);
            }
        }
        vm.set_global(first, vm.result);
    }

    /// Stores an error: a list of its kind and its message.
    pub(crate) fn add_error(&self, vm: &mut Vm, error: &Error) {
        let parts = [error.kind.name(), error.message.as_str()];
        let parts = parts.map(|part| vm.heap.text(part));
        let value = vm.heap.list(&parts);
        vm.set_global(self.error, value);
    }
}

//! Names of an environment: look-up and facts.

use alloc::{
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use crate::{
    interpreter::Interpreter,
    machine::op::{Function, Unit},
    machine::symbol::Symbol,
    machine::value::Value,
    manual::{Entry, MANUAL},
    place::Place,
    print::brief,
};

/// Facts about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub name: String,
    /// Kind of name.
    pub kind: NameKind,
    /// Usage: a form with named operands, or only the name.
    pub usage: String,
    /// Effect or value, in a sentence.
    pub meaning: Option<String>,
    /// Place of a function's definition: the source's name and the place in it.
    pub defined: Option<(Option<Arc<str>>, Place)>,
}

/// Kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// A form with its own rules of evaluation, such as `if`.
    SpecialForm,
    /// A function: the language's own or the program's.
    Function,
    /// Any other value.
    Variable,
}

impl NameKind {
    /// Returns the name in nREPL's answers (`nrepl.util.completion`).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SpecialForm => "special-form",
            Self::Function => "function",
            Self::Variable => "var",
        }
    }
}

impl Interpreter {
    /// Returns the names with this prefix, in order; at most `limit`.
    #[must_use]
    pub fn complete(&self, prefix: &str, limit: usize) -> Vec<(String, NameKind)> {
        let kinds = self.symbols.all().filter_map(|symbol| {
            let name = self.symbols.name(symbol);
            let kind = self.kind(symbol).filter(|_| name.starts_with(prefix))?;
            Some((name.to_string(), kind))
        });
        let constants = ["true", "false"].map(|name| (name.to_string(), NameKind::Variable));
        let constants = constants
            .into_iter()
            .filter(|(name, _)| name.starts_with(prefix));
        let mut names: Vec<_> = kinds.chain(constants).collect();
        names.sort_by(|(a, _), (b, _)| a.cmp(b));
        names.truncate(limit);
        names
    }

    /// Returns the facts about a name, if it is known.
    #[must_use]
    pub fn look_up(&self, name: &str) -> Option<Name> {
        let symbol = self.symbols.get(name)?;
        let kind = self.kind(symbol)?;
        match self.vm.global(symbol) {
            // Special forms take precedence over variables of the same name.
            Some(Value::Function(function)) if kind == NameKind::Function => {
                let closure = self.vm.heap.get_closure(function);
                let unit = self.vm.heap.unit(closure.unit);
                Some(self.function(name, unit, &unit.functions[closure.function as usize]))
            }
            Some(value) if kind == NameKind::Variable => Some(self.variable(name, value)),
            _ => MANUAL
                .iter()
                .find(|entry| entry.name == name)
                .map(|entry| entry.describe(kind)),
        }
    }

    fn kind(&self, symbol: Symbol) -> Option<NameKind> {
        let value = self.vm.global(symbol);
        let may_be_bound = Symbol::ADDED.contains(&symbol) && value.is_some();
        if symbol.index() < Symbol::SPECIAL.len() && !may_be_bound {
            return Some(NameKind::SpecialForm);
        }
        Some(match value? {
            Value::Function(_) | Value::Primitive(_) => NameKind::Function,
            Value::Nil
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Symbol(_)
            | Value::Text(_)
            | Value::Empty
            | Value::Pair(_)
            | Value::Unset => NameKind::Variable,
        })
    }

    fn function(&self, name: &str, unit: &Unit, function: &Function) -> Name {
        let mut usage = format!("({name}");
        for parameter in unit.parameters_of(function) {
            usage.push(' ');
            usage.push_str(self.symbols.name(*parameter));
        }
        usage.push(')');
        let place = unit.origin.lines.place(function.offset);
        Name {
            name: name.into(),
            kind: NameKind::Function,
            usage,
            meaning: None,
            defined: Some((unit.origin.name.clone(), place)),
        }
    }

    fn variable(&self, name: &str, value: Value) -> Name {
        let text = brief(value, self.vm.names(&self.symbols));
        Name {
            name: name.into(),
            kind: NameKind::Variable,
            usage: name.into(),
            meaning: Some(format!("Its value is {text}.")),
            defined: None,
        }
    }
}

impl Entry {
    fn describe(&self, kind: NameKind) -> Name {
        Name {
            name: self.name.into(),
            kind,
            usage: self.usage.into(),
            meaning: Some(self.meaning.into()),
            defined: None,
        }
    }
}

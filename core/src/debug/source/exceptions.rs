//! Decides by names whether a handler catches an exception.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use super::{Module, free_names};

/// Base classes of MicroPython's exceptions (`py/objexcept.c` of 1.28, "exception hierarchy"); all
/// others inherit from `Exception`.
const PARENTS: [(&str, &str); 20] = [
    ("SystemExit", "BaseException"),
    ("KeyboardInterrupt", "BaseException"),
    ("GeneratorExit", "BaseException"),
    ("CancelledError", "BaseException"),
    ("Exception", "BaseException"),
    ("OverflowError", "ArithmeticError"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("NotImplementedError", "RuntimeError"),
    ("IndentationError", "SyntaxError"),
    ("UnicodeError", "ValueError"),
    ("ViperTypeError", "TypeError"),
    ("ArithmeticError", "Exception"),
    ("LookupError", "Exception"),
    ("RuntimeError", "Exception"),
    ("SyntaxError", "Exception"),
    ("ValueError", "Exception"),
    ("TypeError", "Exception"),
    ("TimeoutError", "OSError"),
];

/// Returns true if `except what` catches an exception, given as `repr` writes it, or may catch it: the value of a
/// variable is not in the text.
pub(crate) fn is_caught(modules: &[&Module], exception: &str, what: Option<&str>) -> bool {
    let Some(what) = what else { return true };
    let name = exception.split('(').next().unwrap_or_default();
    let lineage = lineage(modules, name);
    let named = free_names(what).map(|(names, _)| names).unwrap_or_default();
    let attribute = what.rsplit('.').next().unwrap_or_default().to_string();
    let catches = |name: &String| lineage.contains(name);
    let is_simple = |one: char| one.is_alphanumeric() || matches!(one, '_' | '.');
    let is_variable = what.chars().all(is_simple) && !is_class(modules, &attribute);
    is_variable || named.iter().chain([&attribute]).any(catches)
}

/// Returns true for the name of an exception class, judging by names.
fn is_class(modules: &[&Module], name: &str) -> bool {
    let endings = ["Error", "Exception", "Exit", "Interrupt", "Iteration"];
    let mut classes = modules.iter().flat_map(|module| &module.classes);
    endings.iter().any(|ending| name.ends_with(ending)) || classes.any(|(class, _)| class == name)
}

/// Returns a class and its base classes.
fn lineage(modules: &[&Module], name: &str) -> BTreeSet<String> {
    let mut lineage = BTreeSet::new();
    let mut todo = Vec::from([name.to_string()]);
    while let Some(name) = todo.pop() {
        if name.is_empty() || !lineage.insert(name.clone()) {
            continue;
        }
        let classes = modules.iter().flat_map(|module| &module.classes);
        let bases: Vec<_> = classes
            .filter(|(class, _)| *class == name)
            .flat_map(|(_, bases)| bases.clone())
            .collect();
        let builtin = PARENTS
            .iter()
            .find(|(class, _)| *class == name)
            .map(|(_, parent)| (*parent).to_string());
        todo.extend(bases.iter().cloned());
        match builtin {
            Some(parent) => todo.push(parent),
            None if bases.is_empty() && name != "BaseException" => {
                todo.push("Exception".to_string());
            }
            None => {}
        }
    }
    lineage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_catch_what_inherits() {
        let module =
            Module::parse("class Mine(LookupError): pass\nclass Other(mod.Mine): pass\n").unwrap();
        let cases = [
            ("ZeroDivisionError('divide by zero',)", None, true),
            (
                "ZeroDivisionError('divide by zero',)",
                Some("ArithmeticError"),
                true,
            ),
            (
                "ZeroDivisionError()",
                Some("(ValueError, TypeError)"),
                false,
            ),
            ("KeyError(1,)", Some("Exception"), true),
            ("KeyboardInterrupt()", Some("Exception"), false),
            ("Other()", Some("(KeyError, LookupError)"), true),
            ("Other()", Some("KeyError"), false),
            ("OSError(5,)", Some("errors.OSError"), true),
            ("OSError(5,)", Some("ERRORS"), true),
            ("OSError(5,)", Some("self.errors"), true),
        ];
        for (exception, what, expected) in cases {
            assert_eq!(
                is_caught(&[&module], exception, what),
                expected,
                "{exception} by {what:?}"
            );
        }
    }
}

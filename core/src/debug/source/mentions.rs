//! Names in a piece of Python: possible calls, and dependencies of its evaluation.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};
use core::ops::Range;

use ruff_python_ast::{
    Alias, Expr, ExprContext, ExprLambda, ModModule, Parameters, Stmt,
    visitor::{Visitor, walk_expr, walk_stmt},
};

use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use super::scope::parameters;

/// Names and attributes in expressions; every call uses one of them, except those of operators.
#[derive(Default)]
pub(crate) struct Mentions(pub(crate) BTreeSet<String>);

impl<'a> Visitor<'a> for Mentions {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => drop(self.0.insert(name.id.to_string())),
            Expr::Attribute(attribute) => drop(self.0.insert(attribute.attr.id.to_string())),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Returns the names that expressions mention.
pub(crate) fn mentioned<'a>(expressions: impl IntoIterator<Item = &'a Expr>) -> BTreeSet<String> {
    let mut mentions = Mentions::default();
    expressions
        .into_iter()
        .for_each(|one| mentions.visit_expr(one));
    mentions.0
}

/// Returns the text of each function that is called within a part of a module, in the order of the text.
pub(super) fn calls(parsed: &Parsed<ModModule>, text: &str, within: Range<usize>) -> Vec<String> {
    let mut calls = Calls {
        text,
        within,
        found: Vec::new(),
    };
    calls.visit_body(parsed.suite());
    let mut found = calls.found;
    found.sort();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

struct Calls<'t> {
    text: &'t str,
    within: Range<usize>,
    /// Offsets and texts.
    found: Vec<(usize, String)>,
}

impl<'a> Visitor<'a> for Calls<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let range = call.func.range();
            let (start, end) = (range.start().to_usize(), range.end().to_usize());
            if self.within.contains(&start) {
                self.found.push((start, self.text[start..end].to_string()));
            }
        }
        walk_expr(self, expression);
    }
}

/// Names that are read but not bound within.
#[derive(Default)]
struct Free {
    names: BTreeSet<String>,
    bound: BTreeSet<String>,
}

impl<'a> Visitor<'a> for Free {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        // `a += 1` reads its target.
        if let Stmt::AugAssign(assign) = statement
            && let Expr::Name(name) = &*assign.target
        {
            self.names.insert(name.id.to_string());
        }
        match statement {
            Stmt::FunctionDef(function) => {
                self.bound.insert(function.name.id.to_string());
                self.defaults(&function.parameters);
                for one in &function.decorator_list {
                    self.visit_decorator(one);
                }
                self.within(&function.body, &parameters(&function.parameters));
            }
            Stmt::ClassDef(class) => {
                self.bound.insert(class.name.id.to_string());
                for one in &class.decorator_list {
                    self.visit_decorator(one);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.within(&class.body, &[]);
            }
            Stmt::Import(import) => self.import(&import.names),
            Stmt::ImportFrom(import) => self.import(&import.names),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.names.insert(name.id.to_string());
            }
            Expr::Name(name) => drop(self.bound.insert(name.id.to_string())),
            Expr::Lambda(lambda) => return self.lambda(lambda),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                return self.comprehension(expression);
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

impl Free {
    /// Handles the body of a function or a class, which has variables of its own.
    fn within(&mut self, body: &[Stmt], parameters: &[String]) {
        let mut inner = Self::default();
        inner.visit_body(body);
        let Self { names, bound } = inner;
        let is_free = |name: &String| !bound.contains(name) && !parameters.contains(name);
        self.names.extend(names.into_iter().filter(is_free));
    }

    /// Handles defaults of parameters, which are evaluated outside the function.
    fn defaults(&mut self, parameters: &Parameters) {
        let parameters = parameters.iter_non_variadic_params();
        for default in parameters.filter_map(|one| one.default()) {
            self.visit_expr(default);
        }
    }

    fn import(&mut self, names: &[Alias]) {
        let bound = names.iter().map(|one| match &one.asname {
            Some(name) => name.id.as_str(),
            None => one.name.id.split('.').next().unwrap_or_default(),
        });
        self.bound
            .extend(bound.filter(|name| *name != "*").map(String::from));
    }

    /// Handles a comprehension, whose variables are its own, except for the first iterable, which is evaluated outside,
    /// and targets of `:=`.
    fn comprehension(&mut self, expression: &Expr) {
        let (key, result, loops) = match expression {
            Expr::ListComp(one) => (None, &one.elt, &one.generators),
            Expr::SetComp(one) => (None, &one.elt, &one.generators),
            Expr::Generator(one) => (None, &one.elt, &one.generators),
            Expr::DictComp(one) => (one.key.as_ref(), &one.value, &one.generators),
            _ => return,
        };
        let mut targets = Self::default();
        let mut inner = Self::default();
        for (index, one) in loops.iter().enumerate() {
            targets.visit_expr(&one.target);
            match index {
                0 => self.visit_expr(&one.iter),
                _ => inner.visit_expr(&one.iter),
            }
            one.ifs.iter().for_each(|one| inner.visit_expr(one));
        }
        key.into_iter().for_each(|one| inner.visit_expr(one));
        inner.visit_expr(result);
        let is_outer = |name: &String| !targets.bound.contains(name);
        self.names.extend(inner.names.into_iter().filter(is_outer));
        self.names.extend(targets.names);
        self.bound.extend(inner.bound);
    }

    fn lambda(&mut self, lambda: &ExprLambda) {
        lambda
            .parameters
            .iter()
            .for_each(|list| self.defaults(list));
        let own = lambda
            .parameters
            .as_ref()
            .map(|list| parameters(list))
            .unwrap_or_default();
        let mut inner = Self::default();
        inner.visit_expr(&lambda.body);
        self.names
            .extend(inner.names.into_iter().filter(|name| !own.contains(name)));
    }
}

/// Returns the names that Python reads, and those it binds; `None` if it is not valid Python.
pub(crate) fn free_names(python: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let parsed = ruff_python_parser::parse_module(python).ok()?;
    let mut free = Free::default();
    free.visit_body(parsed.suite());
    Some((free.names, free.bound))
}

/// Returns the names that Python deletes.
pub(crate) fn deleted_names(python: &str) -> BTreeSet<String> {
    let mut deleted = Deleted::default();
    if let Ok(parsed) = ruff_python_parser::parse_module(python) {
        deleted.visit_body(parsed.suite());
    }
    deleted.0
}

#[derive(Default)]
struct Deleted(BTreeSet<String>);

impl<'a> Visitor<'a> for Deleted {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Del => {
                self.0.insert(name.id.to_string());
            }
            _ => walk_expr(self, expression),
        }
    }
}

/// Returns true for an expression, and false for a statement or invalid Python.
pub(crate) fn is_expression(python: &str) -> bool {
    ruff_python_parser::parse_expression(python).is_ok()
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn calls_are_those_of_one_statement() {
        let module = crate::debug::Module::parse(
            "x = f(g(1), a.b(2), f(3))\nif h():\n    k(\n        m(x))\n",
        )
        .expect("it is Python");
        assert_eq!(module.calls_at(1), ["f", "g", "a.b"]);
        assert_eq!(module.calls_at(2), ["h"]);
        assert_eq!(module.calls_at(3), ["k", "m"]);
        assert!(module.calls_at(4).is_empty(), "nothing begins there");
    }

    #[test]
    fn names_are_read_and_bound_where_python_does() {
        for (python, read, bound) in [
            ("[x for x in x]", "x", ""),
            ("{k: v for k in ks for v in k if k}", "ks", ""),
            ("[a[i] for i in r]", "a r", ""),
            ("[x for x in y for y in z]", "y z", ""),
            ("lambda a=b, *, c=d: a + c + e", "b d e", ""),
            ("(n := m)", "m", "n"),
            ("[last := x for x in xs]", "xs", "last"),
            ("@deco\ndef f(a=b):\n return a + c", "b c deco", "f"),
            ("class A(B):\n x = y", "B y", "A"),
            ("a += 1", "a", "a"),
        ] {
            let (names, targets) = free_names(python).expect("it is Python");
            let joined = |names: BTreeSet<String>| {
                let names: Vec<_> = names.into_iter().collect();
                names.join(" ")
            };
            let found = format!("{} | {}", joined(names), joined(targets));
            assert_eq!(found, format!("{read} | {bound}"), "{python}");
        }
    }
}

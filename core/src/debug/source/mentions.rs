//! The names in a piece of Python: what it may call, and what it needs to be evaluated.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
};

use ruff_python_ast::{
    Expr, ExprContext, ExprLambda, Stmt,
    visitor::{Visitor, walk_expr, walk_stmt},
};

use super::scope::parameters;

/// The names and attributes in expressions; a call is always by one of them, but for operators.
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

/// The names that expressions mention.
pub(crate) fn mentioned<'a>(expressions: impl IntoIterator<Item = &'a Expr>) -> BTreeSet<String> {
    let mut mentions = Mentions::default();
    expressions
        .into_iter()
        .for_each(|one| mentions.visit_expr(one));
    mentions.0
}

/// Names that are read and not bound within.
#[derive(Default)]
struct Free {
    names: BTreeSet<String>,
    bound: BTreeSet<String>,
}

impl<'a> Visitor<'a> for Free {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        // `a += 1` reads what it writes.
        if let Stmt::AugAssign(assign) = statement
            && let Expr::Name(name) = &*assign.target
        {
            self.names.insert(name.id.to_string());
        }
        walk_stmt(self, statement);
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
    /// Its variables are its own.
    fn comprehension(&mut self, expression: &Expr) {
        let mut inner = Self::default();
        walk_expr(&mut inner, expression);
        let Self { names, bound } = inner;
        self.names
            .extend(names.into_iter().filter(|name| !bound.contains(name)));
    }

    fn lambda(&mut self, lambda: &ExprLambda) {
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

/// The names that Python reads and those that it binds, or none when it is no Python.
pub(crate) fn free_names(python: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let parsed = ruff_python_parser::parse_module(python).ok()?;
    let mut free = Free::default();
    free.visit_body(parsed.suite());
    Some((free.names, free.bound))
}

/// Whether this is an expression, and not a statement or no Python at all.
pub(crate) fn is_expression(python: &str) -> bool {
    ruff_python_parser::parse_expression(python).is_ok()
}

//! Conditions that MicroPython's compiler decides.
//!
//! It leaves out the code that can then not be reached (`py/compile.c`, `compile_if_stmt` and `compile_while_stmt`;
//! `py/parse.c`, `fold_constants` and `fold_logical_constants`), and with it the variables that are bound there. A hook in
//! such a condition would bring both back.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
};

use ruff_python_ast::{
    Expr, Number, Stmt,
    visitor::{Visitor, walk_stmt},
};

/// What the compiler may know of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    /// It is true.
    Yes,
    /// It is false.
    No,
    /// It is constant, and its value is not plain to see.
    Constant,
    /// It is decided when the program runs.
    Unknown,
}

/// What the compiler may know of a condition.
pub(super) fn truth(expression: &Expr, constants: &BTreeSet<String>) -> Truth {
    match expression {
        Expr::BooleanLiteral(literal) if literal.value => Truth::Yes,
        Expr::BooleanLiteral(_) => Truth::No,
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) if *int == 0 => Truth::No,
            Number::Int(_) => Truth::Yes,
            _ => Truth::Constant,
        },
        _ if is_constant(expression, constants) => Truth::Constant,
        _ => Truth::Unknown,
    }
}

/// Whether the compiler may know the value of an expression.
fn is_constant(expression: &Expr, constants: &BTreeSet<String>) -> bool {
    let is_constant = |one: &Expr| is_constant(one, constants);
    match expression {
        Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::EllipsisLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BytesLiteral(_) => true,
        Expr::Name(name) => name.id == "__debug__" || constants.contains(name.id.as_str()),
        Expr::UnaryOp(inner) => is_constant(&inner.operand),
        Expr::BinOp(inner) => is_constant(&inner.left) && is_constant(&inner.right),
        Expr::BoolOp(inner) => inner.values.iter().any(is_constant),
        Expr::Tuple(inner) => inner.elts.iter().all(is_constant),
        _ => false,
    }
}

/// The names that are bound by `const()`.
#[derive(Default)]
struct Constants(BTreeSet<String>);

impl<'a> Visitor<'a> for Constants {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assign(assign) = statement
            && let Expr::Call(call) = &*assign.value
            && let Expr::Name(function) = &*call.func
            && function.id == "const"
        {
            let names = assign.targets.iter().filter_map(Expr::as_name_expr);
            self.0.extend(names.map(|name| name.id.to_string()));
        }
        walk_stmt(self, statement);
    }
}

/// The names that a module binds by `const()`.
pub(super) fn constants(statements: &[Stmt]) -> BTreeSet<String> {
    let mut constants = Constants::default();
    constants.visit_body(statements);
    constants.0
}

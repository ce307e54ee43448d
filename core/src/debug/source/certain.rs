//! Finds conditions that a hook can check without a call: comparisons of numbers in variables that are certainly bound.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use ruff_python_ast::{
    CmpOp, ExceptHandler, Expr, Number, Operator, Stmt, UnaryOp,
    visitor::{Visitor, walk_except_handler, walk_stmt},
};
use ruff_text_size::{Ranged, TextSize};

use super::{FunctionId, Module};

impl Module {
    /// Returns the variables of a condition at a line, if it raises nothing as long as all of them are numbers.
    pub(in crate::debug) fn numbers_of(&self, line: u32, condition: &str) -> Option<Vec<String>> {
        let parsed = ruff_python_parser::parse_expression(condition).ok()?;
        let mut names = BTreeSet::new();
        let is_safe = is_test(parsed.expr(), &mut names) && !names.is_empty();
        let bound = self.bound_at(line)?;
        (is_safe && names.is_subset(&bound)).then(|| names.into_iter().collect())
    }

    /// Returns variables of the function at a line that are certainly bound when the line begins.
    fn bound_at(&self, line: u32) -> Option<BTreeSet<String>> {
        let stop = self.stops.get(&line)?;
        let function = self.function(stop.function);
        let offset = TextSize::try_from(stop.offset).ok()?;
        let mut bound = BTreeSet::new();
        let mut body: &[Stmt] = self.parsed.suite();
        if stop.function != FunctionId::BODY {
            bound.extend(function.parameters().map(ToString::to_string));
            body = body_of(body, TextSize::try_from(function.start).ok()?)?;
        }
        before(body, offset, &mut bound);
        let mut unbound = Unbound::default();
        unbound.visit_body(body);
        bound.retain(|name| !unbound.0.contains(name));
        // MicroPython's compiler makes no variable of a constant that begins with an underscore.
        bound.retain(|name| self.constants.iter().all(|one| one.name != *name));
        if stop.function != FunctionId::BODY {
            bound.retain(|name| function.own_variables().any(|own| own == name));
        }
        Some(bound)
    }
}

/// Returns true for a test of names and numbers that raises nothing if the names are numbers, and collects the names.
fn is_test(test: &Expr, names: &mut BTreeSet<String>) -> bool {
    match test {
        Expr::BoolOp(inner) => inner.values.iter().all(|value| is_test(value, names)),
        Expr::UnaryOp(inner) if inner.op == UnaryOp::Not => is_test(&inner.operand, names),
        Expr::Compare(inner) => {
            let is_order = |op: &CmpOp| !matches!(op, CmpOp::In | CmpOp::NotIn);
            inner.ops.iter().all(is_order)
                && is_number(&inner.left, names)
                && inner
                    .comparators
                    .iter()
                    .all(|value| is_number(value, names))
        }
        _ => is_number(test, names),
    }
}

/// Returns true for an expression whose value is a number if its names are.
fn is_number(value: &Expr, names: &mut BTreeSet<String>) -> bool {
    match value {
        Expr::Name(name) => {
            names.insert(name.id.to_string());
            true
        }
        Expr::NumberLiteral(number) => !matches!(number.value, Number::Complex { .. }),
        Expr::BooleanLiteral(_) => true,
        Expr::UnaryOp(inner) => {
            let is_sign = matches!(inner.op, UnaryOp::USub | UnaryOp::UAdd);
            is_sign && inner.operand.is_number_literal_expr() && is_number(&inner.operand, names)
        }
        // Sums and products overflow where a board's integers have 64 bits.
        Expr::BinOp(inner) => {
            let divides = matches!(inner.op, Operator::Mod | Operator::FloorDiv);
            divides && is_positive(&inner.right) && is_number(&inner.left, names)
        }
        _ => false,
    }
}

fn is_positive(value: &Expr) -> bool {
    let Expr::NumberLiteral(number) = value else {
        return false;
    };
    matches!(&number.value, Number::Int(number) if number.as_u64().is_some_and(|number| number > 0))
}

/// Finds the body of the function whose statement begins at an offset.
fn body_of(statements: &[Stmt], start: TextSize) -> Option<&[Stmt]> {
    let mut find = Find { start, body: None };
    find.visit_body(statements);
    find.body
}

struct Find<'a> {
    start: TextSize,
    body: Option<&'a [Stmt]>,
}

impl<'a> Visitor<'a> for Find<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) if function.range.start() == self.start => {
                self.body = Some(&function.body);
            }
            _ if statement.range().contains(self.start) => walk_stmt(self, statement),
            _ => {}
        }
    }
}

/// Collects the names that the statements before an offset bind on every way to it.
fn before(statements: &[Stmt], offset: TextSize, bound: &mut BTreeSet<String>) {
    for statement in statements {
        if statement.start() >= offset {
            return;
        }
        if statement.range().contains(offset) {
            return within(statement, offset, bound);
        }
        match statement {
            Stmt::Assign(assign) => assign.targets.iter().for_each(|one| bind(one, bound)),
            Stmt::AnnAssign(assign) if assign.value.is_some() => bind(&assign.target, bound),
            Stmt::AugAssign(assign) => bind(&assign.target, bound),
            _ => {}
        }
    }
}

/// Descends into the block of a statement that contains an offset.
fn within(statement: &Stmt, offset: TextSize, bound: &mut BTreeSet<String>) {
    let blocks: Vec<&[Stmt]> = match statement {
        Stmt::For(inner) => {
            if has(&inner.body, offset) {
                bind(&inner.target, bound);
            }
            [&*inner.body, &*inner.orelse].into()
        }
        Stmt::While(inner) => [&*inner.body, &*inner.orelse].into(),
        Stmt::With(inner) => [&*inner.body].into(),
        Stmt::If(inner) => {
            let clauses = inner.elif_else_clauses.iter().map(|clause| &*clause.body);
            core::iter::once(&*inner.body).chain(clauses).collect()
        }
        Stmt::Try(inner) => {
            let handlers = inner.handlers.iter();
            let handlers = handlers.map(|ExceptHandler::ExceptHandler(one)| &*one.body);
            let blocks = [&*inner.body, &*inner.orelse, &*inner.finalbody];
            blocks.into_iter().chain(handlers).collect()
        }
        _ => Vec::new(),
    };
    if let Some(block) = blocks.into_iter().find(|block| has(block, offset)) {
        before(block, offset, bound);
    }
}

/// Returns true if an offset is in these statements.
fn has(statements: &[Stmt], offset: TextSize) -> bool {
    let mut statements = statements.iter();
    statements.any(|one| one.range().contains(offset))
}

fn bind(target: &Expr, bound: &mut BTreeSet<String>) {
    match target {
        Expr::Name(name) => drop(bound.insert(name.id.to_string())),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|one| bind(one, bound)),
        _ => {}
    }
}

/// Names that a statement unbinds, as `del` and the end of a handler that names its exception do, or that another function
/// may rebind at any time.
#[derive(Default)]
struct Unbound(BTreeSet<String>);

impl<'a> Visitor<'a> for Unbound {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Delete(delete) => delete.targets.iter().for_each(|one| bind(one, &mut self.0)),
            Stmt::Global(inner) => self.0.extend(inner.names.iter().map(ToString::to_string)),
            Stmt::Nonlocal(inner) => self.0.extend(inner.names.iter().map(ToString::to_string)),
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(one) = handler;
        self.0
            .extend(one.name.iter().map(|name| name.id.to_string()));
        walk_except_handler(self, handler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
def work(n, data):
    s = 0
    for i in range(n):
        s += i
        if s:
            late = i
        try:
            a, b = i, s
            b += 1
        except OSError as e:
            s = 0
        s -= 1
    del data
    s = 1
    return s
";

    fn numbers(text: &str, line: u32, condition: &str) -> Option<String> {
        let module = Module::parse(text).unwrap();
        let names = module.numbers_of(line, condition);
        names.map(|names| names.join(" "))
    }

    #[test]
    fn tests_of_numbers_that_are_bound_are_safe() {
        let safe = [
            (4, "i == 500", "i"),
            (4, "not 0 < i // 2 <= n or i % 10 == 3", "i n"),
            (4, "s", "s"),
            (9, "a > -1", "a"),
            (12, "i // 3 >= -1.5", "i"),
            (15, "s != n", "n s"),
        ];
        for (line, condition, names) in safe {
            let found = numbers(TEXT, line, condition);
            assert_eq!(found.as_deref(), Some(names), "{condition}");
        }
    }

    #[test]
    fn conditions_that_may_raise_are_rejected() {
        let others = [
            // Not bound on every way there, or unbound somewhere.
            (3, "i == 1"),
            (8, "late"),
            (12, "a == 1"),
            (4, "data == 1"),
            (11, "e == 1"),
            (15, "i == 3"),
            // Not the function's own.
            (4, "other == 1"),
            // Raises, or takes unbounded time.
            (4, "i / s"),
            (4, "i + s > 3"),
            (4, "-i > 3"),
            (4, "i * 2 > 3"),
            (4, "i % s == 0"),
            (4, "i % 0 == 0"),
            (4, "i in s"),
            (4, "i << 3"),
            (4, "i ** 9"),
            (4, "f(i)"),
            (4, "i.real"),
            (4, "i == 'x'"),
            (4, "i < None"),
            (4, "1 < 2"),
        ];
        for (line, condition) in others {
            let found = numbers(TEXT, line, condition);
            assert_eq!(found, None, "{condition} at {line}");
        }
    }

    #[test]
    fn constants_and_variables_of_other_functions_are_rejected() {
        const MODULE: &str = "\
from micropython import const
_X = const(5)
n = 0
k = 1
def f():
    global n
    m = 2
    def g():
        nonlocal m
        m = 'x'
    return m
class C:
    a = 1
    b = a
print(n, k)
";
        let cases = [
            (15, "k == 1", Some("k")),
            (15, "_X == 5", None),
            (15, "n == 1", None),
            (11, "m == 1", None),
            (14, "a == 1", None),
        ];
        for (line, condition, names) in cases {
            let found = numbers(MODULE, line, condition);
            assert_eq!(found.as_deref(), names, "{condition}");
        }
    }

    #[test]
    fn blocks_bind_what_every_way_to_a_line_binds() {
        const BLOCKS: &str = "\
def f(a):
    with a as w:
        x = 1
        print(x)
    if a:
        y = 1
    elif x:
        z = 1
        print(z)
    else:
        y = 2
    try:
        t = 1
    finally:
        print(t)
    while x:
        u = 1
        print(u)
    else:
        print(u)
";
        let cases = [
            (4, "x == 1", Some("x")),
            (5, "x == 1", None),
            (9, "z == 1", Some("z")),
            (9, "y == 1", None),
            (15, "t == 1", None),
            (18, "u == 1", Some("u")),
            (20, "u == 1", None),
        ];
        for (line, condition, names) in cases {
            let found = numbers(BLOCKS, line, condition);
            assert_eq!(found.as_deref(), names, "{condition} at {line}");
        }
    }
}

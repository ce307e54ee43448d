//! Adds hooks to the parts of expressions: names, calls, operations, and other parts that get a value of their own.

use ruff_python_ast::{
    Expr, ExprCall, ExprContext, Stmt,
    visitor::{Visitor, walk_expr},
};
use ruff_text_size::{Ranged, TextRange};

use super::{
    Dialect,
    edits::Order,
    hooks::Spot,
    walk::{Place, Walk, matters},
};

impl Walk<'_> {
    /// Adds hooks to the expressions of a simple statement.
    pub(super) fn parts_of_statement(&mut self, statement: &Stmt, place: &Place) {
        let expressions: &mut dyn Iterator<Item = &Expr> = match statement {
            Stmt::Expr(inner) => &mut core::iter::once(&*inner.value),
            Stmt::Assign(inner) => &mut core::iter::once(&*inner.value).chain(&inner.targets),
            Stmt::AugAssign(inner) => &mut [&*inner.target, &*inner.value].into_iter(),
            Stmt::AnnAssign(inner) => &mut inner.value.as_deref().into_iter(),
            Stmt::Return(inner) => &mut inner.value.as_deref().into_iter(),
            Stmt::Delete(inner) => &mut inner.targets.iter(),
            Stmt::Raise(inner) => &mut inner
                .exc
                .as_deref()
                .into_iter()
                .chain(inner.cause.as_deref()),
            Stmt::Assert(inner) => &mut core::iter::once(&*inner.test).chain(inner.msg.as_deref()),
            _ => return,
        };
        expressions.for_each(|one| self.parts_of(one, place));
    }

    /// Adds hooks to an expression and its parts.
    pub(super) fn parts_of(&mut self, expression: &Expr, place: &Place) {
        let has_hooks = self.hooks.dialect == Dialect::Walrus && place.spot != Spot::ClassBody;
        if self.plan.parts && has_hooks && !(matters(place) && suspends(expression)) {
            let (spot, line) = (place.spot, self.line_of(expression));
            Parts {
                walk: self,
                spot,
                line,
            }
            .visit_expr(expression);
        }
    }

    fn line_of(&self, expression: &Expr) -> u32 {
        self.room.lines.line(expression.start())
    }

    fn part(&mut self, range: TextRange, spot: Spot) {
        let (start, end) = (range.start().to_usize(), range.end().to_usize());
        let open = self.hooks.open_part(range, spot);
        self.edits.insert(start, Order::Open, open);
        self.edits.insert(end, Order::Close, "))");
    }
}

struct Parts<'w, 'a> {
    walk: &'w mut Walk<'a>,
    spot: Spot,
    /// Line on which the enclosing part begins.
    line: u32,
}

impl<'a> Visitor<'a> for Parts<'_, '_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let line = self.walk.line_of(expression);
        // A hook is a call, and MicroPython notes the line of each: for a name on a later line it would be the line of the call around
        // it, in the program's own tracebacks.
        let moves_line = expression.is_name_expr() && line != self.line;
        if is_part(expression) && !moves_line {
            self.walk.part(expression.range(), self.spot);
        }
        let around = core::mem::replace(&mut self.line, line);
        self.visit_inner(expression);
        self.line = around;
    }
}

impl Parts<'_, '_> {
    fn visit_inner(&mut self, expression: &Expr) {
        match expression {
            // The comprehensions' own parts are other functions' to MicroPython, and run once for each item.
            Expr::Lambda(_)
            | Expr::Generator(_)
            | Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::FString(_)
            | Expr::TString(_) => {}
            Expr::Call(call) if is_special(call) => {}
            Expr::Call(call) => {
                self.callee(&call.func);
                self.visit_arguments(&call.arguments);
            }
            // A module or an instance says less than its attribute.
            Expr::Attribute(attribute) if attribute.value.is_name_expr() => {}
            _ => walk_expr(self, expression),
        }
    }

    /// Visits a called function, which is no part itself: MicroPython calls a method without making an object of it.
    fn callee(&mut self, function: &Expr) {
        match function {
            Expr::Name(_) => {}
            Expr::Attribute(attribute) if attribute.value.is_name_expr() => {}
            Expr::Attribute(attribute) => self.visit_expr(&attribute.value),
            _ => self.visit_expr(function),
        }
    }
}

/// Returns true for an expression whose value is worth a stop.
fn is_part(expression: &Expr) -> bool {
    match expression {
        Expr::Name(name) => name.ctx == ExprContext::Load,
        Expr::Attribute(attribute) => attribute.ctx == ExprContext::Load,
        Expr::Subscript(subscript) => subscript.ctx == ExprContext::Load,
        Expr::Call(call) => !is_special(call),
        Expr::UnaryOp(inner) => !inner.operand.is_literal_expr(),
        Expr::List(inner) => inner.ctx == ExprContext::Load && is_made(&inner.elts),
        Expr::Tuple(inner) => inner.ctx == ExprContext::Load && is_made(&inner.elts),
        Expr::Set(inner) => is_made(&inner.elts),
        Expr::Dict(inner) => inner.items.iter().any(|item| !item.value.is_literal_expr()),
        Expr::BinOp(_)
        | Expr::BoolOp(_)
        | Expr::Compare(_)
        | Expr::If(_)
        | Expr::Named(_)
        | Expr::ListComp(_)
        | Expr::SetComp(_)
        | Expr::DictComp(_)
        | Expr::FString(_) => true,
        _ => false,
    }
}

/// Returns true for the items of a display that is made when it runs. A slice among them makes it an index of its own kind.
fn is_made(items: &[Expr]) -> bool {
    items.iter().any(|one| !one.is_literal_expr()) && !items.iter().any(Expr::is_slice_expr)
}

/// Returns true for calls that MicroPython's compiler replaces.
fn is_special(call: &ExprCall) -> bool {
    let name = call.func.as_name_expr();
    name.is_some_and(|name| matches!(name.id.as_str(), "super" | "const"))
}

/// Returns true for an expression that leaves its function before it has a value.
fn suspends(expression: &Expr) -> bool {
    struct Found(bool);
    impl<'a> Visitor<'a> for Found {
        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_) => self.0 = true,
                Expr::Lambda(_) => {}
                _ => walk_expr(self, expression),
            }
        }
    }
    let mut found = Found(false);
    found.visit_expr(expression);
    found.0
}

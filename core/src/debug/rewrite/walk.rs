//! Walks through statements and inserts hooks.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec,
    vec::Vec,
};

use ruff_python_ast::{
    ExceptHandler, ExceptHandlerExceptHandler, Expr, Stmt, StmtClassDef, StmtFunctionDef, StmtIf,
    StmtTry,
    token::TokenKind,
    visitor::{Visitor, walk_expr},
};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::{
    Dialect, FUNCTION_BITS, Plan,
    edits::{Edits, Order},
    hooks::{Hooks, Spot},
    room::Room,
};
use crate::debug::source::{Function, FunctionId, Kind};

pub(super) struct Walk<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) hooks: Hooks<'a>,
    pub(super) edits: Edits,
    pub(super) room: Room<'a>,
    pub(super) functions: BTreeMap<usize, FunctionId>,
    /// Number of enclosing functions with hooks: each indents its content by one more space.
    pub(super) depth: usize,
}

/// Owner of the current statements.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The function, if it has hooks.
    pub(super) hooked: Option<FunctionId>,
    pub(super) spot: Spot,
    kind: Kind,
    is_function: bool,
}

impl Place {
    pub(super) fn module(hooked: &BTreeSet<FunctionId>) -> Self {
        Self {
            hooked: hooked
                .contains(&FunctionId::BODY)
                .then_some(FunctionId::BODY),
            spot: Spot::Module,
            kind: Kind::Body,
            is_function: false,
        }
    }
}

/// Lines of headers that are directly nested, the innermost first.
type Headers = [u32];

impl<'a> Walk<'a> {
    /// Inserts hooks into statements, and `before` in front of the first.
    fn body(&mut self, statements: &[Stmt], place: &Place, before: Vec<String>) {
        self.body_within(statements, place, &[], before);
    }

    /// Like [`body`](Self::body), for a first statement that may need a line, which the enclosing
    /// headers could provide.
    fn body_within(
        &mut self,
        statements: &[Stmt],
        place: &Place,
        headers: &Headers,
        mut before: Vec<String>,
    ) {
        let mut headers = headers;
        for statement in statements {
            self.statement(statement, place, headers, core::mem::take(&mut before));
            if !is_text(statement) {
                headers = &[];
            }
            if is_async(statement) && place.hooked.is_some() {
                before.push(self.hooks.resumed());
            }
        }
    }

    pub(super) fn statement(
        &mut self,
        statement: &Stmt,
        place: &Place,
        headers: &Headers,
        before: Vec<String>,
    ) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function, headers),
            Stmt::ClassDef(class) => self.class(class, place, headers),
            Stmt::If(inner) => self.condition(inner, place, before),
            Stmt::While(inner) => {
                self.header(statement.start(), &inner.test, place, Vec::new());
                self.body(&inner.body, place, Vec::new());
                self.body(&inner.orelse, place, Vec::new());
            }
            Stmt::For(inner) => {
                self.header(statement.start(), &inner.iter, place, before);
                let resumed = self.resumed(inner.is_async, place);
                self.body(&inner.body, place, resumed.clone());
                self.body(&inner.orelse, place, resumed);
            }
            Stmt::With(inner) => {
                if let [first, others @ ..] = inner.items.as_slice() {
                    self.header(statement.start(), &first.context_expr, place, before);
                    others
                        .iter()
                        .for_each(|item| self.expression(&item.context_expr, place));
                }
                let resumed = self.resumed(inner.is_async, place);
                self.body(&inner.body, place, resumed);
            }
            Stmt::Try(inner) => self.attempt(inner, place),
            Stmt::Match(inner) => {
                inner
                    .cases
                    .iter()
                    .for_each(|case| self.body(&case.body, place, Vec::new()));
            }
            _ => self.simple(statement, place, &before),
        }
    }

    fn resumed(&self, is_async: bool, place: &Place) -> Vec<String> {
        let is_hooked = is_async && place.hooked.is_some();
        if is_hooked {
            vec![self.hooks.resumed()]
        } else {
            Vec::new()
        }
    }

    /// Returns the line of a statement, if the program can stop at it.
    fn stop(&self, start: TextSize, place: &Place) -> Option<u32> {
        let line = self.room.lines.line(start);
        let stop = self.plan.module.stops.get(&line)?;
        let is_this = stop.offset == start.to_usize() && Some(stop.function) == place.hooked;
        is_this.then_some(line)
    }

    fn simple(&mut self, statement: &Stmt, place: &Place, before: &[String]) {
        let mut hook: String = before.iter().map(|one| format!("{one};")).collect();
        if let Some(line) = self.stop(statement.start(), place) {
            hook += &self.hooks.statement(line, place.spot);
            self.parts_of_statement(statement, place);
        }
        if !hook.is_empty() {
            self.edits
                .insert(statement.start().to_usize(), Order::Hook, hook);
        }
        if matters(place) {
            Suspensions { walk: self }.visit_stmt(statement);
        }
    }

    /// Inserts a hook into a compound statement's expression.
    fn header(&mut self, start: TextSize, expression: &Expr, place: &Place, before: Vec<String>) {
        let mut hook: String = before.iter().map(|one| format!("{one} or ")).collect();
        let Some(line) = self.stop(start, place) else {
            // A constant condition has to remain constant.
            return self.expression(expression, place);
        };
        hook += &self.hooks.expression(line, place.spot);
        let range = expression.range();
        self.edits
            .insert(range.start().to_usize(), Order::Hook, hook);
        self.parts_of(expression, place);
        self.expression(expression, place);
        self.edits.insert(range.end().to_usize(), Order::Close, ")");
    }

    fn expression(&mut self, expression: &Expr, place: &Place) {
        if matters(place) {
            Suspensions { walk: self }.visit_expr(expression);
        }
    }

    fn condition(&mut self, statement: &StmtIf, place: &Place, before: Vec<String>) {
        self.header(statement.range.start(), &statement.test, place, before);
        self.body(&statement.body, place, Vec::new());
        for clause in &statement.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.header(clause.range.start(), test, place, Vec::new());
            }
            self.body(&clause.body, place, Vec::new());
        }
    }

    fn attempt(&mut self, statement: &StmtTry, place: &Place) {
        self.body(&statement.body, place, Vec::new());
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            let before = self.handler(handler, place);
            self.body(&handler.body, place, before);
        }
        self.body(&statement.orelse, place, Vec::new());
        self.body(&statement.finalbody, place, Vec::new());
    }

    /// Returns the start of a handler, which reports the exception; an unnamed exception gets a name for that.
    fn handler(&mut self, handler: &ExceptHandlerExceptHandler, place: &Place) -> Vec<String> {
        let can_tell = handler.body.first().is_some_and(takes_hook);
        let is_hooked = place.hooked.is_some() && place.spot != Spot::ClassBody;
        if !is_hooked || !can_tell || self.hooks.dialect == Dialect::Old {
            return Vec::new();
        }
        if let Some(name) = &handler.name {
            return vec![self.hooks.caught(&name.id, place.spot)];
        }
        let name = self.hooks.exception();
        let kind = if handler.type_.is_some() {
            ""
        } else {
            " BaseException"
        };
        if let Some(colon) = self.colon(handler) {
            self.edits
                .insert(colon, Order::Open, format!("{kind} as {name}"));
        }
        vec![self.hooks.caught(&name, place.spot)]
    }

    fn colon(&self, handler: &ExceptHandlerExceptHandler) -> Option<usize> {
        let from = handler
            .type_
            .as_ref()
            .map_or(handler.range.start(), |what| what.end());
        let to = handler.body.first()?.start();
        let tokens = self
            .plan
            .module
            .parsed
            .tokens()
            .in_range(TextRange::new(from, to));
        let colon = tokens
            .iter()
            .find(|token| token.kind() == TokenKind::Colon)?;
        Some(colon.start().to_usize())
    }

    fn class(&mut self, class: &StmtClassDef, place: &Place, headers: &Headers) {
        let inner = Place {
            hooked: place.hooked.filter(|_| !place.is_function),
            spot: Spot::ClassBody,
            ..*place
        };
        let line = self.room.lines.line(class.range.start());
        self.body_within(
            &class.body,
            &inner,
            &[&[line], headers].concat(),
            Vec::new(),
        );
    }

    pub(super) fn function(&mut self, function: &StmtFunctionDef, headers: &Headers) {
        let module = self.plan.module;
        let Some(&id) = self.functions.get(&function.range.start().to_usize()) else {
            return;
        };
        let is_hooked = self.plan.hooked.contains(&id) && module.lines_of(id).next().is_some();
        let known = module.function(id);
        let line = self.room.lines.line(function.range.start());
        let headers = [&[line], headers].concat();
        if is_hooked {
            self.open_frame(function, known, id, &headers);
            self.depth += 1;
        }
        let place = Place {
            hooked: is_hooked.then_some(id),
            spot: Spot::Function,
            kind: known.kind,
            is_function: true,
        };
        self.body_within(&function.body, &place, &headers, Vec::new());
        self.depth -= usize::from(is_hooked);
    }

    fn open_frame(
        &mut self,
        function: &StmtFunctionDef,
        known: &Function,
        id: FunctionId,
        headers: &Headers,
    ) {
        let number = self.plan.number << FUNCTION_BITS | id.0;
        let is_async = known.kind == Kind::Coroutine;
        let frame = self.hooks.frame(
            number,
            is_async,
            &known.variables.own,
            &known.variables.outer,
        );
        let lines = self.room.lines;
        let Some(start) = function.body.first().map(Ranged::start) else {
            return;
        };
        let header_end = match self.header_end(function, start) {
            Header::Suite { colon } => {
                return self.open_on_header(function, colon, &frame, headers);
            }
            Header::Line { end } => end,
        };
        let (first, rest) = split_text(&function.body, &self.plan.module.text, lines);
        let (header_line, body_line) = (lines.line(header_end), lines.line(start));
        let indent = &self.plan.module.text[lines.start(body_line)..start.to_usize()];
        let indent = format!("{indent}{}", " ".repeat(self.depth));
        if let Some(text) = first {
            let empty = "\n".repeat((lines.line(text.end()) - lines.line(text.start())) as usize);
            let (from, to) = (text.start().to_usize(), text.end().to_usize());
            self.edits.replace(from, to, frame + &empty);
        } else if !self.room.replace(
            header_line,
            body_line,
            &format!("{indent}{frame}"),
            &mut self.edits,
        ) {
            self.room.make(headers, &mut self.edits);
            self.edits.insert(
                lines.start(body_line),
                Order::Line,
                format!("{indent}{frame}\n"),
            );
        }
        self.indent(rest);
    }

    /// Determines from the tokens how a header of any number of lines ends: with a line end before the first statement,
    /// or without one.
    fn header_end(&self, function: &StmtFunctionDef, start: TextSize) -> Header {
        let range = TextRange::new(function.parameters.range.end(), start);
        let mut colon = range.end();
        for token in self.plan.module.parsed.tokens().in_range(range) {
            match token.kind() {
                TokenKind::Colon => colon = token.end(),
                TokenKind::Newline => {
                    return Header::Line { end: token.start() };
                }
                _ => {}
            }
        }
        Header::Suite { colon }
    }

    /// Handles `def f(): return 1`, which takes two additional lines.
    fn open_on_header(
        &mut self,
        function: &StmtFunctionDef,
        colon: TextSize,
        frame: &str,
        headers: &Headers,
    ) {
        let text = &self.plan.module.text;
        let lines = self.room.lines;
        let line = lines.start(lines.line(function.range.start()));
        let indent: String = text[line..]
            .chars()
            .take_while(|one| matches!(one, ' ' | '\t'))
            .collect();
        let indent = indent + &" ".repeat(self.depth);
        self.room.make(headers, &mut self.edits);
        self.room.make(headers, &mut self.edits);
        if let Some(start) = function.body.first().map(Ranged::start) {
            // A backslash and a line end may be between.
            let (colon, start) = (colon.to_usize(), start.to_usize());
            self.edits
                .replace(colon, start, format!("\n{indent} {frame}\n"));
            self.edits.insert(start, Order::Line, format!("{indent}  "));
        }
    }

    fn indent(&mut self, statements: &[Stmt]) {
        let (Some(first), Some(last)) = (statements.first(), statements.last()) else {
            return;
        };
        let (from, to) = (first.start().to_usize(), last.end().to_usize());
        for &start in self.room.lines.logical_starts(from, to) {
            self.edits.insert(start, Order::Indent, " ");
        }
    }
}

/// End of a function's header.
enum Header {
    /// Followed by statements after its colon.
    Suite { colon: TextSize },
    /// At the end of its line.
    Line { end: TextSize },
}

/// Returns true if a function must report to its own stack when it yields or awaits.
pub(super) fn matters(place: &Place) -> bool {
    place.hooked.is_some() && matches!(place.kind, Kind::Generator | Kind::Coroutine)
}

/// Returns true if a hook that runs once can precede a statement.
fn takes_hook(statement: &Stmt) -> bool {
    matches!(statement, Stmt::If(_) | Stmt::For(_) | Stmt::With(_)) || !is_compound(statement)
}

/// Returns true if a statement contains statements.
pub(super) fn is_compound(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::If(_)
            | Stmt::While(_)
            | Stmt::For(_)
            | Stmt::With(_)
            | Stmt::Try(_)
            | Stmt::Match(_)
    )
}

fn is_async(statement: &Stmt) -> bool {
    match statement {
        Stmt::For(inner) => inner.is_async,
        Stmt::With(inner) => inner.is_async,
        _ => false,
    }
}

fn is_text(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(inner) if matches!(&*inner.value, Expr::StringLiteral(_)))
}

/// Splits off a function's docstring, if it has lines of its own. MicroPython drops it, so its lines are free.
fn split_text<'a>(
    body: &'a [Stmt],
    text: &str,
    lines: &crate::debug::source::LineTable,
) -> (Option<&'a Stmt>, &'a [Stmt]) {
    match body {
        [first, rest @ ..] if is_text(first) && !rest.is_empty() => {
            let is_alone = !text[first.end().to_usize()..].trim_start().starts_with(';');
            if is_alone && lines.line(rest[0].start()) > lines.line(first.end()) {
                (Some(first), rest)
            } else {
                (None, body)
            }
        }
        _ => (None, body),
    }
}

/// Reports to the stack where a generator or a coroutine leaves and resumes.
struct Suspensions<'w, 'a> {
    walk: &'w mut Walk<'a>,
}

impl Suspensions<'_, '_> {
    fn wrap(&mut self, range: TextRange, open: String, close: &str) {
        self.walk
            .edits
            .insert(range.start().to_usize(), Order::Open, open);
        self.walk
            .edits
            .insert(range.end().to_usize(), Order::Close, close);
    }
}

impl<'a> Visitor<'a> for Suspensions<'_, '_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Lambda(_) => return,
            Expr::Yield(inner) => {
                self.wrap(inner.range, self.walk.hooks.open_yield(), "))");
                let open = self.walk.hooks.open_yielded();
                match &inner.value {
                    Some(value) => self.wrap(value.range(), open, "))"),
                    None => {
                        let end = inner.range.end().to_usize();
                        self.walk
                            .edits
                            .insert(end, Order::Yielded, format!(" {open}None))"));
                    }
                }
            }
            Expr::YieldFrom(inner) => {
                self.wrap(inner.range, self.walk.hooks.open_yield(), "))");
                self.wrap(inner.value.range(), self.walk.hooks.open_delegate(), "))");
            }
            Expr::Await(inner) => self.wrap(inner.range, self.walk.hooks.open_await(), ")"),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

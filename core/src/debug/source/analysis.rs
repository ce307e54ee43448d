//! Analyzes a module in one walk.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use ruff_python_ast::{
    ExceptHandler, Expr, ModModule, Stmt, StmtClassDef, StmtFunctionDef, StmtIf, StmtTry,
    token::TokenKind,
};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextSize};

use super::{
    Function, FunctionId, Kind, LineTable, Module, Refusal, Stop, Try,
    constant::{Truth, constants, truth},
    function::MOST_VARIABLES,
    mentions::mentioned,
    scope::{Variables, defaults},
};

/// Analyzes every statement of a module.
pub(super) fn analyze(text: String, parsed: Parsed<ModModule>) -> Module {
    let lines = LineTable::new(&text, parsed.tokens());
    let body = Function {
        name: String::new(),
        qualified_name: "<module>".to_string(),
        line: 1,
        last_line: lines.count(),
        kind: Kind::Body,
        refusal: None,
        parent: None,
        variables: Variables::default(),
        mentions: BTreeSet::new(),
        start: 0,
    };
    let constants = constants(&text, &parsed);
    let mut walk = Walk {
        text: &text,
        lines: &lines,
        functions: vec![body],
        stops: BTreeMap::new(),
        tries: Vec::new(),
        classes: Vec::new(),
        imports: BTreeSet::new(),
        constants: constants.iter().map(|one| one.name.clone()).collect(),
    };
    walk.body(parsed.suite(), &Place::module());
    let Walk {
        functions,
        stops,
        tries,
        classes,
        imports,
        ..
    } = walk;
    let names = parsed
        .tokens()
        .iter()
        .filter(|token| token.kind() == TokenKind::Name);
    let names = names.map(|token| text[token.range()].to_string()).collect();
    Module {
        names,
        parsed,
        lines,
        functions,
        stops,
        tries,
        classes,
        constants,
        imports,
        text,
    }
}

struct Walk<'a> {
    text: &'a str,
    lines: &'a LineTable,
    functions: Vec<Function>,
    stops: BTreeMap<u32, Stop>,
    tries: Vec<Try>,
    classes: Vec<(String, BTreeSet<String>)>,
    imports: BTreeSet<String>,
    constants: BTreeSet<String>,
}

/// Position of the walk.
#[derive(Clone)]
struct Place {
    function: FunctionId,
    /// Names of the enclosing classes and functions, with a dot after each.
    prefix: String,
    /// True in a class within a function: MicroPython's class bodies do not see the variables of the enclosing function
    /// (`py/compile.c`, `compile_load_id`), and therefore would not see its hooks.
    is_hidden: bool,
}

impl Place {
    fn module() -> Self {
        Self {
            function: FunctionId::BODY,
            prefix: String::new(),
            is_hidden: false,
        }
    }
}

impl Walk<'_> {
    fn body(&mut self, statements: &[Stmt], place: &Place) {
        statements.iter().for_each(|one| self.statement(one, place));
    }

    fn statement(&mut self, statement: &Stmt, place: &Place) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function, place),
            Stmt::ClassDef(class) => self.class(class, place),
            Stmt::If(inner) => self.condition(inner, place),
            Stmt::While(inner) => {
                self.test(statement.start(), &inner.test, place);
                self.body(&inner.body, place);
                self.body(&inner.orelse, place);
            }
            Stmt::For(inner) => {
                self.header(statement.start(), &inner.iter, place);
                self.body(&inner.body, place);
                self.body(&inner.orelse, place);
            }
            Stmt::With(inner) => {
                if let (Some(first), Some(last)) = (inner.items.first(), inner.items.last()) {
                    let names = mentioned(inner.items.iter().map(|item| &item.context_expr));
                    self.stop(statement.start(), last.end().max(first.end()), names, place);
                }
                self.body(&inner.body, place);
            }
            Stmt::Try(inner) => self.attempt(inner, place),
            Stmt::Match(inner) => inner
                .cases
                .iter()
                .for_each(|case| self.body(&case.body, place)),
            _ => self.simple(statement, place),
        }
    }

    fn simple(&mut self, statement: &Stmt, place: &Place) {
        match statement {
            Stmt::Import(import) => {
                let names = import.names.iter().map(|alias| alias.name.id.to_string());
                self.imports.extend(names);
            }
            Stmt::ImportFrom(import) => {
                let dots = ".".repeat(import.level as usize);
                let module = import.module.as_ref().map_or("", |name| name.id.as_str());
                let from = format!("{dots}{module}");
                let separator = if module.is_empty() { "" } else { "." };
                let inner = import
                    .names
                    .iter()
                    .map(|alias| format!("{from}{separator}{}", alias.name.id));
                self.imports.extend(inner);
                self.imports.insert(from);
            }
            _ => {}
        }
        if can_stop(statement) {
            let names = mentioned(expressions(statement));
            self.stop(statement.start(), statement.end(), names, place);
        }
    }

    fn header(&mut self, start: TextSize, test: &Expr, place: &Place) {
        self.stop(start, test.end(), mentioned([test]), place);
    }

    fn test(&mut self, start: TextSize, test: &Expr, place: &Place) {
        if truth(test, &self.constants) == Truth::Unknown {
            self.header(start, test, place);
        }
    }

    fn condition(&mut self, statement: &StmtIf, place: &Place) {
        self.test(statement.range.start(), &statement.test, place);
        self.body(&statement.body, place);
        for clause in &statement.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.test(clause.range.start(), test, place);
            }
            self.body(&clause.body, place);
        }
    }

    fn attempt(&mut self, statement: &StmtTry, place: &Place) {
        self.body(&statement.body, place);
        let handlers = statement.handlers.iter();
        let catches = handlers.map(|ExceptHandler::ExceptHandler(handler)| {
            handler
                .type_
                .as_ref()
                .map(|what| self.text[what.range()].to_string())
        });
        if let (Some(first), Some(last)) = (statement.body.first(), statement.body.last()) {
            let one = Try {
                function: place.function,
                first_line: self.lines.line(first.start()),
                last_line: self.lines.line(last.end()),
                catches: catches.collect(),
            };
            self.tries.push(one);
        }
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            self.body(&handler.body, place);
        }
        self.body(&statement.orelse, place);
        self.body(&statement.finalbody, place);
    }

    fn class(&mut self, class: &StmtClassDef, place: &Place) {
        let bases = class.arguments.iter().flat_map(|arguments| &arguments.args);
        self.classes
            .push((class.name.id.to_string(), mentioned(bases)));
        let inner = Place {
            function: place.function,
            is_hidden: place.is_hidden || place.function != FunctionId::BODY,
            prefix: format!("{}{}.", place.prefix, class.name.id),
        };
        self.body(&class.body, &inner);
    }

    fn function(&mut self, function: &StmtFunctionDef, place: &Place) {
        let id = FunctionId(self.functions.len());
        let defined = self.define(function, place);
        let outside = function.decorator_list.iter().map(|one| &one.expression);
        let outside = mentioned(outside.chain(defaults(&function.parameters)));
        self.functions[place.function.0].mentions.extend(outside);
        let refused = defined.refusal.is_some();
        let prefix = format!("{}.", defined.qualified_name);
        self.functions.push(defined);
        let inner = Place {
            function: id,
            prefix,
            is_hidden: refused,
        };
        self.body(&function.body, &inner);
    }

    fn define(&self, function: &StmtFunctionDef, place: &Place) -> Function {
        let around = self.around(place.function);
        let variables = Variables::of(function, &around, &self.constants);
        let decorators = function.decorator_list.iter();
        let decorators: Vec<_> = decorators
            .map(|one| self.text[one.expression.range()].to_string())
            .collect();
        let kind = kind(function);
        Function {
            name: function.name.id.to_string(),
            qualified_name: format!("{}{}", place.prefix, function.name.id),
            line: self.lines.line(function.name.range.start()),
            last_line: self.lines.line(function.range.end()),
            refusal: refusal(function, kind, &decorators, &variables),
            kind,
            parent: Some(place.function),
            variables,
            mentions: BTreeSet::new(),
            start: function.range.start().to_usize(),
        }
    }

    /// Returns the variables of a function and of those around it.
    fn around(&self, id: FunctionId) -> BTreeSet<String> {
        let function = &self.functions[id.0];
        let mut names: BTreeSet<_> = function.variables.all().cloned().collect();
        if let Some(parent) = function.parent {
            names.extend(self.around(parent));
        }
        names
    }

    fn stop(&mut self, start: TextSize, end: TextSize, mentions: BTreeSet<String>, place: &Place) {
        self.functions[place.function.0].mentions.extend(mentions);
        if place.is_hidden {
            return;
        }
        let stop = Stop {
            function: place.function,
            offset: start.to_usize(),
            last_line: self.lines.line(end),
        };
        self.stops.entry(self.lines.line(start)).or_insert(stop);
    }
}

/// Returns true if a simple statement has any effect.
fn can_stop(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(expression) => !matches!(&*expression.value, Expr::StringLiteral(_)),
        Stmt::AnnAssign(assign) => assign.value.is_some(),
        Stmt::ImportFrom(import) => import
            .module
            .as_ref()
            .is_none_or(|name| name.id != "__future__"),
        Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::TypeAlias(_) | Stmt::IpyEscapeCommand(_) => {
            false
        }
        _ => true,
    }
}

/// Returns the expressions of a simple statement.
fn expressions(statement: &Stmt) -> Vec<&Expr> {
    match statement {
        Stmt::Return(inner) => inner.value.iter().map(|value| &**value).collect(),
        Stmt::Delete(inner) => inner.targets.iter().collect(),
        Stmt::Assign(inner) => inner.targets.iter().chain([&*inner.value]).collect(),
        Stmt::AugAssign(inner) => vec![&inner.target, &inner.value],
        Stmt::AnnAssign(inner) => [&*inner.target]
            .into_iter()
            .chain(inner.value.as_deref())
            .collect(),
        Stmt::Raise(inner) => inner
            .exc
            .iter()
            .chain(&inner.cause)
            .map(|one| &**one)
            .collect(),
        Stmt::Assert(inner) => [&*inner.test]
            .into_iter()
            .chain(inner.msg.as_deref())
            .collect(),
        Stmt::Expr(inner) => vec![&inner.value],
        _ => Vec::new(),
    }
}

fn kind(function: &StmtFunctionDef) -> Kind {
    match () {
        () if function.is_async => Kind::Coroutine,
        () if yields(&function.body) => Kind::Generator,
        () => Kind::Function,
    }
}

fn refusal(
    function: &StmtFunctionDef,
    kind: Kind,
    decorators: &[String],
    variables: &Variables,
) -> Option<Refusal> {
    let is_machine_code = |name: &String| {
        let name = name.rsplit('.').next().unwrap_or(name);
        name == "viper" || name.starts_with("asm_")
    };
    match () {
        () if decorators.iter().any(is_machine_code) => Some(Refusal::MachineCode),
        () if kind == Kind::Coroutine && yields(&function.body) => Some(Refusal::AsyncGenerator),
        () if variables.all().count() > MOST_VARIABLES => Some(Refusal::TooManyVariables),
        () => None,
    }
}

/// Returns true if statements yield, not counting nested functions.
fn yields(statements: &[Stmt]) -> bool {
    use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
    struct Yields(bool);
    impl<'a> Visitor<'a> for Yields {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                walk_stmt(self, statement);
            }
        }
        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
                Expr::Lambda(_) => {}
                _ => walk_expr(self, expression),
            }
        }
    }
    let mut found = Yields(false);
    found.visit_body(statements);
    found.0
}

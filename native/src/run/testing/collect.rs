//! Collects the tests of a file from its source, by pytest's rules.
//!
//! Functions `test*`, methods `test*` of classes `Test*` and of those that derive from a `unittest.TestCase`, also
//! below `if`, `try`, `with` and loops. Code that looks like a test but does not run yields a [`Remark`]: nothing is
//! omitted silently.

mod classes;
mod expansion;
mod requests;
mod values;

use std::collections::BTreeMap;

use ruff_python_ast::{
    ExceptHandler, Expr, Stmt, StmtFunctionDef, StmtIf, StmtImportFrom, Suite,
    visitor::{Visitor, walk_expr, walk_stmt},
};
use ruff_text_size::{Ranged as _, TextSize};

use super::{Fixture, Form, Owner, Test};
use classes::Classes;
use requests::Definitions;

/// Reason why a file is not valid Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoPython {
    /// Line, from 1.
    pub line: u32,
    /// Description of the fault.
    pub message: String,
}

impl std::fmt::Display for NoPython {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: SyntaxError: {}", self.line, self.message)
    }
}

impl std::error::Error for NoPython {}

/// Tests of a file, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Collection {
    /// Tests that run, or are refused with the reason.
    pub tests: Vec<Test>,
    /// Code that looks like a test and does not run.
    pub remarks: Vec<Remark>,
    /// Fixtures of the file and of its `conftest.py`s, the nearest ones first.
    pub fixtures: Vec<Fixture>,
}

/// Code in a file that looks like a test but does not run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Remark {
    /// Line, from 1.
    pub line: u32,
    /// Reason and remedy.
    pub message: String,
}

/// Finds the tests of a file.
///
/// # Errors
/// The source is not Python.
pub fn collect(source: &str) -> Result<Collection, NoPython> {
    collect_below(source, Vec::new())
}

/// Like [`collect`], with the fixtures of `conftest.py`s.
pub(super) fn collect_below(source: &str, outer: Vec<Fixture>) -> Result<Collection, NoPython> {
    let suite = parse(source)?;
    let mut module = Module {
        lines: Lines(source),
        functions: BTreeMap::new(),
        classes: Classes::default(),
        found: Collection::default(),
    };
    module.body(&suite, false);
    module.classes.remark_on_unused(&mut module.found.remarks);
    let mut found = module.found;
    let definitions = Definitions::new(&suite);
    found.fixtures = definitions.fixtures(&Owner::File);
    found.fixtures.extend(outer);
    found.tests = definitions.expand(found.tests, &found.fixtures, &mut found.remarks);
    found.remarks.sort();
    Ok(found)
}

/// Returns the fixtures of a `conftest.py`. One that is not valid Python has none; importing it says so.
pub(super) fn conftest(source: &str, number: usize) -> Vec<Fixture> {
    let suite = parse(source).unwrap_or_default();
    Definitions::new(&suite).fixtures(&Owner::Conftest(number))
}

pub(super) fn parse(source: &str) -> Result<Suite, NoPython> {
    let parsed = ruff_python_parser::parse_module(source).map_err(|error| NoPython {
        line: Lines(source).of(error.location.start()),
        message: error.error.to_string(),
    })?;
    Ok(parsed.into_suite())
}

/// Finds line numbers in a source.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a>(pub(super) &'a str);

impl Lines<'_> {
    pub(super) fn of(self, offset: TextSize) -> u32 {
        let before = &self.0.as_bytes()[..offset.to_usize()];
        let ends = before.iter().filter(|byte| **byte == b'\n').count();
        u32::try_from(ends + 1).unwrap_or(u32::MAX)
    }
}

/// Definitions at the top level of a file.
struct Module<'a> {
    lines: Lines<'a>,
    /// Form of each function, for its aliases.
    functions: BTreeMap<&'a str, Form>,
    classes: Classes,
    found: Collection,
}

impl<'a> Module<'a> {
    fn body(&mut self, statements: &'a [Stmt], is_conditional: bool) {
        for statement in statements {
            match statement {
                Stmt::FunctionDef(function) => self.function(function, is_conditional),
                Stmt::ClassDef(class) => {
                    let found = self.classes.add(class, self.lines, is_conditional);
                    self.found.remarks.extend(found.remarks);
                    for test in found.tests {
                        self.found.tests.retain(|before| !before.is_named_as(&test));
                        self.found.tests.push(test);
                    }
                }
                Stmt::ImportFrom(import) => self.import(import),
                Stmt::Assign(assign) => {
                    for target in &assign.targets {
                        self.assign(target, &assign.value, is_conditional);
                    }
                }
                _ => blocks(statement, is_conditional, &mut |body, is_conditional| {
                    self.body(body, is_conditional);
                }),
            }
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef, is_conditional: bool) {
        if requests::is_fixture(function) {
            return;
        }
        let form = form(function);
        self.functions.insert(&function.name, form);
        let line = self.lines.of(function.name.start());
        self.name(&function.name, line, form, is_conditional);
    }

    /// Adds a name that pytest takes for a test's, if it is one.
    fn name(&mut self, name: &str, line: u32, form: Form, is_conditional: bool) {
        if !name.starts_with("test") {
            return;
        }
        let mut test = Test {
            class: None,
            function: name.to_owned(),
            line,
            form,
            is_case: false,
            is_conditional,
            request: None,
        };
        replace(&mut self.found.tests, &mut test, &mut self.found.remarks);
        self.found.tests.push(test);
    }

    /// Adds imported functions: they are tests of this file, too, if they turn out to be functions on the board.
    fn import(&mut self, import: &StmtImportFrom) {
        for alias in &import.names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            let line = self.lines.of(name.start());
            self.name(name, line, Form::Plain, true);
            if name.starts_with("Test") && !name.ends_with("TestCase") {
                let message = format!("{name} is imported; any tests in it do not run here");
                self.found.remarks.push(Remark { line, message });
            }
        }
    }

    fn assign(&mut self, target: &'a Expr, value: &Expr, is_conditional: bool) {
        let Expr::Name(target) = target else { return };
        let form = match value {
            Expr::Lambda(_) => Some(Form::Plain),
            Expr::Name(value) => self.functions.get(value.id.as_str()).copied(),
            _ => None,
        };
        if let Some(form) = form {
            let line = self.lines.of(target.start());
            self.name(&target.id, line, form, is_conditional);
        }
    }
}

/// Removes an earlier test of the same name. Unconditional duplicates get a remark.
fn replace(tests: &mut Vec<Test>, test: &mut Test, remarks: &mut Vec<Remark>) {
    let Some(at) = tests.iter().position(|before| before.is_named_as(test)) else {
        return;
    };
    let before = tests.remove(at);
    if !before.is_conditional && !test.is_conditional {
        remarks.push(Remark {
            line: before.line,
            message: format!(
                "{} is defined again in line {}; this one does not run",
                before.name(),
                test.line
            ),
        });
    }
    test.is_conditional &= before.is_conditional;
}

/// Calls `visit` with each block of a compound statement, and with a flag that is true if the block may be skipped.
pub(super) fn blocks<'a>(
    statement: &'a Stmt,
    is_conditional: bool,
    visit: &mut dyn FnMut(&'a [Stmt], bool),
) {
    match statement {
        Stmt::If(branch) => {
            if !is_main(branch) {
                visit(&branch.body, true);
            }
            for clause in &branch.elif_else_clauses {
                visit(&clause.body, true);
            }
        }
        Stmt::Try(block) => {
            visit(&block.body, true);
            for ExceptHandler::ExceptHandler(handler) in &block.handlers {
                visit(&handler.body, true);
            }
            visit(&block.orelse, true);
            visit(&block.finalbody, is_conditional);
        }
        Stmt::With(block) => visit(&block.body, is_conditional),
        Stmt::For(block) => {
            visit(&block.body, true);
            visit(&block.orelse, true);
        }
        Stmt::While(block) => {
            visit(&block.body, true);
            visit(&block.orelse, true);
        }
        Stmt::Match(block) => {
            for case in &block.cases {
                visit(&case.body, true);
            }
        }
        _ => {}
    }
}

/// Returns true for `if __name__ == "__main__":`, which is for programs.
fn is_main(branch: &StmtIf) -> bool {
    let Expr::Compare(compare) = branch.test.as_ref() else {
        return false;
    };
    let is_name = |side: &Expr| matches!(side, Expr::Name(name) if name.id.as_str() == "__name__");
    is_name(&compare.left) || compare.comparators.iter().any(is_name)
}

/// Determines the effect of calling a function.
pub(super) fn form(function: &StmtFunctionDef) -> Form {
    let mut yields = Yields(false);
    yields.visit_body(&function.body);
    match (yields.0, function.is_async) {
        (true, _) => Form::Generator,
        (false, true) => Form::Coroutine,
        (false, false) => Form::Plain,
    }
}

/// Searches for a `yield` of the function itself.
struct Yields(bool);

impl<'ast> Visitor<'ast> for Yields {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
            Expr::Lambda(_) => {}
            _ => walk_expr(self, expression),
        }
    }
}

/// Functions that pytest calls around the tests of a file.
const FIXTURES: [&str; 4] = [
    "setup_module",
    "teardown_module",
    "setup_function",
    "teardown_function",
];

#[cfg(test)]
mod tests;

//! Finds the variables of a function.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use ruff_python_ast::{
    Alias, ExceptHandler, Expr, ExprContext, Parameters, Stmt, StmtFunctionDef, StmtIf, StmtWhile,
    visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt},
};

use super::constant::{Truth, truth};

/// The variables of a function, in the order in which its hooks number them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    /// Number of parameters among `own`.
    pub(crate) parameters: usize,
    /// Parameters, then local variables by their first binding: they can be written.
    pub(crate) own: Vec<String>,
    /// Variables of enclosing functions that it uses, and those bound only in code that the compiler may omit. Writing
    /// them would turn them into variables of this function.
    pub(crate) outer: Vec<String>,
}

impl Variables {
    /// Returns all variables, by the numbers from 1 with which hooks read them; 0 is the line.
    pub(crate) fn all(&self) -> impl Iterator<Item = &String> {
        self.own.iter().chain(&self.outer)
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.all().position(|one| one == name).map(|at| at + 1)
    }

    /// Finds the variables of a function inside functions that have these variables.
    pub(crate) fn of(
        function: &StmtFunctionDef,
        around: &BTreeSet<String>,
        constants: &BTreeSet<String>,
    ) -> Self {
        let mut scope = Scope::new(constants);
        let parameters = parameters(&function.parameters);
        scope.bound.clone_from(&parameters);
        scope.visit_body(&function.body);
        let is_own = |name: &&String| !scope.elsewhere.contains(*name);
        let own: Vec<_> = scope.bound.iter().filter(is_own).cloned().collect();
        let is_outer = |name: &&String| !own.contains(name) && !scope.global.contains(*name);
        let used: BTreeSet<_> = scope
            .used
            .iter()
            .filter(|name| around.contains(*name))
            .collect();
        let outer = used.into_iter().chain(&scope.doubtful).filter(is_outer);
        let mut outer: Vec<_> = outer.cloned().collect();
        outer.sort();
        outer.dedup();
        Self {
            parameters: parameters.len(),
            outer,
            own,
        }
    }
}

/// Returns the names of parameters, in order.
pub(crate) fn parameters(parameters: &Parameters) -> Vec<String> {
    let with_default = parameters.posonlyargs.iter().chain(&parameters.args);
    let names = with_default.map(|one| &one.parameter.name);
    let names = names.chain(parameters.vararg.iter().map(|one| &one.name));
    let names = names.chain(parameters.kwonlyargs.iter().map(|one| &one.parameter.name));
    let names = names.chain(parameters.kwarg.iter().map(|one| &one.name));
    names.map(|name| name.id.to_string()).collect()
}

/// Collects names, without entering nested functions.
struct Scope<'c> {
    constants: &'c BTreeSet<String>,
    bound: Vec<String>,
    /// Names bound in code that the compiler may omit.
    doubtful: BTreeSet<String>,
    is_doubtful: bool,
    used: BTreeSet<String>,
    global: BTreeSet<String>,
    /// Names declared `global` or `nonlocal`.
    elsewhere: BTreeSet<String>,
    /// Number of enclosing comprehensions: whose targets are their own, except for `:=`.
    comprehensions: usize,
}

impl<'c> Scope<'c> {
    const fn new(constants: &'c BTreeSet<String>) -> Self {
        Self {
            constants,
            bound: Vec::new(),
            doubtful: BTreeSet::new(),
            is_doubtful: false,
            used: BTreeSet::new(),
            global: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
            comprehensions: 0,
        }
    }

    fn bind(&mut self, name: &str) {
        if self.is_doubtful {
            self.doubtful.insert(name.to_string());
        } else if !self.bound.iter().any(|one| one == name) {
            self.bound.push(name.to_string());
        }
    }

    fn branch(&mut self, body: &[Stmt], is_doubtful: bool) {
        let before = self.is_doubtful;
        self.is_doubtful |= is_doubtful;
        self.visit_body(body);
        self.is_doubtful = before;
    }

    /// Handles `if a: … elif b: … else: …`, where a constant condition omits branches.
    fn condition(&mut self, statement: &StmtIf) {
        let first = (Some(&*statement.test), &statement.body);
        let others = statement.elif_else_clauses.iter();
        let others = others.map(|clause| (clause.test.as_ref(), &clause.body));
        let mut rest_is_doubtful = false;
        for (test, body) in core::iter::once(first).chain(others) {
            let truth = test.map(|test| truth(test, self.constants));
            test.into_iter().for_each(|test| self.visit_expr(test));
            self.branch(
                body,
                rest_is_doubtful || matches!(truth, Some(Truth::No | Truth::Constant)),
            );
            rest_is_doubtful |= matches!(truth, Some(Truth::Yes | Truth::Constant));
        }
    }

    fn repetition(&mut self, statement: &StmtWhile) {
        let truth = truth(&statement.test, self.constants);
        self.visit_expr(&statement.test);
        self.branch(
            &statement.body,
            matches!(truth, Truth::No | Truth::Constant),
        );
        self.branch(
            &statement.orelse,
            matches!(truth, Truth::Yes | Truth::Constant),
        );
    }

    fn import(&mut self, alias: &Alias) {
        let full = alias
            .asname
            .as_ref()
            .map_or(alias.name.id.as_str(), |name| name.id.as_str());
        let name = full.split('.').next().unwrap_or(full);
        if name != "*" {
            self.bind(name);
        }
    }

    fn comprehension(&mut self, expression: &Expr) {
        self.comprehensions += 1;
        walk_expr(self, expression);
        self.comprehensions -= 1;
    }
}

impl<'a> Visitor<'a> for Scope<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.bind(&function.name.id);
                function
                    .decorator_list
                    .iter()
                    .for_each(|one| self.visit_decorator(one));
                defaults(&function.parameters).for_each(|one| self.visit_expr(one));
            }
            Stmt::ClassDef(class) => {
                self.bind(&class.name.id);
                class
                    .decorator_list
                    .iter()
                    .for_each(|one| self.visit_decorator(one));
                class
                    .arguments
                    .iter()
                    .for_each(|one| self.visit_arguments(one));
            }
            Stmt::If(inner) => self.condition(inner),
            Stmt::While(inner) => self.repetition(inner),
            Stmt::Global(names) => {
                let names = names.names.iter().map(|name| name.id.to_string());
                self.global.extend(names.clone());
                self.elsewhere.extend(names);
            }
            Stmt::Nonlocal(names) => {
                let names = names.names.iter().map(|name| name.id.to_string());
                self.used.extend(names.clone());
                self.elsewhere.extend(names);
            }
            Stmt::Import(import) => import.names.iter().for_each(|one| self.import(one)),
            Stmt::ImportFrom(import) => import.names.iter().for_each(|one| self.import(one)),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(&name.id);
        }
        walk_except_handler(self, handler);
    }

    /// An annotation is not evaluated in a function.
    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.used.insert(name.id.to_string());
            }
            Expr::Name(name) if self.comprehensions == 0 => self.bind(&name.id),
            Expr::Name(_) => {}
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.bind(&name.id);
                }
                self.visit_expr(&named.value);
            }
            Expr::Lambda(lambda) => {
                let mut inner = Self::new(self.constants);
                inner.visit_expr(&lambda.body);
                let own = lambda.parameters.as_ref().map(|list| parameters(list));
                let own = own.unwrap_or_default();
                self.used
                    .extend(inner.used.into_iter().filter(|name| !own.contains(name)));
            }
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.comprehension(expression);
            }
            _ => walk_expr(self, expression),
        }
    }
}

/// Returns the default values of parameters.
pub(crate) fn defaults(parameters: &Parameters) -> impl Iterator<Item = &Expr> {
    let positional = parameters.posonlyargs.iter().chain(&parameters.args);
    positional
        .chain(&parameters.kwonlyargs)
        .filter_map(|one| one.default.as_deref())
}

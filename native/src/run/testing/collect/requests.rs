//! Finds the fixtures and parameters of tests, as pytest does when it collects them.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Arguments, Decorator, Expr, Stmt, StmtClassDef, StmtFunctionDef, Suite};

use super::{
    FIXTURES, Remark, blocks,
    expansion::{Axis, combined, grouped},
    form,
    values::{Ids, Names, Value, ids, last_name},
};
use crate::run::testing::{Fixture, Form, Owner, Request, Test};

/// Definitions of a file that concern fixtures and parameters.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    names: Names<'a>,
    /// Functions, by the path of their class and their name.
    functions: BTreeMap<(String, &'a str), &'a StmtFunctionDef>,
    classes: BTreeMap<String, &'a StmtClassDef>,
    /// Values of `pytestmark`, by the path of their class.
    marks: BTreeMap<String, &'a Expr>,
    uses_pytest: bool,
}

impl<'a> Definitions<'a> {
    pub(super) fn new(suite: &'a Suite) -> Self {
        let mut definitions = Self::default();
        definitions.names.add(suite);
        definitions.body(suite, "");
        definitions
    }

    fn body(&mut self, body: &'a [Stmt], path: &str) {
        for statement in body {
            match statement {
                Stmt::FunctionDef(function) => {
                    let key = (path.to_owned(), function.name.as_str());
                    self.functions.insert(key, function);
                    self.uses_pytest |=
                        path.is_empty() && FIXTURES.contains(&function.name.as_str());
                }
                Stmt::ClassDef(class) => {
                    let inner = joined(path, &class.name);
                    self.body(&class.body, &inner);
                    self.classes.insert(inner, class);
                }
                Stmt::Assign(assign) => {
                    let is_marks = |target: &Expr| last_name(target) == "pytestmark";
                    if assign.targets.iter().any(is_marks) {
                        self.marks.insert(path.to_owned(), &assign.value);
                    }
                }
                Stmt::Import(import) => {
                    let mut names = import.names.iter();
                    self.uses_pytest |= names.any(|it| it.name.starts_with("pytest"));
                }
                Stmt::ImportFrom(import) => {
                    let module = import.module.as_ref();
                    self.uses_pytest |= module.is_some_and(|name| name.starts_with("pytest"));
                }
                _ => blocks(statement, false, &mut |body, _| self.body(body, path)),
            }
        }
    }

    /// Returns the fixtures of the file, those of nested classes first.
    pub(super) fn fixtures(&self, file: &Owner) -> Vec<Fixture> {
        let own = self.functions.iter();
        let own = own.filter_map(|((path, _), function)| self.fixture(function, path, file));
        let mut found: Vec<_> = own.collect();
        // Fixtures of a base are those of the class, too.
        for path in self.classes.keys() {
            for base in self.bases(path) {
                let inherited = self.functions.range((base.clone(), "")..);
                let inherited = inherited.take_while(|((of, _), _)| *of == base);
                let all = inherited.filter_map(|(_, function)| self.fixture(function, path, file));
                let new = all.filter(|it| {
                    !found
                        .iter()
                        .any(|known| known.name == it.name && known.owner == it.owner)
                });
                let new: Vec<_> = new.collect();
                found.extend(new);
            }
        }
        found.sort_by_key(|fixture| match &fixture.owner {
            Owner::Class(path) => usize::MAX - path.matches('.').count() - 1,
            Owner::File | Owner::Conftest(_) => usize::MAX,
        });
        found
    }

    fn fixture(&self, function: &StmtFunctionDef, path: &str, file: &Owner) -> Option<Fixture> {
        let mut decorators = function.decorator_list.iter();
        let decorator = decorators.find(|it| makes_fixture(it))?;
        let arguments = called(&decorator.expression).1;
        let keyword = |name: &str| arguments?.find_keyword(name).map(|it| &it.value);
        let text = |name: &str| match keyword(name) {
            Some(Expr::StringLiteral(text)) => Some(text.value.to_str().to_owned()),
            _ => None,
        };
        let name = text("name").unwrap_or_else(|| function.name.to_string());
        let params = keyword("params");
        let params =
            params.map(|params| self.made_ids(std::slice::from_ref(&name), params, keyword("ids")));
        Some(Fixture {
            owner: match path {
                "" => file.clone(),
                path => Owner::Class(path.to_owned()),
            },
            function: function.name.to_string(),
            arguments: arguments_of(function, !path.is_empty()),
            form: match form(function) {
                Form::Generator => Form::Generator,
                _ if function.is_async => Form::Coroutine,
                form => form,
            },
            is_async: function.is_async,
            is_auto: matches!(keyword("autouse"), Some(Expr::BooleanLiteral(it)) if it.value),
            scope: match text("scope").as_deref() {
                Some("session") => 0,
                Some("package") => 1,
                Some("module") => 2,
                Some("class") => CLASS,
                _ => 4,
            },
            ids: params.map(Option::unwrap_or_default),
            name,
        })
    }

    fn made_ids(
        &self,
        names: &[String],
        values: &Expr,
        given: Option<&Expr>,
    ) -> Option<Vec<String>> {
        let sets = self.names.items(values)?;
        let how = match given {
            Some(Expr::Name(name)) if name.id.as_str() == "repr" => Ids::Repr,
            Some(expression) => match self.names.items(expression) {
                Some(given) => Ids::Given(given),
                None => Ids::Default,
            },
            None => Ids::Default,
        };
        Some(ids(names, &sets, &how))
    }

    /// Returns the classes of this file that a class derives from.
    fn bases(&self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            let Some(class) = self.classes.get(&path) else {
                continue;
            };
            let outer = path.rsplit_once('.').map_or("", |(outer, _)| outer);
            for name in class.bases().iter().map(last_name) {
                for base in [joined(outer, name), name.to_owned()] {
                    if self.classes.contains_key(&base) && !found.contains(&base) && base != path {
                        found.push(base.clone());
                        open.push(base);
                        break;
                    }
                }
            }
        }
        found
    }

    fn function(&self, test: &Test) -> Option<&'a StmtFunctionDef> {
        let class = test.class.clone().unwrap_or_default();
        let bases = self.bases(&class);
        let mut owners = std::iter::once(class).chain(bases);
        let named = |owner: String, name| self.functions.get(&(owner, name)).copied();
        owners
            .find_map(|owner| named(owner, test.function.as_str()))
            .or_else(|| {
                // Another name of a function.
                let of = self.names.constants.get(test.function.as_str())?;
                named(String::new(), last_name(of))
            })
    }

    /// Returns the marks of a test, in pytest's order: its own, from below, those of its classes, and those of the file.
    fn marks_of(&self, test: &Test, function: &'a StmtFunctionDef) -> Vec<Mark<'a>> {
        let mut found = Vec::new();
        self.decorators(&function.decorator_list, &mut found);
        let mut path = test.class.as_deref().unwrap_or_default();
        while !path.is_empty() {
            self.assigned(path, &mut found);
            if let Some(class) = self.classes.get(path) {
                self.decorators(&class.decorator_list, &mut found);
            }
            path = path.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        self.assigned("", &mut found);
        found
    }

    fn decorators(&self, decorators: &'a [Decorator], found: &mut Vec<Mark<'a>>) {
        let decorators = decorators.iter().rev();
        found.extend(decorators.filter_map(|it| self.mark(&it.expression)));
    }

    fn assigned(&self, path: &str, found: &mut Vec<Mark<'a>>) {
        match self.marks.get(path) {
            Some(Expr::List(list)) => found.extend(list.elts.iter().filter_map(|it| self.mark(it))),
            Some(mark) => found.extend(self.mark(mark)),
            None => {}
        }
    }

    fn mark(&self, expression: &'a Expr) -> Option<Mark<'a>> {
        let (function, arguments) = called(self.names.resolve(expression));
        let Expr::Attribute(attribute) = function else {
            return None;
        };
        let is_mark = last_name(&attribute.value) == "mark";
        is_mark.then_some((attribute.attr.as_str(), arguments))
    }

    /// Returns the tests with their fixtures, one for each of their parameters. Parameters beyond a limit get a remark.
    pub(super) fn expand(
        &self,
        tests: Vec<Test>,
        fixtures: &[Fixture],
        remarks: &mut Vec<Remark>,
    ) -> Vec<Test> {
        let has_arguments = |test: &Test| {
            let function = self.function(test);
            function.is_some_and(|it| !arguments_of(it, test.class.is_some()).is_empty())
        };
        // A `conftest.py` may be for this computer alone, so its automatic fixtures do not concern a file that has
        // nothing else of pytest.
        let is_own = |fixture: &Fixture| !matches!(fixture.owner, Owner::Conftest(_));
        let is_needed = self.uses_pytest
            || fixtures.iter().any(|it| it.is_auto && is_own(it))
            || tests.iter().any(has_arguments);
        if !is_needed {
            return tests;
        }
        let mut each = Vec::new();
        for test in &tests {
            let (request, axes) = self.request(test, fixtures);
            let (requests, left_out) = combined(request, &axes);
            if left_out > 0 {
                let (line, name, count) = (test.line, test.name(), requests.len());
                let message = format!(
                    "{name} has more than {count} combinations of parameters; the other {left_out} do not run"
                );
                remarks.push(Remark { line, message });
            }
            each.extend(requests.into_iter().map(|request| Test {
                request: Some(request),
                ..test.clone()
            }));
        }
        grouped(each)
    }

    /// Returns the fixtures and marks of a test, and its parameters.
    fn request(&self, test: &Test, fixtures: &[Fixture]) -> (Request, Vec<Axis>) {
        let function = self.function(test);
        let arguments = match function {
            Some(function) if !test.is_case => arguments_of(function, test.class.is_some()),
            _ => Vec::new(),
        };
        let marks = function
            .map(|it| self.marks_of(test, it))
            .unwrap_or_default();
        let mut axes = Vec::new();
        let (mut direct, mut named) = (BTreeSet::new(), BTreeSet::new());
        let mut requested = Vec::new();
        for (name, given) in &marks {
            let Some(given) = given else { continue };
            match *name {
                "usefixtures" => {
                    requested.extend(given.args.iter().filter_map(|it| match it {
                        Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
                        _ => None,
                    }));
                }
                "parametrize" => {
                    let of = |name, at| given.find_argument_value(name, at);
                    let names = of("argnames", 0).map(|it| self.argument_names(it));
                    let names = names.unwrap_or_default();
                    let values = of("argvalues", 1);
                    let made = values.and_then(|it| self.made_ids(&names, it, of("ids", 3)));
                    axes.push(Axis {
                        ids: made,
                        fixture: None,
                    });
                    for name in names {
                        if !self.is_indirect(&name, of("indirect", 2)) {
                            direct.insert(name.clone());
                        }
                        named.insert(name);
                    }
                }
                _ => {}
            }
        }
        let visible: Vec<_> = fixtures.iter().filter(|it| is_visible(it, test)).collect();
        requested.extend(arguments.iter().cloned());
        let fixtures = closure(&visible, requested, &direct);
        // pytest adds the parameters of fixtures before those of marks.
        let own = fixtures.iter().filter(|name| !named.contains(*name));
        let mut all: Vec<_> = own.filter_map(|name| axis(&visible, name)).collect();
        all.append(&mut axes);
        let marks: BTreeSet<_> = marks.iter().map(|(name, _)| (*name).to_owned()).collect();
        let request = Request {
            arguments,
            fixtures,
            marks: marks.into_iter().collect(),
            ..Request::default()
        };
        (request, all)
    }

    fn argument_names(&self, expression: &'a Expr) -> Vec<String> {
        match self.names.resolve(expression) {
            Expr::StringLiteral(text) => {
                let names = text.value.to_str().split(',');
                let names = names.map(|name| name.trim().to_owned());
                names.filter(|name| !name.is_empty()).collect()
            }
            list => {
                let items = self.names.items(list).unwrap_or_default();
                let names = items.into_iter().filter_map(|it| match it {
                    Value::Text(name) => Some(name),
                    _ => None,
                });
                names.collect()
            }
        }
    }

    fn is_indirect(&self, name: &str, indirect: Option<&Expr>) -> bool {
        match indirect {
            Some(Expr::BooleanLiteral(it)) => it.value,
            Some(list) => {
                let items = self.names.items(list).unwrap_or_default();
                items.contains(&Value::Text(name.to_owned()))
            }
            None => false,
        }
    }
}

/// Returns true for a function that provides a value to tests.
pub(super) fn is_fixture(function: &StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(makes_fixture)
}

fn makes_fixture(decorator: &Decorator) -> bool {
    last_name(called(&decorator.expression).0) == "fixture"
}

/// Name of a mark, and its arguments.
type Mark<'a> = (&'a str, Option<&'a Arguments>);

/// Returns the dimension of a fixture with `params`.
fn axis(visible: &[&Fixture], name: &str) -> Option<Axis> {
    for fixture in visible.iter().filter(|it| it.name == *name) {
        if let Some(ids) = &fixture.ids {
            return Some(Axis {
                ids: (!ids.is_empty()).then(|| ids.clone()),
                fixture: Some((name.to_owned(), (*fixture).clone())),
            });
        }
        if !fixture.arguments.iter().any(|it| it == name) {
            break;
        }
    }
    None
}

/// Returns the names of all fixtures that a test needs, in the order of their setup (`getfixtureclosure` of pytest 9.2,
/// `fixtures.py`).
fn closure(visible: &[&Fixture], requested: Vec<String>, direct: &BTreeSet<String>) -> Vec<String> {
    let automatic = visible.iter().rev().filter(|it| it.is_auto);
    let mut names: Vec<String> = Vec::new();
    for name in automatic.map(|it| it.name.clone()).chain(requested) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut at = 0;
    while at < names.len() {
        let name = names[at].clone();
        at += 1;
        if direct.contains(&name) {
            continue;
        }
        for fixture in visible.iter().filter(|it| it.name == name) {
            for argument in &fixture.arguments {
                if !names.contains(argument) {
                    names.push(argument.clone());
                }
            }
            if !fixture.arguments.contains(&name) {
                break;
            }
        }
    }
    names.retain(|name| !direct.contains(name));
    names.sort_by_key(|name| {
        let found = visible.iter().find(|it| it.name == *name);
        found.map_or(4, |it| it.scope)
    });
    names
}

fn is_visible(fixture: &Fixture, test: &Test) -> bool {
    match &fixture.owner {
        Owner::Class(path) => {
            let class = test.class.as_deref().unwrap_or_default();
            class
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }
        Owner::File | Owner::Conftest(_) => true,
    }
}

/// Returns the arguments of a function that have no default, without `self`.
fn arguments_of(function: &StmtFunctionDef, is_method: bool) -> Vec<String> {
    let parameters = &function.parameters;
    let all = parameters.posonlyargs.iter().chain(&parameters.args);
    let decorators = function.decorator_list.iter();
    let is_static = decorators
        .map(|it| last_name(&it.expression))
        .any(|name| name == "staticmethod");
    let first = usize::from(is_method && !is_static);
    let without = all.skip(first).filter(|it| it.default.is_none());
    without.map(|it| it.parameter.name.to_string()).collect()
}

/// Splits a call into its function and its arguments.
fn called(expression: &Expr) -> (&Expr, Option<&Arguments>) {
    match expression {
        Expr::Call(call) => (&call.func, Some(&call.arguments)),
        other => (other, None),
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Rank of the scope of a class.
pub(super) const CLASS: u8 = 3;

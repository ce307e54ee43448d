//! Collects the tests of classes.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Stmt, StmtClassDef};
use ruff_text_size::Ranged as _;

use super::{Collection, Lines, Remark, blocks, form, replace, requests::is_fixture};
use crate::run::testing::Test;

/// Classes of a file so far, by their names; nested ones as `TestOuter.TestInner`.
#[derive(Default)]
pub(super) struct Classes(BTreeMap<String, Class>);

#[derive(Default)]
struct Class {
    line: u32,
    /// Tests, including inherited ones.
    tests: Vec<Test>,
    is_case: bool,
    /// False after `__test__ = False`.
    is_wanted: bool,
    has_constructor: bool,
    /// True for a class whose tests run, and for its bases.
    is_used: bool,
}

impl Classes {
    /// Adds a class; returns its tests, with inherited ones and those of nested classes.
    pub(super) fn add(
        &mut self,
        class: &StmtClassDef,
        lines: Lines<'_>,
        is_conditional: bool,
    ) -> Collection {
        self.add_within(class, lines, is_conditional, None)
    }

    fn add_within(
        &mut self,
        class: &StmtClassDef,
        lines: Lines<'_>,
        is_conditional: bool,
        outer: Option<&str>,
    ) -> Collection {
        let name = match outer {
            Some(outer) => format!("{outer}.{}", class.name),
            None => class.name.to_string(),
        };
        let line = lines.of(class.name.start());
        let mut found = Collection::default();
        let (mut known, missing) = self.inherited(class);
        known.line = line;
        for test in &mut known.tests {
            test.class = Some(name.clone());
            test.is_conditional |= is_conditional;
        }
        let mut inner = Vec::new();
        let mut body = Body {
            lines,
            name: &name,
            class: &mut known,
            remarks: &mut found.remarks,
            inner: &mut inner,
        };
        body.visit(&class.body, is_conditional);
        for test in &mut known.tests {
            test.is_case = known.is_case;
        }
        let is_test = known.is_wanted && (known.is_case || class.name.starts_with("Test"));
        if is_test && !missing.is_empty() {
            found.remarks.push(Remark {
                line,
                message: format!(
                    "tests that {name} inherits from {} do not run: it is not in this file",
                    missing.join(", ")
                ),
            });
        }
        let refused = is_test && !known.is_case && known.has_constructor;
        if refused {
            found.remarks.push(Remark {
                line,
                message: format!(
                    "cannot collect test class {name} because it has a constructor; use setup_method"
                ),
            });
        }
        known.is_used = !known.is_wanted || is_test;
        if is_test && !refused {
            found.tests.extend(known.tests.iter().cloned());
            self.use_bases(class);
        }
        let is_case = known.is_case;
        if let Some(before) = self.0.insert(name.clone(), known)
            && !is_conditional
            && is_test
            && !before.tests.is_empty()
        {
            found.remarks.push(Remark {
                line: before.line,
                message: format!("{name} is defined again in line {line}; this one does not run"),
            });
        }
        for (class, is_conditional) in inner {
            let within = self.add_within(class, lines, is_conditional, Some(&name));
            found.remarks.extend(within.remarks);
            if is_test && !refused && !is_case {
                found.tests.extend(within.tests);
            } else if let Some(first) = within.tests.first() {
                let (line, inner) = (first.line, &class.name);
                let message = format!("the tests of {inner}, which is within {name}, do not run");
                found.remarks.push(Remark { line, message });
            }
        }
        found
    }

    /// Collects the members that a class inherits, and the names of its bases that are not in this file.
    fn inherited(&self, class: &StmtClassDef) -> (Class, Vec<String>) {
        let mut all = Class {
            is_wanted: true,
            ..Class::default()
        };
        let mut missing = Vec::new();
        for base in class.bases() {
            let Some(name) = last_name(base) else {
                continue;
            };
            if let Some(base) = self.0.get(name) {
                all.is_case |= base.is_case;
                all.is_wanted &= base.is_wanted;
                all.has_constructor |= base.has_constructor;
                for test in &base.tests {
                    if !all.tests.iter().any(|own| own.function == test.function) {
                        all.tests.push(test.clone());
                    }
                }
            } else if name.ends_with("TestCase") {
                all.is_case = true;
            } else if name != "object" {
                missing.push(name.to_owned());
            }
        }
        (all, missing)
    }

    /// Marks the bases of a class as used: their tests run through the derived class.
    fn use_bases(&mut self, class: &StmtClassDef) {
        for name in class.bases().iter().filter_map(last_name) {
            if let Some(base) = self.0.get_mut(name) {
                base.is_used = true;
            }
        }
    }

    /// Adds remarks on classes that have tests and do not run.
    pub(super) fn remark_on_unused(&self, remarks: &mut Vec<Remark>) {
        for (name, class) in &self.0 {
            if !class.is_used && !class.tests.is_empty() {
                remarks.push(Remark {
                    line: class.line,
                    message: format!(
                        "the tests of {name} do not run; name it Test… or derive it from unittest.TestCase"
                    ),
                });
            }
        }
    }
}

/// Body of a class while it is being read.
struct Body<'a, 'b> {
    lines: Lines<'b>,
    name: &'b str,
    class: &'b mut Class,
    remarks: &'b mut Vec<Remark>,
    inner: &'b mut Vec<(&'a StmtClassDef, bool)>,
}

impl<'a> Body<'a, '_> {
    fn visit(&mut self, statements: &'a [Stmt], is_conditional: bool) {
        for statement in statements {
            match statement {
                Stmt::FunctionDef(function)
                    if function.name.starts_with("test") && !is_fixture(function) =>
                {
                    let mut test = Test {
                        class: Some(self.name.to_owned()),
                        function: function.name.to_string(),
                        line: self.lines.of(function.name.start()),
                        form: form(function),
                        is_case: false,
                        is_conditional,
                        request: None,
                    };
                    // An inherited test is replaced, too, and does not keep its position.
                    let inherited = self.is_inherited(&test);
                    let mut said = Vec::new();
                    replace(&mut self.class.tests, &mut test, &mut said);
                    if !inherited {
                        self.remarks.append(&mut said);
                    }
                    self.class.tests.push(test);
                }
                Stmt::FunctionDef(function) => {
                    let name = function.name.as_str();
                    self.class.has_constructor |= name == "__init__" || name == "__new__";
                }
                Stmt::ClassDef(class) => self.inner.push((class, is_conditional)),
                Stmt::Assign(assign) => {
                    let is_mark = |target: &Expr| matches!(target, Expr::Name(name) if name.id.as_str() == "__test__");
                    if assign.targets.iter().any(is_mark) {
                        self.class.is_wanted =
                            !matches!(assign.value.as_ref(), Expr::BooleanLiteral(it) if !it.value);
                    }
                }
                _ => blocks(statement, is_conditional, &mut |body, is_conditional| {
                    self.visit(body, is_conditional);
                }),
            }
        }
    }

    /// Returns true for the name of a test that a base has, and that this class has not defined yet.
    fn is_inherited(&self, test: &Test) -> bool {
        let mut tests = self.class.tests.iter();
        tests.any(|before| before.function == test.function && before.line < self.class.line)
    }
}

/// Returns the last name: `TestCase` of `unittest.TestCase`.
fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => Some(&attribute.attr),
        _ => None,
    }
}

//! The tests of a file, from its source.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef, Suite};
use ruff_text_size::{Ranged as _, TextSize};

use super::Test;

/// Why a file cannot be read as Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoPython {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for NoPython {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: SyntaxError: {}", self.line, self.message)
    }
}

impl std::error::Error for NoPython {}

/// The tests of a file, in their order: functions `test*`, and the methods `test*` of classes that are `unittest.TestCase`
/// or derive from it: by a name that ends with `TestCase`, or by a class above them in the file.
///
/// # Errors
/// The source is not Python.
pub fn collect(source: &str) -> Result<Vec<Test>, NoPython> {
    let statements = parse(source)?;
    let lines = Lines(source);
    let mut found = Vec::new();
    let mut cases: BTreeMap<&str, Vec<Test>> = BTreeMap::new();
    for statement in &statements {
        match statement {
            Stmt::FunctionDef(function) => found.extend(lines.test(function, None)),
            Stmt::ClassDef(class) => {
                if let Some(tests) = lines.tests_of(class, &cases) {
                    found.extend(tests.iter().cloned());
                    cases.insert(&class.name, tests);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

pub(super) fn parse(source: &str) -> Result<Suite, NoPython> {
    let parsed = ruff_python_parser::parse_module(source).map_err(|error| NoPython {
        line: Lines(source).of(error.location.start()),
        message: error.error.to_string(),
    })?;
    Ok(parsed.into_suite())
}

/// Finds the lines of what is in a source.
struct Lines<'a>(&'a str);

impl Lines<'_> {
    fn of(&self, offset: TextSize) -> u32 {
        let before = &self.0.as_bytes()[..offset.to_usize()];
        let ends = before.iter().filter(|byte| **byte == b'\n').count();
        u32::try_from(ends + 1).unwrap_or(u32::MAX)
    }

    fn test(&self, function: &StmtFunctionDef, class: Option<&StmtClassDef>) -> Option<Test> {
        function.name.starts_with("test").then(|| Test {
            class: class.map(|class| class.name.to_string()),
            function: function.name.to_string(),
            line: self.of(function.name.start()),
        })
    }

    /// The tests of a class, those that it inherits included; nothing for one that is no test case.
    fn tests_of(
        &self,
        class: &StmtClassDef,
        cases: &BTreeMap<&str, Vec<Test>>,
    ) -> Option<Vec<Test>> {
        let mut is_case = false;
        let mut tests: Vec<Test> = Vec::new();
        for base in class.bases() {
            let Some(name) = last_name(base) else {
                continue;
            };
            is_case |= name.ends_with("TestCase") || cases.contains_key(name);
            tests.extend(cases.get(name).into_iter().flatten().cloned());
        }
        for test in &mut tests {
            test.class = Some(class.name.to_string());
        }
        for statement in &class.body {
            let Stmt::FunctionDef(function) = statement else {
                continue;
            };
            if let Some(test) = self.test(function, Some(class)) {
                tests.retain(|inherited| inherited.function != test.function);
                tests.push(test);
            }
        }
        is_case.then_some(tests)
    }
}

/// `TestCase` of `unittest.TestCase`.
fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => Some(&attribute.attr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<(String, u32)> {
        let tests = collect(source).unwrap();
        tests.iter().map(|test| (test.name(), test.line)).collect()
    }

    #[test]
    fn functions_and_methods_are_found_in_their_order() {
        let source = "\
import unittest
@decorated
def test_a(): pass
class TestB(unittest.TestCase):
    @unittest.skip('x')
    def test_c(self): pass
    def helper(self): pass
class TestD(TestB):
    def test_e(self): pass
class Plain:
    def test_no(self): pass
def helper(): pass
";
        let expected = [
            ("test_a", 3),
            ("TestB::test_c", 6),
            ("TestD::test_c", 6),
            ("TestD::test_e", 9),
        ];
        let expected = expected.map(|(name, line)| (name.to_owned(), line));
        assert_eq!(names(source), expected);
    }

    #[test]
    fn a_file_that_is_no_python_says_where() {
        let error = collect("def test_a():\n    return (\n").unwrap_err();
        assert!(error.line >= 2, "{error}");
        assert!(error.to_string().contains("SyntaxError"), "{error}");
    }
}

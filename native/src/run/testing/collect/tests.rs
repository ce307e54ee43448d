//! Collects from files of all kinds.

use super::*;

fn names(source: &str) -> Vec<(String, u32)> {
    let tests = collect(source).unwrap().tests;
    tests.iter().map(|test| (test.name(), test.line)).collect()
}

fn remarks(source: &str) -> Vec<String> {
    let remarks = collect(source).unwrap().remarks.into_iter();
    remarks
        .map(|remark| format!("{}: {}", remark.line, remark.message))
        .collect()
}

fn expect(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
    let owned = |(name, line): &(&str, u32)| ((*name).to_owned(), *line);
    expected.iter().map(owned).collect()
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
class TestPlain:
    def test_f(self): pass
    class TestInner:
        def test_g(self): pass
def helper(): pass
test_h = helper
test_i = lambda: 0
";
    let expected = expect(&[
        ("test_a", 3),
        ("TestB::test_c", 6),
        ("TestD::test_c", 6),
        ("TestD::test_e", 9),
        ("TestPlain::test_f", 11),
        ("TestPlain::TestInner::test_g", 13),
        ("test_h", 15),
        ("test_i", 16),
    ]);
    assert_eq!(names(source), expected);
    assert_eq!(remarks(source), [""; 0]);
}

#[test]
fn no_place_in_a_file_hides_a_test() {
    let places = [
        "if x:\n ",
        "if x: pass\nelif y:\n ",
        "if x: pass\nelse:\n ",
        "try:\n pass\nexcept A: pass\nelse:\n ",
        "try: pass\nexcept A:\n ",
        "try: pass\nfinally:\n ",
        "with x:\n ",
        "for n in x:\n ",
        "while x:\n ",
        "match x:\n case 1:\n  ",
    ];
    for place in places {
        let test = format!("{place}def test_a(): pass\n");
        let found = collect(&test).unwrap().tests;
        assert_eq!(found.len(), 1, "{test}");
        let is_certain = place.starts_with("with") || place.contains("finally");
        assert_eq!(found[0].is_conditional, !is_certain, "{test}");
        let inside = test.replace('\n', "\n ");
        let class = format!("class TestA:\n {}\n", inside.trim_end());
        assert_eq!(collect(&class).unwrap().tests.len(), 1, "{class}");
    }
    let program = "def test_a(): pass\nif __name__ == '__main__':\n def test_b(): pass\n";
    assert_eq!(names(program), expect(&[("test_a", 1)]));
}

#[test]
fn what_a_call_does_is_known_from_the_function_alone() {
    let form = |body: &str| collect(body).unwrap().tests[0].form;
    assert_eq!(form("def test_a(): pass"), Form::Plain);
    assert_eq!(form("async def test_a(): pass"), Form::Coroutine);
    for generator in [
        "def test_a(): yield",
        "async def test_a():\n for n in x:\n  y = yield n",
        "def test_a():\n if x: yield from y",
    ] {
        assert_eq!(form(generator), Form::Generator, "{generator}");
    }
    for plain in [
        "def test_a():\n def g(): yield",
        "def test_a():\n g = lambda: (yield)",
        "def test_a():\n async def c(): pass",
    ] {
        assert_eq!(form(plain), Form::Plain, "{plain}");
    }
}

#[test]
fn what_does_not_run_is_remarked_on() {
    for (source, expected) in [
        (
            "class TestA:\n def __init__(self): pass\n def test_a(self): pass",
            "1: cannot collect test class TestA because it has a constructor",
        ),
        (
            "class Pins:\n def test_a(self): pass",
            "1: the tests of Pins do not run",
        ),
        (
            "def test_a(): pass\ndef test_a(): pass",
            "1: test_a is defined again in line 2",
        ),
        (
            "class TestA:\n def test_a(self): pass\nclass TestA:\n def test_b(self): pass",
            "1: TestA is defined again in line 3",
        ),
        (
            "from x import Base\nclass TestA(Base): pass",
            "2: tests that TestA inherits from Base do not run",
        ),
        ("from x import TestA", "1: TestA is imported"),
        (
            "class TestA(TestCase):\n class TestB:\n  def test_b(self): pass",
            "3: the tests of TestB, which is within TestA, do not run",
        ),
    ] {
        let found = remarks(source);
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert!(found[0].starts_with(expected), "{found:?}");
    }
    for quiet in [
        "if x:\n def test_a(): pass\nelse:\n def test_a(): pass",
        "class Mixin:\n def test_a(self): pass\nclass TestA(Mixin, TestCase): pass",
        "class TestA:\n __test__ = False\n def test_a(self): pass",
        "class TestA(TestCase):\n def __init__(self): pass\n def test_a(self): pass",
        "from unittest import TestCase",
    ] {
        assert_eq!(remarks(quiet), [""; 0], "{quiet}");
    }
}

#[test]
fn a_name_is_listed_once_with_its_last_definition() {
    let source = "if x:\n def test_a(): pass\nelse:\n async def test_a(): pass\n";
    let found = collect(source).unwrap().tests;
    assert_eq!((found.len(), found[0].line), (1, 4));
    assert!(found[0].is_conditional);
    let twice = "def test_a(): pass\ndef test_b(): pass\ndef test_a(): pass\n";
    assert_eq!(names(twice), expect(&[("test_b", 2), ("test_a", 3)]));
}

#[test]
fn a_file_that_is_no_python_says_where() {
    let error = collect("def test_a():\n    return (\n").unwrap_err();
    assert!(error.line >= 2, "{error}");
    assert!(error.to_string().contains("SyntaxError"), "{error}");
}

#[test]
fn each_of_the_parameters_is_a_test() {
    let source = "\
import pytest
@pytest.fixture(params=[0, 1], ids=['spam', 'ham'])
def a(request): return request.param
@pytest.fixture(autouse=True, scope='module')
def always(): pass
@pytest.fixture
def test_thing(): pass
@pytest.mark.parametrize('b', [5, 6])
def test_both(a, b, c=1): pass
@pytest.mark.parametrize('a,c', [(1, 'x')], indirect=['a'])
class TestC:
    def test_c(self, a, c): pass
@pytest.mark.parametrize('n', [])
def test_empty(n): pass
@pytest.mark.parametrize('n', open('f'))
def test_computed(n): pass
";
    let tests = collect(source).unwrap().tests;
    let names: Vec<_> = tests.iter().map(Test::name).collect();
    let expected = [
        "test_both[spam-5]",
        "test_both[spam-6]",
        "test_both[ham-5]",
        "test_both[ham-6]",
        "TestC::test_c[1-x]",
        "test_empty[NOTSET]",
        "test_computed",
    ];
    assert_eq!(names, expected);
    let request = |at: usize| tests[at].request.as_ref().unwrap();
    assert_eq!(request(1).fixtures, ["always", "a", "request"]);
    assert_eq!(request(1).arguments, ["a", "b"]);
    assert_eq!(request(1).values, [Some(1)]);
    assert_eq!(request(2).params[0].2, Some(1));
    assert_eq!(request(4).params, []);
    assert_eq!(request(5).values, [None]);
    assert!(tests[6].refusal().unwrap().contains("computed"));
    let refused = |at: usize| tests[at].refusal().is_some();
    assert!(!(0..6).any(refused));
}

#[test]
fn parameters_beyond_the_limit_are_reported() {
    let source = "\
import pytest
@pytest.mark.parametrize('a', range(300))
@pytest.mark.parametrize('b', range(50))
def test_many(a, b): pass
@pytest.mark.parametrize('a', range(100))
@pytest.mark.parametrize('b', range(100))
def test_all(a, b): pass
";
    let found = collect(source).unwrap();
    assert_eq!(found.tests.len(), 20_000);
    let first =
        "4: test_many has more than 10000 combinations of parameters; the other 5000 do not run";
    assert_eq!(remarks(source), [first]);
    // One axis alone is a list that nobody has written out.
    let computed =
        "import pytest\n@pytest.mark.parametrize('a', range(10001))\ndef test_a(a): pass\n";
    let found = collect(computed).unwrap();
    assert!(found.tests[0].refusal().unwrap().contains("computed"));
}

#[test]
fn fixtures_are_those_of_the_class_before_those_of_the_file_and_of_conftest() {
    let source = "\
import pytest
class TestA:
    @pytest.fixture
    def value(self, value): pass
    def test_a(self, value): pass
class TestB(TestA):
    pass
@pytest.fixture
def value(value, other): pass
";
    let outer = conftest(
        "import pytest\n@pytest.fixture(name='value')\ndef made(): pass\n",
        0,
    );
    let found = collect_below(source, outer).unwrap();
    let owners: Vec<_> = found.fixtures.iter().map(|it| it.owner.clone()).collect();
    let class = |name: &str| Owner::Class(name.into());
    assert_eq!(
        owners,
        [
            class("TestA"),
            class("TestB"),
            Owner::File,
            Owner::Conftest(0)
        ]
    );
    let names: Vec<_> = found.tests.iter().map(Test::name).collect();
    assert_eq!(names, ["TestA::test_a", "TestB::test_a"]);
    for test in &found.tests {
        assert_eq!(test.request.as_ref().unwrap().fixtures, ["value", "other"]);
    }
}

#[test]
fn a_file_without_pytest_has_no_requests() {
    let source = "class TestA:\n def test_a(self): pass\ndef test_b(): pass\n";
    let tests = collect(source).unwrap().tests;
    assert!(tests.iter().all(|test| test.request.is_none()));
    for needs in [
        "def setup_module(): pass",
        "import pytest",
        "def test_c(arg): pass",
    ] {
        let tests = collect(&format!("{source}{needs}\n")).unwrap().tests;
        assert!(tests.iter().all(|test| test.request.is_some()), "{needs}");
    }
}

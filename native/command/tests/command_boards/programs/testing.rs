//! `flylead test` on one board: what it finds, what runs, and what it says.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use flylead_core::trace::{self, Record};
use flylead_tests::boards::{Microbit, UnixBoard};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{flylead, folder, run, write};

/// `flylead test` in a folder.
pub(crate) fn tests(board: &Path, folder: &TempDir, words: &[&str]) -> Command {
    let mut command = flylead(board, &[&["test"], words].concat());
    command.current_dir(folder.path());
    command
}

/// `flylead test` on several boards in a folder.
pub(crate) fn tests_on(boards: [&Path; 2], folder: &TempDir, words: &[&str]) -> Command {
    let mut command = tests(boards[0], folder, &[]);
    for board in boards {
        command.arg("-p").arg(board);
    }
    command.args(words);
    command
}

/// The lines of `--json`, and the exit code.
pub(crate) fn events(board: &Path, folder: &TempDir, words: &[&str]) -> (i32, Vec<Value>) {
    read_events(run(tests(board, folder, &[&["--json"], words].concat())))
}

/// Parses the events of a command that has ended.
pub(crate) fn read_events((code, stdout, stderr): (i32, String, String)) -> (i32, Vec<Value>) {
    let line =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}: {stderr}"));
    (code, stdout.lines().map(line).collect())
}

/// The tests among the events, each with its outcome.
pub(crate) fn outcomes(events: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tests = events.iter().filter(|event| event["event"] == "test");
    let outcome = |event: &Value| (text(&event["test"]), text(&event["outcome"]));
    tests.map(outcome).collect()
}

pub(crate) fn named(outcomes: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, outcome): &(&str, &str)| ((*name).to_owned(), (*outcome).to_owned());
    outcomes.iter().map(owned).collect()
}

/// The event of a test.
pub(crate) fn of<'a>(events: &'a [Value], test: &str) -> &'a Value {
    let found = events.iter().find(|event| event["test"] == test);
    found.unwrap_or_else(|| panic!("{test} is not among {events:?}"))
}

#[test]
fn a_folder_without_tests_says_by_which_names_they_are_found() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "tests/sums.py", SUMS);
    let (code, stdout, _) = run(tests(board.path(), &folder, &[]));
    assert_eq!(code, 5);
    assert!(
        stdout.starts_with("collected 0 tests in 0 files; a test is a function test*"),
        "{stdout}"
    );
}

#[test]
fn functions_with_assert_run_and_failures_name_the_file_and_line_here() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "tests/test_sums.py", SUMS);
    let (code, stdout, stderr) = run(tests(board.path(), &folder, &[]));
    assert_eq!((code, stderr.as_str()), (1, ""), "{stdout}");
    for said in [
        "collected 4 tests in 1 file\ntests/test_sums.py .FFF ",
        "[100%]\n",
        "___ test_fails ___",
        "  File \"tests/test_sums.py\", line 10, in check\n    assert one == other, \"they differ\"\n",
        "AssertionError: they differ\n",
        "\ntests/test_sums.py:10",
        "printed on the board",
        "\nsaid before\n",
        "ERROR",
        "FAILED tests/test_sums.py::test_raises - KeyError: missing\n",
        "FAILED tests/test_sums.py::test_leaves - AssertionError: the test ended the interpreter: SystemExit(3,)\n",
        "3 failed, 1 passed in ",
    ] {
        // There is nothing to be called an error here.
        assert_eq!(stdout.contains(said), said != "ERROR", "{said}: {stdout}");
    }
    assert!(
        !stdout.contains("_fl_") && !stdout.contains("<stdin>"),
        "{stdout}"
    );
}

const SUMS: &str = r#"
def test_passes():
    assert 1 + 1 == 2

def test_fails():
    print("said before")
    check(1, 2)

def check(one, other):
    assert one == other, "they differ"

def test_raises():
    {}["missing"]

def test_leaves():
    raise SystemExit(3)
"#;

/// Features of a `TestCase`.
const CASES: &str = r#"
import unittest

said = []

class TestThings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        said.append("class")
    @classmethod
    def tearDownClass(cls):
        said.append("end")
    def setUp(self):
        self.value = 5
        self.addCleanup(said.append, "cleaned")
    def tearDown(self):
        said.append("down")
    def test_equal(self):
        self.assertEqual(self.value, 5)
        self.assertEqual(said, ["class"])
        with self.assertRaises(ZeroDivisionError):
            1 / 0
    def test_unequal(self):
        self.assertEqual(self.value, 6)
    @unittest.skip("no sensor")
    def test_skipped(self):
        self.fail()
    def test_skips_itself(self):
        self.skipTest("not now")
    @unittest.expectedFailure
    def test_expected(self):
        self.assertTrue(False)
    @unittest.expectedFailure
    def test_unexpected(self):
        pass
    def test_parts(self):
        for n in range(4):
            with self.subTest(n=n):
                self.assertTrue(n % 2 == 0)

class TestAfter(TestThings):
    def test_order(self):
        self.assertEqual(said[:3], ["class", "down", "cleaned"])
        self.assertEqual(said[-1], "class")
        self.assertEqual(said.count("end"), 1)

@unittest.skipIf(True, "not on this board")
class TestSkipped(unittest.TestCase):
    def test_never(self):
        self.fail()

class TestBroken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError(19)
    def test_never(self):
        pass

if __name__ == "__main__":
    unittest.main()
"#;

fn of_cases() -> Vec<(String, String)> {
    let things = [
        ("test_equal", "passed"),
        ("test_unequal", "failed"),
        ("test_skipped", "skipped"),
        ("test_skips_itself", "skipped"),
        ("test_expected", "xfailed"),
        ("test_unexpected", "failed"),
        ("test_parts", "failed"),
    ];
    let of = |class: &str, (name, outcome): (&str, &str)| {
        // Of the derived class this one finds what the first class has left.
        let outcome = match (class, name) {
            ("TestAfter", "test_equal") => "failed",
            _ => outcome,
        };
        (format!("{class}::{name}"), outcome.to_owned())
    };
    let inherited = things.map(|thing| of("TestAfter", thing));
    let rest = named(&[
        ("TestAfter::test_order", "failed"),
        ("TestSkipped::test_never", "skipped"),
        ("TestBroken::test_never", "error"),
    ]);
    let own = things.map(|thing| of("TestThings", thing));
    own.into_iter().chain(inherited).chain(rest).collect()
}

#[test]
fn unittest_runs_on_a_board_without_it() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "test_cases.py", CASES);
    let (code, events) = events(board.path(), &folder, &[]);
    assert_eq!(code, 1);
    check_cases(&events);
}

#[test]
fn unittest_of_micropython_lib_gives_the_same() {
    let (board, folder) = (UnixBoard::start(), folder());
    let lib = board.flash().join("unittest");
    fs::create_dir(&lib).unwrap();
    fs::write(lib.join("__init__.py"), MICROPYTHON_LIB).unwrap();
    write(&folder, "test_cases.py", CASES);
    let (code, events) = events(board.path(), &folder, &[]);
    assert_eq!(code, 1);
    check_cases(&events);
    let why = of(&events, "TestThings::test_unequal")["message"].clone();
    assert_eq!(why, "AssertionError: 5 vs (expected) 6");
}

fn check_cases(events: &[Value]) {
    assert_eq!(outcomes(events), of_cases(), "{events:#?}");
    let parts = of(events, "TestThings::test_parts");
    let traceback = parts["traceback"].as_str().unwrap();
    assert_eq!(traceback.matches("subTest").count(), 2, "{traceback}");
    assert_eq!(
        traceback.matches("line 39, in test_parts").count(),
        2,
        "{traceback}"
    );
    assert_eq!(parts["line"], 39);
    let unequal = of(events, "TestThings::test_unequal");
    assert_eq!(unequal["line"], 24);
    assert_eq!(
        of(events, "TestThings::test_skipped")["message"],
        "no sensor"
    );
    assert_eq!(
        of(events, "TestSkipped::test_never")["message"],
        "not on this board"
    );
    let broken = of(events, "TestBroken::test_never");
    assert!(
        broken["message"].as_str().unwrap().contains("OSError"),
        "{broken}"
    );
    let text = format!("{events:?}");
    assert!(
        !text.contains("_fl_") && !text.contains("<stdin>"),
        "{text}"
    );
}

/// micropython-lib's `unittest` 0.11.0, `python-stdlib/unittest/unittest/__init__.py`, MIT License.
const MICROPYTHON_LIB: &str = include_str!("unittest.py");

#[test]
fn nothing_passes_without_having_run_and_nothing_is_left_out_in_silence() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "test_forms.py", FORMS);
    let (code, lines) = events(board.path(), &folder, &[]);
    assert_eq!(code, 1);
    let expected = named(&[
        ("test_coroutine", "failed"),
        ("test_sleeps", "passed"),
        ("test_generator", "error"),
        ("test_gives_a_generator", "failed"),
        ("TestPlain::test_plain", "failed"),
        ("TestPlain::TestInner::test_inner", "passed"),
        ("test_below_if", "failed"),
        ("test_not_there", "skipped"),
    ]);
    assert_eq!(outcomes(&lines), expected, "{lines:#?}");
    let warnings = lines.iter().filter(|event| event["event"] == "warning");
    let lines_of: Vec<_> = warnings.map(|event| event["line"].as_u64()).collect();
    assert_eq!(lines_of, [Some(26)], "{lines:#?}");
    let (_, stdout, _) = run(tests(board.path(), &folder, &["-k", "sleeps"]));
    assert!(
        stdout.contains("test_forms.py:26: cannot collect test class TestMade"),
        "{stdout}"
    );
    assert!(stdout.contains("1 passed, 1 warning in "), "{stdout}");
    let words = ["test_forms.py::TestPlain::TestInner"];
    assert_eq!(run(tests(board.path(), &folder, &words)).0, 0);
}

const FORMS: &str = "\
import asyncio, sys
async def test_coroutine():
    assert 1 == 2
async def test_sleeps():
    await asyncio.sleep(0)
def test_generator():
    yield
def gives():
    yield
def test_gives_a_generator():
    return gives()
class TestPlain:
    def setup_method(self):
        self.value = 5
    def test_plain(self):
        assert self.value == 6
    class TestInner:
        def test_inner(self):
            pass
if sys.implementation.name == 'micropython':
    def test_below_if():
        assert 1 == 2
else:
    def test_not_there():
        pass
class TestMade:
    def __init__(self): pass
    def test_made(self): pass
";

#[test]
fn modules_beside_the_tests_are_sent_once_and_named_in_tracebacks() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(
        &folder,
        "test_pins.py",
        "from pins.high import level\ndef test_level(): level(2)\n",
    );
    write(&folder, "pins/__init__.py", "");
    let high = write(
        &folder,
        "src/pins/high.py",
        "def level(n):\n  assert n < 2\n",
    );
    let high = PathBuf::from(high);
    fs::rename(&high, folder.path().join("pins/high.py")).unwrap();
    let (code, events) = events(board.path(), &folder, &[]);
    assert_eq!(code, 1, "{events:?}");
    let failed = of(&events, "test_level");
    assert!(
        failed["traceback"]
            .as_str()
            .unwrap()
            .contains("pins/high.py\", line 2, in level\n    assert n < 2"),
        "{failed}"
    );
    assert_eq!(failed["line"], 2);
    write(&folder, "pins/high.py", "def level(n):\n  assert n < 3\n");
    assert_eq!(run(tests(board.path(), &folder, &["--no-sync"])).0, 1);
    assert_eq!(run(tests(board.path(), &folder, &[])).0, 0);
    let trace = folder.path().join("trace");
    let words = ["--trace", trace.to_str().unwrap()];
    assert_eq!(run(tests(board.path(), &folder, &words)).0, 0);
    let text = fs::read_to_string(&trace).unwrap();
    let records = trace::parse(&text).unwrap().into_iter();
    let asked = records.filter_map(|(_, record)| match record {
        Record::Command(command) => Some(command),
        _ => None,
    });
    let written = asked.filter(|command| command.starts_with("write"));
    assert_eq!(written.count(), 0, "nothing has changed: {text}");
}

#[test]
fn each_file_has_a_fresh_interpreter_unless_no_reset_is_said() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "test_a.py", "left = 1\ndef test_a(): pass\n");
    write(
        &folder,
        "test_b.py",
        "def test_b(): assert 'left' not in globals()\n",
    );
    assert_eq!(run(tests(board.path(), &folder, &[])).0, 0);
    let (code, events) = events(board.path(), &folder, &["--no-reset"]);
    assert_eq!(
        (code, outcomes(&events)),
        (1, named(&[("test_a", "passed"), ("test_b", "failed")]))
    );
    let (_, stdout, _) = run(flylead(board.path(), &["exec", "print(__name__, left)"]));
    assert_eq!(stdout, "__main__ 1\n");
}

#[test]
fn a_fresh_interpreter_comes_with_each_test_or_once_for_a_board() {
    let (board, folder) = (UnixBoard::start(), folder());
    let source = "\
import sys
class TestA:
    @classmethod
    def setup_class(cls): print('up')
    @classmethod
    def teardown_class(cls): print('down')
    def test_one(self): sys.modules['left'] = 1
    def test_two(self): assert 'left' not in sys.modules
def test_three(): assert 'left' not in sys.modules
";
    write(&folder, "test_a.py", source);
    write(
        &folder,
        "test_b.py",
        "import sys\ndef test_b(): assert 'left' in sys.modules\n",
    );
    let outcomes_of = |when: &str| {
        let (_, events) = events(board.path(), &folder, &["--board-reset", when]);
        outcomes(&events)
            .into_iter()
            .map(|(_, how)| how)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        outcomes_of("test"),
        ["passed", "passed", "passed", "failed"]
    );
    assert_eq!(
        outcomes_of("file"),
        ["passed", "failed", "failed", "failed"]
    );
    assert_eq!(
        outcomes_of("session"),
        ["passed", "failed", "failed", "passed"]
    );
    let (code, _, stderr) = run(tests(board.path(), &folder, &["--board-reset", "class"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("test, file, session"), "{stderr}");
}

#[test]
fn tests_are_chosen_and_counted_as_pytest_does_it() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(
        &folder,
        "test_a.py",
        "def test_one(): pass\ndef test_two(): assert 0\ndef test_three(): pass\n",
    );
    write(&folder, "sub/b_test.py", "def test_four(): pass\n");
    let code = |words: &[&str]| run(tests(board.path(), &folder, words)).0;
    assert_eq!(code(&["-k", "one or b_test"]), 0);
    assert_eq!(code(&["-k", "nothing"]), 5);
    assert_eq!(code(&["test_a.py::test_three"]), 0);
    assert_eq!(code(&["test_a.py::test_nine"]), 4);
    assert_eq!(code(&["missing.py"]), 4);
    assert_eq!(code(&["-k", "one or"]), 2);
    let (_, events) = events(board.path(), &folder, &["-x", "test_a.py"]);
    assert_eq!(
        outcomes(&events),
        named(&[("test_one", "passed"), ("test_two", "failed")])
    );
    let (_, stdout, _) = run(tests(
        board.path(),
        &folder,
        &["-v", "--durations", "2", "sub"],
    ));
    assert!(
        stdout.contains("\nsub/b_test.py::test_four PASSED "),
        "{stdout}"
    );
    assert!(stdout.contains(" slowest 2 tests "), "{stdout}");
    let (code, stdout, _) = run(tests(
        Path::new("/dev/null"),
        &folder,
        &["--collect-only", "sub"],
    ));
    assert_eq!((code, stdout.as_str()), (0, "sub/b_test.py::test_four\n"));
}

#[test]
fn a_file_that_cannot_run_is_an_error_and_the_others_run() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "test_a.py", "def test_a(:\n");
    write(&folder, "test_b.py", "def test_b(): pass\n1 / 0\n");
    write(
        &folder,
        "test_c.py",
        "print('SKIP')\nraise SystemExit\ndef test_c(): pass\n",
    );
    write(&folder, "test_d.py", "def test_d(): pass\n");
    let (code, events) = events(board.path(), &folder, &[]);
    let expected = [
        ("", "error"),
        ("", "error"),
        ("", "skipped"),
        ("test_d", "passed"),
    ];
    assert_eq!(
        (code, outcomes(&events)),
        (1, named(&expected)),
        "{events:?}"
    );
    let text = format!("{events:?}");
    assert!(
        text.contains("line 1: SyntaxError") && text.contains("ZeroDivisionError"),
        "{text}"
    );
}

#[test]
fn junit_has_each_test_with_its_file_line_and_output() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "tests/test_sums.py", SUMS);
    let words = ["--junit", "out.xml"];
    assert_eq!(run(tests(board.path(), &folder, &words)).0, 1);
    let text = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    for part in [
        r#"tests="4""#,
        r#"failures="3""#,
        r#"<testcase name="test_fails" classname="tests.test_sums""#,
        r#"line="10""#,
        r#"message="AssertionError: they differ"#,
        "assert 1 == 2",
        "said before",
        r#"<property name="board""#,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_failed_assert_says_what_it_compared() {
    let (board, folder) = (UnixBoard::start(), folder());
    let source = "\
def read(): return 6
def test_a():
    value = 5
    assert value == 7
def test_b():
    assert read() == 7, 'too low'
";
    write(&folder, "test_a.py", source);
    let (code, stdout, _) = run(tests(board.path(), &folder, &[]));
    assert_eq!(code, 1);
    for said in [
        "    assert value == 7\nAssertionError: assert 5 == 7\n",
        "AssertionError: too low\nassert 6 == 7\n +  where 6 = read()\n",
        "FAILED test_a.py::test_a - assert 5 == 7\n",
        "FAILED test_a.py::test_b - AssertionError: too low\n",
    ] {
        assert!(stdout.contains(said), "{said}: {stdout}");
    }
    assert!(!stdout.contains("_fl_"), "{stdout}");
}

#[test]
fn junit_is_xml_whatever_tests_print() {
    let (board, folder) = (UnixBoard::start(), folder());
    let source = "\
def test_a():
    print('\\ufffe\\x00\\x08end')
    assert 0, '\\uffff'
";
    write(&folder, "test_a.py", source);
    let words = ["--junit", "out.xml"];
    assert_eq!(run(tests(board.path(), &folder, &words)).0, 1);
    let text = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(text.contains("#xFFFE#x00#x08end"), "{text}");
    let is_wrong = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}') || (c < ' ' && c != '\n');
    assert!(!text.contains(is_wrong), "{text}");
}

#[test]
fn a_recursion_is_shown_as_python_shows_it() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(
        &folder,
        "test_a.py",
        "def down(n):\n down(n + 1)\ndef test_a():\n down(0)\n",
    );
    let (code, events) = events(board.path(), &folder, &[]);
    assert_eq!(code, 1);
    let traceback = of(&events, "test_a")["traceback"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(traceback.matches("in down").count(), 3, "{traceback}");
    assert!(
        traceback.contains("[Previous line repeated "),
        "{traceback}"
    );
}

#[test]
fn a_micro_bit_runs_functions_and_says_what_it_has_no_room_for() {
    let (board, folder) = (Microbit::start(), folder());
    write(
        &folder,
        "test_a.py",
        "def test_ok(): assert 1\ndef test_no():\n  print('hm')\n  assert 0, 'no'\n",
    );
    let big: String = (0..200)
        .map(|n| format!("def test_{n}(): assert {n} == {n}\n"))
        .collect();
    write(&folder, "test_big.py", big);
    let (code, events) = events(board.path(), &folder, &[]);
    let expected = [("test_ok", "passed"), ("test_no", "failed"), ("", "error")];
    assert_eq!(
        (code, outcomes(&events)),
        (1, named(&expected)),
        "{events:?}"
    );
    assert_eq!(of(&events, "test_no")["line"], 4);
    assert!(
        events
            .iter()
            .any(|event| event["message"].to_string().contains("MemoryError")),
        "{events:?}"
    );
}

#[test]
fn tests_are_chosen_by_marks_as_pytest_chooses_them() {
    let folder = folder();
    let marked = "import pytest\n\n@pytest.mark.slow\ndef test_slow():\n    pass\n\ndef test_quick():\n    pass\n\n\
                  @pytest.mark.wifi\nclass TestNet:\n    @pytest.mark.slow\n    def test_join(self):\n        pass\n    \
                  def test_scan(self):\n        pass\n";
    write(&folder, "tests/test_marks.py", marked);
    let listed = |expression: &str| {
        let nowhere = Path::new("/dev/not-there");
        let words = ["--collect-only", "-m", expression];
        let (code, stdout, stderr) = run(tests(nowhere, &folder, &words));
        assert_eq!((code, &*stderr), (0, ""), "{expression}: {stdout}");
        let names = stdout.lines().filter_map(|line| line.rsplit("::").next());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed("slow"), ["test_slow", "test_join"]);
    assert_eq!(listed("slow and not wifi"), ["test_slow"]);
    assert_eq!(listed("wifi"), ["test_join", "test_scan"]);
    assert_eq!(listed("not slow"), ["test_quick", "test_scan"]);
}

#[test]
fn a_file_that_cannot_be_imported_leaves_no_name() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "test_it.py", "import nosuch\ndef test_1(): pass\n");
    let (code, stdout, _) = run(tests(board.path(), &here, &[]));
    assert_eq!(code, 1, "{stdout}");
    let names = "print([name for name in dir() if name[:2] != '__'])";
    assert_eq!(run(flylead(board.path(), &["exec", names])).1, "[]\n");
}

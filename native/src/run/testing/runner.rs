//! The part of the runner on the board, and the output of that part.

use std::{ops::RangeInclusive, time::Duration};

use flylead_core::raw_repl::{Frame, Traceback};

use super::{Asserts, Fixture, Form, Owner, Request, Test};
use crate::os::random::random_hex;

/// Program that runs the tests of one file, in order, in the interpreter of a board.
///
/// The board receives, each as a program of its own: [`source`](Self::source), the file, and then the
/// [`call`](Self::call) of each test. The output of a call is parsed by [`read`](Self::read).
#[derive(Debug, Clone)]
pub struct Runner {
    source: String,
    /// Test file, as it goes to this board.
    file: String,
    mark: String,
    asserts: Asserts,
    /// Functions and their lines, for recognizing them in a traceback.
    functions: Vec<(String, RangeInclusive<u32>)>,
}

/// Output of a test's call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Said {
    /// Output of the test itself.
    pub printed: String,
    /// Duration of the test by the board's clock, if it counts milliseconds.
    pub took: Option<Duration>,
    /// Failures in `with self.subTest():`, each with its message and its traceback.
    pub failed_parts: Vec<(String, Traceback)>,
    /// True if the setup failed, and the test did not run.
    pub in_setup: bool,
    /// Failures of the teardown.
    pub torn: Vec<Traceback>,
}

impl Runner {
    /// Returns a program that reports the facts that [`new`](Self::new) needs about a board, for a file of this source
    /// with these tests.
    #[must_use]
    pub fn probe(file: &str, tests: &[Test]) -> String {
        let uses_unittest = file.contains("unittest") || tests.iter().any(|test| test.is_case);
        let unittest = if uses_unittest { PROBE_UNITTEST } else { "" };
        format!("{unittest}{PROBE_MEMORY}")
    }

    /// Creates the runner for a test file of this source, with these tests, which may request these fixtures.
    /// `probed` is the output of the
    /// [`probe`](Self::probe) on the board. With `asserts`, those of the file report what they compared, if the board
    /// has enough memory.
    #[must_use]
    pub fn new(
        file: &str,
        tests: &[Test],
        fixtures: &[Fixture],
        asserts: Option<&Asserts>,
        probed: &str,
    ) -> Self {
        let mark = random_hex::<8>();
        // Files end with `if __name__ == "__main__": unittest.main()`, but we run the tests.
        let mut source = format!("__name__='__tests__'\n_fl_m='{mark}'\n");
        source += part("run");
        let asserts = asserts
            .filter(|asserts| !asserts.sites.is_empty() && !is_small(probed))
            .cloned()
            .unwrap_or_default();
        if !asserts.sites.is_empty() {
            source += part("asserts");
        }
        let is_coroutine = |form: Form| form == Form::Coroutine;
        if tests.iter().any(|test| is_coroutine(test.form))
            || fixtures.iter().any(|fixture| is_coroutine(fixture.form))
        {
            source += part("coroutines");
        }
        let uses_pytest = tests.iter().any(|test| test.request.is_some());
        let uses_unittest = probed.contains("installed") || probed.contains("ours");
        if uses_pytest || uses_unittest || tests.iter().any(|test| test.class.is_some()) {
            source += part("classes");
        }
        if tests
            .iter()
            .any(|test| test.class.is_some() && !test.is_case && !uses_pytest)
        {
            source += part("plain");
        }
        if uses_unittest {
            source += part("cases");
            match probed.contains("installed") {
                true => source += part("installed"),
                false => add_unittest(&mut source, file, is_small(probed)),
            }
        }
        if uses_pytest {
            source += part("pytest");
            source += &definitions(fixtures);
        }
        let functions = functions(&source);
        let file = match asserts.sites.is_empty() {
            true => file.to_owned(),
            false => asserts.source.clone(),
        };
        Self {
            source,
            file,
            mark,
            asserts,
            functions,
        }
    }

    /// Returns the test file, as it goes to the board after [`source`](Self::source).
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Replaces the raw output of a failed assert in a text of the board by its explanation.
    #[must_use]
    pub fn explain(&self, text: &str) -> String {
        self.asserts.explain(text, &self.mark)
    }

    /// Returns the code to send to the board before the file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns code that runs a test. It raises `SkipTest` if the file does not define the test on this board.
    #[must_use]
    pub fn call(test: &Test) -> String {
        let function = &test.function;
        let wrapper = match test.form {
            Form::Coroutine => "_fl_async",
            Form::Plain | Form::Generator => "",
        };
        if let Some(request) = &test.request {
            let path = match &test.class {
                Some(class) => format!("{class}.{function}"),
                None => function.clone(),
            };
            return guarded(test, &path, requested(test, request, wrapper));
        }
        let (path, call) = match &test.class {
            None => (
                function.clone(),
                format!("_fl_run({wrapper}({function}))\n"),
            ),
            Some(class) => {
                let how = if test.is_case {
                    "_fl_case"
                } else {
                    "_fl_plain"
                };
                let comma = if wrapper.is_empty() { "" } else { "," };
                let call = format!("_fl_run({how},{class},'{function}'{comma}{wrapper})\n");
                (format!("{class}.{function}"), call)
            }
        };
        guarded(test, &path, call)
    }

    /// Returns code that sets up a test's class before the first of its tests, if the test has a class and the class
    /// defines it.
    #[must_use]
    pub fn set_up_class(test: &Test) -> Option<String> {
        around(test, "setUpClass", "setup_class")
    }

    /// Like [`set_up_class`](Self::set_up_class), for after the last test.
    #[must_use]
    pub fn tear_down_class(test: &Test) -> Option<String> {
        if test.request.is_some() {
            test.class.as_ref()?;
            return Some("_fl_run(_fl_end,1)\n".to_owned());
        }
        around(test, "tearDownClass", "teardown_class")
    }

    /// Returns code that tears down the fixtures of a file after the last of its tests, if there may be any.
    #[must_use]
    pub fn finish(tests: &[Test]) -> Option<&'static str> {
        let mut requests = tests.iter().map(|test| &test.request);
        requests
            .any(Option::is_some)
            .then_some("_fl_run(_fl_end,0)\n")
    }

    /// Code that removes the runner before other programs continue in the same interpreter.
    pub const LEAVE: &str = "\
__name__='__main__'
def _fl_leave(g=globals()):
 if '_fl_ours' in g and _fl_sys.modules.get('unittest') is _fl_ours:del _fl_sys.modules['unittest']
 if '_fl_p' in g:
  for n in list(_fl_sys.modules):
   if _fl_sys.modules[n] is _fl_p or n[:4]=='_fl_':del _fl_sys.modules[n]
 for n in list(g):
  if n[:4]=='_fl_':del g[n]
_fl_leave()
";

    /// Separates the runner's output from that of the test.
    #[must_use]
    pub fn read(&self, output: &[u8]) -> Said {
        let output = String::from_utf8_lossy(output).replace("\r\n", "\n");
        let mut parts = output.split(&self.mark);
        let mut said = Said {
            printed: parts.next().unwrap_or_default().to_owned(),
            ..Said::default()
        };
        for part in parts {
            match part.split_at_checked(1) {
                Some(("e", rest)) => {
                    let (time, rest) = rest.split_once('\n').unwrap_or((rest, ""));
                    said.took = time.trim().parse().ok().map(Duration::from_millis);
                    said.printed += rest;
                }
                Some(("s", rest)) => {
                    let (words, text) = rest.split_once('\n').unwrap_or((rest, ""));
                    let traceback = Traceback::parse(text.as_bytes());
                    said.failed_parts.push((words.trim().to_owned(), traceback));
                }
                Some(("p", rest)) => {
                    said.in_setup = true;
                    said.printed += rest.strip_prefix('\n').unwrap_or(rest);
                }
                Some(("t", text)) => said
                    .torn
                    .push(Traceback::parse(text.trim_start().as_bytes())),
                Some(("v", _)) => {
                    if said.printed.ends_with("\n ") {
                        said.printed.pop();
                    }
                    said.printed += &self.explain(&format!("{}{part}", self.mark));
                }
                Some((".", rest)) => said.printed += rest.strip_prefix('\n').unwrap_or(rest),
                _ => {}
            }
        }
        // A board without such a clock reports 0 for every test.
        said.took = said.took.filter(|took| !took.is_zero());
        said
    }

    /// Trims a traceback to the parts that concern the user: without the runner's own frames, and with the names that
    /// `name` gives to the board's files. A program that was sent is called [`SENT`].
    #[must_use]
    pub fn tidy(&self, traceback: Traceback, name: impl Fn(&str) -> Option<String>) -> Traceback {
        let mut text = String::new();
        let mut frames: Vec<Frame> = Vec::new();
        let mut all = traceback.frames.iter().enumerate();
        let mut before = None;
        let mut repeated = 0;
        for line in traceback.text.lines() {
            let frame = line.starts_with(FRAME).then(|| all.next()).flatten();
            let here = frame.map(|(_, frame)| frame);
            if here.is_some() && here == before {
                repeated += 1;
                if repeated > SHOWN_AGAIN {
                    continue;
                }
            } else {
                text += &repetitions(repeated);
                repeated = 0;
            }
            before = here;
            match frame {
                // A message of pytest itself, which is no exception.
                None => text += line.strip_prefix(MESSAGE).unwrap_or(line),
                Some((number, _)) if self.is_own(number, &traceback.frames) => continue,
                Some((_, frame)) => {
                    let file = name(&frame.file).unwrap_or_else(|| frame.file.clone());
                    text += &line.replacen(&frame.file, &file, 1);
                    frames.push(Frame {
                        file,
                        ..frame.clone()
                    });
                }
            }
            text.push('\n');
        }
        text += &repetitions(repeated);
        Traceback {
            frames,
            text: self.explain(&text),
            message: self.explain(&traceback.message),
            ..traceback
        }
    }

    /// Returns true if a frame belongs to the runner, or is its call.
    fn is_own(&self, number: usize, frames: &[Frame]) -> bool {
        let is_runners = |frame: &Frame| {
            let is_of = |(name, lines): &(String, RangeInclusive<u32>)| {
                frame.function.as_ref() == Some(name) && lines.contains(&frame.line)
            };
            frame.file == SENT && self.functions.iter().any(is_of)
        };
        let is_call = number == 0
            && frames[0].function.as_deref() == Some("<module>")
            && frames.get(1).is_some_and(is_runners);
        is_call || is_runners(&frames[number])
    }
}

/// Formats a recursion, shortened as in Python.
fn repetitions(repeated: usize) -> String {
    match repeated.saturating_sub(SHOWN_AGAIN) {
        0 => String::new(),
        1 => "  [Previous line repeated 1 more time]\n".into(),
        more => format!("  [Previous line repeated {more} more times]\n"),
    }
}

fn around(test: &Test, of_case: &str, of_plain: &str) -> Option<String> {
    let class = test.class.as_ref().filter(|_| test.request.is_none())?;
    let name = if test.is_case { of_case } else { of_plain };
    let call = format!("_fl_run(_fl_class,{class},'{name}')\n");
    Some(guarded(test, class, call))
}

/// Returns the call of a test with fixtures.
fn requested(test: &Test, request: &Request, wrapper: &str) -> String {
    let kind = match (&test.class, test.is_case) {
        (None, _) => 0,
        (Some(_), false) => 1,
        (Some(_), true) => 2,
    };
    let class = test.class.as_deref().unwrap_or_default();
    let position = |at: &Option<usize>| at.map_or("None".to_owned(), |at| at.to_string());
    let values = request.values.iter().map(|at| position(at) + ",");
    let params = request.params.iter().map(|(name, fixture, at)| {
        let owner = owner(&fixture.owner);
        format!(
            "('{name}',{owner},'{}',{}),",
            fixture.function,
            position(at)
        )
    });
    format!(
        "_fl_run(_fl_pt,{kind},'{class}','{}',{},'{}','{}',({}),({}){}{wrapper})\n",
        test.function,
        quoted(&test.title()),
        request.fixtures.join(" "),
        request.arguments.join(" "),
        values.collect::<String>(),
        params.collect::<String>(),
        if wrapper.is_empty() { "" } else { "," },
    )
}

/// Returns the table of fixtures: name, place, function, arguments, and letters for the kind.
fn definitions(fixtures: &[Fixture]) -> String {
    let mut table = String::from("_fl_ft=[\n");
    for fixture in fixtures {
        let form = match (fixture.form, fixture.is_async) {
            (Form::Generator, true) => "a",
            (Form::Generator, false) => "g",
            (Form::Coroutine, _) => "c",
            (Form::Plain, _) => "",
        };
        let auto = if fixture.is_auto { "s" } else { "" };
        table += &format!(
            "({},{},'{}','{}','{form}{auto}'),\n",
            quoted(&fixture.name),
            owner(&fixture.owner),
            fixture.function,
            fixture.arguments.join(" "),
        );
    }
    table + "]\n"
}

fn owner(owner: &Owner) -> String {
    match owner {
        Owner::File => "''".into(),
        Owner::Class(path) => format!("'{path}'"),
        Owner::Conftest(number) => number.to_string(),
    }
}

/// Returns a text as Python's literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Wraps a call of a test that the file may not define on this board.
fn guarded(test: &Test, path: &str, call: String) -> String {
    if !test.is_conditional {
        return call;
    }
    format!(
        "try:\n _fl_t={path}\nexcept (NameError,AttributeError):\n _fl_t=0\n\
         if not callable(_fl_t):raise type('SkipTest',(Exception,),{{}})('{NOT_DEFINED}')\n{call}"
    )
}

/// Adds the parts of `unittest` that tests use; on a small board only the assertions that the file mentions.
fn add_unittest(source: &mut String, file: &str, is_small: bool) {
    let mut is_left_out = false;
    for line in part("ours").split_inclusive('\n') {
        is_left_out &= line.starts_with("  ");
        let assertion = line
            .strip_prefix(" def ")
            .and_then(|rest| rest.split_once('('));
        if let Some((name, _)) = assertion.filter(|(name, _)| name.starts_with("assert")) {
            is_left_out = is_small && !file.contains(&format!("{name}("));
        }
        if !is_left_out {
            *source += line;
        }
    }
}

/// Returns true if a board has so little memory left that the size of sent code matters.
fn is_small(probed: &str) -> bool {
    let last = probed
        .lines()
        .last()
        .and_then(|line| line.trim().parse().ok());
    last.is_some_and(|free: u64| free < SMALL)
}

/// Returns the functions of a source and their lines.
fn functions(source: &str) -> Vec<(String, RangeInclusive<u32>)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<_> = source.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let name = line.trim_start().strip_prefix("def ");
        let Some((name, _)) = name.and_then(|rest| rest.split_once('(')) else {
            continue;
        };
        let body = lines[at + 1..].iter();
        let length = body.take_while(|next| indent(next) > indent(line)).count();
        let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
        found.push((name.to_owned(), number(at)..=number(at + length)));
    }
    found
}

/// Returns a part of the runner, without comments.
fn part(name: &str) -> &'static str {
    let heading = format!("# part: {name}\n");
    let start = RUNNER.find(&heading).map_or(0, |at| at + heading.len());
    let rest = &RUNNER[start..];
    &rest[..rest.find("# part: ").unwrap_or(rest.len())]
}

const PROBE_UNITTEST: &str = "\
try:
 import unittest as _fl_u
 _fl_u.TestCase
 print('installed')
except (ImportError,AttributeError):
 print('ours')
";
const PROBE_MEMORY: &str = "\
try:
 import gc as _fl_gc
 _fl_gc.collect()
 print(_fl_gc.mem_free())
except (ImportError,AttributeError):
 pass
";
/// Name that a board prints for a program sent to it.
pub const SENT: &str = "<stdin>";
/// Number of free bytes below which a board counts as small.
const SMALL: u64 = 32 * 1024;
/// Number of times that a frame of a recursion is repeated (`traceback._RECURSIVE_CUTOFF` of
/// CPython).
const SHOWN_AGAIN: usize = 2;
const FRAME: &str = "  File \"";
/// Exception of the runner, and how a traceback writes it.
#[cfg(feature = "testing")]
pub(super) const BARE: &str = "_fl_Said";
const MESSAGE: &str = "_fl_Said: ";
const NOT_DEFINED: &str = "the file does not define it on this board";
const RUNNER: &str = include_str!("board/runner.py");

//! Programs that are stepped do what they do without a debugger: they print the same, end the same way, and visit the lines
//! that CPython's own tracing visits, whatever a person does at each stop.

mod follow;
mod traced;

use std::{
    fs,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    time::Instant,
};

use flylead_core::{
    debug::{Container, End, Reply, Step, Stop},
    raw_repl::{Config, Outcome, Traceback},
};
use flylead_tests::boards::{Session, UnixBoard};

use self::{
    follow::Follow,
    traced::{SUPPORT, Traced, traced},
};
use crate::{
    debugging::{Debugging, Start},
    generated::program,
};

/// Number of generated programs; [`MORE`] overrides it.
const PROGRAMS: u64 = 40;
/// Names the variable with another number of programs, of which each is stepped in four ways.
const MORE: &str = "FLYLEAD_DEBUG_STEPPED";
/// Names the variable with the first seed.
const FROM: &str = "FLYLEAD_DEBUG_SEED";
/// The most stops of a program, which then runs to its end; that it was cut is told.
const STOPS: usize = 250;
/// Programs of the folder that print something else in CPython, or nest too deep, so that no trace tells where they stop.
const NOT_COMPARED: [&str; 0] = [];

/// A program and its modules, `main.py` first.
struct Program {
    name: String,
    files: Vec<(String, String)>,
    /// None where CPython takes too long.
    traced: Option<Traced>,
}

/// Action of the person at each stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Into,
    Over,
    /// Over, with a stop at each part of an expression.
    Parts,
    /// A breakpoint more, and on to the next.
    Breakpoints,
}

const WAYS: [Way; 4] = [Way::Into, Way::Over, Way::Parts, Way::Breakpoints];

#[test]
fn programs_of_every_kind_do_stepped_what_they_do_plain() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/debug/stepped/programs");
    let read = |path: PathBuf| fs::read_to_string(path).expect("it is text");
    let helper = read(folder.with_file_name("helper.py"));
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("it is read").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 30, "there are {}", paths.len());
    let programs = paths.into_iter().map(|path| {
        let name = path.file_stem().expect("it has a name");
        let name = name.to_string_lossy().into_owned();
        let files = vec![
            ("main.py".to_owned(), read(path)),
            ("helper.py".to_owned(), helper.clone()),
        ];
        (name, files)
    });
    let ran = step_all(programs.collect());
    assert_eq!(ran.not_compared, NOT_COMPARED, "no trace tells of these");
    assert_eq!(ran.cut, 0, "a program of the folder has so many stops");
}

#[test]
fn generated_programs_do_stepped_what_they_do_plain() {
    let number = |name| std::env::var(name).ok()?.parse().ok();
    let first = number(FROM).unwrap_or_default();
    let seeds = first..first + number(MORE).unwrap_or(PROGRAMS);
    let programs = seeds.map(|seed| {
        let text = format!("from support import *\n{}", program(seed));
        let files = vec![("main.py".to_owned(), text)];
        (format!("seed {seed}"), files)
    });
    let programs: Vec<_> = programs.collect();
    let count = programs.len();
    let not_compared = step_all(programs).not_compared.len();
    assert!(
        not_compared * 2 < count,
        "{not_compared} of {count} are not compared with CPython"
    );
}

/// Programs of which less is shown.
#[derive(Default)]
struct Less {
    /// Their names, where CPython's trace is not theirs.
    not_compared: Vec<String>,
    /// Number of runs that were cut after [`STOPS`] stops.
    cut: usize,
}

fn step_all(programs: Vec<(String, Vec<(String, String)>)>) -> Less {
    let begun = Instant::now();
    let programs = traced(programs);
    let mut board = UnixBoard::start();
    let mut faults = Vec::new();
    let mut less = Less::default();
    let mut stops = 0;
    for (number, program) in programs.iter().enumerate() {
        if number % 50 == 0 {
            // Names stay in an interpreter's memory forever.
            board = UnixBoard::start();
        }
        fs::write(board.flash().join("support.py"), SUPPORT).expect("the folder is ours");
        let checked = panic::catch_unwind(AssertUnwindSafe(|| check(&board, program)));
        match checked.unwrap_or_else(|_| Err("it hangs".to_owned())) {
            Ok(checked) => {
                if !checked.is_compared {
                    less.not_compared.push(program.name.clone());
                }
                less.cut += checked.cut;
                stops += checked.stops;
            }
            Err(fault) => {
                faults.push(format!("{}: {fault}", program.name));
                board = UnixBoard::start();
            }
        }
    }
    let count = programs.len();
    println!(
        "{count} programs in four ways, {} not compared with CPython, {} runs cut, {stops} stops, {} differences, {:?}",
        less.not_compared.len(),
        less.cut,
        faults.len(),
        begun.elapsed()
    );
    assert!(
        faults.is_empty(),
        "{} of {count} differ\n{}",
        faults.len(),
        faults.join("\n")
    );
    less
}

struct Checked {
    stops: usize,
    cut: usize,
    is_compared: bool,
}

/// Result of a program: its output, and its end.
type Ran = (String, String);

fn check(board: &UnixBoard, program: &Program) -> Result<Checked, String> {
    let plain = plain(board, program);
    let is_deep = plain.0.contains("recursion depth") || plain.1.contains("recursion depth");
    let alike = |traced: &&Traced| traced.printed == plain.0 && !is_deep;
    let traced = program.traced.as_ref().filter(alike);
    let mut checked = Checked {
        stops: 0,
        cut: 0,
        is_compared: traced.is_some(),
    };
    if is_deep {
        return Ok(checked);
    }
    for way in WAYS {
        let (ran, visits) = step(board, program, way, traced)
            .map_err(|fault| format!("{way:?}: {fault}\n{}", program.shown()))?;
        if !is_same(&ran, &plain) {
            let shown = program.shown();
            return Err(format!("{way:?}: it ran {ran:?}, not {plain:?}\n{shown}"));
        }
        checked.stops += visits;
        checked.cut += usize::from(visits >= STOPS);
    }
    Ok(checked)
}

/// MicroPython gives a name alone on a later line of its statement the line of what stands before it, and with hooks the
/// name's own (`oracle.py`, `is_same`).
fn is_same(ran: &Ran, plain: &Ran) -> bool {
    let words = |end: &str| end.split(" [").next().unwrap_or_default().to_owned();
    let is_name = ran.1.starts_with("NameError") && words(&ran.1) == words(&plain.1);
    ran == plain || ran.0 == plain.0 && is_name
}

fn plain(board: &UnixBoard, program: &Program) -> Ran {
    use flylead_core::raw_repl::{Command, Event};
    let modules = &program.files[1..];
    for (name, text) in modules {
        fs::write(board.flash().join(name), text).expect("the folder is ours");
    }
    let mut session = Session::open(board.path(), Config::default());
    session.command(&Command::SoftReset).expect("it is idle");
    session.until(|event| matches!(event, Event::SoftReset));
    let (output, outcome) = session.exec(program.files[0].1.as_bytes());
    for (name, _) in modules {
        fs::remove_file(board.flash().join(name)).expect("the folder is ours");
    }
    let end = match outcome {
        Outcome::Raised(traceback) => raised(&traceback),
        other => format!("{other:?}"),
    };
    (String::from_utf8_lossy(&output).replace("\r\n", "\n"), end)
}

/// Returns the exception and its lines, without the names of the files.
fn raised(traceback: &Traceback) -> String {
    let lines: Vec<_> = traceback.frames.iter().map(|frame| frame.line).collect();
    let last = traceback.text.lines().last().unwrap_or_default();
    format!("{last} {lines:?}")
}

/// Steps a program, reading all variables at each stop.
fn step(
    board: &UnixBoard,
    program: &Program,
    way: Way,
    traced: Option<&Traced>,
) -> Result<(Ran, usize), String> {
    let files = program.files.iter();
    let start = Start {
        files: files
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect(),
        stop_on_entry: true,
        parts: way == Way::Parts,
        reset_first: true,
        ..Start::program("")
    };
    let mut debugging = Debugging::start(board.path(), &start);
    let mut follow = Follow::new(program, way, traced);
    let mut next = debugging.next_stop();
    while let Some(stop) = next {
        if follow.count >= STOPS {
            debugging.set_breakpoints(&[]);
            debugging.finish();
            break;
        }
        if stop.part.is_none() {
            look(&mut debugging, &stop)?;
            follow.stopped(&mut debugging, &stop)?;
        }
        next = debugging.go(match way {
            Way::Into => Step::Into,
            Way::Over => Step::Over,
            Way::Parts => Step::Part,
            Way::Breakpoints => Step::Continue,
        });
    }
    let end = match debugging.finish() {
        End::Raised(traceback) => raised(&traceback),
        other => format!("{other:?}"),
    };
    if follow.count < STOPS {
        follow.ended()?;
    }
    Ok(((debugging.output(), end), follow.count))
}

/// Reads everything there is to read.
fn look(debugging: &mut Debugging, stop: &Stop) -> Result<(), String> {
    for frame in 0..stop.frames.len().min(3) {
        debugging.variables(Container::Locals(frame));
    }
    let globals = debugging.variables(Container::Globals(0));
    for value in globals.iter().filter_map(|one| one.value.handle).take(4) {
        debugging.items(value);
    }
    match debugging.evaluate(0, "6 * 7") {
        Ok(Reply::Value(value)) if value.text == "42" => Ok(()),
        other => Err(format!("{other:?} is not 42")),
    }
}

impl Program {
    fn shown(&self) -> String {
        let lines = self.files[0].1.lines().zip(1..);
        lines
            .map(|(line, number)| format!("{number:3} {line}\n"))
            .collect()
    }
}

//! MicroPython's own tests of the language, stepped: as many pass as without a debugger. A checkout has them:
//! `FLYLEAD_MICROPYTHON=FOLDER cargo test -p flylead-tests --test debug_boards upstream:: -- --ignored --nocapture`.

use std::{
    env, fs,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
};

use flylead_core::debug::{Container, Module, Step};
use flylead_tests::boards::UnixBoard;

use crate::{
    debugging::{Debugging, Start, stack},
    programs::{Bench, Ran, raised},
    suite::Program,
};

/// The most stops of a test, which then runs to its end.
const STOPS: usize = 150;

/// Tests that print something else, and why.
const OTHERS: [(&str, &str); 6] = [
    ("int_big_to_small", LOCKED),
    ("int_big_to_small_int29", LOCKED),
    (
        "memoryview_slice_size",
        "it has a bytearray at address 0, and the interpreter ends when its bytes are shown",
    ),
    ("special_methods", REPR),
    ("special_methods2", REPR),
    (
        "string_crlf_conversion",
        "its line ends are CR LF, which the raw REPL takes for two, and the debugger for one, as files have them",
    ),
];
const LOCKED: &str = "it locks the heap, and a stop needs memory";
const REPR: &str = "its values print when they are shown";

#[test]
#[ignore = "it needs a checkout of MicroPython: FLYLEAD_MICROPYTHON"]
fn tests_of_the_language_print_stepped_what_they_print_plain() {
    let checkout = env::var_os("FLYLEAD_MICROPYTHON").expect("FLYLEAD_MICROPYTHON is a checkout");
    let folder = PathBuf::from(checkout).join("tests/basics");
    let mut tests = read(&folder);
    if let Ok(wanted) = env::var("FLYLEAD_MICROPYTHON_TEST") {
        tests.retain(|test| test.name.contains(&wanted));
    }
    let mut board = UnixBoard::start();
    let mut stops = 0;
    let mut differences = Vec::new();
    for test in &tests {
        let checked = panic::catch_unwind(AssertUnwindSafe(|| check(&board, test)));
        match checked.unwrap_or_else(|_| Err("it hangs".to_owned())) {
            Ok(count) => stops += count,
            Err(fault) => {
                println!("{}: {fault}", test.name);
                differences.push((test.name.as_str(), fault));
                board = UnixBoard::start();
            }
        }
    }
    println!(
        "{} tests, {stops} stops, {} differences",
        tests.len(),
        differences.len()
    );
    differences.retain(
        |(name, _)| match OTHERS.iter().find(|(other, _)| other == name) {
            Some((_, why)) => {
                println!("{name} differs: {why}");
                false
            }
            None => true,
        },
    );
    assert!(differences.is_empty(), "{} differ", differences.len());
}

/// Reads the tests that are Python to this parser as well: some are about what is none.
fn read(folder: &Path) -> Vec<Program> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.expect("it is read").path());
    let mut tests: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .filter_map(|path| {
            let name = path.file_stem()?.to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).ok()?;
            Module::parse(&text).ok()?;
            Some(Program::new(&name, vec![("main.py".to_owned(), text)]))
        })
        .collect();
    tests.sort_by(|one, other| one.name.cmp(&other.name));
    tests
}

fn check(board: &UnixBoard, test: &Program) -> Result<usize, String> {
    let plain = Bench::new("unix", board.path(), true).plain(test);
    let (ran, stops) = stepped(board, test)?;
    match ran == plain {
        true => Ok(stops),
        false => Err(format!("it ran {ran:?}, not {plain:?}")),
    }
}

/// Steps into everything, reading variables at each stop.
fn stepped(board: &UnixBoard, test: &Program) -> Result<(Ran, usize), String> {
    let start = Start {
        stop_on_entry: true,
        reset_first: true,
        ..Start::program(test.main())
    };
    let mut debugging = Debugging::start(board.path(), &start);
    let mut stops = 0;
    let mut next = debugging.next_stop();
    while let Some(stop) = next.take_if(|_| stops < STOPS) {
        stops += 1;
        let read = debugging.command(|session, now| session.variables(now, Container::Locals(0)));
        if let Err(error) = debugging.reply(read) {
            let stop = stack(&stop);
            debugging.finish();
            return Err(format!("variables at {stop}: {error}"));
        }
        next = debugging.go(Step::Into);
    }
    let end = match debugging.finish() {
        flylead_core::debug::End::Raised(traceback) => raised(&traceback),
        other => format!("{other:?}"),
    };
    Ok(((debugging.output(), end), stops))
}

//! A program with hooks does what it does without: it prints the same, ends the same way at the same lines, stops at
//! every line that CPython's own tracing visits, and shows the values that CPython shows there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
    process::Command,
};

use flylead_core::{
    debug::{Dialect, FunctionId, Module, Runtime, with_hooks},
    raw_repl::{Config, Outcome},
};
use flylead_tests::boards::{Session, UnixBoard, venv};
use serde_json::json;

use crate::generated::program;

/// Default number of programs; [`MORE`] overrides it.
const PROGRAMS: u64 = 1_000;
/// Names the variable with another number of programs: `10000` is what the debugger's README speaks of.
const MORE: &str = "FLYLEAD_DEBUG_PROGRAMS";
/// Number of programs in one file.
const BATCH: u64 = 250;
const ORACLE: &str = include_str!("oracle.py");
const SUPPORT: &str = include_str!("support.py");

#[test]
fn generated_programs_do_in_cpython_what_they_do_without_hooks() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let faults = batches(|batch| {
        write_batch(folder.path(), batch);
        let run = "import sys; sys.path.insert(0, '.'); import oracle; oracle.main('cases', open('hooks').read())";
        let output = Command::new(venv().join("bin/python"))
            .args(["-c", run])
            .env("PYTHONUTF8", "1")
            .current_dir(folder.path())
            .output()
            .expect("Python runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("it prints text")
    });
    assert_same(&faults);
}

#[test]
fn generated_programs_do_in_micropython_what_they_do_without_hooks() {
    let faults = batches(|batch| {
        // A new interpreter for each batch: names stay in its memory forever.
        let board = UnixBoard::start();
        let mut session = Session::open(board.path(), Config::default());
        write_batch(&board.flash(), batch);
        let run = b"import oracle\noracle.main('cases', open('hooks').read())";
        let (output, outcome) = session.exec(run);
        let output = String::from_utf8_lossy(&output).into_owned();
        assert_eq!(outcome, Outcome::Completed, "{output}");
        output
    });
    assert_same(&faults);
}

/// Runs all programs, and returns what was said of them.
fn batches(mut run: impl FnMut(u64) -> String) -> String {
    let mut faults = String::new();
    for batch in 0..programs() / BATCH {
        let output = run(batch);
        let done = format!("checked {BATCH}");
        assert!(output.contains(&done), "{output}");
        faults.extend(
            output
                .lines()
                .filter(|line| *line != done)
                .map(|line| format!("{line}\n")),
        );
    }
    faults
}

fn programs() -> u64 {
    let wanted = std::env::var(MORE).ok();
    wanted.map_or(PROGRAMS, |number| {
        let number = number.parse().expect("a number of programs");
        assert!(number >= BATCH, "{MORE} is at least {BATCH}");
        number
    })
}

fn write_batch(folder: &Path, batch: u64) {
    let mut cases = String::new();
    for seed in batch * BATCH..(batch + 1) * BATCH {
        writeln!(cases, "{}", case(seed)).expect("a string takes everything");
    }
    let hooks = Runtime {
        prefix: "@".into(),
        line: "__l__".into(),
        token: "0".into(),
        has_threads: false,
        has_tasks: false,
        has_files: false,
        polls: None,
        has_suspended: true,
        has_parts: false,
        has_classes: true,
    };
    let hooks = hooks.text() + &hooks.join();
    let files = [
        ("cases", cases.as_str()),
        ("hooks", &hooks),
        ("oracle.py", ORACLE),
        ("support.py", SUPPORT),
    ];
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("the folder is ours");
    }
}

fn case(seed: u64) -> serde_json::Value {
    let text = program(seed);
    let module =
        Module::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let hooked = hooked_functions(&module, seed);
    let (prefix, pieces) = with_hooks(&module, &hooked, Dialect::Walrus);
    let pieces: Vec<_> = pieces
        .iter()
        .map(|piece| json!({"text": piece.text, "map": piece.map}))
        .collect();
    let module = &module;
    let lines = |&id| {
        module
            .lines_of(id)
            .map(move |line| (line, module.function(id).name.clone()))
    };
    let stops: BTreeMap<u32, String> = hooked.iter().flat_map(lines).collect();
    let starts: BTreeMap<u32, u32> = (1..=module.line_count())
        .filter_map(|line| {
            module
                .stop_for(line)
                .ok()
                .filter(|&start| start < line)
                .map(|start| (line, start))
        })
        .collect();
    let functions = module.functions();
    let names: Vec<Vec<_>> = functions
        .iter()
        .map(|one| one.variables().collect())
        .collect();
    let own: Vec<Vec<_>> = functions
        .iter()
        .map(|one| one.own_variables().collect())
        .collect();
    json!({
        "seed": seed, "text": text, "prefix": prefix, "pieces": pieces, "stops": stops,
        "starts": starts, "names": names, "own": own,
    })
}

/// All functions, or in every third program most of them.
fn hooked_functions(module: &Module, seed: u64) -> BTreeSet<FunctionId> {
    let is_left_out =
        |id: &FunctionId| seed.is_multiple_of(3) && (seed >> 3) % 7 == id.number() as u64 % 7;
    module
        .function_ids()
        .filter(|id| !is_left_out(id))
        .collect()
}

/// Says what differs, and shows the first program that does, without and with its hooks.
fn assert_same(faults: &str) {
    let seed = faults
        .lines()
        .find_map(|line| line.strip_prefix("seed ")?.split(' ').next()?.parse().ok());
    let shown = seed.map(shown).unwrap_or_default();
    assert!(faults.is_empty(), "{faults}{shown}");
}

fn shown(seed: u64) -> String {
    let text = program(seed);
    let module = Module::parse(&text).expect("it is Python");
    let hooked = hooked_functions(&module, seed);
    let pieces = with_hooks(&module, &hooked, Dialect::Walrus).1;
    let plain = text.lines().zip(1..).map(numbered).collect();
    let pieces = pieces.iter().map(|piece| {
        piece
            .text
            .lines()
            .zip(piece.map.iter().copied())
            .map(numbered)
            .collect()
    });
    let parts: Vec<String> = std::iter::once(plain).chain(pieces).collect();
    parts.join("----\n")
}

fn numbered((line, number): (&str, u32)) -> String {
    format!("{number:3} {line}\n")
}

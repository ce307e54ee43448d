//! Drivers of chips on recorded buses and pins, in the manner of micropython-lib's: with a breakpoint in each of their functions
//! they print what they print without a debugger.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use flylead_core::debug::{Breakpoint, Container, End, Module};
use flylead_tests::boards::{BrowserBoard, Kind, UnixBoard, is_whole};

use crate::{
    debugging::{Debugging, Start},
    programs::{Bench, Ran, raised},
    suite::Program,
};

#[test]
fn drivers_print_the_same_with_a_breakpoint_in_each_function_on_the_unix_port() {
    let board = UnixBoard::start();
    let bench = Bench::new("unix", board.path(), true);
    check_all(&bench, &all());
}

#[test]
fn drivers_print_the_same_with_a_breakpoint_in_each_function_on_the_board_in_the_page() {
    let board = BrowserBoard::start();
    let bench = Bench::new("browser", board.path(), true);
    check_all(&bench, &all());
}

/// Five of them: a chip on each kind of bus, pins alone, and a whole program. Outside a whole run, the smallest.
#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn drivers_print_the_same_with_a_breakpoint_in_each_function_on_a_pico() {
    let Some(newest) = Kind::picos().last() else {
        return;
    };
    let names = ["lm75", "max31855", "ds18b20", "rotary", "menu"];
    let names = &names[..if is_whole() { names.len() } else { 1 }];
    let mut drivers = all();
    drivers.retain(|driver| names.contains(&driver.name.as_str()));
    assert_eq!(drivers.len(), names.len());
    let board = newest.start();
    check_all(&Bench::new("pico", board.path(), true), &drivers);
}

/// Returns the drivers, each with a program that imports it and what it drives.
fn all() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/debug/drivers");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("it is text");
    let entries = fs::read_dir(&folder).expect("the drivers are there");
    let names = entries.map(|entry| entry.expect("it is read").file_name());
    let mut names: Vec<_> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name != FAKES)
        .collect();
    names.sort();
    assert!(names.len() >= 30, "there are {}", names.len());
    let drivers = names.into_iter().map(|file| {
        let name = file.trim_end_matches(".py");
        let main = format!("from {name} import demo\ndemo()\n");
        let texts = [
            ("main.py", main),
            (&file, read(&file)),
            (FAKES, read(FAKES)),
        ];
        let files = texts.map(|(name, text)| (name.to_owned(), text));
        Program::new(name, files.into())
    });
    drivers.collect()
}

fn check_all(bench: &Bench<'_>, drivers: &[Program]) {
    let checked = drivers.iter().map(|driver| {
        // An emulated Pico takes minutes for one.
        println!("{}", driver.name);
        check(bench, driver).map_err(|why| format!("{}: {why}", driver.name))
    });
    let (good, bad): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
    let stops: usize = good.into_iter().filter_map(Result::ok).sum();
    println!("{} drivers, {stops} stops", drivers.len());
    let faults: Vec<_> = bad.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the number of stops.
fn check(bench: &Bench<'_>, driver: &Program) -> Result<usize, String> {
    let plain = bench.plain(driver);
    if !plain.1.contains("Completed") {
        return Err(format!("it does not run: {plain:?}"));
    }
    let functions = functions(&driver.files[1].1);
    let (ran, seen) = debugged(bench, driver, &functions);
    if ran != plain {
        return Err(format!("it ran {ran:?}, not {plain:?}"));
    }
    let missed: Vec<_> = functions
        .values()
        .filter(|name| !seen.contains_key(*name))
        .collect();
    match missed.is_empty() {
        true => Ok(seen.values().sum()),
        false => Err(format!("it never stops in {missed:?}")),
    }
}

/// Returns the first line of each function at which it can stop, and the function's name.
fn functions(text: &str) -> BTreeMap<u32, String> {
    let module = Module::parse(text).expect("it is Python");
    let mut known = BTreeSet::new();
    let lines = module.stoppable_lines().filter_map(|line| {
        let name = &module.function(module.function_at(line)?).qualified_name;
        let is_first = name != "<module>" && known.insert(name.clone());
        is_first.then(|| (line, name.clone()))
    });
    lines.collect()
}

/// Runs a driver, and returns how often it stopped in which function.
fn debugged(
    bench: &Bench<'_>,
    driver: &Program,
    functions: &BTreeMap<u32, String>,
) -> (Ran, BTreeMap<String, usize>) {
    let files = driver.files.iter();
    let start = Start {
        files: files
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect(),
        breakpoints: functions.keys().map(|&line| (1, wish(line))).collect(),
        reset_first: true,
        limit: bench.limit(),
        ..Start::program("")
    };
    let mut debugging = Debugging::start(bench.path(), &start);
    let mut seen = BTreeMap::new();
    while let Some(stop) = debugging.next_stop() {
        debugging.variables(Container::Locals(0));
        let function = stop.frames[0].function.clone();
        *seen.entry(function).or_insert(0) += 1;
        debugging.resume();
    }
    let end = match debugging.finish() {
        End::Raised(traceback) => raised(&traceback),
        other => format!("{other:?}"),
    };
    ((debugging.output(), end), seen)
}

const fn wish(line: u32) -> Breakpoint {
    Breakpoint {
        line,
        condition: None,
        hits: None,
        log: None,
    }
}

/// File of the buses and pins.
const FAKES: &str = "fakes.py";

//! Runs the same programs on three boards: each stops where CPython's tracing says, shows its
//! values, and ends as without a debugger.
//!
//! A program that a board cannot run says in its first lines how it ends there.

use std::{path::Path, time::Duration};

use flylead_core::{
    debug::{Breakpoint, End, Stop},
    raw_repl::{Command, Config, Event, Outcome, Traceback},
};
use flylead_tests::boards::{BrowserBoard, Microbit, Session, UnixBoard};

use crate::{
    debugging::{Debugging, LIMIT, Start, stack},
    suite::{Expected, Program},
};

#[test]
fn programs_stop_where_they_should_on_the_unix_port() {
    let board = UnixBoard::start();
    Bench::new("unix", board.path(), false).run();
}

#[test]
fn programs_stop_where_they_should_on_the_board_in_the_page() {
    let board = BrowserBoard::start();
    Bench::new("browser", board.path(), false).run();
}

#[test]
fn programs_stop_where_they_should_on_the_microbit() {
    let board = Microbit::start();
    Bench::new("microbit", board.path(), true).run();
}

/// A board under all the programs.
pub(crate) struct Bench<'a> {
    name: &'static str,
    path: &'a Path,
    /// True if its memory is so small that the remains of the last program must be cleared.
    resets: bool,
}

/// Result of a program: its output, and its end.
pub(crate) type Ran = (String, String);

impl<'a> Bench<'a> {
    pub(crate) const fn new(name: &'static str, path: &'a Path, resets: bool) -> Self {
        Self { name, path, resets }
    }

    pub(crate) const fn path(&self) -> &Path {
        self.path
    }

    /// Time limit of a step. An emulated Pico takes minutes to load the largest driver.
    pub(crate) fn limit(&self) -> Duration {
        match self.name {
            "pico" => 5 * LIMIT,
            _ => LIMIT,
        }
    }

    fn run(&self) {
        let programs = Program::all();
        assert!(programs.len() > 60, "there are {}", programs.len());
        let faults: Vec<_> = programs
            .iter()
            .filter_map(|program| Some((program, self.check(program).err()?)))
            .map(|(program, fault)| format!("{}: {fault}", program.name))
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    fn check(&self, program: &Program) -> Result<(), String> {
        if let Some(why) = program.end_on(self.name) {
            let (ended, _) = self.debugged(program, false)?;
            return same("it ends with", &ended.1.contains(why), &true)
                .map_err(|fault| format!("{fault}: {why} in {ended:?}"));
        }
        let plain = self.plain(program);
        let (ended, stops) = self.debugged(program, true)?;
        same("the number of stops", &stops, &program.stops.len())
            .map_err(|fault| format!("{fault}: {ended:?}"))?;
        same("how it ran", &ended, &plain)
    }

    /// Runs it without a debugger.
    pub(crate) fn plain(&self, program: &Program) -> Ran {
        let mut session = Session::open(self.path, Config::default());
        if self.resets {
            session.command(&Command::SoftReset).expect("it is idle");
            session.until(|event| matches!(event, Event::SoftReset));
        }
        let modules = &program.files[1..];
        if !modules.is_empty() {
            assert_eq!(session.exec(put(modules).as_bytes()).1, Outcome::Completed);
        }
        let (output, outcome) = session.exec(program.main().as_bytes());
        if !modules.is_empty() {
            assert_eq!(session.exec(take(modules).as_bytes()).1, Outcome::Completed);
        }
        let output = String::from_utf8_lossy(&output).replace("\r\n", "\n");
        let end = match outcome {
            Outcome::Raised(traceback) => raised(&traceback),
            other => format!("{other:?}"),
        };
        (output, end)
    }

    /// Runs it with a debugger, and returns how often it stopped.
    fn debugged(&self, program: &Program, must_stop: bool) -> Result<(Ran, usize), String> {
        let mut debugging = Debugging::start(self.path, &self.start(program));
        let mut count = 0;
        let mut fault = None;
        while let Some(stop) = debugging.next_stop() {
            if must_stop && fault.is_none() {
                let checked = self.check_stop(program, count, &stop, &mut debugging);
                fault = checked
                    .err()
                    .map(|why| format!("stop {}: {why}", count + 1));
            }
            count += 1;
            debugging.resume();
        }
        let end = match debugging.finish() {
            End::Raised(traceback) => raised(&traceback),
            other => format!("{other:?}"),
        };
        match fault {
            Some(fault) => Err(format!("{fault}; it ends: {end}")),
            None => Ok(((debugging.output(), end), count)),
        }
    }

    fn start<'p>(&self, program: &'p Program) -> Start<'p> {
        let files = program.files.iter();
        let breakpoint = |line| Breakpoint {
            line,
            ..Breakpoint::default()
        };
        Start {
            files: files
                .map(|(name, text)| (name.as_str(), text.as_str()))
                .collect(),
            breakpoints: program
                .marked()
                .map(|(file, line)| (file, breakpoint(line)))
                .collect(),
            reset_first: self.resets,
            ..Start::program(program.main())
        }
    }

    fn check_stop(
        &self,
        program: &Program,
        number: usize,
        stop: &Stop,
        debugging: &mut Debugging,
    ) -> Result<(), String> {
        let Some(expected) = program.stops.get(number) else {
            return Err(format!("at {}, which nobody expects", stack(stop)));
        };
        let values = &expected.values;
        let stack = stack(stop);
        let wanted = self.visible(program, expected);
        match program.lags() {
            true => same("the stack", &without_lines(&stack), &without_lines(&wanted))?,
            false => same("the stack", &stack, &wanted)?,
        }
        if stop.frames[0].function == "<module>" {
            return values
                .iter()
                .try_for_each(|(name, value)| same(name, &debugging.value(0, name), value));
        }
        let locals = debugging.locals(0);
        values.iter().try_for_each(|(name, value)| {
            let shown = format!("{name}={value}");
            locals
                .contains(&shown)
                .then_some(())
                .ok_or_else(|| format!("{shown} is not in {locals:?}"))
        })
    }

    /// The stack as CPython has it, without what the debugger is known not to show.
    fn visible(&self, program: &Program, expected: &Expected) -> String {
        let hidden = program.hidden();
        let is_shown = |frame: &&String| {
            let function = frame.split(':').next().unwrap_or_default();
            self.name != "microbit" || !hidden.contains(function)
        };
        let frames: Vec<_> = expected.stack.iter().filter(is_shown).cloned().collect();
        frames.join(" ")
    }
}

/// The lines of all frames but the innermost left out.
fn without_lines(stack: &str) -> String {
    let mut frames = stack.split(' ');
    let innermost = frames.next().unwrap_or_default();
    let callers = frames.map(|frame| frame.split(':').next().unwrap_or_default());
    std::iter::once(innermost)
        .chain(callers)
        .collect::<Vec<_>>()
        .join(" ")
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, wanted: &T) -> Result<(), String> {
    match got == wanted {
        true => Ok(()),
        false => Err(format!("{what}: {got:?}, not {wanted:?}")),
    }
}

/// Returns the exception and its place, without the name of the file.
pub(crate) fn raised(traceback: &Traceback) -> String {
    let lines: Vec<_> = traceback.frames.iter().map(|frame| frame.line).collect();
    format!(
        "{} {lines:?}",
        traceback.text.lines().last().unwrap_or_default()
    )
}

/// Writes modules where the board imports them from.
fn put(modules: &[(String, String)]) -> String {
    let mut program = "import os\n".to_owned();
    for (name, text) in modules {
        if let Some((folder, _)) = name.rsplit_once('/') {
            program += &format!("try:os.mkdir('{folder}')\nexcept OSError:pass\n");
        }
        program += &format!("with open('{name}','w')as f:f.write({text:?})\n");
    }
    program
}

/// Removes modules from the board's files and from those that it has imported.
fn take(modules: &[(String, String)]) -> String {
    let mut program = "import os,sys\n".to_owned();
    for (name, _) in modules {
        let module = name.trim_end_matches(".py").trim_end_matches("/__init__");
        let module = module.replace('/', ".");
        program += &format!("os.remove('{name}')\nsys.modules.pop('{module}',0)\n");
    }
    for (folder, _) in modules.iter().filter_map(|(name, _)| name.rsplit_once('/')) {
        program += &format!("try:os.rmdir('{folder}')\nexcept OSError:pass\n");
    }
    program
}

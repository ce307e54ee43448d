//! Measures the cost of the debugger: time to the first stop and for a step, time of code without
//! stops, RAM on the board. Each figure is the median of several runs of the whole command, beside
//! `flylead run` where the two compare.
//!
//! `cargo xtask bench debug` builds what is needed first; `-- 3` measures 3 runs instead of 7, `-- 3 unix` one board. The
//! Pico, in an emulator, is measured by `-- 1 pico` alone: it takes some twenty seconds for one of the board's.

mod command;
mod programs;

use std::{env, path::Path};

use flylead_tests::{
    bench::fail,
    boards::{BrowserBoard, Firmware, Microbit, Pico, UnixBoard},
};

use command::{Debugged, run};
use programs::Program;

const RUNS: usize = 7;
const STEPS: usize = 20;

fn main() {
    let words: Vec<_> = env::args().skip(1).collect();
    let runs = words.iter().find_map(|word| word.parse().ok());
    let runs: usize = runs.unwrap_or(RUNS).max(1);
    let boards: Vec<_> = words
        .iter()
        .filter(|word| word.parse::<usize>().is_err())
        .collect();
    let is_wanted = |name: &str| boards.is_empty() || boards.iter().any(|board| *board == name);
    println!("medians of {runs} runs\n");
    if is_wanted("unix") {
        let board = UnixBoard::start();
        Bench::new(board.path(), runs).print("MicroPython 1.28, unix port, 64 bits, behind a pty");
    }
    if is_wanted("browser") {
        let board = BrowserBoard::start();
        Bench::new(board.path(), runs)
            .print("MicroPython 1.27, the board in the page, 32 bits, in Node");
    }
    if boards.iter().any(|board| *board == "pico") {
        let firmware = Firmware::of("v1.28").unwrap_or_else(|| fail("the harness knows v1.28"));
        let image = firmware.find().unwrap_or_else(|| fail(firmware.image));
        let board = Pico::start(&image);
        Bench::small(board.path(), runs)
            .print("MicroPython 1.28, Raspberry Pi Pico, 32 bits, in an emulator");
    }
    if is_wanted("microbit") {
        let board = Microbit::start();
        Bench::tiny(board.path(), runs).print(
            "MicroPython 1.9.2, micro:bit, 32 bits, 10 KB of heap, in QEMU, at 115,200 baud",
        );
    }
}

struct Bench<'a> {
    board: &'a Path,
    runs: usize,
    /// True if only small programs fit, and only on a board that was just reset.
    is_small: bool,
    /// True if hooks are left out of functions for lack of memory.
    is_tiny: bool,
}

impl<'a> Bench<'a> {
    const fn new(board: &'a Path, runs: usize) -> Self {
        Self {
            board,
            runs,
            is_small: false,
            is_tiny: false,
        }
    }

    const fn small(board: &'a Path, runs: usize) -> Self {
        Self {
            board,
            runs,
            is_small: true,
            is_tiny: false,
        }
    }

    const fn tiny(board: &'a Path, runs: usize) -> Self {
        Self {
            is_tiny: true,
            ..Self::small(board, runs)
        }
    }

    fn print(&self, title: &str) {
        println!("{title}");
        self.starts();
        self.steps();
        if !self.is_small {
            let lines = programs::untouched();
            self.ratio("a module that nobody stops in, times plain", &lines, 1.0);
        }
        self.ratio(
            "`for`, breakpoint elsewhere in its function, times plain",
            &programs::for_loop(),
            1.2,
        );
        self.ratio(
            "`while`, breakpoint elsewhere in its function, times plain",
            &programs::while_loop(),
            1.2,
        );
        self.condition();
        if !self.is_small {
            self.parts();
        }
        self.memory();
        if !self.is_tiny {
            self.memory_by_function();
        }
        println!();
    }

    /// From the start of the command to a stop.
    fn starts(&self) {
        let program = match self.is_small {
            true => programs::short(),
            false => programs::long(),
        };
        let count = program.text.lines().count();
        let mut times = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let mut debugged = self.debug(&program);
            times.0.push(debugged.until_stopped());
            debugged.type_in(&format!("b {count}\nc\n"));
            times.1.push(debugged.until_stopped());
            debugged.end();
        }
        // That of the unix port: an old board takes programs at the speed of its line.
        let limit = (!self.is_small).then_some(1000.0);
        self.say(
            &format!("start to the first of {count} lines"),
            median(&times.0),
            "ms",
            limit,
        );
        self.say(
            &format!("start to a breakpoint in the last of {count} lines"),
            median(&times.1),
            "ms",
            limit,
        );
    }

    /// From the command's line on stdin to where it stopped on stdout.
    fn steps(&self) {
        let program = programs::short();
        let mut times = Vec::new();
        for _ in 0..self.runs {
            let mut debugged = self.debug(&program);
            debugged.until_stopped();
            debugged.type_in(&format!("b {}\nc\n", program.breakpoint));
            debugged.until_stopped();
            for _ in 0..STEPS {
                let before = debugged.elapsed();
                debugged.type_in("n\n");
                times.push(debugged.until_stopped() - before);
            }
            debugged.end();
        }
        // The wire of a real line is not the debugger's: it is as slow as its baud rate.
        let limit = (!self.is_small).then_some(20.0);
        self.say("a step", median(&times), "ms", limit);
    }

    /// Measures a program from the inside, with a breakpoint and without a debugger, in turn.
    fn ratio(&self, what: &str, program: &Program, limit: f64) {
        self.beside_plain(what, program, |bench| bench.result(program, ""), limit);
    }

    fn beside_plain(
        &self,
        what: &str,
        program: &Program,
        measure: impl Fn(&Self) -> f64,
        limit: f64,
    ) {
        let (mut plain, mut debugged) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            plain.push(self.plain(program));
            debugged.push(measure(self));
        }
        self.say(what, median(&debugged) / median(&plain), "", Some(limit));
    }

    /// Measures a loop with a breakpoint in it whose condition is never true, on a board that was just reset: names that a
    /// module lacks take MicroPython the longer to find in the builtins, the more names the module has had.
    fn condition(&self) {
        let program = programs::for_loop();
        let start = |bench: &Self| Debugged::start(bench.board, &program, &["--reset"]);
        let command = format!("b {}, i == -1\n", program.breakpoint);
        self.beside_plain(
            "`for` with a condition that is false, times plain",
            &program,
            |bench| start(bench).with(&command, &program),
            10.0,
        );
    }

    /// Measures a loop whose hooks report the parts of expressions.
    fn parts(&self) {
        let program = programs::for_loop();
        let start = |bench: &Self| Debugged::start(bench.board, &program, &["--parts"]);
        self.beside_plain(
            "`for` with hooks in its expressions, times plain",
            &program,
            |bench| start(bench).with("", &program),
            10.0,
        );
    }

    /// Measures the memory that each function's hooks take.
    fn memory_by_function(&self) {
        let beyond = |count: u32| self.beyond(&programs::functions(count), "");
        let each = (beyond(9) - beyond(1)) / 8.0;
        self.say(
            "RAM for each further function of five lines",
            each,
            "B",
            None,
        );
    }

    /// Measures the memory allocated at a program's end.
    fn memory(&self) {
        let program = programs::memory();
        let beyond = |commands: &str| self.beyond(&program, commands) / 1024.0;
        self.say(
            "RAM beyond the program, never stopped in a function",
            beyond(""),
            "KiB",
            Some(3.0),
        );
        let looked = format!("b {}\nc\nlocals\np total\ncl 1\n", program.breakpoint);
        self.say(
            "RAM beyond the program, after variables were looked at",
            beyond(&looked),
            "KiB",
            Some(3.0),
        );
    }

    /// Bytes that a program takes more after these commands than plain.
    fn beyond(&self, program: &Program, commands: &str) -> f64 {
        let runs =
            (0..self.runs.min(3)).map(|_| self.result(program, commands) - self.plain(program));
        median(&runs.collect::<Vec<_>>())
    }

    fn debug(&self, program: &Program) -> Debugged {
        let options: &[&str] = if self.is_small { &["--reset"] } else { &[] };
        Debugged::start(self.board, program, options)
    }

    /// Debugs it with a breakpoint that is never reached, after these commands.
    fn result(&self, program: &Program, commands: &str) -> f64 {
        self.debug(program).with(commands, program)
    }

    fn plain(&self, program: &Program) -> f64 {
        run(self.board, program, self.is_small)
    }

    fn say(&self, what: &str, value: f64, unit: &str, limit: Option<f64>) {
        let limit = limit.map(|most| {
            // What is as fast as plain code is so within what a clock can tell.
            let is_kept = value <= most || (most <= 1.0 && value < 1.05);
            let word = if is_kept {
                ""
            } else {
                ", which it falls short of"
            };
            format!("   (at most {most}{word})")
        });
        println!(
            "  {what:<58} {value:>8.2} {unit:<3}{}",
            limit.unwrap_or_default()
        );
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.get(values.len() / 2).copied();
    middle.unwrap_or_else(|| fail("nothing was measured"))
}

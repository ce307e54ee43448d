//! Programs to debug. A program that measures itself prints its [`RESULT`].

/// Start of the line with a program's result.
pub(crate) const RESULT: &str = "RESULT ";

/// A program, and at most one module of its own, `lib`.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) module: Option<String>,
    /// A line that is reached.
    pub(crate) breakpoint: u32,
    /// A line that never is.
    pub(crate) elsewhere: u32,
}

impl Program {
    fn new(text: &str) -> Self {
        let line = |mark| {
            let mut lines = text.lines().zip(1..);
            lines.find_map(|(line, number)| line.contains(mark).then_some(number))
        };
        Self {
            text: text.to_owned(),
            module: None,
            breakpoint: line("# here").unwrap_or(1),
            elsewhere: line("# never").unwrap_or(1),
        }
    }
}

/// Five hundred lines, as programs are: functions, each with a loop.
pub(crate) fn long() -> Program {
    Program::new(&(works(83) + "total = work82([1, 2])\nprint(total)\n"))
}

/// Stops in a function, and has enough left to step through.
pub(crate) fn short() -> Program {
    Program::new(
        "def mean(a):\n    s = 0\n    for x in a:\n        s += x  # here\n    return s // len(a)\n\nprint(mean(list(range(50))))\n",
    )
}

/// A module that does all the work and has no breakpoint.
pub(crate) fn untouched() -> Program {
    let module = "def work(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n";
    let main = format!(
        "import lib\n{CLOCK}def main():\n    t = now()\n    lib.work({LOOPS})\n    t = passed(t)\n    if t < 0:\n        print('never')  # never\n    return t\n\nprint('RESULT', main())\n"
    );
    Program {
        module: Some(module.to_owned()),
        ..Program::new(&main)
    }
}

pub(crate) fn for_loop() -> Program {
    hot("    for i in range(n):\n        s += i  # here\n")
}

pub(crate) fn while_loop() -> Program {
    hot("    i = 0\n    while i < n:\n        s += i\n        i += 1\n")
}

/// A loop in a function that has a breakpoint behind it.
fn hot(lines: &str) -> Program {
    Program::new(&format!(
        "{CLOCK}def work(n):\n    s = 0\n{lines}    if s < 0:\n        print('never')  # never\n    return s\n\nwork(100)\nt = now()\nwork({LOOPS})\nprint('RESULT', passed(t))\n"
    ))
}

/// Says what is allocated when it is done.
pub(crate) fn memory() -> Program {
    Program::new(
        "import gc\n\ndef mean(a):\n    total = 0\n    for x in a:\n        total += x  # here\n    if total < 0:\n        print('never')  # never\n    return total // len(a)\n\ndef work(n):\n    q = [n, n + 1, n + 2]\n    m = mean(q)\n    return m\n\nwork(4)\ngc.collect()\nprint('RESULT', gc.mem_alloc())\n",
    )
}

/// Functions `work0` and so on, of five lines each.
fn works(count: u32) -> String {
    let function = |n: u32| {
        format!(
            "def work{n}(values):\n    total = {n}\n    for value in values:\n        total += value * {n}\n    return total\n\n"
        )
    };
    (0..count).map(function).collect()
}

/// Program with this number of functions. It prints the memory that is allocated at its end.
pub(crate) fn functions(count: u32) -> Program {
    let functions = works(count);
    Program::new(&format!(
        "import gc\n\n{functions}n = work0([1, 2])\nif n < 0:\n    print('never')  # never\ngc.collect()\nprint('RESULT', gc.mem_alloc())\n"
    ))
}

/// A loop that takes a while on a computer, and not too long on a microcontroller.
const LOOPS: &str = "(4000 if sys.platform in ('microbit', 'rp2') else 1000000)";

/// Code that measures time: the processor's if Python provides it, as a computer has other work to
/// do.
const CLOCK: &str = "import sys\ntry:\n    import time\nexcept ImportError:\n    import utime as time\n\ndef now():\n    return int(time.clock() * 1000000) if hasattr(time, 'clock') else time.ticks_us()\n\ndef passed(t):\n    return now() - t\n\n";

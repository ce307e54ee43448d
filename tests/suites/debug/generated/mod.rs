//! Random Python programs: every construct that hooks go into, in every style of indenting, and none that does not
//! end. A program may raise whatever it likes.

mod definitions;
mod expressions;
mod statements;

use fastrand::Rng;

/// A program from a seed.
pub(crate) fn program(seed: u64) -> String {
    let mut writer = Writer::new(seed);
    writer.module();
    writer.text
}

struct Writer {
    dice: Rng,
    text: String,
    indent: String,
    depth: usize,
    /// Number of statements that may still be added.
    budget: usize,
    functions: Vec<String>,
    generators: Vec<String>,
    classes: Vec<&'static str>,
    /// Names that the compiler replaces by values.
    constants: Vec<String>,
    /// Context in which `yield`, `return`, `break` are allowed or not.
    context: Context,
    unit: &'static str,
}

#[derive(Clone, Copy, Default)]
struct Context {
    is_function: bool,
    is_generator: bool,
    is_coroutine: bool,
    is_loop: bool,
    is_method: bool,
    is_handler: bool,
}

const NAMES: [&str; 7] = ["a", "b", "c", "total", "größe", "_x", "self_"];
const FUNCTIONS: [&str; 5] = ["f", "g", "work", "über", "step"];
const GENERATORS: [&str; 3] = ["gen", "numbers", "walk"];
const CLASSES: [&str; 3] = ["A", "B", "Thing"];
const ERRORS: [&str; 6] = [
    "ValueError",
    "KeyError",
    "ZeroDivisionError",
    "(TypeError, NameError)",
    "IndexError",
    "Exception",
];

impl Writer {
    fn new(seed: u64) -> Self {
        let mut dice = Rng::with_seed(seed);
        let unit = ["    ", "  ", " ", "\t", "        ", "   "][dice.usize(0..6)];
        Self {
            unit,
            budget: dice.usize(5..60),
            dice,
            text: String::new(),
            indent: String::new(),
            depth: 0,
            functions: Vec::new(),
            generators: Vec::new(),
            classes: Vec::new(),
            constants: Vec::new(),
            context: Context::default(),
        }
    }

    fn chance(&mut self, one_in: u32) -> bool {
        self.dice.u32(0..one_in) == 0
    }

    fn choose(&mut self, from: &[String]) -> String {
        from[self.dice.usize(0..from.len())].clone()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.dice.usize(0..from.len())]
    }

    fn line(&mut self, text: &str) {
        if self.chance(8) {
            let between = self.pick(&["\n", "# a remark\n", "   \n", "\n\n"]);
            self.text += between;
        }
        self.text += &self.indent;
        self.text += text;
        if self.chance(12) {
            self.text += "  # why";
        }
        self.text += "\n";
    }

    fn within(&mut self, body: impl FnOnce(&mut Self)) {
        let outer = self.indent.clone();
        self.indent += self.unit;
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.indent = outer;
    }

    fn module(&mut self) {
        if self.chance(4) {
            self.line("\"\"\"What this is.\n\nAnd more.\"\"\"");
        }
        if self.chance(3) {
            self.line("import sys");
        }
        self.line("_kept = []");
        self.bindings();
        if self.chance(3) {
            self.constant();
        }
        while self.budget > 0 {
            match self.dice.u32(0..10) {
                0..=2 => self.function(),
                3 => self.class(),
                4 => self.coroutine(),
                5 if self.chance(2) => self.constant(),
                _ => self.statement(),
            }
        }
        let functions = self.functions.clone();
        for name in functions {
            let arguments = self.arguments();
            self.careful(&format!("print({name}({arguments}))"));
        }
        self.line("print([n for n, o in _kept if globals().get(n) is not o])");
        self.line("print(sorted(n for n in dir() if n[0] != '_'))");
    }

    /// Keeps what was defined: the program tells at its end which names have another object then, and which names there are.
    fn keep(&mut self, name: &str) {
        self.line(&format!("_kept.append(('{name}', {name}))"));
    }

    /// Values for names, so that not every second expression ends the program.
    fn bindings(&mut self) {
        for name in NAMES {
            if !self.chance(6) {
                let value = self.dice.u32(0..4);
                self.line(&format!("{name} = {value}"));
            }
        }
    }

    /// A statement whose exception does not end the program.
    fn careful(&mut self, statement: &str) {
        if self.chance(5) {
            return self.line(statement);
        }
        self.line("try:");
        self.within(|it| it.line(statement));
        self.line("except Exception as error:");
        self.within(|it| it.line("print(type(error))"));
    }

    fn block(&mut self) {
        self.within(|it| {
            let count = it.dice.usize(1..4);
            for _ in 0..count {
                it.statement();
            }
        });
    }
}

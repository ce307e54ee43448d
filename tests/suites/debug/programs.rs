//! Python programs by chance: every construct that hooks go into, in every style of indenting, and none that does not
//! end. A program may raise whatever it likes.

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
    /// How many more statements there may be.
    budget: usize,
    functions: Vec<String>,
    generators: Vec<String>,
    classes: Vec<&'static str>,
    /// Whether `yield`, `return`, `break` may stand here.
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
        self.bindings();
        while self.budget > 0 {
            match self.dice.u32(0..10) {
                0..=2 => self.function(),
                3 => self.class(),
                4 => self.coroutine(),
                _ => self.statement(),
            }
        }
        let functions = self.functions.clone();
        for name in functions {
            let arguments = self.arguments();
            self.careful(&format!("print({name}({arguments}))"));
        }
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

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        if self.depth > 5 || self.budget == 0 {
            return self.simple();
        }
        match self.dice.u32(0..26) {
            0 => self.condition(),
            1 | 2 => self.for_loop(),
            3 => self.while_loop(),
            4 | 5 => self.attempt(),
            6 => self.with(),
            7 if self.depth < 3 => self.function(),
            8 if self.depth < 2 => self.class(),
            9 => self.one_liner(),
            _ => self.simple(),
        }
    }

    fn simple(&mut self) {
        let name = self.pick(&NAMES);
        let value = self.expression(2);
        let text = match self.dice.u32(0..18) {
            0..=2 => format!("{name} = {value}"),
            3 => format!("{name} = {value}; print({name})"),
            4 | 5 => format!("print({value})"),
            6 => format!("{name} += {value}"),
            7 => format!(
                "{name}, {} = {value}, {}",
                self.pick(&NAMES),
                self.expression(1)
            ),
            8 if self.context.is_function && !self.context.is_generator => {
                format!("return {value}")
            }
            8 if self.context.is_generator => "return".to_owned(),
            9 if self.context.is_loop => self.pick(&["break", "continue"]).to_owned(),
            10 if self.context.is_generator => self.yielding(),
            11 if self.context.is_coroutine => format!("{name} = await pause({value})"),
            12 => format!("assert {value}, 'no'"),
            13 if self.chance(2) => format!("del {name}"),
            13 => format!(
                "raise {}({value})",
                self.pick(&["ValueError", "KeyError", "IndexError"])
            ),
            14 => format!("{name} = [\n{value},\n    2,\n]"),
            15 if self.context.is_handler => "raise".to_owned(),
            15 => "pass".to_owned(),
            16 if self.context.is_method => format!("self.{name} = {value}"),
            16 => format!("print('''two\nlines''', {value})"),
            _ => format!("print({value}, \\\n  {})", self.expression(1)),
        };
        self.line(&text);
    }

    fn yielding(&mut self) -> String {
        let value = self.expression(1);
        match self.dice.u32(0..5) {
            0 => "yield".to_owned(),
            1 => format!("{} = yield {value}", self.pick(&NAMES)),
            2 => format!("yield from [{value}, 1]"),
            3 => format!("print((yield {value}, 2))"),
            _ => format!("yield {value}"),
        }
    }

    fn condition(&mut self) {
        let test = self.expression(2);
        self.line(&format!("if {test}:"));
        self.block();
        if self.chance(3) {
            let test = self.expression(1);
            self.line(&format!("elif ({test}):"));
            self.block();
        }
        if self.chance(3) {
            self.line("else:");
            self.block();
        }
    }

    fn for_loop(&mut self) {
        let name = self.pick(&NAMES);
        let over = match self.dice.u32(0..5) {
            0 => "range(3)".to_owned(),
            1 => format!("{}, {}", self.expression(1), self.expression(1)),
            2 => format!("(({}, x) for x in range(2))", self.expression(0)),
            3 if !self.generators.is_empty() => {
                let generators = self.generators.clone();
                format!("{}({})", self.choose(&generators), self.arguments())
            }
            _ => "[1, 2]".to_owned(),
        };
        self.line(&format!("for {name} in {over}:"));
        self.looping();
        if self.chance(4) {
            self.line("else:");
            self.block();
        }
    }

    fn looping(&mut self) {
        let before = self.context;
        self.context.is_loop = true;
        self.block();
        self.context = before;
    }

    fn while_loop(&mut self) {
        let turn = format!("turn{}", self.depth);
        let start = self.dice.u32(0..3);
        self.line(&format!("{turn} = {start}"));
        self.line(&format!("while {turn} < 3:"));
        let before = self.context;
        self.context.is_loop = true;
        self.within(|it| {
            it.line(&format!("{turn} += 1"));
            it.statement();
        });
        self.context = before;
    }

    fn attempt(&mut self) {
        self.line("try:");
        self.block();
        let has_handler = !self.chance(5);
        if has_handler {
            let error = self.pick(&ERRORS);
            let header = match self.dice.u32(0..4) {
                0 => "except:".to_owned(),
                1 => format!("except {error}:"),
                2 => format!("except ({error}):"),
                _ => format!("except {error} as error:"),
            };
            self.line(&header);
            let before = self.context;
            self.context.is_handler = true;
            self.block();
            self.context = before;
            if self.chance(4) {
                self.line("else:");
                self.block();
            }
        }
        if !has_handler || self.chance(4) {
            self.line("finally:");
            let before = self.context;
            // MicroPython and CPython differ in what a jump out of `finally` does.
            self.context.is_loop = false;
            self.context.is_function = false;
            self.within(|it| {
                let value = it.expression(1);
                it.line(&format!("print('finally', {value})"));
            });
            self.context = before;
        }
    }

    fn with(&mut self) {
        let value = self.expression(1);
        let name = self.pick(&NAMES);
        self.line(&format!("with Manager({value}) as {name}:"));
        self.block();
    }

    fn one_liner(&mut self) {
        // Nothing that a compiler decides: CPython visits the line then, and there is nothing to stop at.
        let value = format!("len([{}]) == {}", self.expression(1), self.dice.u32(0..2));
        let text = match self.dice.u32(0..6) {
            0 => format!("if {value}: print('one'); print('two')"),
            1 => format!("for a in range(2): print({value})"),
            2 => format!("while {value}: break"),
            3 => format!("if {value}: pass\n{}else: print({value})", self.indent),
            4 => format!("with Manager({value}): print('in')"),
            _ => format!("def {}(*r): return {value}", self.pick(&FUNCTIONS)),
        };
        self.line(&text);
    }

    fn function(&mut self) {
        let outer = self.context;
        let is_generator = self.chance(4);
        let name = if is_generator {
            self.pick(&GENERATORS)
        } else {
            self.pick(&FUNCTIONS)
        };
        // A name of its own, as functions that call each other without end would end at different depths.
        let name = format!("{name}{}", self.text.len());
        let parameters = self.pick(&[
            "a=1, *b",
            "a=0, b=2, *rest",
            "*a",
            "a=3, *total, größe=4",
            "a=(1,\n 2), *b",
        ]);
        if self.chance(8) && !is_generator {
            self.line("@same");
        }
        self.line(&format!("def {name}({parameters}):"));
        self.context = Context {
            is_function: true,
            is_generator,
            ..Context::default()
        };
        self.function_body(is_generator);
        self.context = outer;
        if self.depth == 0 {
            let list = if is_generator {
                &mut self.generators
            } else {
                &mut self.functions
            };
            list.push(name);
        } else {
            let arguments = self.arguments();
            let call = if is_generator {
                format!("list({name}({arguments}))")
            } else {
                format!("{name}({arguments})")
            };
            self.careful(&format!("print({call})"));
        }
    }

    fn function_body(&mut self, is_generator: bool) {
        self.within(|it| {
            if it.chance(5) {
                it.line(it.pick_text());
            }
            if it.chance(8) {
                it.line("global c");
            }
            if is_generator {
                let text = it.yielding();
                it.line(&text);
            }
            if it.chance(2) {
                it.bindings();
            }
            if it.chance(8) {
                it.line("def down(n):");
                it.within(|it| it.line("return n if n < 1 else down(n - 1)"));
                it.line("print(down(3))");
            }
            let count = it.dice.usize(1..5);
            for _ in 0..count {
                it.statement();
            }
        });
    }

    fn pick_text(&self) -> &'static str {
        if self.depth.is_multiple_of(2) {
            "\"\"\"One line.\"\"\""
        } else {
            "'''Two\nlines.'''"
        }
    }

    fn class(&mut self) {
        let name = self.pick(&CLASSES);
        let known: Vec<_> = self
            .classes
            .iter()
            .copied()
            .filter(|class| *class != name)
            .collect();
        let base = if known.is_empty() || self.depth > 0 {
            "object"
        } else {
            self.pick(&known)
        };
        let outer = self.context;
        self.context = Context::default();
        self.line(&format!("class {name}({base}):"));
        self.within(|it| {
            if it.chance(3) {
                it.line("'''A class.'''");
            }
            if it.chance(3) {
                it.line("kind = 'class'");
            }
            for method in ["__init__", "m", "p", "s"] {
                if it.chance(2) || method == "__init__" {
                    it.method(method);
                }
            }
        });
        self.context = outer;
        self.careful(&format!("print({name}().a)"));
        if self.depth == 0 {
            self.classes.push(name);
        }
    }

    fn method(&mut self, name: &str) {
        let (decorator, parameters) = match name {
            "p" => ("@property", "self"),
            "s" => ("@staticmethod", "a=5"),
            _ => ("", "self, b=1"),
        };
        if !decorator.is_empty() {
            self.line(decorator);
        }
        self.line(&format!("def {name}({parameters}):"));
        let outer = self.context;
        self.context = Context {
            is_function: true,
            is_method: name != "s",
            ..Context::default()
        };
        self.within(|it| {
            if name == "__init__" {
                it.line("self.a = 1");
                it.context.is_function = false;
            }
            it.statement();
        });
        self.context = outer;
    }

    fn coroutine(&mut self) {
        let name = "task";
        let outer = self.context;
        self.line(&format!("async def {name}(a, b=2):"));
        self.context = Context {
            is_function: true,
            is_coroutine: true,
            ..Context::default()
        };
        self.within(|it| {
            let count = it.dice.usize(1..4);
            for _ in 0..count {
                it.statement();
            }
            it.line("c = await pause(a)");
            if it.chance(3) {
                it.line("async with Lock() as held:");
                it.within(|it| it.line("print('held', await pause(c))"));
            }
            if it.chance(3) {
                it.line("async for one in Ticks(2):");
                it.within(|it| it.line("print('tick', one)"));
                it.line("print('ticked')");
            }
            it.line("return c");
        });
        self.context = outer;
        self.careful(&format!("drive({name}(1), {name}(2))"));
    }

    fn arguments(&mut self) -> String {
        let count = self.dice.usize(0..3);
        let arguments: Vec<_> = (0..count).map(|_| self.expression(1)).collect();
        arguments.join(", ")
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.u32(0..5) {
                0 => self.pick(&NAMES).to_owned(),
                1 if self.chance(12) => format!("'{}'", self.pick(&["x", "ä", "\\n", "#"])),
                _ => self.dice.u32(0..5).to_string(),
            };
        }
        let [left, right] = [self.expression(depth - 1), self.expression(depth - 1)];
        match self.dice.u32(0..16) {
            0 => format!("{left} + {right}"),
            1 => format!("{left} // {right}"),
            2 => format!("({left} if {right} else 0)"),
            3 => format!(
                "[(q, {left}) for q in ({}, {})]",
                self.expression(0),
                self.expression(0)
            ),
            4 => format!("(lambda q: q or {left})({right})"),
            5 => format!("{left} == {right}"),
            6 => format!("(not {left})"),
            7 => format!("len([{left}, {right}])"),
            8 => format!("{{{left}: {right}}}"),
            9 => format!("(walrus := {left})"),
            10 if self.context.is_method => "self.a".to_owned(),
            11 if !self.functions.is_empty() && self.chance(2) => {
                let functions = self.functions.clone();
                format!("{}({left})", self.choose(&functions))
            }
            12 => format!("[{left}, {right}][{}]", self.dice.u32(0..3)),
            _ => left,
        }
    }
}

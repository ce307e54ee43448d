//! Functions, generators, classes and coroutines, each with a call of it.

use super::{CLASSES, Context, FUNCTIONS, GENERATORS, Writer};

impl Writer {
    pub(super) fn function(&mut self) {
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

    pub(super) fn class(&mut self) {
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

    pub(super) fn coroutine(&mut self) {
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
}

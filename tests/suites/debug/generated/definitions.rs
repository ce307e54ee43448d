//! Functions, generators, classes and coroutines, each with a call of it.

use super::{CLASSES, Context, FUNCTIONS, GENERATORS, Writer};

impl Writer {
    /// `_LIMIT12 = const(7)`, known from there on to whatever is compiled with it.
    pub(super) fn constant(&mut self) {
        let name = format!(
            "{}{}",
            self.pick(&["_LIMIT", "SIZE", "_K"]),
            self.text.len()
        );
        let constants = self.constants.clone();
        let value = if constants.is_empty() || self.chance(3) {
            self.pick(&["7", "0", "-1 << 3", "(1 +\n2)"]).to_owned()
        } else {
            format!("{} + {}", self.choose(&constants), self.dice.u32(1..4))
        };
        let (open, close) = self.pick(&[("(", ")"), ("(\n  ", ")"), ("(", "  # so much\n)")]);
        self.line(&format!("{name} = const{open}{value}{close}"));
        self.constants.push(name);
    }

    /// The header of a function on one line or several.
    fn header(&mut self, start: &str, parameters: &str) -> String {
        match self.dice.u32(0..16) {
            0 => format!("{start}({parameters}) -> int:"),
            1 => format!("{start}({parameters}\n):"),
            2 => format!("{start}(\n # why\n{parameters}):"),
            3 => format!("{start}({parameters}) -> (\nint\n):"),
            4 => format!("{start}({parameters}) \\\n   :"),
            5 => format!("{start} \\\n({parameters}) -> {{1: 2}}[1]:"),
            _ => format!("{start}({parameters}):"),
        }
    }

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
        let header = self.header(&format!("def {name}"), parameters);
        self.line(&header);
        self.context = Context {
            is_function: true,
            is_generator,
            ..Context::default()
        };
        self.function_body(is_generator);
        self.context = outer;
        if self.depth == 0 {
            self.keep(&name);
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
        let bases = self
            .pick(&["{}", "{}", "\n{}\n", "{} \\\n"])
            .replace("{}", base);
        self.line(&format!("class {name}({bases}):"));
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
            self.keep(name);
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
        let header = self.header(&format!("def {name}"), parameters);
        self.line(&header);
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
        let header = self.header(&format!("async def {name}"), "a, b=2");
        self.line(&header);
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

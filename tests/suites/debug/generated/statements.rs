//! Statements, and the blocks that they open.

use super::{ERRORS, FUNCTIONS, NAMES, Writer};

impl Writer {
    pub(super) fn statement(&mut self) {
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

    pub(super) fn yielding(&mut self) -> String {
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
        let text = match self.dice.u32(0..9) {
            0 => format!("if {value}: print('one'); print('two')"),
            1 => format!("for a in range(2): print({value})"),
            2 => format!("while {value}: break"),
            3 => format!("if {value}: pass\n{}else: print({value})", self.indent),
            4 => format!("with Manager({value}): print('in')"),
            5 => format!("def {}(*r): \\\n return {value}", self.pick(&FUNCTIONS)),
            6 => format!("def {}(a=1,\n*r): return {value}", self.pick(&FUNCTIONS)),
            7 => format!(
                "def {}(*r) -> (\nint): a = 1; return {value}",
                self.pick(&FUNCTIONS)
            ),
            _ => format!("def {}(*r): return {value}", self.pick(&FUNCTIONS)),
        };
        self.line(&text);
    }
}

//! Expressions that may raise, and that call what the program has defined so far.

use super::{NAMES, Writer};

impl Writer {
    pub(super) fn arguments(&mut self) -> String {
        let count = self.dice.usize(0..3);
        let arguments: Vec<_> = (0..count).map(|_| self.expression(1)).collect();
        arguments.join(", ")
    }

    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.u32(0..5) {
                0 => self.pick(&NAMES).to_owned(),
                1 if !self.constants.is_empty() && self.chance(2) => {
                    // Nothing that the compiler decides.
                    let constants = self.constants.clone();
                    format!("[{}][0]", self.choose(&constants))
                }
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

//! The Python that hooks are made of.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use ruff_text_size::TextRange;

use super::{Condition, Dialect};
use crate::debug::source::Module;

/// The names of the hooks on the board: a prefix with which no name of the program begins, a letter, and the module's
/// number where names differ by module. They are builtins, so that no module lists them; on boards whose builtins
/// cannot be extended, each module has its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::debug) struct Names {
    prefix: String,
    line: String,
}

/// Meaning of the letters.
///
/// | letter | meaning |
/// |---|---|
/// | `f` | the frame that is running |
/// | `l` | its line; a module has it in [`line`](Names::line) |
/// | `b` | a flag for each line of the module |
/// | `k` | the same in a function, as its own variable, which is read faster |
/// | `d` | called at a line whose flag is set |
/// | `h` | called where a line cannot be stored: notes the line, then acts like `d` |
/// | `w` | opens the frame of a function, `a` that of an `async` one |
/// | `x` | called when an exception is handled, or leaves a function |
/// | `e` | that exception |
/// | `p`, `n` | before and after a `yield` |
/// | `y` | before a `yield from`, which `n` follows |
/// | `r` | after an `await` |
/// | `c` | the source of values for a generator that writes variables |
/// | `i` | joins a module to the debugger |
/// | `j` | the requested variable |
/// | `v` | shows a value |
/// | `t` | a statement that a person typed |
/// | `o` | prefix of the debugger's own lines |
/// | `q` | checks the condition of a breakpoint |
/// | `g` | numbers of the breakpoints whose conditions are still those in the hooks |
/// | `z` | the type of an object |
/// | `m` | the types of numbers |
/// | `u` | reports a part of an expression |
/// | capitals | what the hooks need among themselves, on boards that keep it in the program's module |
pub(in crate::debug) const LETTERS: &str = "flbkdhwaxepnyrcijvtoqgzmuDTGEMXBF";

impl Names {
    /// Chooses names that no module of the project uses.
    pub(in crate::debug) fn new<'a>(modules: impl Iterator<Item = &'a Module> + Clone) -> Self {
        let mut names = modules.clone().flat_map(|module| &module.names);
        let is_free = |prefix: &String| !names.clone().any(|name| is_ours(name, prefix));
        let prefixes = core::iter::once("_".to_string()).chain((0..).map(|n| format!("_{n}")));
        let prefix = prefixes.into_iter().find(is_free).unwrap_or_default();
        let line = match names.any(|name| name == LINE) {
            true => format!("{prefix}l"),
            false => LINE.to_string(),
        };
        Self { prefix, line }
    }

    /// Returns the variable of a module that stores its line.
    pub(in crate::debug) fn line(&self) -> &str {
        &self.line
    }

    pub(in crate::debug) fn prefix(&self) -> &str {
        &self.prefix
    }
}

/// Returns true for a name that hooks with this prefix may have.
fn is_ours(name: &str, prefix: &str) -> bool {
    let letter = name.strip_prefix(prefix).unwrap_or_default();
    let letter = letter.trim_end_matches(|one: char| one.is_ascii_digit());
    letter.len() == 1 && LETTERS.contains(letter)
}

/// Name of a module's line variable; a program that lists the names of a module omits those that look like Python's
/// own.
const LINE: &str = "__l__";

/// Writes hooks.
pub(super) struct Hooks<'a> {
    /// The module's number.
    pub(super) number: usize,
    pub(super) names: &'a Names,
    pub(super) dialect: Dialect,
    /// Conditions that hooks check themselves, by their lines.
    pub(super) conditions: &'a BTreeMap<u32, Condition>,
}

/// Owner of the line that a hook records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// A function, which has variables for it.
    Function,
    /// The module, which has variables for it as well.
    Module,
    /// The body of a class, whose variables are attributes of the class.
    ClassBody,
}

impl Hooks<'_> {
    /// Returns the hook before a statement.
    pub(super) fn statement(&self, line: u32, spot: Spot) -> String {
        let p = &self.names.prefix;
        let [frame, flags, noted] = [self.frame_of(spot), self.flags(spot), self.line(spot)];
        match (spot, self.dialect) {
            (Spot::ClassBody, _) => format!("{p}h({frame},{line});"),
            (_, Dialect::Walrus) => {
                let condition = self.condition(line, &flags);
                format!("{noted}={line};{flags}[{line}]and {condition}{p}d({frame});")
            }
            (_, Dialect::Old) => format!("{p}f.l={line};{p}b[{line}]and {p}d({p}f);"),
        }
    }

    /// Returns the expression for the running frame.
    fn frame_of(&self, spot: Spot) -> String {
        self.own("f", spot != Spot::Function)
    }

    /// Returns the expression for the flags of the lines.
    fn flags(&self, spot: Spot) -> String {
        match (spot, self.dialect) {
            (Spot::Function, Dialect::Walrus) => format!("{}k", self.names.prefix),
            _ => self.own("b", true),
        }
    }

    /// Returns the name of the variable that stores the line.
    fn line(&self, spot: Spot) -> String {
        match spot {
            Spot::Function => format!("{}l", self.names.prefix),
            Spot::Module | Spot::ClassBody => self.names.line.clone(),
        }
    }

    /// Returns a name that is separate for each module on boards that keep all names in one place.
    fn own(&self, letter: &str, is_own: bool) -> String {
        let p = &self.names.prefix;
        match self.dialect {
            Dialect::Walrus if is_own => format!("{p}{letter}{}", self.number),
            Dialect::Walrus | Dialect::Old => format!("{p}{letter}"),
        }
    }

    /// Returns the hook before an expression, which follows in parentheses. The hook itself is false.
    pub(super) fn expression(&self, line: u32, spot: Spot) -> String {
        let p = &self.names.prefix;
        let [frame, flags, noted] = [self.frame_of(spot), self.flags(spot), self.line(spot)];
        match (spot, self.dialect) {
            (Spot::Function | Spot::Module, Dialect::Walrus) => {
                let condition = self.condition(line, &flags);
                format!("{flags}[({noted}:={line})]and {condition}{p}d({frame})or(")
            }
            _ => format!("{p}h({frame},{line})or("),
        }
    }

    /// Returns the check of a breakpoint's condition, for a line at which nothing else may stop: the board's own code takes
    /// far longer for it. One that raises nothing needs no call.
    fn condition(&self, line: u32, flags: &str) -> String {
        let p = &self.names.prefix;
        let Some(condition) = self.conditions.get(&line) else {
            return String::new();
        };
        let Condition {
            number,
            text,
            numbers,
        } = condition;
        let guarded = format!("{p}q({number},lambda:({text}))");
        let checked = match numbers {
            Some(names) => {
                let are_numbers = names.iter().map(|name| format!("{p}z({name})in {p}m"));
                let are_numbers = are_numbers.collect::<Vec<_>>().join(" and ");
                format!("{number} not in {p}g or(({text})if {are_numbers} else {guarded})")
            }
            None => guarded,
        };
        format!("({flags}[{line}]!=4 or {checked})and ")
    }

    /// Returns the header that opens a function's frame.
    pub(super) fn frame(
        &self,
        number: usize,
        is_async: bool,
        own: &[String],
        outer: &[String],
    ) -> String {
        let p = &self.names.prefix;
        let open = if is_async { 'a' } else { 'w' };
        let line = match self.dialect {
            Dialect::Walrus => format!("{p}l"),
            Dialect::Old => "0".to_string(),
        };
        let readable = core::iter::once(line).chain(own.iter().chain(outer).cloned());
        let read = choose(&readable.collect::<Vec<_>>(), &format!("{p}j"), 0);
        // MicroPython learns from the writer, which has to come first, that a name which only a `:=` in a comprehension
        // binds is a variable of the function (MicroPython v1.28 `py/compile.c`, `compile_namedexpr_helper`).
        let write = match self.dialect {
            Dialect::Walrus if !own.is_empty() => {
                format!("({} for {p}j in {p}c),", self.writer(own))
            }
            Dialect::Walrus | Dialect::Old => String::new(),
        };
        // The flags are never empty, so `and` gives the number.
        let number = match self.dialect {
            Dialect::Walrus => format!("({p}k:={})and {number}", self.own("b", true)),
            Dialect::Old => number.to_string(),
        };
        format!("with {p}{open}({number},{write}lambda {p}j:{read})as {p}f:")
    }

    fn writer(&self, own: &[String]) -> String {
        let p = &self.names.prefix;
        let assignments: Vec<_> = own
            .iter()
            .map(|name| format!("({name}:={p}j[1])"))
            .collect();
        choose(&assignments, &format!("{p}j[0]"), 1)
    }

    /// Returns the text before a `yield`, which two closing parentheses end.
    pub(super) fn open_yield(&self) -> String {
        let p = &self.names.prefix;
        format!("{p}n({p}f,(")
    }

    /// Returns the text before a yielded value, which two closing parentheses end.
    pub(super) fn open_yielded(&self) -> String {
        let p = &self.names.prefix;
        format!("{p}p({p}f,(")
    }

    /// Returns the text before the operand of a `yield from`, which two closing parentheses end.
    pub(super) fn open_delegate(&self) -> String {
        let p = &self.names.prefix;
        format!("{p}y({p}f,(")
    }

    /// Returns the text before a part of an expression, which two closing parentheses end.
    pub(super) fn open_part(&self, range: TextRange, spot: Spot) -> String {
        let p = &self.names.prefix;
        let frame = self.frame_of(spot);
        let [start, end] = [range.start().to_u32(), range.end().to_u32()];
        format!("{p}u({frame},{start},{end},(")
    }

    /// Returns the text before an `await`, which a closing parenthesis ends.
    pub(super) fn open_await(&self) -> String {
        let p = &self.names.prefix;
        format!("{p}r({p}f,")
    }

    /// Returns the hook that reports that a coroutine runs again, where no expression does.
    pub(super) fn resumed(&self) -> String {
        let p = &self.names.prefix;
        format!("{p}r({p}f,0)")
    }

    /// Returns the hook that reports a caught exception.
    pub(super) fn caught(&self, exception: &str, spot: Spot) -> String {
        let p = &self.names.prefix;
        let [frame, flags] = [self.frame_of(spot), self.flags(spot)];
        format!("{flags}[0]and {p}x({frame},{exception})")
    }

    /// Returns a name for an exception that the program does not name.
    pub(super) fn exception(&self) -> String {
        format!("{}e", self.names.prefix)
    }
}

/// Returns `a if i<1 else b` as a tree: MicroPython's compiler uses a level of its C stack for each level of an
/// expression.
fn choose(items: &[String], selector: &str, first: usize) -> String {
    match items {
        [] => "0".to_string(),
        [one] => one.clone(),
        _ => {
            let half = items.len() / 2;
            let (left, right) = items.split_at(half);
            let [left, right] =
                [(left, first), (right, first + half)].map(|(side, at)| {
                    match choose(side, selector, at) {
                        text if side.len() > 1 => format!("({text})"),
                        text => format!("{text} "),
                    }
                });
            format!(
                "{left}if {selector}<{} else {}",
                first + half,
                right.trim_end()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_tree() {
        let items = ["a", "b", "c", "d", "e"].map(str::to_string);
        assert_eq!(
            choose(&items, "i", 0),
            "(a if i<1 else b)if i<2 else (c if i<3 else (d if i<4 else e))"
        );
        assert_eq!(choose(&items[..1], "i", 0), "a");
    }
}

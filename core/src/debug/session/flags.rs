//! Flags of lines with breakpoints on the board, and the board's code that decides about a stop.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    BreakpointId, ModuleId, Session,
    breakpoints::{Placed, function_of, hits_expression, log_expression, tuple},
    exchange::Expected,
};
use crate::{
    Instant,
    debug::{
        rewrite::{Condition, Dialect},
        runtime::Runtime,
        wire::quote,
    },
};

impl Session {
    /// Sends a stopped board the breakpoints of changed modules.
    pub(super) fn update_breakpoints(&mut self, now: Instant) {
        for module in core::mem::take(&mut self.changed) {
            let placed = self.breakpoints.placed.get(&module);
            let ids = placed.into_iter().flatten().map(|one| one.id).collect();
            match self.dialect() {
                Dialect::Walrus => self.send_flags(now, module, ids),
                Dialect::Old => self.send_old_flags(now, ids),
            }
        }
    }

    /// Sends a module's flags. Breakpoints already on the board keep their counts.
    fn send_flags(&mut self, now: Instant, module: ModuleId, ids: Vec<BreakpointId>) {
        if self.breakpoints.all().any(|(_, one)| one.is_special()) {
            self.help(now, BREAKPOINT, Runtime::breakpoint);
        }
        let flags = self.name("m");
        let number = module.0;
        let text = format!(
            "{}{}for i in range(1,len({flags}[{number}])):{flags}[{number}][i]&=249\n{}{}",
            self.drop_special(),
            self.add_flags(module),
            self.flags(module, |one| !one.is_set),
            self.valid_conditions()
        );
        let command = format!("exec({});{}('d')", quote(&text), self.name("R"));
        self.ask(now, &command, Expected::Breakpoints(ids));
    }

    /// Removes special breakpoints from the board that no longer exist.
    fn drop_special(&self) -> String {
        if !self.helpers.contains(BREAKPOINT) {
            return String::new();
        }
        let special = self.name("B");
        let ids = tuple(self.breakpoints.all().map(|(_, one)| one.id.0));
        format!("for d in {special}.values():\n for i in list(d):\n  if i not in{ids}:d.pop(i)\n")
    }

    /// Creates a module's flags, if it has none yet.
    fn add_flags(&self, module: ModuleId) -> String {
        let lines = self.project.file(module).module.line_count();
        let (flags, number) = (self.name("m"), module.0);
        let new = self.runtime().flags(lines);
        format!("if {number} not in {flags}:{flags}[{number}]={new}\n")
    }

    /// Tells the board about modules with hooks, breakpoints and other reasons to stop.
    pub(super) fn flags_at_start(&self) -> String {
        let modules: BTreeSet<_> = self.to_hook.iter().map(|at| at.0).chain([0]).collect();
        let mut text = String::new();
        for module in modules {
            let lines = self.project.file(ModuleId(module)).module.line_count();
            let new = self.runtime().flags(lines);
            text += &format!("{}[{module}]={new}\n", self.name("m"));
            text += &self.flags(ModuleId(module), |_| true);
        }
        if self.launch.exceptions.raised || self.launch.exceptions.uncaught {
            text += &format!("{}=1\n", self.name("X"));
        }
        text + &self.valid_conditions()
    }

    /// Returns the conditions that the hooks of a module check themselves: each that is all there is to decide at its line.
    pub(super) fn checked_by_hooks(&self, module: ModuleId) -> BTreeMap<u32, Condition> {
        let text = &self.project.file(module).module;
        let is_known = self.dialect() == Dialect::Walrus;
        let alone = self.alone().filter(|(id, _)| is_known && *id == module);
        let checked = alone.filter_map(|(_, placed)| {
            let condition = placed.wish.condition.as_deref()?;
            let numbers = text.numbers_of(placed.line, condition);
            let text = text.own_condition(placed.line, condition)?;
            let number = placed.id.0;
            let checked = Condition {
                number,
                text,
                numbers,
            };
            Some((placed.line, checked))
        });
        checked.collect()
    }

    /// Returns the breakpoints that are the only ones at their lines.
    fn alone(&self) -> impl Iterator<Item = (ModuleId, &Placed)> {
        let is_alone = |module, one: &Placed| {
            let at = |other: &&Placed| other.line == one.line;
            self.breakpoints.placed[&module].iter().filter(at).count() == 1
        };
        let all = self.breakpoints.all();
        all.filter(move |(module, one)| is_alone(*module, one))
    }

    /// Returns code that tells the board the breakpoints whose conditions are still those in the hooks.
    fn valid_conditions(&self) -> String {
        if !self.helpers.contains(BREAKPOINT) {
            return String::new();
        }
        let numbers = self.alone().filter(|(_, one)| one.wish.condition.is_some());
        let numbers = tuple(numbers.map(|(_, one)| one.id.0));
        let known = self.name("ok");
        format!("{known}.clear()\n{known}.update({numbers})\n")
    }

    /// Returns the flags of a module's breakpoints, and the special ones that the board has not received.
    fn flags(&self, module: ModuleId, is_new: impl Fn(&Placed) -> bool) -> String {
        let placed = self.breakpoints.placed.get(&module);
        let placed = placed.into_iter().flatten();
        placed
            .map(|one| self.flag(module, one, is_new(one)))
            .collect()
    }

    fn flag(&self, module: ModuleId, placed: &Placed, is_new: bool) -> String {
        let flags = format!("{}[{}][{}]", self.name("m"), module.0, placed.line);
        match (placed.is_special(), is_new) {
            (false, _) => format!("{flags}|=2\n"),
            (true, false) => format!("{flags}|=4\n"),
            (true, true) => format!("{flags}|=4\n{}", self.special(module, placed)),
        }
    }

    /// Returns the code that adds a breakpoint's decision about a stop to the others of its line.
    fn special(&self, module: ModuleId, placed: &Placed) -> String {
        let Placed { id, line, wish, .. } = placed;
        let text = &self.project.file(module).module;
        let none = || ("0".to_string(), "()".to_string());
        let function = |expression: &str| {
            let (text, numbers) = function_of(text, *line, expression);
            (quote(&text), tuple(numbers))
        };
        let (condition, reads) = wish.condition.as_deref().map_or_else(none, function);
        let log = wish.log.as_deref().and_then(log_expression);
        let (log, log_reads) = log.as_deref().map_or_else(none, function);
        let hits = wish.hits.as_deref().and_then(hits_expression);
        let hits = hits.map_or_else(
            || "0".to_string(),
            |hits| quote(&format!("lambda n:{hits}")),
        );
        let [special, new] = ["B", "Q"].map(|letter| self.name(letter));
        let (module, id) = (module.0, id.0);
        format!(
            "{special}.setdefault(({module},{line}),{{}})[{id}]={new}({module},{id},{condition},{reads},{hits},{log},{log_reads})\n"
        )
    }
}

/// Boards without `:=`.
impl Session {
    /// Returns the flags of the first breakpoints.
    pub(super) fn old_flags_at_start(&mut self) -> String {
        let lines = self.old_lines();
        let texts = lines.iter().map(|(line, placed)| match is_plain(placed) {
            true => format!("{}[{line}]|=2\n", self.name("b")),
            false => self.old_special(*line, placed),
        });
        let text = texts.collect();
        self.told = lines.iter().map(numbers).collect();
        text
    }

    /// Sends plain breakpoints line by line: a board with little memory may be unable to compile more at once, and a
    /// loop would add a variable among the program's own. Breakpoints already on the board keep their counts.
    fn send_old_flags(&mut self, now: Instant, ids: Vec<BreakpointId>) {
        let lines = self.old_lines();
        let told = core::mem::replace(&mut self.told, lines.iter().map(numbers).collect());
        for line in told.keys() {
            self.type_line(now, &format!("b {line} 0"));
        }
        let mut special = String::new();
        for (line, placed) in &lines {
            let known = told.get(line);
            if is_plain(placed) {
                self.type_line(now, &format!("b {line} 2"));
            } else if known == Some(&numbers((line, placed)).1) {
                self.type_line(now, &format!("b {line} 4"));
            } else {
                special += &self.old_special(*line, placed);
            }
        }
        let set = match special.is_empty() {
            true => String::new(),
            false => format!("exec({});", quote(&special)),
        };
        let command = format!("{set}print(\"\\x1e{} 'd'\")", self.launch.token);
        self.ask(now, &command, Expected::Breakpoints(ids));
    }

    fn old_lines(&self) -> BTreeMap<u32, Vec<Placed>> {
        let mut lines: BTreeMap<u32, Vec<Placed>> = BTreeMap::new();
        let placed = self.breakpoints.placed.get(&ModuleId::MAIN);
        for one in placed.into_iter().flatten() {
            lines.entry(one.line).or_default().push(one.clone());
        }
        lines
    }

    /// Returns the decisions of special breakpoints at a line. Each breakpoint decides, so that all count.
    fn old_special(&self, line: u32, placed: &[Placed]) -> String {
        let [flags, special] = ["b", "B"].map(|letter| self.name(letter));
        let mut functions = placed.iter().map(|one| self.old_function(one));
        let function = match placed {
            [_] => functions.next().unwrap_or_default(),
            _ => {
                let all = tuple(functions.map(|one| format!("({one})")));
                format!("lambda f,a={all}:any([g(f)for g in a])")
            }
        };
        format!("{flags}[{line}]|=4\n{special}[{line}]={function}\n")
    }

    /// Returns the function of a breakpoint. A board without `:=` lacks space for more than a condition.
    fn old_function(&self, placed: &Placed) -> String {
        let Placed { line, wish, .. } = placed;
        let hits = wish.hits.as_deref().and_then(hits_expression);
        let module = &self.project.file(ModuleId::MAIN).module;
        let condition = wish.condition.as_deref().unwrap_or("1");
        let (function, numbers) = function_of(module, *line, condition);
        let values: Vec<_> = numbers
            .iter()
            .map(|number| format!("f.g({number})"))
            .collect();
        let function = function.strip_suffix("\n)").unwrap_or(&function);
        let hits = hits.map(|hits| format!("and[n.append(n.pop()+1),[n for n in n if {hits}]][1]"));
        format!(
            "lambda f,n=[0]:({function}))({}){}",
            values.join(","),
            hits.unwrap_or_default()
        )
    }
}

/// Returns true if one of the breakpoints always stops, which leaves nothing to decide.
fn is_plain(placed: &[Placed]) -> bool {
    placed.iter().any(|one| !one.is_decided())
}

/// Returns a line and the breakpoints at it.
fn numbers((line, placed): (&u32, &Vec<Placed>)) -> (u32, Vec<BreakpointId>) {
    (*line, placed.iter().map(|one| one.id).collect())
}

/// Name of the helper for special breakpoints.
pub(super) const BREAKPOINT: &str = "breakpoint";

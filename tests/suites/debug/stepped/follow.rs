//! Follows CPython's visits, stop by stop.

use std::collections::{BTreeMap, BTreeSet};

use flylead_core::debug::{Module, Stop};

use super::{
    Program, Way,
    traced::{Traced, Visit},
};
use crate::debugging::Debugging;

/// The most stops at a line that CPython has visited once: a loop, or calls, within one line.
const REPEATS: usize = 40;

/// Follows CPython's visits.
pub(super) struct Follow<'a> {
    way: Way,
    visits: Option<&'a [Visit]>,
    /// Lines with breakpoints, of the program alone.
    lines: BTreeSet<u32>,
    /// Lines that may get one, in an order of their own.
    others: Vec<u32>,
    /// The last stop, which may be repeated: a loop on one line.
    last: Option<(Vec<String>, u32)>,
    /// Number of times that it was repeated, one after the other.
    repeats: usize,
    pub(super) count: usize,
}

impl<'a> Follow<'a> {
    pub(super) fn new(program: &Program, way: Way, traced: Option<&'a Traced>) -> Self {
        let module = Module::parse(&program.files[0].1).expect("it is Python");
        let mut others: Vec<_> = module.stoppable_lines().collect();
        fastrand::Rng::with_seed(others.len() as u64).shuffle(&mut others);
        Self {
            way,
            visits: traced.map(|traced| traced.visits.as_slice()),
            lines: BTreeSet::new(),
            others,
            last: None,
            repeats: 0,
            count: 0,
        }
    }

    pub(super) fn stopped(&mut self, debugging: &mut Debugging, stop: &Stop) -> Result<(), String> {
        self.count += 1;
        let stack: Vec<_> = stop.frames.iter().map(|one| one.function.clone()).collect();
        let here = (stack, stop.frames[0].line);
        let is_same =
            |(stack, line): &(Vec<String>, u32)| (&stack[0], *line) == (&here.0[0], here.1);
        let is_again = self.last.as_ref().is_some_and(is_same);
        let is_entry = self.last.is_none();
        self.last = Some(here.clone());
        self.compare(debugging, &here, stop, is_entry, is_again)?;
        if self.way == Way::Breakpoints {
            self.lines.extend(self.others.pop());
            let lines: Vec<_> = self.lines.iter().copied().collect();
            let statuses = debugging.set_breakpoints(&lines);
            if let Some(status) = statuses.iter().find(|status| status.problem.is_some()) {
                return Err(format!("{status:?}"));
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        debugging: &mut Debugging,
        (stack, line): &(Vec<String>, u32),
        stop: &Stop,
        is_entry: bool,
        is_again: bool,
    ) -> Result<(), String> {
        let Some(visits) = self.visits else {
            return Ok(());
        };
        let path = stop.frames[0].module;
        let file = debugging.command(move |session, _| session.project().file(path).path.clone());
        // The entry is the first line, which may be one at which nothing else stops.
        let first = visits.first();
        if is_entry && first.is_none_or(|visit| visit.line != *line) {
            return Ok(());
        }
        let is_wanted = |visit: &&Visit| match self.way {
            _ if is_entry => true,
            Way::Into => true,
            Way::Over | Way::Parts => visit.stack.len() == 1 && visit.file == "main.py",
            Way::Breakpoints => visit.file == "main.py" && self.lines.contains(&visit.line),
        };
        let at = visits.iter().position(|visit| is_wanted(&visit));
        let found = at.map(|at| (at, &visits[at]));
        let is_here = |visit: &Visit| visit.is_at(stack, *line, &file);
        match found {
            Some((at, visit)) if is_here(visit) => {
                self.visits = Some(&visits[at + 1..]);
                self.repeats = 0;
                self.values(debugging, stack, visit)
            }
            // CPython's visits of one line after the other count once.
            _ if is_again && self.repeats < REPEATS => {
                self.repeats += 1;
                Ok(())
            }
            Some((_, visit)) => Err(format!(
                "stop {}: at {file}:{line} {stack:?}, not {}:{} {:?}",
                self.count, visit.file, visit.line, visit.stack
            )),
            None => Err(format!("at {file}:{line} {stack:?}, which nobody expects")),
        }
    }

    fn values(
        &self,
        debugging: &mut Debugging,
        stack: &[String],
        visit: &Visit,
    ) -> Result<(), String> {
        if self.way != Way::Into || stack[0] == "<module>" {
            return Ok(());
        }
        let shown = debugging.locals(0);
        let shown: BTreeMap<_, _> = shown.iter().filter_map(|one| one.split_once('=')).collect();
        let differs = |(name, expected): &(&String, &String)| match shown.get(name.as_str()) {
            Some(text) => text != expected,
            None => !visit.free.contains(name),
        };
        visit
            .values
            .iter()
            .find(differs)
            .map_or(Ok(()), |(name, expected)| {
                let found = shown.get(name.as_str());
                Err(format!("{name} is {found:?}, not {expected}"))
            })
    }

    /// Asserts that nothing was passed over.
    pub(super) fn ended(&self) -> Result<(), String> {
        let is_wanted = |visit: &&Visit| match self.way {
            Way::Into => true,
            Way::Over | Way::Parts => visit.stack.len() == 1 && visit.file == "main.py",
            Way::Breakpoints => visit.file == "main.py" && self.lines.contains(&visit.line),
        };
        let last = self.last.as_ref();
        let missed = self.visits.unwrap_or_default().iter().filter(is_wanted);
        let mut missed = missed.filter(|visit| {
            last.is_none_or(|(stack, line)| !visit.is_at(stack, *line, &visit.file))
        });
        missed.next().map_or(Ok(()), |visit| {
            Err(format!(
                "{}:{} {:?} was passed over",
                visit.file, visit.line, visit.stack
            ))
        })
    }
}

impl Visit {
    fn is_at(&self, stack: &[String], line: u32, file: &str) -> bool {
        // Coroutines that a program drives by hand leave their frames on the stack.
        let is_same_stack = match self.is_async {
            true => self.stack.first() == stack.first(),
            false => self.stack == stack,
        };
        is_same_stack && self.line == line && self.file == file
    }
}

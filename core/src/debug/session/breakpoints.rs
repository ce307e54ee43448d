//! Breakpoints: their requested places, their actual places, and the way the board receives them.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use super::{BreakpointId, ModuleId};
use crate::debug::{
    source::{Module, Unstoppable, free_names, is_expression},
    wire::quote,
};

/// Breakpoint requested at a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Breakpoint {
    /// The line, from 1.
    pub line: u32,
    /// Expression that must be true for the program to stop.
    pub condition: Option<String>,
    /// Hit counts at which to stop: `5` or `==5`, `>=5`, `>5`, `<5`, `<=5`, `%5`.
    pub hits: Option<String>,
    /// Message to log instead of stopping; expressions in braces are evaluated.
    pub log: Option<String>,
}

/// State of a requested breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakpointStatus {
    /// Number.
    pub id: BreakpointId,
    /// The line at which the program stops, if it can.
    pub line: Option<u32>,
    /// Reason why the program does not stop there, or not yet.
    pub problem: Option<BreakpointProblem>,
}

/// Reason why a program does not stop at a breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakpointProblem {
    /// The program never stops there.
    Unstoppable(Unstoppable),
    /// The condition is not an expression of Python.
    Condition,
    /// The hit count is not one of those of [`Breakpoint::hits`].
    Hits,
    /// An expression of the log message is not one of Python, or has no end.
    Log,
    /// The breakpoint takes effect once the board has received it, at the next stop.
    NotYet,
    /// The function was sent without hooks.
    Fixed,
    /// This board's MicroPython lacks space for log messages.
    NoLog,
}

/// A breakpoint at its actual place.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) id: BreakpointId,
    pub(super) line: u32,
    pub(super) wish: Breakpoint,
    /// True if the board has received it.
    pub(super) is_set: bool,
}

impl Placed {
    /// True if the breakpoint needs more than a flag.
    pub(super) const fn is_special(&self) -> bool {
        self.is_decided() || self.wish.log.is_some()
    }

    /// True if the board decides about each stop.
    pub(super) const fn is_decided(&self) -> bool {
        self.wish.condition.is_some() || self.wish.hits.is_some()
    }
}

/// All breakpoints by module.
#[derive(Debug, Default)]
pub(super) struct Breakpoints {
    pub(super) placed: BTreeMap<ModuleId, Vec<Placed>>,
    last: u32,
}

impl Breakpoints {
    /// Replaces a module's breakpoints, and returns their places.
    pub(super) fn replace(
        &mut self,
        id: ModuleId,
        module: &Module,
        wishes: &[Breakpoint],
    ) -> Vec<BreakpointStatus> {
        let before = self.placed.remove(&id).unwrap_or_default();
        let mut placed = Vec::new();
        let mut statuses = Vec::new();
        for wish in wishes {
            let known = before.iter().find(|one| one.wish == *wish);
            let number = known.map_or_else(|| self.next_id(), |one| one.id);
            let at = module
                .stop_for(wish.line)
                .map_err(BreakpointProblem::Unstoppable);
            match at.and_then(|line| wish.check().map(|()| line)) {
                Ok(line) => {
                    statuses.push(BreakpointStatus {
                        id: number,
                        line: Some(line),
                        problem: None,
                    });
                    let is_set = known.is_some_and(|one| one.is_set);
                    placed.push(Placed {
                        id: number,
                        line,
                        wish: wish.clone(),
                        is_set,
                    });
                }
                Err(problem) => {
                    statuses.push(BreakpointStatus {
                        id: number,
                        line: None,
                        problem: Some(problem),
                    });
                }
            }
        }
        self.placed.insert(id, placed);
        statuses
    }

    /// Notes that no board has received them.
    pub(super) fn forget_board(&mut self) {
        let placed = self.placed.values_mut().flatten();
        placed.for_each(|one| one.is_set = false);
    }

    fn next_id(&mut self) -> BreakpointId {
        self.last += 1;
        BreakpointId(self.last)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (ModuleId, &Placed)> {
        self.placed
            .iter()
            .flat_map(|(module, list)| list.iter().map(|one| (*module, one)))
    }

    pub(super) fn by_id(&self, id: u32) -> Option<(ModuleId, &Placed)> {
        self.all().find(|(_, one)| one.id == BreakpointId(id))
    }
}

impl Breakpoint {
    fn check(&self) -> Result<(), BreakpointProblem> {
        let [condition, hits, log] = [&self.condition, &self.hits, &self.log].map(Option::as_deref);
        if condition.is_some_and(|text| !is_expression(text)) {
            return Err(BreakpointProblem::Condition);
        }
        if hits.is_some_and(|text| hits_expression(text).is_none()) {
            return Err(BreakpointProblem::Hits);
        }
        if log.is_some_and(|text| log_expression(text).is_none()) {
            return Err(BreakpointProblem::Log);
        }
        Ok(())
    }
}

/// Converts an expression to a function of the variables it reads, with their numbers.
pub(super) fn function_of(module: &Module, line: u32, expression: &str) -> (String, Vec<usize>) {
    let expression = module.with_constants(expression);
    let names = free_names(&expression)
        .map(|(read, _)| read)
        .unwrap_or_default();
    let variables = module
        .function_at(line)
        .map(|id| &module.function(id).variables);
    let used = names
        .iter()
        .filter_map(|name| Some((name.clone(), variables?.number(name)?)));
    let (parameters, numbers): (Vec<_>, Vec<_>) = used.unzip();
    (
        format!("lambda {}:({expression}\n)", parameters.join(",")),
        numbers,
    )
}

/// Converts `>=5` to a condition on `n`.
pub(super) fn hits_expression(hits: &str) -> Option<String> {
    let hits = hits.trim();
    let digits = hits.trim_start_matches(['<', '>', '=', '%', ' ']);
    let operator = hits[..hits.len() - digits.len()].trim();
    let number: u32 = digits.parse().ok()?;
    match operator {
        "" | "=" | "==" => Some(format!("n=={number}")),
        "%" if number > 0 => Some(format!("n%{number}==0")),
        "<" | "<=" | ">" | ">=" => Some(format!("n{operator}{number}")),
        _ => None,
    }
}

/// Converts `x is {x}` to an expression; doubled braces stand for themselves.
pub(super) fn log_expression(log: &str) -> Option<String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = log;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
        } else if brace == "{" {
            let end = rest.find('}')?;
            let expression = rest[..end].trim();
            if !is_expression(expression) {
                return None;
            }
            parts.push(quote(&core::mem::take(&mut text)));
            parts.push(format!("str({expression})"));
            rest = &rest[end + 1..];
        } else {
            text.push_str(brace);
        }
    }
    text.push_str(rest);
    parts.push(quote(&text));
    Some(parts.join("+"))
}

impl fmt::Display for BreakpointProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unstoppable(why) => return why.fmt(f),
            Self::Condition => "its condition is not an expression of Python",
            Self::Hits => "a hit count is a number such as 5, or >5, >=5, <5, <=5, %5",
            Self::Log => "an expression in the braces of its message is not valid Python",
            Self::NotYet => "the board receives it at the next stop",
            Self::Fixed => {
                "this function was sent without hooks; set a breakpoint in it and restart the program"
            }
            Self::NoLog => "this board's MicroPython is too small for log messages",
        })
    }
}

/// Writes items as a tuple, with a comma after each.
pub(super) fn tuple<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: String = items
        .into_iter()
        .map(|item| item.to_string() + ",")
        .collect();
    format!("({items})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_counts_are_read() {
        let expected = [
            ("5", Some("n==5")),
            (" >= 3", Some("n>=3")),
            ("%2", Some("n%2==0")),
            ("%0", None),
            ("x", None),
            ("=>3", None),
        ];
        for (hits, condition) in expected {
            assert_eq!(hits_expression(hits).as_deref(), condition, "{hits}");
        }
    }

    #[test]
    fn log_messages_are_expressions() {
        assert_eq!(
            log_expression("a {x} {{b}} {y + 1}!").as_deref(),
            Some("'a '+str(x)+' {b} '+str(y + 1)+'!'")
        );
        assert_eq!(log_expression("{x"), None);
        assert_eq!(log_expression("{1 +}"), None);
        assert_eq!(log_expression("}").as_deref(), Some("'}'"));
    }
}

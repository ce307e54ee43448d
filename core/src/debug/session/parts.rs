//! Follows an expression part by part: each part is shown when it has its value, and the statement as it has become.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{fmt, ops::Range};

use super::{Dialect, Frame, ModuleId, Session, Step};
use crate::{
    Instant,
    debug::{source::Module, wire::Literal},
};

/// Part of an expression that has just got its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Beginning in the file.
    pub start: Position,
    /// End in the file, exclusive.
    pub end: Position,
    /// Text in the file.
    pub expression: String,
    /// Value as `repr` writes it, truncated if it is long.
    pub value: String,
    /// Statement, or header of a compound statement, with the values of the parts that have one.
    pub statement: String,
}

/// Place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in UTF-16 code units, from 1.
    pub column: u32,
}

/// Parts of the current statement that have values.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Part whose value has arrived, before the stop there.
    latest: Option<Value>,
    /// Module and line of the statement.
    place: Option<(ModuleId, u32)>,
    /// Parts with values, none within another one, in the order of the text.
    known: Vec<Value>,
}

/// Range in the text, and the value as `repr` writes it.
type Value = (Range<usize>, String);

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", self.expression, self.value)
    }
}

impl Session {
    /// Returns true if the program has hooks for [`Step::Part`].
    #[must_use]
    pub fn has_parts(&self) -> bool {
        let features = self.features;
        self.launch.parts && features.is_none_or(|features| features.dialect == Dialect::Walrus)
    }

    /// Tells the board the frame whose parts are wanted.
    pub(super) fn follow_parts(&mut self, now: Instant, step: Step) {
        if self.has_parts() {
            let [followed, frames] = ["uf", "L"].map(|letter| self.name(letter));
            let frame = match step {
                Step::Part => format!("{frames}[0]"),
                _ => "None".to_string(),
            };
            self.type_line(now, &format!("{followed}={frame}"));
        }
    }

    /// Notes a part's value, before the stop there.
    pub(super) fn part_evaluated(&mut self, start: &Literal, end: &Literal, value: &Literal) {
        let offset = |literal: &Literal| usize::try_from(literal.int()?).ok();
        let range = offset(start)
            .zip(offset(end))
            .map(|(start, end)| start..end);
        let value = value.text().unwrap_or_default().to_string();
        self.evaluated.latest = range.map(|range| (range, value));
    }

    /// Returns the part at which the program has stopped, if it stopped at one.
    pub(super) fn part_at(&mut self, why: &str, frame: Option<&Frame>) -> Option<Part> {
        let latest = self.evaluated.latest.take();
        let (Some((range, value)), Some(frame), "u") = (latest, frame, why) else {
            self.evaluated.forget();
            return None;
        };
        let module = &self.project.file(frame.module).module;
        let statement = module.statement_at(frame.line)?;
        let is_within = statement.start <= range.start && range.end <= statement.end;
        let expression = module.text().get(range.clone())?.to_string();
        self.evaluated
            .add((frame.module, frame.line), (range.clone(), value.clone()));
        Some(Part {
            start: position(module, range.start),
            end: position(module, range.end),
            expression,
            value,
            statement: match is_within {
                true => self.evaluated.shown(module.text(), statement),
                false => module.text()[statement].to_string(),
            },
        })
    }
}

impl Parts {
    fn forget(&mut self) {
        self.place = None;
        self.known.clear();
    }

    fn add(&mut self, place: (ModuleId, u32), part: Value) {
        let is_known = |(known, _): &Value| known.start <= part.0.start && part.0.end <= known.end;
        if self.place != Some(place) || self.known.iter().any(is_known) {
            self.forget();
        }
        self.place = Some(place);
        self.known
            .retain(|(known, _)| known.end <= part.0.start || part.0.end <= known.start);
        let at = self
            .known
            .partition_point(|(known, _)| known.start < part.0.start);
        self.known.insert(at, part);
    }

    /// Returns a statement with values in place of its parts.
    fn shown(&self, text: &str, statement: Range<usize>) -> String {
        let mut shown = String::new();
        let mut at = statement.start;
        for (range, value) in &self.known {
            shown += &text[at..range.start];
            shown += &shortened(value);
            at = range.end;
        }
        shown + &text[at..statement.end]
    }
}

/// Returns the beginning of a value that would fill the statement.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_string(),
    }
}

fn position(module: &Module, offset: usize) -> Position {
    let (line, text) = module.before(offset);
    let units = text.encode_utf16().count();
    Position {
        line,
        column: u32::try_from(units).unwrap_or(u32::MAX).saturating_add(1),
    }
}

/// Limit of characters of a value within a statement.
const MOST_CHARACTERS: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn add(parts: &mut Parts, text: &str, part: &str, value: &str) -> String {
        let start = text.find(part).unwrap();
        let range = start..start + part.len();
        parts.add((ModuleId::MAIN, 1), (range, value.into()));
        parts.shown(text, 0..text.len())
    }

    #[test]
    fn a_statement_becomes_its_values_from_the_inside_out() {
        let text = "total = price * (1 + tax)";
        let mut parts = Parts::default();
        let steps = [
            ("price", "10", "total = 10 * (1 + tax)"),
            ("tax", "0.2", "total = 10 * (1 + 0.2)"),
            ("1 + tax", "1.2", "total = 10 * (1.2)"),
            ("price * (1 + tax)", "12.0", "total = 12.0"),
        ];
        for (part, value, expected) in steps {
            assert_eq!(add(&mut parts, text, part, value), expected);
        }
        assert_eq!(
            add(&mut parts, text, "price", "11"),
            "total = 11 * (1 + tax)",
            "a second round"
        );
    }

    #[test]
    fn a_long_value_is_cut_in_the_statement() {
        let mut parts = Parts::default();
        let shown = add(&mut parts, "f(x)", "x", &"é".repeat(61));
        assert_eq!(shown, format!("f({}...)", "é".repeat(60)));
    }
}

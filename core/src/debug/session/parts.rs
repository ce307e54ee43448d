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
    /// Text with the values of its own parts, from which the value came.
    pub becoming: String,
    /// Statement, or header of a compound statement, with the values of the parts that have one.
    pub statement: String,
    /// Range of the value in `statement`; none if the part is not of this statement.
    pub place: Option<Range<usize>>,
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
        let becoming = self
            .evaluated
            .add((frame.module, frame.line), (range.clone(), value.clone()))
            .shown(module.text(), range.clone());
        let (shown, place) = match is_within {
            true => self.evaluated.shown_with(module.text(), statement, &range),
            false => (module.text()[statement].to_string(), None),
        };
        Some(Part {
            start: position(module, range.start),
            end: position(module, range.end),
            expression,
            value,
            becoming,
            statement: shown,
            place,
        })
    }
}

impl Parts {
    fn forget(&mut self) {
        self.place = None;
        self.known.clear();
    }

    /// Adds a part, and returns those within it, which it replaces.
    fn add(&mut self, place: (ModuleId, u32), part: Value) -> Self {
        let is_known = |(known, _): &Value| known.start <= part.0.start && part.0.end <= known.end;
        if self.place != Some(place) || self.known.iter().any(is_known) {
            self.forget();
        }
        self.place = Some(place);
        let from = self
            .known
            .partition_point(|(known, _)| known.end <= part.0.start);
        let to = self
            .known
            .partition_point(|(known, _)| known.start < part.0.end);
        let within = self.known.splice(from..to, [part]).collect();
        Self {
            known: within,
            ..Self::default()
        }
    }

    /// Returns a range of the text with values in place of its parts.
    fn shown(&self, text: &str, whole: Range<usize>) -> String {
        self.shown_with(text, whole, &(0..0)).0
    }

    /// Like [`Self::shown`], with the place of one part's value in it.
    fn shown_with(
        &self,
        text: &str,
        whole: Range<usize>,
        part: &Range<usize>,
    ) -> (String, Option<Range<usize>>) {
        let mut shown = String::new();
        let mut place = None;
        let mut at = whole.start;
        for (range, value) in &self.known {
            shown += &text[at..range.start];
            let start = shown.len();
            shown += &shortened(value);
            if range == part {
                place = Some(start..shown.len());
            }
            at = range.end;
        }
        (shown + &text[at..whole.end], place)
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

    /// Adds a part, and returns what it was with its parts' values, and the statement with its value in brackets.
    fn add(parts: &mut Parts, text: &str, part: &str, value: &str) -> (String, String) {
        let start = text.find(part).unwrap();
        let range = start..start + part.len();
        let within = parts.add((ModuleId::MAIN, 1), (range.clone(), value.into()));
        let (mut shown, place) = parts.shown_with(text, 0..text.len(), &range);
        let place = place.unwrap();
        shown.insert(place.end, ']');
        shown.insert(place.start, '[');
        (within.shown(text, range), shown)
    }

    #[test]
    fn a_statement_becomes_its_values_from_the_inside_out() {
        let text = "total = price * (1 + tax)";
        let mut parts = Parts::default();
        let steps = [
            ("price", "10", "price", "total = [10] * (1 + tax)"),
            ("tax", "0.2", "tax", "total = 10 * (1 + [0.2])"),
            ("1 + tax", "1.2", "1 + 0.2", "total = 10 * ([1.2])"),
            ("price * (1 + tax)", "12.0", "10 * (1.2)", "total = [12.0]"),
        ];
        for (part, value, becoming, expected) in steps {
            let (was, shown) = add(&mut parts, text, part, value);
            assert_eq!((was.as_str(), shown.as_str()), (becoming, expected));
        }
        assert_eq!(
            add(&mut parts, text, "price", "11").1,
            "total = [11] * (1 + tax)",
            "a second round"
        );
    }

    #[test]
    fn a_long_value_is_cut_in_the_statement() {
        let mut parts = Parts::default();
        let (_, shown) = add(&mut parts, "f(x)", "x", &"é".repeat(61));
        assert_eq!(shown, format!("f([{}...])", "é".repeat(60)));
    }
}

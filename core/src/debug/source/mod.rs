//! Analyzes a module before it runs: its functions, its possible stops, and its calls.

mod analysis;
mod breakpoints;
mod certain;
mod constant;
mod error;
mod exceptions;
mod function;
mod lines;
mod mentions;
mod reach;
mod scope;
#[cfg(test)]
mod tests;

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    vec::Vec,
};
use core::ops::Range;

use ruff_python_ast::ModModule;
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use constant::Constant;

pub use breakpoints::Unstoppable;
pub use error::SyntaxError;
pub(super) use exceptions::is_caught;
pub use function::{Function, Kind, Refusal};
pub(super) use lines::LineTable;
pub(crate) use mentions::is_expression;
pub(super) use mentions::{deleted_names, free_names};
pub use reach::Reach;
pub(super) use reach::hooked;

/// A function by its number within its module. The module's own body is [`BODY`](FunctionId::BODY).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionId(pub(super) usize);

impl FunctionId {
    /// The statements of the module itself, and of its classes.
    pub const BODY: Self = Self(0);

    /// Returns the number.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0
    }
}

/// A line at which a program can stop: the first statement that begins on it.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    pub(super) function: FunctionId,
    /// Offset of the statement in the text.
    pub(super) offset: usize,
    /// The last line of the statement, or of a compound statement's header.
    pub(super) last_line: u32,
}

/// The body of a `try`, and the exceptions that its handlers catch.
#[derive(Debug, Clone)]
pub(super) struct Try {
    pub(super) function: FunctionId,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    /// Expression of each `except`; `None` if it catches everything.
    pub(super) catches: Vec<Option<String>>,
}

/// A parsed module.
#[derive(Debug)]
pub struct Module {
    pub(super) text: String,
    pub(super) parsed: Parsed<ModModule>,
    pub(super) lines: LineTable,
    pub(super) functions: Vec<Function>,
    pub(super) stops: BTreeMap<u32, Stop>,
    pub(super) tries: Vec<Try>,
    /// The bases of each class, by its name.
    pub(super) classes: Vec<(String, BTreeSet<String>)>,
    /// The names that the compiler replaces by values.
    constants: Vec<Constant>,
    /// All names in the text.
    pub(super) names: BTreeSet<String>,
    /// Imported modules, as the text names them.
    pub(super) imports: BTreeSet<String>,
}

impl Module {
    /// Parses the text of a module. Every kind of line end becomes `\n`, which changes no line's number.
    ///
    /// # Errors
    /// [`SyntaxError`] with the line, if the text is not valid Python.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let parsed = ruff_python_parser::parse_module(&text)
            .map_err(|error| SyntaxError::new(&text, &error))?;
        Ok(analysis::analyze(text, parsed))
    }

    /// Returns the text, with `\n` as its line ends.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of lines.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        self.lines.count()
    }

    /// Returns the functions by number; the first one is the module's own body.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Returns the numbers of its functions, the module's own body first.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len()).map(FunctionId)
    }

    /// Returns the function with this number.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0]
    }

    /// Returns the function that can stop at this line.
    #[must_use]
    pub fn function_at(&self, line: u32) -> Option<FunctionId> {
        self.stops.get(&line).map(|stop| stop.function)
    }

    /// Returns the lines at which the program can stop, in order.
    pub fn stoppable_lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.stops.keys().copied()
    }

    /// Returns the lines at which a function can stop.
    pub fn lines_of(&self, id: FunctionId) -> impl Iterator<Item = u32> + '_ {
        let of_it = move |(line, stop): (&u32, &Stop)| (stop.function == id).then_some(*line);
        self.stops.iter().filter_map(of_it)
    }

    /// Returns the lines of functions as ranges, excluding their ends, without those of nested functions.
    pub(super) fn ranges_of(&self, functions: &BTreeSet<FunctionId>) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut goes_on = false;
        for (&line, stop) in &self.stops {
            let is_wanted = functions.contains(&stop.function);
            match ranges.last_mut() {
                Some(last) if is_wanted && goes_on => last.1 = line + 1,
                _ if is_wanted => ranges.push((line, line + 1)),
                _ => {}
            }
            goes_on = is_wanted;
        }
        ranges
    }

    /// Returns the modules that it imports, as `import` names them: `a.b` for `from a.b import c`, and also `a.b.c`,
    /// which may be a module.
    #[must_use]
    pub const fn imports(&self) -> &BTreeSet<String> {
        &self.imports
    }

    /// Returns the line of its first statement, if it has any.
    pub(super) fn first_line(&self) -> Option<u32> {
        let first = self.parsed.suite().first()?;
        Some(self.lines.line(first.start()))
    }

    /// Returns the range of the statement that begins at a line, or of the header of a compound one.
    pub(super) fn statement_at(&self, line: u32) -> Option<Range<usize>> {
        let stop = self.stops.get(&line)?;
        let end = self.lines.start(stop.last_line + 1);
        let text = self.text[stop.offset..end].trim_end();
        Some(stop.offset..stop.offset + text.len())
    }

    /// Returns the line of an offset, and the text of the line before it.
    pub(super) fn before(&self, offset: usize) -> (u32, &str) {
        let start = self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let lines = self.text[..start].matches('\n').count();
        let line = u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1);
        (line, &self.text[start..offset])
    }

    /// Returns the functions that the statement at a line calls, by the text before their parentheses, in the order of the
    /// text; of a compound statement those of its header.
    pub(super) fn calls_at(&self, line: u32) -> Vec<String> {
        let Some(stop) = self.stops.get(&line) else {
            return Vec::new();
        };
        let end = self.lines.start(stop.last_line + 1);
        mentions::calls(&self.parsed, &self.text, stop.offset..end)
    }

    /// Returns a condition as the function at a line can evaluate it itself, if it means there what it means elsewhere: it is of
    /// one line, binds nothing, and mentions no variable of a function around this one that this one does not mention.
    pub(super) fn own_condition(&self, line: u32, condition: &str) -> Option<String> {
        let condition = condition.trim();
        let function = self.function(self.function_at(line)?);
        let (read, bound) = free_names(condition)?;
        let is_plain = !condition.contains(['\n', '\r', '#', '\\']) && bound.is_empty();
        let is_own = |name: &String| function.variables.number(name).is_some();
        let is_outermost = function.parent.is_none_or(|id| id == FunctionId::BODY);
        let is_same = is_outermost || read.iter().all(is_own);
        (is_plain && is_same && is_expression(condition)).then(|| condition.into())
    }

    /// Name of the function around a line, as in tracebacks.
    pub(super) fn name_around(&self, line: u32) -> &str {
        let around = self.functions.iter().skip(1).rev();
        let mut around = around.filter(|one| (one.line..=one.last_line).contains(&line));
        around.next().map_or("<module>", |one| one.name.as_str())
    }

    /// Exceptions caught by the handlers around a line of a function, from the inside out.
    pub(super) fn catches(&self, function: FunctionId, line: u32) -> impl Iterator<Item = &Try> {
        let around = move |one: &&Try| {
            one.function == function && (one.first_line..=one.last_line).contains(&line)
        };
        self.tries.iter().filter(around)
    }
}

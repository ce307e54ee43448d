//! Explains failed asserts by their operands, in pytest's words.
//!
//! Before a file goes to a board, its asserts are rewritten, on the same lines: each operand is handed to the runner,
//! which keeps it until the assert has passed. A failing assert raises with the numbers and `repr`s of the kept
//! operands; the explanation is assembled here, so that the board needs no memory for it.

use std::{collections::BTreeMap, fmt::Write as _};

/// Test file whose asserts report what they compared.
#[derive(Debug, Clone, Default)]
pub struct Asserts {
    /// Source that goes to the board.
    pub(super) source: String,
    pub(super) sites: Vec<Node>,
}

/// Expression within an assert, as displayed.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// Source text: a literal, or a value that cannot be kept.
    Source(String),
    /// The value with this number, or its source text if it was not reached.
    Value(usize, String),
    /// The value of a global name, which is displayed by its name if it is a function, class or module.
    Global(usize, String),
    Call {
        id: usize,
        function: Box<Self>,
        arguments: Vec<(String, Self)>,
    },
    Attribute {
        id: usize,
        value: Box<Self>,
        name: String,
    },
    Unary(&'static str, Box<Self>),
    Binary(Box<Self>, &'static str, Box<Self>),
    Bool(&'static str, Vec<Self>),
    Compare(Box<Self>, Vec<(&'static str, Self)>),
}

type Values = BTreeMap<usize, String>;

impl Asserts {
    /// Replaces the runner's output, which begins with `mark`, by the compared operands.
    pub(super) fn explain(&self, text: &str, mark: &str) -> String {
        let mark = format!("{mark}v");
        let mut explained = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&mark) {
            // A blank keeps the line from being mistaken for another exception's.
            explained += before
                .strip_suffix(' ')
                .filter(|it| it.ends_with('\n'))
                .unwrap_or(before);
            let end = after.find(['\n', '\r']).unwrap_or(after.len());
            explained += &self.explanation(&after[..end]).unwrap_or_default();
            rest = &after[end..];
        }
        explained + rest
    }

    /// Explains output like `3\t0\t6\t1\t7`: the number of the assert, and those of its values, each with its `repr`.
    fn explanation(&self, said: &str) -> Option<String> {
        let mut words = said.split('\t');
        let site = self.sites.get(words.next()?.parse::<usize>().ok()?)?;
        let mut values = Values::new();
        while let (Some(id), Some(repr)) = (words.next(), words.next()) {
            values.insert(id.parse().ok()?, repr.to_owned());
        }
        Some(format!("assert {}", lines(&site.shown(&values))))
    }
}

impl Node {
    /// Formats the explanation as pytest does before it sorts its lines (`AssertionRewriter` of
    /// pytest 9.2, `assertion/rewrite.py`): `{` and `}` enclose the explanation of a value.
    fn shown(&self, values: &Values) -> String {
        match self {
            Self::Source(source) => source.clone(),
            Self::Value(id, source) => values.get(id).unwrap_or(source).clone(),
            Self::Global(id, source) => match values.get(id) {
                Some(repr) if !is_named(repr) => repr.clone(),
                _ => source.clone(),
            },
            Self::Call {
                id,
                function,
                arguments,
            } => {
                let arguments = arguments
                    .iter()
                    .map(|(before, argument)| format!("{before}{}", argument.shown(values)));
                let arguments = arguments.collect::<Vec<_>>().join(", ");
                let call = format!("{}({arguments})", function.shown(values));
                explained(values.get(id), &call)
            }
            Self::Attribute { id, value, name } => {
                let from = format!("{}.{name}", value.shown(values));
                match values.get(id) {
                    // pytest shows methods by their names.
                    Some(repr) if repr.starts_with("<bound") => explained(Some(name), &from),
                    repr => explained(repr, &from),
                }
            }
            Self::Unary(operator, operand) => format!("{operator}{}", operand.shown(values)),
            Self::Binary(left, operator, right) => {
                format!(
                    "({} {operator} {})",
                    left.shown(values),
                    right.shown(values)
                )
            }
            Self::Bool(operator, operands) => {
                // Up to the operand that decided.
                let reached = operands.iter().enumerate();
                let reached = reached
                    .take_while(|(at, operand)| *at == 0 || operand.is_reached(values))
                    .map(|(_, operand)| operand.shown(values));
                let reached = reached.collect::<Vec<_>>().join(&format!(" {operator} "));
                format!("({reached})")
            }
            Self::Compare(left, rest) => {
                // The last operand that was reached is the one that failed.
                let reached = rest.iter().skip(1);
                let reached = reached.take_while(|(_, right)| right.is_reached(values));
                let at = reached.count().min(rest.len().saturating_sub(1));
                let left = match at {
                    0 => left,
                    at => &rest[at - 1].1,
                };
                let (operator, right) = &rest[at];
                format!(
                    "{} {operator} {}",
                    left.within(values),
                    right.within(values)
                )
            }
        }
    }

    /// Formats an operand of a comparison.
    fn within(&self, values: &Values) -> String {
        match self {
            Self::Bool(..) | Self::Compare(..) => format!("({})", self.shown(values)),
            _ => self.shown(values),
        }
    }

    /// Returns true if evaluation got this far: a value of the expression was kept, or it has none to keep.
    fn is_reached(&self, values: &Values) -> bool {
        match self {
            Self::Source(_) => true,
            Self::Value(id, _) | Self::Global(id, _) => values.contains_key(id),
            Self::Call { id, .. } | Self::Attribute { id, .. } => values.contains_key(id),
            Self::Unary(_, operand) => operand.is_reached(values),
            Self::Binary(left, _, right) => left.is_reached(values) && right.is_reached(values),
            Self::Bool(_, operands) => operands.first().is_some_and(|it| it.is_reached(values)),
            Self::Compare(left, _) => left.is_reached(values),
        }
    }
}

/// Formats a value and its origin; only the latter if it was not reached.
fn explained(value: Option<&String>, from: &str) -> String {
    match value {
        Some(value) => format!("{value}\n{{{value} = {from}\n}}"),
        None => from.to_owned(),
    }
}

/// Returns true for the `repr` of a function, class or module.
fn is_named(repr: &str) -> bool {
    let kinds = [
        "<function ",
        "<class ",
        "<module ",
        "<closure ",
        "<generator ",
    ];
    kinds.iter().any(|kind| repr.starts_with(kind))
}

/// Arranges the lines as `_format_lines` of pytest's `assertion/util.py` does.
fn lines(text: &str) -> String {
    let mut result: Vec<String> = Vec::new();
    // For each open value, its line and the number of its explanations.
    let mut open = vec![(0, 0)];
    for line in text.split('\n') {
        if let Some(inner) = line.strip_prefix('{').filter(|_| !result.is_empty()) {
            let depth = open.len();
            let Some((_, explaining)) = open.last_mut() else {
                continue;
            };
            let word = if *explaining > 0 { "and   " } else { "where " };
            *explaining += 1;
            open.push((result.len(), 0));
            result.push(format!(" +{}{word}{inner}", "  ".repeat(depth)));
        } else if let Some(after) = line.strip_prefix('}').filter(|_| open.len() > 1) {
            open.pop();
            let (at, _) = open.last().copied().unwrap_or_default();
            if let Some(line) = result.get_mut(at) {
                let _ = write!(line, "{after}");
            }
        } else {
            result.push(line.to_owned());
        }
    }
    result.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_explained_as_pytest_explains_them() {
        let call = Node::Call {
            id: 1,
            function: Node::Source("f".into()).into(),
            arguments: vec![(String::new(), Node::Value(0, "x".into()))],
        };
        let attribute = Node::Attribute {
            id: 3,
            value: Node::Value(2, "o".into()).into(),
            name: "size".into(),
        };
        let asserts = Asserts {
            source: String::new(),
            sites: vec![Node::Compare(call.into(), vec![("==", attribute)])],
        };
        let said = "AssertionError: differ\n MARKv0\t0\t3\t1\t6\t2\t<o>\t3\t7\nend";
        let expected = "AssertionError: differ\nassert 6 == 7\n +  where 6 = f(3)\n +  and   7 = <o>.size\nend";
        assert_eq!(asserts.explain(said, "MARK"), expected);
        assert_eq!(asserts.explain("xMARKv9\t", "MARK"), "x");
    }
}

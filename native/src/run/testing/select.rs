//! Selects tests by their names or marks, in the language of pytest's `-k` and `-m`.

use std::{fmt, iter::Peekable, vec};

/// Expression that selects tests by their names: `pins and not (slow or "write")`, as in pytest's `-k`.
///
/// A word matches if it is part of the test's file, class or name, regardless of case; or, in the expression of `-m`, if it
/// is the name of a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The name contains this text, in lower case.
    Has(String),
    /// The expression does not match.
    Not(Box<Self>),
    /// Both expressions match.
    And(Box<Self>, Box<Self>),
    /// At least one of the two matches.
    Or(Box<Self>, Box<Self>),
}

/// Fault in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionError(String);

impl Selection {
    /// Parses an expression.
    ///
    /// # Errors
    /// The expression is invalid, as the error explains.
    pub fn parse(text: &str) -> Result<Self, SelectionError> {
        let mut words = words(text)?.into_iter().peekable();
        let selection = Self::either(&mut words, 0)?;
        match words.next() {
            None => Ok(selection),
            Some(word) => Err(SelectionError(format!("`{word}` was not expected there"))),
        }
    }

    /// Returns true if a test of this name is selected. The name consists of the file, the class and the function.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        self.takes_small(&name.to_lowercase())
    }

    /// Returns true if a test with these marks is selected, as by pytest's `-m`.
    #[must_use]
    pub fn takes_marks(&self, marks: &[String]) -> bool {
        self.holds(&|name| marks.iter().any(|mark| mark.eq_ignore_ascii_case(name)))
    }

    fn takes_small(&self, name: &str) -> bool {
        self.holds(&|part| name.contains(part))
    }

    fn holds(&self, has: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Has(part) => has(part),
            Self::Not(one) => !one.holds(has),
            Self::And(one, other) => one.holds(has) && other.holds(has),
            Self::Or(one, other) => one.holds(has) || other.holds(has),
        }
    }

    fn either(words: &mut Words, depth: usize) -> Result<Self, SelectionError> {
        let mut all = Self::both(words, depth)?;
        while words.next_if(|word| word == "or").is_some() {
            all = Self::Or(all.into(), Self::both(words, depth)?.into());
        }
        Ok(all)
    }

    fn both(words: &mut Words, depth: usize) -> Result<Self, SelectionError> {
        let mut all = Self::one(words, depth)?;
        while words.next_if(|word| word == "and").is_some() {
            all = Self::And(all.into(), Self::one(words, depth)?.into());
        }
        Ok(all)
    }

    fn one(words: &mut Words, depth: usize) -> Result<Self, SelectionError> {
        if depth > DEEPEST {
            return Err(SelectionError("it is nested too deeply".into()));
        }
        let word = words.next().unwrap_or_default();
        match word.as_str() {
            "not" => Ok(Self::Not(Self::one(words, depth + 1)?.into())),
            "(" => {
                let within = Self::either(words, depth + 1)?;
                match words.next().as_deref() {
                    Some(")") => Ok(within),
                    _ => Err(SelectionError("a `)` is missing".into())),
                }
            }
            "" | ")" | "and" | "or" => Err(SelectionError("a name is missing".into())),
            name => Ok(Self::Has(name.trim_matches(['"', '\'']).to_lowercase())),
        }
    }
}

type Words = Peekable<vec::IntoIter<String>>;

fn words(text: &str) -> Result<Vec<String>, SelectionError> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' => 1,
            '"' | '\'' => match rest[1..].find(first) {
                Some(length) => length + 2,
                None => return Err(SelectionError(format!("a {first} is not closed"))),
            },
            _ => rest
                .find(|c: char| c.is_whitespace() || "()".contains(c))
                .unwrap_or(rest.len()),
        };
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; write names with `and`, `or`, `not` and parentheses, such as 'pins and not slow'",
            self.0
        )
    }
}

impl std::error::Error for SelectionError {}

/// Limit of nested parentheses and `not`.
const DEEPEST: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(expression: &str, name: &str) -> bool {
        Selection::parse(expression).unwrap().takes(name)
    }

    #[test]
    fn names_are_chosen_as_pytest_chooses_them() {
        assert!(takes("PINS", "test_a.py::test_pins"));
        assert!(takes("pins or leds and slow", "test_pins"));
        assert!(!takes("(pins or leds) and slow", "test_pins"));
        assert!(takes("not (leds or slow)", "test_pins"));
        assert!(!takes("not not leds", "test_pins"));
        assert!(takes("'and'", "test_and"));
    }

    #[test]
    fn marks_are_chosen_by_their_whole_names() {
        let marks = ["slow".to_owned(), "wifi".to_owned()];
        let takes = |expression: &str| Selection::parse(expression).unwrap().takes_marks(&marks);
        assert!(takes("slow") && takes("slow and wifi") && takes("not sd"));
        assert!(!takes("slo") && !takes("not slow"));
    }

    #[test]
    fn what_is_no_expression_says_so() {
        let deep = "not ".repeat(10_000) + "a";
        for wrong in ["", "a b", "(a", "a)", "a and", "not", "'a", &deep] {
            assert!(Selection::parse(wrong).is_err(), "{wrong}");
        }
    }
}

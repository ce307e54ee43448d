//! Documents the language's own names for people who write programs.

/// A name of the language, and how it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// Form with the name, with named operands.
    pub usage: &'static str,
    /// Meaning, in a sentence.
    pub meaning: &'static str,
}

/// Every name of the language, special forms first.
pub const MANUAL: &[Entry] = &[
    entry(
        "define",
        "(define NAME VALUE)",
        "Binds a name where it stands; inside a function, for this call. The value is the result.",
    ),
    entry(
        "lambda",
        "(lambda (NAME …) BODY)",
        "A function of these parameters, which sees the names around it.",
    ),
    entry(
        "if",
        "(if TEST THEN ELSE)",
        "THEN or ELSE; only false and nil count as untrue.",
    ),
    entry(
        "quote",
        "(quote DATA)",
        "DATA as it is written, not evaluated.",
    ),
    entry(
        "let",
        "(let ((NAME VALUE) …) FORM …)",
        "Binds names for the forms, and gives the last one's value.",
    ),
    entry(
        "cond",
        "(cond (TEST FORM …) … (else FORM …))",
        "The forms of the first clause whose test is true; nil if none is.",
    ),
    entry(
        "begin",
        "(begin FORM …)",
        "The forms one after the other; the value is the last one's.",
    ),
    entry("+", "(+ NUMBER …)", "The sum; 0 of nothing."),
    entry(
        "-",
        "(- NUMBER …)",
        "The first less all the others; of one number, its negative.",
    ),
    entry("*", "(* NUMBER …)", "The product; 1 of nothing."),
    entry(
        "/",
        "(/ NUMBER …)",
        "The first divided by each of the others, without a remainder.",
    ),
    entry("=", "(= A B)", "Whether two numbers are equal."),
    entry("<", "(< A B)", "Whether A is less than B."),
    entry(">", "(> A B)", "Whether A is greater than B."),
    entry("<=", "(<= A B)", "Whether A is no greater than B."),
    entry(">=", "(>= A B)", "Whether A is no less than B."),
    entry("list", "(list VALUE …)", "A list of the values."),
    entry("car", "(car LIST)", "The first element."),
    entry("cdr", "(cdr LIST)", "The list without its first element."),
    entry(
        "cons",
        "(cons VALUE LIST)",
        "The list with VALUE in front of it.",
    ),
    entry("number?", "(number? VALUE)", "Whether it is a number."),
    entry("symbol?", "(symbol? VALUE)", "Whether it is a symbol."),
    entry("list?", "(list? VALUE)", "Whether it is a list."),
    entry("null?", "(null? VALUE)", "Whether it is an empty list."),
    entry(
        "println",
        "(println VALUE …)",
        "Prints the values on a line, strings without quotes.",
    ),
    entry(
        "read-line",
        "(read-line)",
        "The next line that is typed, as a string; nil at the end of the input.",
    ),
    entry("not", "(not VALUE)", "True if VALUE is false or nil."),
    entry(
        "remainder",
        "(remainder A B)",
        "The remainder of A divided by B; it has the sign of A.",
    ),
    entry("string?", "(string? VALUE)", "Whether it is a string."),
    entry(
        "string-length",
        "(string-length STRING)",
        "The number of characters.",
    ),
    entry(
        "string-append",
        "(string-append STRING …)",
        "The strings, one after the other, as one.",
    ),
    entry(
        "string=?",
        "(string=? A B)",
        "Whether two strings are equal.",
    ),
    entry(
        "string<?",
        "(string<? A B)",
        "Whether A comes before B in the order of characters.",
    ),
    entry(
        "string->number",
        "(string->number STRING)",
        "The number that is written in the string; nil if it is not a number.",
    ),
    entry(
        "number->string",
        "(number->string NUMBER)",
        "The number as a string.",
    ),
];

const fn entry(name: &'static str, usage: &'static str, meaning: &'static str) -> Entry {
    Entry {
        name,
        usage,
        meaning,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::MANUAL;
    use crate::{
        machine::symbol::{Symbol, Symbols},
        primitive::Primitive,
    };

    #[test]
    fn the_manual_has_every_name_of_the_language_once_and_no_other() {
        let mut symbols = Symbols::new();
        let primitives = Primitive::all(&mut symbols).map(|(_, primitive)| primitive.name());
        let names: Vec<_> = Symbol::SPECIAL.into_iter().chain(primitives).collect();
        let described: Vec<_> = MANUAL.iter().map(|entry| entry.name).collect();
        assert_eq!(described, names);
        for entry in MANUAL {
            assert!(entry.usage.starts_with('('), "{entry:?}");
            assert_eq!(entry.usage[1..].split([' ', ')']).next(), Some(entry.name));
        }
    }
}

//! Typed commands, which are those of Python's pdb.

use super::help::usage;

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Where,
    Up(usize),
    Down(usize),
    Breakpoints(Breakpoints),
    Step,
    Next,
    Return,
    Part,
    Continue,
    Until(Option<u32>),
    List(Range),
    LongList,
    Source(String),
    Arguments,
    Locals,
    Globals,
    Print(String),
    PrettyPrint(String),
    WhatIs(String),
    Display(Option<String>),
    Undisplay(Option<String>),
    Type(String),
    Interact,
    Restart,
    Python(String),
    Quit,
    Nothing,
    Wrong(&'static str),
}

/// Lines to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Range {
    /// Lines around the current one.
    Here,
    /// Lines around another one.
    Around(u32),
    /// Lines from one to another.
    Lines(u32, u32),
}

/// Action on the breakpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Breakpoints {
    List,
    Break {
        place: Place,
        condition: Option<String>,
        temporary: bool,
    },
    Log {
        place: Place,
        text: String,
    },
    Clear(Option<u32>),
    Condition(u32, Option<String>),
    Hits(u32, String),
    Ignore(u32, u32),
    Enable(u32, bool),
    Commands(Option<u32>),
}

/// Place of a breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Line(u32),
    FileLine(String, u32),
    Function(String),
}

impl Command {
    /// Parses a line.
    pub(super) fn parse(line: &str) -> Self {
        let line = line.trim();
        if let Some(python) = line.strip_prefix('!') {
            return Self::Python(python.trim().to_owned());
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        // `n = 5` is Python, although `n` alone is a command.
        if rest.starts_with('=') || line.is_empty() {
            return if line.is_empty() {
                Self::Nothing
            } else {
                Self::Python(line.to_owned())
            };
        }
        if let Some(command) = Self::known(word, rest) {
            return command;
        }
        // `s.append(1)` and `c + 1` are Python.
        let is_word = rest.chars().next().is_some_and(|one| one.is_alphanumeric());
        match usage(word).filter(|_| rest.is_empty() || is_word) {
            Some(usage) => Self::Wrong(usage),
            None => Self::Python(line.to_owned()),
        }
    }

    fn known(word: &str, rest: &str) -> Option<Self> {
        let count = || {
            if rest.is_empty() {
                Some(1)
            } else {
                rest.parse().ok()
            }
        };
        let command = match word {
            // `h EXPR` is Python, and `h n` asks for help.
            "h" | "help" | "?" if rest.chars().all(char::is_alphanumeric) => Self::Help,
            "w" | "where" | "bt" if rest.is_empty() => Self::Where,
            "u" | "up" => Self::Up(count()?),
            "d" | "down" => Self::Down(count()?),
            "b" | "break" if rest.is_empty() => Self::Breakpoints(Breakpoints::List),
            "b" | "break" => Self::breakpoint(rest, false)?,
            "tbreak" => Self::breakpoint(rest, true)?,
            "log" => Self::log(rest)?,
            "cl" | "clear" => Self::Breakpoints(Breakpoints::Clear(optional(rest)?)),
            "condition" => Self::Breakpoints(Breakpoints::condition(rest)?),
            "hits" => Self::Breakpoints(Breakpoints::hits(rest)?),
            "ignore" => Self::Breakpoints(Breakpoints::ignore(rest)?),
            "enable" => Self::Breakpoints(Breakpoints::Enable(rest.parse().ok()?, true)),
            "disable" => Self::Breakpoints(Breakpoints::Enable(rest.parse().ok()?, false)),
            "commands" => Self::Breakpoints(Breakpoints::Commands(optional(rest)?)),
            "s" | "step" if rest.is_empty() => Self::Step,
            "n" | "next" if rest.is_empty() => Self::Next,
            "r" | "return" if rest.is_empty() => Self::Return,
            "parts" if rest.is_empty() => Self::Part,
            "c" | "cont" | "continue" if rest.is_empty() => Self::Continue,
            "unt" | "until" => Self::Until(optional(rest)?),
            "l" | "list" => Self::List(Range::parse(rest)?),
            "ll" | "longlist" if rest.is_empty() => Self::LongList,
            "source" if is_name(rest) => Self::Source(rest.to_owned()),
            "a" | "args" if rest.is_empty() => Self::Arguments,
            "locals" if rest.is_empty() => Self::Locals,
            "globals" if rest.is_empty() => Self::Globals,
            "p" | "print" if !rest.is_empty() => Self::Print(rest.to_owned()),
            "pp" if !rest.is_empty() => Self::PrettyPrint(rest.to_owned()),
            "whatis" if !rest.is_empty() => Self::WhatIs(rest.to_owned()),
            "display" => Self::Display((!rest.is_empty()).then(|| rest.to_owned())),
            "undisplay" => Self::Undisplay((!rest.is_empty()).then(|| rest.to_owned())),
            "type" if !rest.is_empty() && !rest.starts_with('(') => Self::Type(rest.to_owned()),
            "interact" if rest.is_empty() => Self::Interact,
            "restart" | "run" if rest.is_empty() => Self::Restart,
            "q" | "quit" | "exit" if rest.is_empty() => Self::Quit,
            _ => return None,
        };
        Some(command)
    }

    fn breakpoint(rest: &str, temporary: bool) -> Option<Self> {
        let (place, condition) = match rest.split_once(',') {
            Some((place, condition)) => (place.trim(), Some(condition.trim().to_owned())),
            None => (rest, None),
        };
        Some(Self::Breakpoints(Breakpoints::Break {
            place: Place::parse(place)?,
            condition,
            temporary,
        }))
    }

    fn log(rest: &str) -> Option<Self> {
        let (place, text) = rest.split_once(char::is_whitespace)?;
        Some(Self::Breakpoints(Breakpoints::Log {
            place: Place::parse(place)?,
            text: text.trim().to_owned(),
        }))
    }
}

impl Breakpoints {
    fn condition(rest: &str) -> Option<Self> {
        let (number, condition) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let condition = Some(condition.trim().to_owned()).filter(|text| !text.is_empty());
        Some(Self::Condition(number.parse().ok()?, condition))
    }

    /// Parses `ignore 2 5`: the next five hits do not count; without a number, all hits count again.
    fn ignore(rest: &str) -> Option<Self> {
        let (number, count) = rest.split_once(char::is_whitespace).unwrap_or((rest, "0"));
        Some(Self::Ignore(
            number.parse().ok()?,
            count.trim().parse().ok()?,
        ))
    }

    fn hits(rest: &str) -> Option<Self> {
        let (number, hits) = rest.split_once(char::is_whitespace)?;
        Some(Self::Hits(number.parse().ok()?, hits.trim().to_owned()))
    }
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(line) = text.parse() {
            return Some(Self::Line(line));
        }
        if let Some((file, line)) = text.rsplit_once(':') {
            return Some(Self::FileLine(file.to_owned(), line.trim().parse().ok()?));
        }
        is_name(text).then(|| Self::Function(text.to_owned()))
    }
}

/// Returns true for the name of a function, possibly qualified by the names around it.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|one| one.is_alphanumeric() || "._".contains(one))
}

impl Range {
    /// Parses `.`, `12` or `10, 20`; a second number that is smaller than the first is a count.
    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text == "." {
            return Some(Self::Here);
        }
        let Some((first, last)) = text.split_once(',') else {
            return text.parse().ok().map(Self::Around);
        };
        let first: u32 = first.trim().parse().ok()?;
        let last: u32 = last.trim().parse().ok()?;
        Some(match last < first {
            true => Self::Lines(first, first.saturating_add(last)),
            false => Self::Lines(first, last),
        })
    }
}

fn optional(rest: &str) -> Option<Option<u32>> {
    if rest.is_empty() {
        Some(None)
    } else {
        rest.parse().ok().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_pdb() {
        let line = |line| Place::Line(line);
        let cases = [
            ("", Command::Nothing),
            ("s", Command::Step),
            ("n", Command::Next),
            ("n = 5", Command::Python("n = 5".into())),
            ("next_one", Command::Python("next_one".into())),
            ("b", Command::Breakpoints(Breakpoints::List)),
            (
                "b 12",
                Command::Breakpoints(Breakpoints::Break {
                    place: line(12),
                    condition: None,
                    temporary: false,
                }),
            ),
            (
                "tbreak 3, x > 1",
                Command::Breakpoints(Breakpoints::Break {
                    place: line(3),
                    condition: Some("x > 1".into()),
                    temporary: true,
                }),
            ),
            (
                "b lib/a.py:7",
                Command::Breakpoints(Breakpoints::Break {
                    place: Place::FileLine("lib/a.py".into(), 7),
                    condition: None,
                    temporary: false,
                }),
            ),
            (
                "b C.m",
                Command::Breakpoints(Breakpoints::Break {
                    place: Place::Function("C.m".into()),
                    condition: None,
                    temporary: false,
                }),
            ),
            (
                "log 4 x is {x}",
                Command::Breakpoints(Breakpoints::Log {
                    place: line(4),
                    text: "x is {x}".into(),
                }),
            ),
            (
                "condition 2 x > 3",
                Command::Breakpoints(Breakpoints::Condition(2, Some("x > 3".into()))),
            ),
            (
                "condition 2",
                Command::Breakpoints(Breakpoints::Condition(2, None)),
            ),
            (
                "hits 1 >=3",
                Command::Breakpoints(Breakpoints::Hits(1, ">=3".into())),
            ),
            ("u 2", Command::Up(2)),
            ("l 3, 9", Command::List(Range::Lines(3, 9))),
            ("l 30, 5", Command::List(Range::Lines(30, 35))),
            ("l .", Command::List(Range::Here)),
            ("until 9", Command::Until(Some(9))),
            (
                "ignore 1 4",
                Command::Breakpoints(Breakpoints::Ignore(1, 4)),
            ),
            ("s.append(1)", Command::Python("s.append(1)".into())),
            ("parts", Command::Part),
            ("parts[0]", Command::Python("parts[0]".into())),
            ("c + 1", Command::Python("c + 1".into())),
            ("u(2)", Command::Python("u(2)".into())),
            ("w + 1", Command::Python("w + 1".into())),
            ("bt * 2", Command::Python("bt * 2".into())),
            ("ll[0]", Command::Python("ll[0]".into())),
            ("ll - 1", Command::Python("ll - 1".into())),
            ("h - 1", Command::Python("h - 1".into())),
            ("h n", Command::Help),
            ("b - 1", Command::Python("b - 1".into())),
            ("b [0]", Command::Python("b [0]".into())),
            ("log - 1", Command::Python("log - 1".into())),
            ("source + 1", Command::Python("source + 1".into())),
            ("undisplay", Command::Undisplay(None)),
            ("undisplay x + 1", Command::Undisplay(Some("x + 1".into()))),
            ("p x", Command::Print("x".into())),
            ("!c = 1", Command::Python("c = 1".into())),
            ("q", Command::Quit),
        ];
        for (typed, expected) in cases {
            assert_eq!(Command::parse(typed), expected, "{typed}");
        }
        for wrong in [
            "b 1 2",
            "c 5",
            "w 5",
            "ll 3",
            "log 4",
            "tbreak",
            "jump 3",
            "restart 1",
            "retval",
            "enable",
            "until x",
        ] {
            assert!(
                matches!(Command::parse(wrong), Command::Wrong(_)),
                "{wrong}"
            );
        }
    }
}

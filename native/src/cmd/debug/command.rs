//! The commands that are typed, those of Python's pdb.

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
    Continue,
    List(Option<u32>),
    LongList,
    Arguments,
    Locals,
    Globals,
    Print(String),
    WhatIs(String),
    Display(Option<String>),
    Undisplay,
    Type(String),
    Python(String),
    Quit,
    Nothing,
    Wrong(&'static str),
}

/// What is to become of the breakpoints.
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
}

/// Where a breakpoint is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Line(u32),
    FileLine(String, u32),
    Function(String),
}

impl Command {
    /// What a line means.
    pub(super) fn parse(line: &str) -> Self {
        let line = line.trim();
        if let Some(python) = line.strip_prefix('!') {
            return Self::Python(python.trim().to_owned());
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        // `n = 5` is Python, whatever `n` alone is.
        if rest.starts_with('=') || line.is_empty() {
            return if line.is_empty() {
                Self::Nothing
            } else {
                Self::Python(line.to_owned())
            };
        }
        Self::known(word, rest).unwrap_or_else(|| Self::Python(line.to_owned()))
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
            "h" | "help" | "?" => Self::Help,
            "w" | "where" | "bt" => Self::Where,
            "u" | "up" => Self::Up(count()?),
            "d" | "down" => Self::Down(count()?),
            "b" | "break" if rest.is_empty() => Self::Breakpoints(Breakpoints::List),
            "b" | "break" => Self::breakpoint(rest, false),
            "tbreak" => Self::breakpoint(rest, true),
            "log" => Self::log(rest),
            "cl" | "clear" => Self::Breakpoints(Breakpoints::Clear(optional(rest)?)),
            "condition" => Self::Breakpoints(Breakpoints::condition(rest)?),
            "hits" => Self::Breakpoints(Breakpoints::hits(rest)?),
            "s" | "step" if rest.is_empty() => Self::Step,
            "n" | "next" if rest.is_empty() => Self::Next,
            "r" | "return" if rest.is_empty() => Self::Return,
            "c" | "cont" | "continue" if rest.is_empty() => Self::Continue,
            "l" | "list" => Self::List(optional(rest)?),
            "ll" | "longlist" => Self::LongList,
            "a" | "args" if rest.is_empty() => Self::Arguments,
            "locals" if rest.is_empty() => Self::Locals,
            "globals" if rest.is_empty() => Self::Globals,
            "p" | "pp" | "print" if !rest.is_empty() => Self::Print(rest.to_owned()),
            "whatis" if !rest.is_empty() => Self::WhatIs(rest.to_owned()),
            "display" => Self::Display((!rest.is_empty()).then(|| rest.to_owned())),
            "undisplay" => Self::Undisplay,
            "type" if !rest.is_empty() && !rest.starts_with('(') => Self::Type(rest.to_owned()),
            "q" | "quit" | "exit" if rest.is_empty() => Self::Quit,
            _ => return None,
        };
        Some(command)
    }

    fn breakpoint(rest: &str, temporary: bool) -> Self {
        let (place, condition) = match rest.split_once(',') {
            Some((place, condition)) => (place.trim(), Some(condition.trim().to_owned())),
            None => (rest, None),
        };
        match Place::parse(place) {
            Some(place) => Self::Breakpoints(Breakpoints::Break {
                place,
                condition,
                temporary,
            }),
            None => Self::Wrong(
                "break LINE, break FILE:LINE or break FUNCTION, with `, CONDITION` behind it",
            ),
        }
    }

    fn log(rest: &str) -> Self {
        let parsed = rest.split_once(char::is_whitespace);
        match parsed.and_then(|(place, text)| Some((Place::parse(place)?, text.trim().to_owned())))
        {
            Some((place, text)) => Self::Breakpoints(Breakpoints::Log { place, text }),
            None => Self::Wrong("log LINE TEXT, with expressions in braces: log 12 x is {x}"),
        }
    }
}

impl Breakpoints {
    fn condition(rest: &str) -> Option<Self> {
        let (number, condition) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let condition = Some(condition.trim().to_owned()).filter(|text| !text.is_empty());
        Some(Self::Condition(number.parse().ok()?, condition))
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
        let is_name = !text.is_empty()
            && text
                .chars()
                .all(|one| one.is_alphanumeric() || "._".contains(one));
        is_name.then(|| Self::Function(text.to_owned()))
    }
}

fn optional(rest: &str) -> Option<Option<u32>> {
    if rest.is_empty() {
        Some(None)
    } else {
        rest.parse().ok().map(Some)
    }
}

pub(super) const HELP: &str = "\
  s(tep)               to the next line, in a function that is called if there is one
  n(ext)               to the next line of this function
  r(eturn)             to the caller
  c(ontinue)           to the next breakpoint; Ctrl-C stops a program that runs
  b(reak)              lists the breakpoints
  b(reak) PLACE[, CONDITION]   a breakpoint at LINE, FILE:LINE or FUNCTION
  tbreak PLACE         the same, gone once the program has stopped there
  log PLACE TEXT       tells TEXT there, with expressions in {braces}, and does not stop
  condition N [EXPR]   stop at breakpoint N only where EXPR is true
  hits N >=5           stop at breakpoint N only from the fifth time on; also 5, >5, <5, %5
  cl(ear) [N]          removes breakpoint N, or all
  w(here)              the stack; the arrow marks the frame that commands are about
  u(p) [N], d(own) [N] to a caller, and back
  l(ist) [LINE], ll    the source around the line; the whole function
  a(rgs), locals, globals
  p EXPR, whatis EXPR  a value, its type
  display EXPR         shows it at each stop; undisplay ends that
  type TEXT            what the program reads from stdin when it goes on
  ! STATEMENT          Python in this frame; so is whatever is no command
  q(uit)               ends the program
  An empty line repeats the last command.";

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
            ("u(2)", Command::Python("u(2)".into())),
            ("p x", Command::Print("x".into())),
            ("!c = 1", Command::Python("c = 1".into())),
            ("q", Command::Quit),
        ];
        for (typed, expected) in cases {
            assert_eq!(Command::parse(typed), expected, "{typed}");
        }
        assert!(matches!(Command::parse("b 1 2"), Command::Wrong(_)));
    }
}

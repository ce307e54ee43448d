//! The Python that the hooks call on the board.

use alloc::{
    format,
    string::{String, ToString},
};

use super::{
    rewrite::{Dialect, FUNCTION_BITS, LETTERS},
    wire::quote,
};

/// What the board's part of the debugger has to know and to have.
#[derive(Debug, Clone)]
pub struct Runtime {
    /// What all names of the hooks begin with.
    pub prefix: String,
    /// What marks the debugger's own lines in the output: hexadecimal digits that no program can know.
    pub token: String,
    /// Whether programs start threads: each then has a stack of its own.
    pub has_threads: bool,
    /// Whether programs have `asyncio`'s tasks: each then has a stack of its own.
    pub has_tasks: bool,
    /// Whether the terminal is a file, which a program can close: a stop then raises `ValueError` before it is told.
    pub has_files: bool,
    /// How hooks look whether a pause is wanted, if they can.
    pub polls: Option<Polls>,
    /// Whether programs have generators or coroutines.
    pub has_suspended: bool,
    /// Whether programs have classes, whose bodies have hooks of their own.
    pub has_classes: bool,
}

/// How a board tells whether something was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polls {
    /// `select.poll`.
    Select,
    /// The module of the board in a page.
    Keyboard,
}

impl Runtime {
    /// The text of it, for boards with `:=`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = HOOKS.to_string();
        if !self.has_files {
            text = text.replace(IS_OPEN, "");
        }
        let parts = [
            (self.has_classes, CLASSES),
            (self.has_suspended, SUSPENDED),
            (self.has_tasks, TASKS),
            (self.polls.is_some(), POLLS),
        ];
        text.extend(
            parts
                .iter()
                .filter(|(is_wanted, _)| *is_wanted)
                .map(|(_, text)| *text),
        );
        text = self.polled(&self.suspended(&text));
        text = if self.has_threads {
            format!("{THREADS}{}", per_thread(&text))
        } else {
            alone(&text)
        };
        self.fill(&text)
    }

    /// What joins a module to it.
    #[must_use]
    pub fn join(&self) -> String {
        let mut letters = "dxc".to_string();
        letters += if self.has_classes { "h" } else { "" };
        letters += if self.has_suspended { "pnyra" } else { "" };
        self.fill(&JOIN.replace("JOINED", &letters))
    }

    /// What frames that leave the stack and come back need.
    fn suspended(&self, text: &str) -> String {
        let own_stack = if self.has_tasks {
            " and f.k is None"
        } else {
            ""
        };
        let attributes = match (self.has_suspended, self.has_tasks) {
            (_, true) => " y=0;k=None\n",
            (true, false) => " y=0\n",
            (false, false) => "",
        };
        text.replace(" SUSPENDED\n", attributes)
            .replace(" OFTASK", own_stack)
    }

    /// A line with a flag of 8 or more looks whether a pause is wanted: so often for each that is visited more often than
    /// every other millisecond, and without end for all others. The stop reads the terminal itself.
    fn polled(&self, text: &str) -> String {
        let (count, poll) = match self.polls {
            Some(_) => (COUNT, "  @Y()\n"),
            None => ("", ""),
        };
        let text = text.replace(" COUNT\n", count).replace("  POLL\n", poll);
        let (ticks, typed, setup) = match self.polls {
            Some(Polls::Select) => ("time.ticks_ms()", SELECT_TYPED, SELECT),
            Some(Polls::Keyboard) => ("@e.ticks()", "  c=@e.typed()\n", KEYBOARD),
            None => return text,
        };
        let text = text
            .replace("  TYPED\n", typed)
            .replace("TICKS", ticks)
            .replace("@M,@G,@L", "@M,@G,@L,@k")
            .replace(" LOCK\n", " @k=-1\n")
            .replace("UNLOCK", "@k=0");
        format!("{setup}{text}")
    }

    /// The text for boards without `:=`, which debug one module of `lines` lines.
    pub(super) fn old_text(
        &self,
        lines: u32,
        enters_by_const: bool,
        has_generators: bool,
    ) -> String {
        let text = match enters_by_const {
            true => format!(
                "from micropython import const\n{}",
                HOOKS_OLD.replace(" def __enter__(s):return s\n", " __enter__=const\n")
            ),
            false => HOOKS_OLD.to_string(),
        };
        let text = text + if has_generators { GENERATORS_OLD } else { "" };
        self.fill(&text.replace("LINES", &(lines + 1).to_string()))
    }

    /// What ends a part of a program that is not the last, on boards without `:=`.
    pub(super) fn old_gate(&self) -> String {
        self.fill(GATE_OLD)
    }

    /// What serves these files to `import`.
    pub(super) fn imports<'a>(&self, files: impl Iterator<Item = &'a str>) -> String {
        let files: String = files.map(|file| format!("{},", quote(file))).collect();
        format!("{}N=({files})\n{}", self.prefix, self.fill(IMPORTS))
    }

    /// What makes steps.
    pub(super) fn steps(&self) -> String {
        self.fill(STEPS)
    }

    /// Flags for so many lines, where `polls` says whether each looks for a pause.
    pub(super) fn flags(&self, lines: u32) -> String {
        let count = lines + 1;
        match self.polls {
            Some(_) => format!("bytearray(b'\\xf8'*{count})"),
            None => format!("bytearray({count})"),
        }
    }

    /// What shows values.
    pub(super) fn values(&self) -> String {
        self.fill(&VALUES.replace("PREFIX", &self.prefix.len().to_string()))
    }

    /// What decides whether to stop at a breakpoint.
    pub(super) fn breakpoint(&self) -> String {
        self.fill(BREAKPOINT)
    }

    /// What asks a board for what it has.
    pub(super) fn probe(token: &str) -> String {
        PROBE.replace("TOKEN", token)
    }

    fn fill(&self, text: &str) -> String {
        let text = text
            .replace('@', &self.prefix)
            .replace("TOKEN", &self.token);
        text.replace("BITS", &FUNCTION_BITS.to_string())
            .replace("LETTERS", LETTERS)
    }
}

/// What a board's Python has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) dialect: Dialect,
    /// Whether it imports from file systems that are written in Python.
    pub(super) mounts: bool,
    pub(super) threads: bool,
    pub(super) enters_by_const: bool,
    pub(super) tasks: bool,
    pub(super) polls: Option<Polls>,
    /// Whether it reads its terminal as a file, whose lines end in line feeds; boards take a carriage return for Enter.
    pub(super) has_files: bool,
}

impl Features {
    /// From the flags that the probe prints.
    pub(super) fn new(flags: &[bool]) -> Option<Self> {
        let &[
            walrus,
            stdin,
            mounts,
            threads,
            enters_by_const,
            tasks,
            selects,
            has_keyboard,
            has_files,
        ] = flags
        else {
            return None;
        };
        Some(Self {
            dialect: if walrus && stdin {
                Dialect::Walrus
            } else {
                Dialect::Old
            },
            mounts,
            threads,
            enters_by_const,
            tasks,
            polls: match (selects, has_keyboard) {
                (_, true) => Some(Polls::Keyboard),
                (true, false) => Some(Polls::Select),
                (false, false) => None,
            },
            has_files,
        })
    }
}

fn alone(text: &str) -> String {
    let text = text
        .replace(" LOCK\n", "")
        .replace(";UNLOCK", "")
        .replace("THREAD", "0");
    put(&text.replace("TOP", "@T"), "@T=")
}

fn per_thread(text: &str) -> String {
    let text = text
        .replace(" LOCK\n", " @k.acquire()\n")
        .replace("UNLOCK", "@k.release()");
    let text = text
        .replace("THREAD", "@q()")
        .replace("TOP", "@J.get(@q())");
    put(&text, "@J[@q()]=")
}

/// `PUT(x)` becomes `assignment` and `x`.
fn put(text: &str, assignment: &str) -> String {
    let mut parts = text.split("PUT(");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (value, rest) = part.split_once(')').unwrap_or((part, ""));
        out += assignment;
        out += value;
        out += rest;
    }
    out
}

const HOOKS: &str = include_str!("python/hooks.py");
const JOIN: &str = include_str!("python/join.py");
const CLASSES: &str = include_str!("python/classes.py");
const SUSPENDED: &str = include_str!("python/suspended.py");
const STEPS: &str = include_str!("python/steps.py");
const POLLS: &str = include_str!("python/polls.py");
const TASKS: &str = include_str!("python/tasks.py");
const HOOKS_OLD: &str = include_str!("python/hooks_old.py");
const GENERATORS_OLD: &str = include_str!("python/generators_old.py");
const GATE_OLD: &str = include_str!("python/gate_old.py");
const IMPORTS: &str = include_str!("python/imports.py");
const VALUES: &str = include_str!("python/values.py");
const BREAKPOINT: &str = include_str!("python/breakpoint.py");
const PROBE: &str = include_str!("python/probe.py");
/// Raises an exception where stdin is closed.
const IS_OPEN: &str = " sys.stdin.fileno()\n";
/// What a line does that looks for a pause.
const COUNT: &str = " if v>7:\n  if @Y():b[l]|=248\n  else:b[l]-=8\n  v=b[l]\n";
const SELECT: &str = "import sys,time,select\n@e=select.poll()\n@e.register(sys.stdin,1)\n";
/// A stdin at its end can be read for ever.
const SELECT_TYPED: &str =
    "  while @e.poll(0):\n   r=sys.stdin.read(1)\n   c+=r\n   if not r:raise OSError\n";
const KEYBOARD: &str = "import _keyboard as @e\n";
const THREADS: &str =
    "from _thread import get_ident as @q,allocate_lock\n@k=allocate_lock()\n@J={}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_templates_is_left() {
        let boards = [
            (false, false, None),
            (true, true, None),
            (false, true, Some(Polls::Select)),
            (false, false, Some(Polls::Keyboard)),
        ];
        for (has_threads, has_tasks, polls) in boards {
            let runtime = Runtime {
                prefix: "_".into(),
                token: "0a1b".into(),
                has_threads,
                has_tasks,
                has_files: has_tasks,
                polls,
                has_suspended: has_tasks,
                has_classes: has_threads,
            };
            let texts = [
                runtime.text(),
                runtime.join(),
                runtime.steps(),
                runtime.old_text(5, true, true),
                runtime.imports(["a.py"].into_iter()),
                runtime.values(),
                runtime.breakpoint(),
                runtime.old_gate(),
                Runtime::probe("0a1b"),
            ];
            for word in [
                "@",
                "TOP",
                "PUT",
                "TOKEN",
                "THREAD",
                "LOCK",
                "LINES",
                "BITS",
                "PREFIX",
                "ENTER",
                "SUSPENDED",
                "OFTASK",
                "POLL",
                "COUNT",
                "TICKS",
                "TYPED",
                "JOINED",
                "LETTERS",
            ] {
                assert!(
                    texts.iter().all(|text| !text.contains(word)),
                    "{word} in {texts:?}"
                );
            }
        }
    }
}

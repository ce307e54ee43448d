//! The Python that the hooks call on the board.

use alloc::{
    format,
    string::{String, ToString},
};

use super::{
    rewrite::{Dialect, FUNCTION_BITS},
    wire::quote,
};

/// Requirements and abilities of the board's part of the debugger.
#[derive(Debug, Clone)]
pub struct Runtime {
    /// Common prefix of the hooks' names.
    pub prefix: String,
    /// Variable of a module that stores its line.
    pub line: String,
    /// Token that marks the debugger's own lines in the output: hexadecimal digits that no program
    /// can guess.
    pub token: String,
    /// True if programs start threads: each then has a stack of its own.
    pub has_threads: bool,
    /// True if programs have `asyncio`'s tasks: each then has a stack of its own.
    pub has_tasks: bool,
    /// True if the terminal is a file that a program can close: a stop then raises `ValueError`
    /// before it is reported.
    pub has_files: bool,
    /// Way in which hooks check for a requested pause, if they can.
    pub polls: Option<Polls>,
    /// True if programs have generators or coroutines.
    pub has_suspended: bool,
    /// True if hooks report the parts of expressions.
    pub has_parts: bool,
    /// True if programs have classes, whose bodies have hooks of their own.
    pub has_classes: bool,
}

/// Ways in which a board detects typed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polls {
    /// `select.poll`.
    Select,
    /// The keyboard module of a board in a web page.
    Keyboard,
}

impl Runtime {
    /// Returns the runtime's source, for boards with `:=`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = HOOKS.to_string();
        if !self.has_files {
            text = text.replace(IS_OPEN, "");
        }
        let parts = [
            (self.has_classes, CLASSES),
            (self.has_parts, PARTS),
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
        self.fill(&guards(&text, self.has_threads))
    }

    /// Returns the code that joins a module to the runtime.
    #[must_use]
    pub fn join(&self) -> String {
        let mut letters = "dxc".to_string();
        letters += if self.has_classes { "h" } else { "" };
        letters += if self.has_parts { "u" } else { "" };
        letters += if self.has_suspended { "pnyra" } else { "" };
        self.fill(&JOIN.replace("JOINED", &letters))
    }

    /// Returns the code that removes a joined module's names.
    pub(super) fn leave(&self) -> String {
        self.fill(LEAVE)
    }

    /// Returns the code for frames that leave the stack and return.
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

    /// Adds checks for a requested pause. A line whose flag is 8 or more checks on each visit. Lines that are visited more
    /// often than every 2 ms check a limited number of times, others without limit. The stop itself reads the terminal.
    fn polled(&self, text: &str) -> String {
        let (count, poll) = match self.polls {
            Some(_) => (COUNT, POLL),
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

    /// Returns the code for boards without `:=`, which debug one module of `lines` lines.
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

    /// Returns the code that ends a part of a program before the last, on boards without `:=`.
    pub(super) fn old_gate(&self) -> String {
        self.fill(GATE_OLD)
    }

    /// Returns the code that serves these files to `import`.
    pub(super) fn imports<'a>(&self, files: impl Iterator<Item = &'a str>) -> String {
        let files: String = files.map(|file| format!("{},", quote(file))).collect();
        format!("{}N=({files})\n{}", self.prefix, self.fill(IMPORTS))
    }

    /// Returns the code that makes steps.
    pub(super) fn steps(&self) -> String {
        self.fill(STEPS)
    }

    /// Returns flags for this many lines; `polls` tells if each checks for a pause.
    pub(super) fn flags(&self, lines: u32) -> String {
        let count = lines + 1;
        match self.polls {
            Some(_) => format!("bytearray(b'\\xf8'*{count})"),
            None => format!("bytearray({count})"),
        }
    }

    /// Returns the code that shows values.
    pub(super) fn values(&self) -> String {
        self.fill(VALUES)
    }

    /// Returns the code that decides whether to stop at a breakpoint.
    pub(super) fn breakpoint(&self) -> String {
        self.fill(&guards(BREAKPOINT, self.has_threads))
    }

    /// Returns the code that queries a board's features. `asyncio` would stay imported, so it is queried only for a
    /// program that imports it; otherwise, a name of the same length is queried, as each byte counts on the micro:bit.
    pub(super) fn probe(token: &str, has_tasks: bool) -> String {
        let module = if has_tasks { "asyncio" } else { "no_such" };
        PROBE.replace("TOKEN", token).replace("TASKS", module)
    }

    /// Returns the code that queries a board's free memory.
    pub(super) fn room(token: &str) -> String {
        ROOM.replace("TOKEN", token)
    }

    fn fill(&self, text: &str) -> String {
        let text = text
            .replace('@', &self.prefix)
            .replace("TOKEN", &self.token);
        text.replace("BITS", &FUNCTION_BITS.to_string())
            .replace("LINE", &self.line)
    }
}

/// Features of a board's Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) dialect: Dialect,
    /// True if the board imports from file systems that are written in Python.
    pub(super) mounts: bool,
    pub(super) threads: bool,
    pub(super) enters_by_const: bool,
    pub(super) tasks: bool,
    pub(super) polls: Option<Polls>,
    /// True if the board reads its terminal as a file, whose lines end in line feeds; boards take a carriage return for
    /// Enter.
    pub(super) has_files: bool,
    /// Free memory, in bytes. A board with little memory is not queried.
    pub(super) free: Option<u32>,
}

impl Features {
    /// Reads the features from the flags that the probe prints.
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
            free: None,
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

/// Returns guards against nested stops, one for each thread: while one thread waits, the others run and stop
/// independently.
fn guards(text: &str, has_threads: bool) -> String {
    let (free, is_stopped, set) = match has_threads {
        true => ("{}", "@z.get(@q())", "@z[@q()]="),
        false => ("0", "@z", "@z="),
    };
    text.replace("FREE", free)
        .replace("HELD", is_stopped)
        .replace("BUSY=", set)
}

/// Replaces `PUT(x)` by `assignment` and `x`.
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
const LEAVE: &str = include_str!("python/leave.py");
const CLASSES: &str = include_str!("python/classes.py");
const PARTS: &str = include_str!("python/parts.py");
const SUSPENDED: &str = include_str!("python/suspended.py");
const STEPS: &str = include_str!("python/steps.py");
const POLLS: &str = include_str!("python/polls.py");
const TASKS: &str = include_str!("python/tasks.py");
const HOOKS_OLD: &str = include_str!("python/old/hooks.py");
const GENERATORS_OLD: &str = include_str!("python/old/generators.py");
const GATE_OLD: &str = include_str!("python/old/gate.py");
const IMPORTS: &str = include_str!("python/imports.py");
const VALUES: &str = include_str!("python/values.py");
const BREAKPOINT: &str = include_str!("python/breakpoint.py");
const ROOM: &str = include_str!("python/room.py");
const PROBE: &str = include_str!("python/probe.py");
/// Code that raises an exception if stdin is closed.
const IS_OPEN: &str = " sys.stdin.fileno()\n";
/// Line of code that checks for a pause.
const COUNT: &str = " if v>7:\n  if @Y():b[l]|=248\n  else:b[l]-=8\n  v=b[l]\n";
/// Lines of code by which every 64th call checks for a pause.
const POLL: &str = "  global @ct\n  @ct-=1\n  if @ct<0:@ct=63;@Y()\n";
const SELECT: &str = "import sys,time,select\n@e=select.poll()\n@e.register(sys.stdin,1)\n";
/// Code that detects typed input. A stdin at its end is always readable.
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
                line: "__l__".into(),
                token: "0a1b".into(),
                has_threads,
                has_tasks,
                has_files: has_tasks,
                polls,
                has_suspended: has_tasks,
                has_parts: has_tasks || has_threads,
                has_classes: has_threads,
            };
            let texts = [
                runtime.text(),
                runtime.join(),
                runtime.leave(),
                runtime.steps(),
                runtime.old_text(5, true, true),
                runtime.imports(["a.py"].into_iter()),
                runtime.values(),
                runtime.breakpoint(),
                runtime.old_gate(),
                Runtime::probe("0a1b", has_tasks),
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
                "ENTER",
                "SUSPENDED",
                "OFTASK",
                "TASKS",
                "POLL",
                "COUNT",
                "TICKS",
                "TYPED",
                "JOINED",
                "FREE",
                "HELD",
                "BUSY",
            ] {
                assert!(
                    texts.iter().all(|text| !text.contains(word)),
                    "{word} in {texts:?}"
                );
            }
        }
    }
}

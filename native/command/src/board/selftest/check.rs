//! Form of a check: command lines, and their outcomes.

/// Checks of one area.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) checks: &'static [Check],
}

/// One promise that is checked on the board.
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) need: Option<Need>,
    pub(super) steps: &'static [Step],
}

/// Requirement that some boards do not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Files can be stored.
    Files,
    /// Files can be stored in folders.
    Folders,
    /// `machine.reset` exists, and there is no `main.py` that it would start.
    Reset,
}

/// Part of a check.
pub(super) enum Step {
    Run(Line),
    /// Two files of this computer have the same content.
    Same(&'static str, &'static str),
}

/// A command line of flylead. `{here}` begins the path of a file of this computer, `{there}` of one on the board.
pub(super) struct Line {
    pub(super) words: &'static [&'static str],
    pub(super) exit: i32,
    pub(super) stdout: Output,
    /// Part of stderr.
    pub(super) stderr: &'static str,
    /// True if the line changes what the board's user sees, as the user requested.
    pub(super) changes: bool,
    /// True to press Ctrl-C after the first line of output.
    pub(super) interrupted: bool,
}

/// Expected output.
pub(super) enum Output {
    Any,
    Is(&'static str),
    Has(&'static str),
    /// This number of bytes, each equal to the second value or a line end.
    Bytes(usize, u8),
}

impl Check {
    pub(super) const fn of(name: &'static str, steps: &'static [Step]) -> Self {
        let need = None;
        Self { name, need, steps }
    }

    pub(super) const fn needs(mut self, need: Need) -> Self {
        self.need = Some(need);
        self
    }
}

/// Creates a line that ends successfully.
pub(super) const fn run(words: &'static [&'static str]) -> Line {
    Line {
        words,
        exit: 0,
        stdout: Output::Any,
        stderr: "",
        changes: false,
        interrupted: false,
    }
}

impl Line {
    pub(super) const fn prints(mut self, text: &'static str) -> Self {
        self.stdout = Output::Is(text);
        self
    }

    pub(super) const fn shows(mut self, part: &'static str) -> Self {
        self.stdout = Output::Has(part);
        self
    }

    pub(super) const fn floods(mut self, bytes: usize, byte: u8) -> Self {
        self.stdout = Output::Bytes(bytes, byte);
        self
    }

    pub(super) const fn says(mut self, part: &'static str) -> Self {
        self.stderr = part;
        self
    }

    pub(super) const fn exits(mut self, code: i32) -> Self {
        self.exit = code;
        self
    }

    pub(super) const fn changes(mut self) -> Self {
        self.changes = true;
        self
    }

    pub(super) const fn interrupted(mut self) -> Self {
        self.interrupted = true;
        self
    }

    pub(super) const fn step(self) -> Step {
        Step::Run(self)
    }

    /// Describes the difference from what was expected, if there is one.
    pub(super) fn fault(&self, ran: &Ran) -> Option<String> {
        if ran.exit != Some(self.exit) {
            let was = ran.exit.map_or("none".into(), |code| code.to_string());
            return Some(format!("exit code {was}, expected {}", self.exit));
        }
        let stdout = ran.stdout.replace('\r', "");
        match self.stdout {
            Output::Is(text) if stdout != text => {
                Some(format!("stdout is {stdout:?}, expected {text:?}"))
            }
            Output::Has(part) if !stdout.contains(part) => {
                Some(format!("stdout is {stdout:?}, expected {part:?} in it"))
            }
            Output::Bytes(count, byte) => {
                let right = stdout.bytes().filter(|it| *it == byte).count();
                let wrong = stdout.bytes().filter(|it| ![byte, b'\n'].contains(it));
                let wrong = wrong.count();
                let is_right = right == count && wrong == 0;
                (!is_right).then(|| format!("{right} bytes of {count} arrived, and {wrong} others"))
            }
            _ if !ran.stderr.contains(self.stderr) => {
                let (was, part) = (&ran.stderr, self.stderr);
                Some(format!("stderr is {was:?}, expected {part:?} in it"))
            }
            _ => None,
        }
    }
}

/// Outcome of a line.
#[derive(Debug, Clone, Default)]
pub(super) struct Ran {
    /// The line, as it can be typed.
    pub(super) line: String,
    /// Exit code; `None` if the line was ended after its time.
    pub(super) exit: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// The end of its conversation with the board.
    pub(super) trace: String,
}

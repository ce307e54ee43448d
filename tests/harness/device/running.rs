//! A program on the simulated board, from its first step to what is printed after its last.

use std::{collections::VecDeque, mem};

use flylead_core::Instant;

use super::{Device, Ending, Mode, Past, Program, State, Step};

/// A program that runs.
#[derive(Debug)]
pub(super) struct Running {
    steps: VecDeque<Step>,
    ending: Ending,
    shrugs: u32,
    home: Home,
    /// Time at which the current step ends.
    until: Instant,
    is_interrupted: bool,
    line: Vec<u8>,
    printed: Vec<u8>,
}

/// Mode from which it was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// It is `main.py`.
    Main,
    /// Raw or raw-paste mode.
    Raw,
}

/// Next action of the interpreter.
enum Next {
    Wait,
    Print(Vec<u8>),
    Write(Vec<u8>),
    Continue,
    End(Past),
}

impl Running {
    pub(super) fn new(now: Instant, program: Program, home: Home) -> Self {
        Self {
            steps: program.steps.into(),
            ending: program.ending,
            shrugs: program.shrugs,
            home,
            until: now,
            is_interrupted: false,
            line: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// Ctrl-C: whatever takes time is over now.
    pub(super) fn interrupt(&mut self, now: Instant) {
        self.is_interrupted = true;
        self.until = now;
    }

    pub(super) fn wake_at(&self, input: &VecDeque<u8>) -> Option<Instant> {
        match self.steps.front() {
            _ if self.is_interrupted => Some(self.until),
            Some(Step::Forever) => None,
            Some(Step::Echo) if input.is_empty() => None,
            _ => Some(self.until),
        }
    }

    fn next(&mut self, now: Instant, input: &mut VecDeque<u8>) -> Next {
        if self.is_interrupted {
            return self.hear_interrupt(now);
        }
        if now < self.until {
            return Next::Wait;
        }
        match self.steps.pop_front() {
            None => Next::End(past(&self.ending)),
            Some(Step::Print(text)) => Next::Print(text),
            Some(Step::Write(bytes)) => Next::Write(bytes),
            Some(Step::Work(time)) => {
                self.until = now + time;
                Next::Continue
            }
            Some(Step::Repeat(text, period)) => {
                self.until = now + period;
                self.steps.push_front(Step::Repeat(text.clone(), period));
                Next::Print(text)
            }
            Some(Step::Echo) => self.read_line(input),
            Some(Step::Forever) => {
                self.steps.push_front(Step::Forever);
                Next::Wait
            }
        }
    }

    fn hear_interrupt(&mut self, now: Instant) -> Next {
        self.is_interrupted = false;
        self.until = now;
        if self.shrugs == 0 {
            return Next::End(Past::Raised(raise("KeyboardInterrupt: ")));
        }
        self.shrugs -= 1;
        Next::Continue
    }

    fn read_line(&mut self, input: &mut VecDeque<u8>) -> Next {
        while let Some(byte) = input.pop_front() {
            if matches!(byte, b'\r' | b'\n') {
                self.line.push(b'\n');
                return Next::Print(mem::take(&mut self.line));
            }
            self.line.push(byte);
        }
        self.steps.push_front(Step::Echo);
        Next::Wait
    }
}

impl Device {
    /// One step of the program that runs; false when it has to wait.
    pub(super) fn step_program(&mut self, now: Instant) -> bool {
        let State::Running(running) = &mut self.state else {
            return false;
        };
        match running.next(now, &mut self.input) {
            Next::Wait => return false,
            Next::Continue => {}
            Next::Print(text) => {
                let cooked = self.cook(&text);
                self.put_out(&cooked);
            }
            Next::Write(bytes) => self.put_out(&bytes),
            Next::End(past) => {
                let (home, printed) = (running.home, mem::take(&mut running.printed));
                self.end_program(now, home, past, printed);
            }
        }
        true
    }

    fn put_out(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        if let State::Running(running) = &mut self.state {
            running.printed.extend_from_slice(bytes);
        }
    }

    fn end_program(&mut self, now: Instant, home: Home, past: Past, printed: Vec<u8>) {
        self.busy_until = now;
        match home {
            Home::Main => {
                if let Past::Raised(text) = &past {
                    self.print(text.as_bytes());
                }
                self.enter_friendly();
            }
            Home::Raw => {
                self.history.remember(past.clone(), printed);
                self.end_raw_program(now, &past);
            }
        }
    }

    fn end_raw_program(&mut self, now: Instant, past: &Past) {
        self.say("\x04");
        if let Past::Raised(text) = past {
            self.print(text.as_bytes());
        }
        self.say("\x04");
        if *past == Past::Exited && self.traits.resets_on_exit {
            self.soft_reset(now, Mode::Raw);
        } else {
            self.prompt_raw();
        }
    }
}

fn past(ending: &Ending) -> Past {
    match ending {
        Ending::Returns => Past::Returned,
        Ending::Raises(text) => Past::Raised(raise(text)),
        Ending::Exits => Past::Exited,
    }
}

fn raise(exception: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n{exception}\n"
    )
}

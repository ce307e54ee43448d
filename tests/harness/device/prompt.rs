//! The prompts of the simulated board: friendly, raw and raw-paste, one byte at a time.

use std::mem;

use flylead_core::Instant;

use super::{
    Device, Mode, Past, Program, RawPaste, State,
    running::{Home, Running},
};

impl Device {
    /// Reads one byte of input, if there is one and time for it; false when there is not.
    pub(super) fn read_one(&mut self, now: Instant) -> bool {
        if now < self.busy_until {
            return false;
        }
        let Some(byte) = self.input.pop_front() else {
            return false;
        };
        self.busy_until = now + self.traits.byte_time;
        match mem::replace(&mut self.state, State::Friendly { line: Vec::new() }) {
            State::Friendly { line } => self.read_friendly(now, line, byte),
            State::Raw { line } => self.read_raw(now, line, byte),
            State::Paste {
                source,
                window,
                left,
            } => self.read_paste(now, source, window, left, byte),
            State::Aborted { fault } => self.read_aborted(fault, byte),
            other => self.state = other,
        }
        true
    }

    fn read_friendly(&mut self, now: Instant, mut line: Vec<u8>, byte: u8) {
        match byte {
            0x01 if line.is_empty() => {
                self.say("\r\n");
                return self.enter_raw();
            }
            0x02 if line.is_empty() => {
                self.say("\r\n");
                return self.enter_friendly();
            }
            0x04 if line.is_empty() => {
                self.say("\r\n");
                return self.soft_reset(now, Mode::Friendly);
            }
            0x03 | b'\r' => {
                self.say("\r\n>>> ");
                line.clear();
            }
            b' '..=b'~' => {
                line.push(byte);
                self.output.push(byte);
            }
            _ => {}
        }
        self.state = State::Friendly { line };
    }

    fn read_raw(&mut self, now: Instant, mut line: Vec<u8>, byte: u8) {
        match byte {
            0x01 if self.asks_for_paste(&line) => return self.answer_paste(line[1]),
            0x01 => return self.enter_raw(),
            0x02 => {
                self.say("\r\n");
                return self.enter_friendly();
            }
            0x03 => line.clear(),
            0x04 if line.is_empty() => {
                self.say("OK\r\n");
                return self.soft_reset(now, Mode::Raw);
            }
            0x04 => {
                self.say("OK");
                return self.compile(now, line);
            }
            _ => line.push(byte),
        }
        self.state = State::Raw { line };
    }

    fn asks_for_paste(&self, line: &[u8]) -> bool {
        self.traits.raw_paste != RawPaste::Unknown && line.len() == 2 && line[0] == 0x05
    }

    fn answer_paste(&mut self, subcommand: u8) {
        match self.traits.raw_paste {
            RawPaste::Window(window) if subcommand == b'A' => {
                self.say("R\x01");
                self.output.extend(window.to_le_bytes());
                self.say("\x01");
                self.state = State::Paste {
                    source: Vec::new(),
                    window,
                    left: window,
                };
            }
            _ => {
                self.say("R\x00");
                self.prompt_raw();
            }
        }
    }

    fn read_paste(
        &mut self,
        now: Instant,
        mut source: Vec<u8>,
        window: u16,
        mut left: u16,
        byte: u8,
    ) {
        match byte {
            0x03 => {
                self.say("\x04");
                return self.fail_paste("KeyboardInterrupt: \n".into());
            }
            0x04 => {
                self.say("\x04");
                return self.compile(now, source);
            }
            _ => source.push(byte),
        }
        left -= 1;
        if left == 0 {
            self.say("\x01");
            left = window;
        }
        self.state = match self.fault_in(&source) {
            None => State::Paste {
                source,
                window,
                left,
            },
            Some(fault) => {
                self.say("\x04");
                State::Aborted { fault }
            }
        };
    }

    /// The compiler reads as it goes, and stops at the first byte that cannot be.
    fn fault_in(&self, source: &[u8]) -> Option<String> {
        let fits = |program: &&Program| {
            program.fault_at == Some(source.len()) && program.source.starts_with(source)
        };
        self.programs.iter().find(fits).map(|_| syntax_error())
    }

    fn read_aborted(&mut self, fault: String, byte: u8) {
        match byte {
            0x03 | 0x04 => self.fail_paste(fault),
            _ => self.state = State::Aborted { fault },
        }
    }

    fn fail_paste(&mut self, fault: String) {
        self.say("\x04");
        self.print(fault.as_bytes());
        self.say("\x04");
        self.history.remember(Past::Raised(fault), Vec::new());
        self.prompt_raw();
    }

    fn compile(&mut self, now: Instant, source: Vec<u8>) {
        match self
            .programs
            .iter()
            .find(|program| program.source == source)
        {
            Some(program) if program.fault_at.is_some() => self.fail_paste(syntax_error()),
            Some(program) => {
                self.state = State::Running(Running::new(now, program.clone(), Home::Raw));
            }
            None => {
                self.fail_paste(syntax_error());
                self.history.correct_last(Past::Unknown(source));
            }
        }
    }
}

fn syntax_error() -> String {
    "Traceback (most recent call last):\n  File \"<stdin>\", line 1\nSyntaxError: invalid syntax\n"
        .into()
}

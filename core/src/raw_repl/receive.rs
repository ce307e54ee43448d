//! What comes in: each state takes some of the bytes, and may give way to the next one.

use alloc::{string::String, vec, vec::Vec};
use core::mem;

use super::{
    Event, LostReason, RawRepl,
    enter::{ENTER, Progress},
    paste::Answer,
    state::{PasteSupport, Program, State, Task},
};
use crate::{Instant, Output};

impl RawRepl {
    /// Hands the bytes to the state, which takes some and may give way to the next one.
    pub(super) fn receive(&mut self, now: Instant, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let used = match &mut self.state {
                State::Normal => self.receive_terminal(bytes),
                State::Raw { .. } => self.receive_unasked(bytes),
                State::Running(_) => self.receive_reply(now, bytes),
                State::Lost => return,
                _ => self.receive_byte(now, bytes[0]),
            };
            bytes = &bytes[used..];
        }
    }

    fn receive_terminal(&mut self, bytes: &[u8]) -> usize {
        self.tell(Event::Terminal(bytes.to_vec()));
        bytes.len()
    }

    /// A timer or a thread on the board prints after its program has ended; or the board was not where it seemed.
    fn receive_unasked(&mut self, bytes: &[u8]) -> usize {
        self.state = State::Raw { settled: false };
        self.receive_terminal(bytes)
    }

    fn receive_reply(&mut self, now: Instant, bytes: &[u8]) -> usize {
        let State::Running(running) = &mut self.state else {
            return 0;
        };
        if running.loading.is_some() {
            return self.receive_loading(now, bytes);
        }
        if let Some((used, frame)) = running.reply.push_frame(bytes) {
            self.output
                .extend(frame.map(|frame| Output::Event(Event::Frame(frame))));
            return used;
        }
        self.receive_text(now, bytes)
    }

    pub(super) fn receive_text(&mut self, now: Instant, bytes: &[u8]) -> usize {
        let State::Running(running) = &mut self.state else {
            return 0;
        };
        let mut stdout = Vec::new();
        let end = running.reply.push(bytes, &mut stdout);
        self.tell_stdout(stdout);
        match end {
            Some((end, used)) => {
                self.finish(now, end);
                used
            }
            None => bytes.len(),
        }
    }

    fn receive_byte(&mut self, now: Instant, byte: u8) -> usize {
        match &mut self.state {
            State::Entering { entering, .. } => {
                let progress = entering.receive(now, byte);
                self.progress(now, progress);
            }
            State::Probing { probe, .. } => {
                if let Some(answer) = probe.receive(byte) {
                    self.hear_answer(now, answer);
                }
            }
            State::Pasting { .. } => self.receive_credit(now, byte),
            State::Confirming { confirmation, .. } => {
                if let Some(unasked) = confirmation.receive(byte) {
                    self.run(now, unasked);
                } else if confirmation.is_nonsense() {
                    self.lose(LostReason::Garbage);
                }
            }
            State::Resetting { banner, then, .. } => {
                if banner.push(byte) {
                    let then = then.clone();
                    self.settle(then);
                }
            }
            // Raw mode says nothing before the program is whole, so this is a timer's or a thread's.
            _ => self.tell(Event::Terminal([byte].to_vec())),
        }
        1
    }

    pub(super) fn progress(&mut self, now: Instant, progress: Progress) {
        match progress {
            Progress::Wait => {}
            Progress::TryAgain { filler } => self.transmit(&[&vec![0; filler], ENTER].concat()),
            Progress::GiveUp => {
                let said = match &self.state {
                    State::Entering { entering, .. } => entering.said(),
                    _ => String::new(),
                };
                let after = self.config.enter_timeout;
                self.lose(LostReason::NotEntered { after, said });
            }
            Progress::Entered => {
                if let State::Entering { task, .. } =
                    mem::replace(&mut self.state, State::Raw { settled: true })
                {
                    self.begin(now, task);
                }
            }
        }
    }

    fn hear_answer(&mut self, now: Instant, answer: Answer) {
        let State::Probing {
            program, banners, ..
        } = mem::replace(&mut self.state, State::Lost)
        else {
            return;
        };
        match answer {
            Answer::Window(window) if window > 0 => {
                self.paste = PasteSupport::Yes;
                self.start_paste(now, program, window);
            }
            // A banner may only mean that the board was not in raw mode before: now it is.
            Answer::Banner if banners == 0 => self.probe(now, program, 1),
            Answer::Banner | Answer::Refused => {
                self.paste = PasteSupport::No;
                self.begin(now, Task::Exec(program));
            }
            Answer::Window(_) | Answer::Nonsense => self.do_without_paste(now, program),
        }
    }

    /// The board's answer is unknown or missing, so where it stands is too.
    pub(super) fn do_without_paste(&mut self, now: Instant, program: Program) {
        self.paste = PasteSupport::No;
        self.resync(now, Task::Exec(program));
    }
}

//! Raw mode: sends a program by time, as there is no flow control, until the `OK` that confirms receipt.

use alloc::vec::Vec;
use core::{mem, time::Duration};

use super::{Wake, reception::Reception};
use crate::{
    Instant,
    raw_repl::{
        context::Context,
        control::{END, ENTER, INTERRUPT},
        entering::{
            banner::{FriendlyBanner, RawBanner},
            restart::Restart,
        },
    },
};

/// Minimum number of bytes before the `OK` to store; older ones are passed on.
const BEFORE_LIMIT: usize = 4096;
/// Silence after a board's banner before it is queried about a restart: others may have printed it. A board that has
/// restarted does not receive the rest of the program in the meantime.
const RESTART_SILENCE: Duration = Duration::from_millis(250);
const RESTART_LIMIT: Duration = Duration::from_secs(1);
/// Prompt of the normal mode.
const PROMPT: &[u8] = b">>> ";

/// A program sent piece by piece.
///
/// Text before the `OK` does not belong to the program: banners for earlier attempts to enter raw mode, and the output
/// of an interrupted program, of a timer or of a thread. While such banners may still arrive, other output with an `OK`
/// in it may arrive too; then only an `OK` counts that begins a line, or directly follows a prompt.
#[derive(Debug)]
pub(in crate::raw_repl) struct Pacing {
    source: Vec<u8>,
    sent: usize,
    is_whole: bool,
    /// Time at which the next piece is due, or at which the board has been silent for too long.
    pub(in crate::raw_repl) deadline: Instant,
    /// Data before the answer, without the banners.
    before: Vec<u8>,
    raw: RawBanner,
    friendly: FriendlyBanner,
    /// True if the board may owe banners.
    owes: bool,
    /// True if the next byte begins a line.
    at_start: bool,
    has_o: bool,
    restart: Restart,
    /// Time by which the board is queried, however much it prints.
    ask_by: Instant,
    /// True once the board has shown a prompt after the query, as a restarted one does.
    has_prompt: bool,
}

impl Pacing {
    /// Creates the transfer. The caller wakes it immediately.
    pub(in crate::raw_repl) fn new(now: Instant, source: Vec<u8>, context: &Context) -> Self {
        Self {
            owes: context.owes_banners,
            source,
            sent: 0,
            is_whole: false,
            deadline: now,
            before: Vec::new(),
            raw: RawBanner::default(),
            friendly: FriendlyBanner::default(),
            at_start: true,
            has_o: false,
            restart: Restart::No,
            ask_by: now,
            has_prompt: false,
        }
    }

    /// Sends the next piece, or queries a board that seems to have restarted.
    pub(in crate::raw_repl) fn wake(&mut self, now: Instant, context: &mut Context) -> Wake {
        match self.restart {
            Restart::No => self.send_piece(now, context),
            Restart::Suspected => self.ask(now, context),
            Restart::Asked(_) => Wake::TimedOut,
        }
    }

    /// Queries the board about a restart. The query clears its line: no received part of the program is run there.
    fn ask(&mut self, now: Instant, context: &mut Context) -> Wake {
        self.restart.ask();
        self.deadline = now + context.config.reply_timeout;
        context.transmit(ENTER);
        Wake::GoesOn
    }

    /// Handles an answer in raw mode: sends the program again, if the board had not received all of it.
    fn on_answer(&mut self, now: Instant, context: &mut Context) -> Reception {
        if self.has_prompt {
            return Reception::Restarted;
        }
        self.restart = Restart::No;
        if !self.is_whole {
            // Immediately: the rest of these bytes must have the same effect with the answer as after it.
            self.sent = 0;
            self.send_piece(now, context);
        }
        Reception::Wait
    }

    fn send_piece(&mut self, now: Instant, context: &mut Context) -> Wake {
        let end = self.source.len();
        let end = end.min(self.sent + context.pace_bytes());
        let mut piece = self.source[self.sent..end].to_vec();
        let was_whole = mem::replace(&mut self.is_whole, end == self.source.len());
        let wait = match self.is_whole {
            true => context.config.reply_timeout,
            false => context.config.pace_wait,
        };
        if self.is_whole {
            piece.push(END);
        }
        if !was_whole {
            context.transmit(piece);
        }
        self.sent = end;
        self.deadline = now + wait;
        match was_whole {
            true => Wake::TimedOut,
            false => Wake::GoesOn,
        }
    }

    /// Takes bytes up to a decisive one. Returns their number, and their meaning.
    pub(in crate::raw_repl) fn receive(
        &mut self,
        now: Instant,
        bytes: &[u8],
        context: &mut Context,
    ) -> (usize, Reception) {
        for (&byte, used) in bytes.iter().zip(1..) {
            let reception = self.push(now, byte, context);
            if reception != Reception::Wait {
                context.report_terminal(mem::take(&mut self.before));
                return (used, reception);
            }
        }
        if matches!(self.restart, Restart::Suspected) {
            self.deadline = self.ask_by.min(now + RESTART_SILENCE);
        }
        (bytes.len(), Reception::Wait)
    }

    fn push(&mut self, now: Instant, byte: u8, context: &mut Context) -> Reception {
        if self.has_o && byte == b'K' {
            self.before.pop();
            return Reception::Taken;
        }
        self.has_o = self.is_whole && byte == b'O' && (self.at_start || !self.owes);
        self.keep(byte, context);
        let is_banner = self.raw.push(byte);
        if is_banner {
            let text = RawBanner::strip(&self.before).len();
            self.before.truncate(text);
        }
        self.at_start = is_banner || byte == b'\n';
        self.has_prompt |= self.restart.is_asked() && byte == b' ' && self.before.ends_with(PROMPT);
        if is_banner && self.restart.is_asked() {
            return self.on_answer(now, context);
        }
        if self.friendly.push(byte) && matches!(self.restart, Restart::No) {
            self.restart.suspect();
            self.ask_by = now + RESTART_LIMIT;
        }
        Reception::Wait
    }

    /// Stops sending: Ctrl-C clears the line. Returns false if everything was sent, and Ctrl-C would be lost, or if it
    /// is unknown whether the board is in raw mode.
    pub(in crate::raw_repl) fn interrupt(&self, context: &mut Context) -> bool {
        let is_possible = !self.is_whole && matches!(self.restart, Restart::No);
        if is_possible {
            context.transmit(INTERRUPT);
        }
        is_possible
    }

    /// Stores a byte before the answer, and passes on older ones.
    fn keep(&mut self, byte: u8, context: &mut Context) {
        if self.before.len() == 2 * BEFORE_LIMIT {
            context.report_terminal(self.before.drain(..BEFORE_LIMIT).collect::<Vec<_>>());
        }
        self.before.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String};

    use super::*;
    use crate::{
        Output,
        raw_repl::{Config, Event},
    };

    /// Returns the data before the answer, its meaning, and the rest.
    fn receive(bytes: &[u8], size: usize, owes: bool) -> (Vec<u8>, Reception, Vec<u8>) {
        let mut context = Context::new(Config::default());
        context.owes_banners = owes;
        let mut pacing = Pacing::new(Instant::START, b"1".to_vec(), &context);
        assert_eq!(pacing.wake(Instant::START, &mut context), Wake::GoesOn);
        context.pop();
        let mut offset = 0;
        for piece in bytes.chunks(size) {
            let (used, reception) = pacing.receive(Instant::START, piece, &mut context);
            offset += used;
            if reception != Reception::Wait {
                let before = match context.pop() {
                    Some(Output::Event(Event::Terminal(before))) => before,
                    none => Vec::from_iter(none.map(|other| panic!("{other:?}"))),
                };
                return (before, reception, bytes[offset..].to_vec());
            }
        }
        (Vec::new(), Reception::Wait, Vec::new())
    }

    #[test]
    fn what_comes_before_the_ok_is_not_the_programs() {
        let banner = "\r\nraw REPL; CTRL-B to exit\r\n>";
        let friendly = "Type \"help()\" for more information.\r\n>>> ";
        for (bytes, before, reception, rest) in [
            ("OK1".into(), String::new(), Reception::Taken, "1"),
            (
                format!("{banner}{banner}OKx"),
                String::new(),
                Reception::Taken,
                "x",
            ),
            (
                "raw REPL; CTRL-B to exit\r\n>OK".into(),
                String::new(),
                Reception::Taken,
                "",
            ),
            (
                "tick\r\nOK1".into(),
                "tick\r\n".into(),
                Reception::Taken,
                "1",
            ),
            (
                format!("it is OK.\r\nO\r\nB{banner}OK1"),
                "it is OK.\r\nO\r\nB".into(),
                Reception::Taken,
                "1",
            ),
            ("raw".into(), String::new(), Reception::Wait, ""),
            ("O".into(), String::new(), Reception::Wait, ""),
            (
                format!("ets\r\n{friendly}OK"),
                format!("ets\r\n{friendly}"),
                Reception::Taken,
                "",
            ),
        ] {
            for size in [bytes.len(), 7, 1] {
                let (got, meant, left) = receive(bytes.as_bytes(), size, !bytes.contains(friendly));
                assert_eq!(
                    (String::from_utf8_lossy(&got).into_owned(), &meant, &*left),
                    (before.clone(), &reception, rest.as_bytes()),
                    "{bytes:?} by {size}"
                );
            }
        }
    }

    fn take_sent(context: &mut Context) -> Vec<u8> {
        core::iter::from_fn(|| context.pop())
            .filter_map(|output| match output {
                Output::Transmit(bytes) => Some(bytes),
                Output::Event(_) | Output::Idle(_) => None,
            })
            .flatten()
            .collect()
    }

    #[test]
    fn a_board_that_sends_its_banner_is_asked_if_it_has_restarted_and_told_nothing_meanwhile() {
        let friendly = b"Type \"help()\" for more information.\r\n>>> ";
        let prompt = b"\r\n>>> \r\nraw REPL; CTRL-B to exit\r\n>";
        for size in [100, 7, 1] {
            let config = Config {
                pace_bytes: 3,
                ..Config::default()
            };
            let mut context = Context::new(config);
            let begin = |context: &mut Context| {
                let mut pacing = Pacing::new(Instant::START, b"print(1)".to_vec(), context);
                pacing.wake(Instant::START, context);
                for piece in friendly.chunks(size) {
                    pacing.receive(Instant::START, piece, context);
                }
                assert_eq!(take_sent(context), b"pri");
                assert_eq!(pacing.deadline, Instant::START + RESTART_SILENCE);
                assert_eq!(pacing.wake(pacing.deadline, context), Wake::GoesOn);
                assert_eq!(take_sent(context), ENTER);
                pacing
            };
            let answer = |bytes: &[u8], context: &mut Context| {
                let mut pacing = begin(context);
                let now = pacing.deadline;
                let heard = bytes.chunks(size);
                let last = heard
                    .map(|piece| pacing.receive(now, piece, context).1)
                    .last();
                (last, pacing)
            };
            let (last, _) = answer(prompt, &mut context);
            assert_eq!(last, Some(Reception::Restarted));
            take_sent(&mut context);
            // Without a prompt, the board was in raw mode all the time, and gets the program from its first byte on.
            let (last, _) = answer(&prompt[6..], &mut context);
            assert_eq!(last, Some(Reception::Wait));
            assert_eq!(take_sent(&mut context), b"pri");
        }
    }

    #[test]
    fn output_before_the_ok_is_passed_on_and_fills_no_memory() {
        let mut context = Context::new(Config::default());
        let mut pacing = Pacing::new(Instant::START, b"1".to_vec(), &context);
        pacing.wake(Instant::START, &mut context);
        for _ in 0..1000 {
            pacing.receive(Instant::START, &[b'x'; 1000], &mut context);
            assert!(pacing.before.len() <= 2 * BEFORE_LIMIT);
        }
        pacing.receive(Instant::START, b"OK", &mut context);
        let told = core::iter::from_fn(|| context.pop()).map(|output| match output {
            Output::Event(Event::Terminal(bytes)) => bytes.len(),
            _ => 0,
        });
        assert_eq!(told.sum::<usize>(), 1_000_000);
    }

    #[test]
    fn an_ok_is_one_wherever_it_comes_when_no_banner_is_owed() {
        let taken = receive(b"tick 17OK1", 3, false);
        assert_eq!(
            taken,
            (b"tick 17".to_vec(), Reception::Taken, b"1".to_vec())
        );
    }
}

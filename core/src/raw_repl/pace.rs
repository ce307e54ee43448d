//! Raw mode: sending a program by time, as there is no flow control, until the `OK` that says that the board has it.

use alloc::vec::Vec;
use core::mem;

use super::{
    banner::{FriendlyBanner, RawBanner},
    context::Context,
    control::{EXECUTE, INTERRUPT},
    reception::Reception,
};
use crate::Instant;

/// So many bytes, and up to twice as many, are kept of what comes before the `OK`.
const BEFORE_LIMIT: usize = 4096;

/// A program that is sent piece by piece.
///
/// What comes before the `OK` is none of the program's: banners that the board owed for earlier tries to enter raw mode,
/// and the output of whatever ran then, of a timer or of a thread. While such banners may still come, so may other output
/// with an `OK` in it; then only one counts that begins a line, or comes right after a prompt.
#[derive(Debug)]
pub(super) struct Pacing {
    source: Vec<u8>,
    sent: usize,
    is_whole: bool,
    /// When the next piece is due, or the board has been silent for too long.
    pub(super) deadline: Instant,
    /// What came before, without the banners.
    before: Vec<u8>,
    raw: RawBanner,
    friendly: FriendlyBanner,
    /// Whether the board may owe banners.
    owes: bool,
    /// Whether the next byte begins a line.
    at_start: bool,
    has_o: bool,
}

impl Pacing {
    /// The caller wakes it at once.
    pub(super) fn new(now: Instant, source: Vec<u8>, context: &Context) -> Self {
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
        }
    }

    /// Sends the next piece; `false` when all is sent and the board has been silent for too long.
    pub(super) fn wake(&mut self, now: Instant, context: &mut Context) -> bool {
        let end = self.source.len();
        let end = end.min(self.sent + context.pace_bytes());
        let mut piece = self.source[self.sent..end].to_vec();
        let was_whole = mem::replace(&mut self.is_whole, end == self.source.len());
        let wait = match self.is_whole {
            true => context.config.reply_timeout,
            false => context.config.pace_wait,
        };
        if self.is_whole {
            piece.push(EXECUTE);
        }
        if !was_whole {
            context.transmit(piece);
        }
        self.sent = end;
        self.deadline = now + wait;
        !was_whole
    }

    /// Takes in bytes up to the one that decides: how many, and what they mean.
    pub(super) fn receive(&mut self, bytes: &[u8], context: &mut Context) -> (usize, Reception) {
        for (&byte, used) in bytes.iter().zip(1..) {
            let reception = self.push(byte);
            if reception != Reception::Wait {
                context.report_terminal(mem::take(&mut self.before));
                return (used, reception);
            }
        }
        (bytes.len(), Reception::Wait)
    }

    fn push(&mut self, byte: u8) -> Reception {
        if self.has_o && byte == b'K' {
            self.before.pop();
            return Reception::Taken;
        }
        self.has_o = self.is_whole && byte == b'O' && (self.at_start || !self.owes);
        self.keep(byte);
        let is_banner = self.raw.push(byte);
        if is_banner {
            let text = RawBanner::strip(&self.before).len();
            self.before.truncate(text);
        }
        self.at_start = is_banner || byte == b'\n';
        match self.friendly.push(byte) {
            true => Reception::Restarted,
            false => Reception::Wait,
        }
    }

    /// Stops sending: Ctrl-C clears the line. `false` when all is sent already, and Ctrl-C would be lost.
    pub(super) fn interrupt(&self, context: &mut Context) -> bool {
        if !self.is_whole {
            context.transmit(INTERRUPT);
        }
        !self.is_whole
    }

    /// Keeps a byte of what came before, and not too many.
    fn keep(&mut self, byte: u8) {
        if self.before.len() == 2 * BEFORE_LIMIT {
            self.before.drain(..BEFORE_LIMIT);
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

    /// What came before, what the bytes mean, and what is left of them.
    fn receive(bytes: &[u8], size: usize, owes: bool) -> (Vec<u8>, Reception, Vec<u8>) {
        let mut context = Context::new(Config::default());
        context.owes_banners = owes;
        let mut pacing = Pacing::new(Instant::START, b"1".to_vec(), &context);
        assert!(pacing.wake(Instant::START, &mut context));
        context.pop();
        let mut offset = 0;
        for piece in bytes.chunks(size) {
            let (used, reception) = pacing.receive(piece, &mut context);
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
                format!("ets\r\n{friendly}"),
                format!("ets\r\n{friendly}"),
                Reception::Restarted,
                "",
            ),
        ] {
            for size in [bytes.len(), 7, 1] {
                let (got, meant, left) = receive(bytes.as_bytes(), size, true);
                assert_eq!(
                    (String::from_utf8_lossy(&got).into_owned(), &meant, &*left),
                    (before.clone(), &reception, rest.as_bytes()),
                    "{bytes:?} by {size}"
                );
            }
        }
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

//! Input for a program on the board: the stdin of this command.

mod keys;

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _, Read as _},
    thread,
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{Exit, Failure};
use keys::Keys;

/// Reads stdin in pieces as they arrive, until its end.
///
/// Input that may be a terminal can only be read by a thread that blocks; this thread ends with the program.
pub(crate) fn read_stdin() -> mpsc::Receiver<Vec<u8>> {
    let (sender, pieces) = mpsc::channel(PIECES_WAITING);
    thread::spawn(move || {
        let mut chunk = [0; 1024];
        while let Ok(length @ 1..) = io::stdin().lock().read(&mut chunk) {
            if sender.blocking_send(chunk[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    pieces
}

/// Input of a program: lines of a pipe or keys of a terminal, each sent when it is due.
///
/// Nothing reports when a program reads, and the board's raw REPL takes input that the program leaves unread for the
/// beginning of the next program. That input never runs: no byte is sent that would run it, and the next command drops
/// it.
pub(crate) struct Input {
    pieces: Option<mpsc::Receiver<Vec<u8>>>,
    /// A line that is not complete.
    partial: Vec<u8>,
    unsent: VecDeque<Vec<u8>>,
    next_at: Instant,
    enter: u8,
    keys: Option<Keys>,
}

impl Input {
    /// Creates an empty input.
    pub(crate) fn none() -> Self {
        Self {
            pieces: None,
            partial: Vec::new(),
            unsent: VecDeque::new(),
            next_at: Instant::now() + PAUSE,
            enter: b'\r',
            keys: None,
        }
    }

    /// Returns the input from stdin, for a program on this platform, as its `sys.platform` names it.
    ///
    /// Boards take a carriage return for the Enter key, both in `input()` and in `sys.stdin` (MicroPython 1.28,
    /// shared/readline/readline.c, shared/runtime/sys_stdio_mphal.c), and `input()` ignores a line feed. MicroPython's
    /// ports to larger systems read their terminal as a file, whose lines end in line feeds.
    pub(crate) fn stdin(platform: &str) -> io::Result<Self> {
        let keys = match io::stdin().is_terminal() {
            true => match Keys::take()? {
                None => return Ok(Self::none()),
                keys => keys,
            },
            false => None,
        };
        let has_files = matches!(platform, "linux" | "darwin" | "win32");
        Ok(Self {
            pieces: Some(read_stdin()),
            enter: if has_files { b'\n' } else { b'\r' },
            keys,
            ..Self::none()
        })
    }

    /// Returns the next input when it is due; waits forever if no more follows.
    ///
    /// Cancel safe: nothing is lost when this future is dropped.
    ///
    /// # Errors
    /// When stdin has a byte that a board takes for a command.
    pub(crate) async fn next(&mut self) -> Result<Vec<u8>, Failure> {
        loop {
            if let Some(piece) = self.unsent.front() {
                sleep_until(self.next_at).await;
                return Ok(piece.clone());
            }
            match &mut self.pieces {
                None => std::future::pending().await,
                Some(pieces) => match pieces.recv().await {
                    Some(piece) => self.take(&piece)?,
                    None => self.end(),
                },
            }
        }
    }

    /// Notes that the next piece has been sent.
    pub(crate) fn sent(&mut self) {
        self.unsent.pop_front();
        self.wait();
    }

    /// Postpones the next piece, which nothing takes yet.
    pub(crate) fn wait(&mut self) {
        self.next_at = Instant::now() + self.pause();
    }

    /// Notes that the program has printed something, perhaps a question.
    pub(crate) fn answer(&mut self) {
        if self.pause() == PAUSE {
            self.next_at = Instant::now();
        } else {
            self.wait();
        }
    }

    /// Returns the pause before the next piece. A person needs none. The end of the input waits until the program is
    /// silent.
    fn pause(&self) -> Duration {
        match self.unsent.front() {
            Some(piece) if piece == END_OF_INPUT => END_PAUSE,
            _ if self.keys.is_some() => Duration::ZERO,
            _ => PAUSE,
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), Failure> {
        if self.keys.is_some() {
            self.press(piece);
            return Ok(());
        }
        let interrupt = piece.iter().rposition(|&byte| byte == INTERRUPT);
        if interrupt.is_some() {
            self.drop_for_interrupt();
        }
        let piece = interrupt.map_or(piece, |at| &piece[at + 1..]);
        if let Some(command) = piece.iter().find(|byte| COMMANDS.contains(byte)) {
            return Err(Failure::new(
                Exit::Usage,
                format!(
                    "stdin contains the byte {command:#04x}, which a board treats as a command; the program was stopped"
                ),
            ));
        }
        for &byte in piece {
            self.partial
                .push(if byte == b'\n' { self.enter } else { byte });
            if byte == b'\n' || self.partial.len() == LONGEST_PIECE {
                self.flush();
            }
        }
        Ok(())
    }

    /// Puts an interrupt in the place of everything that is not sent yet, as Ctrl-C does on a terminal.
    fn drop_for_interrupt(&mut self) {
        self.partial.clear();
        self.unsent.clear();
        self.unsent.push_back(vec![INTERRUPT]);
        self.next_at = Instant::now();
    }

    fn press(&mut self, keys: &[u8]) {
        for &key in keys {
            match key {
                END_KEY => {
                    self.flush();
                    self.unsent.push_back(END_OF_INPUT.to_vec());
                }
                b'\n' | b'\r' => self.partial.push(self.enter),
                key if COMMANDS.contains(&key) => {}
                key => self.partial.push(key),
            }
        }
        self.flush();
    }

    fn end(&mut self) {
        self.pieces = None;
        if !self.partial.is_empty() {
            self.partial.push(self.enter);
            self.flush();
        }
        self.unsent.push_back(END_OF_INPUT.to_vec());
        self.next_at = self.next_at.max(Instant::now() + self.pause());
    }

    fn flush(&mut self) {
        if !self.partial.is_empty() {
            self.unsent.push_back(std::mem::take(&mut self.partial));
        }
    }
}

/// Ctrl-A to Ctrl-E: at the prompt of a raw REPL they run the typed text, or lead elsewhere.
const COMMANDS: std::ops::RangeInclusive<u8> = 1..=5;
const END_KEY: u8 = 0x04;
/// Ctrl-C in a pipe: a request to interrupt the program, for editors on systems without signals. It is not passed on.
pub(crate) const INTERRUPT: u8 = 0x03;
/// Delete, then Ctrl-D. On an empty line, `input()` ignores the first and raises `EOFError` at the second. If the
/// program has ended meanwhile, the first turns unread input into invalid Python, so that the second runs none of it;
/// and it keeps an otherwise empty line from being empty, which would reset the board.
const END_OF_INPUT: &[u8] = b"\x7f\x04";
/// Pause between two lines to a silent program, which may have no space for the second before it has read the first.
const PAUSE: Duration = Duration::from_millis(100);
/// Time of silence after which a program may be waiting for input.
const END_PAUSE: Duration = Duration::from_secs(1);
/// Limit in bytes: the input that the smallest boards buffer while they are not reading.
const LONGEST_PIECE: usize = 60;
/// Limit of pieces of stdin that wait for a slow board.
const PIECES_WAITING: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn unsent(input: &Input) -> Vec<&str> {
        let pieces = input.unsent.iter();
        pieces
            .map(|piece| std::str::from_utf8(piece).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn a_pipe_is_cut_into_lines_however_it_comes() {
        for size in [1, 3, 100] {
            let mut input = Input::none();
            for piece in b"bob\n\nlast".chunks(size) {
                input.take(piece).unwrap();
            }
            input.end();
            assert_eq!(unsent(&input), ["bob\r", "\r", "last\r", "\x7f\x04"]);
        }
    }

    #[tokio::test]
    async fn no_byte_that_runs_something_is_passed_on() {
        for byte in [1, 2, 4, 5] {
            assert!(Input::none().take(&[b'a', byte, b'\n']).is_err());
        }
        assert!(Input::none().take(b"\0\x06\x1b[A\n").is_ok());
    }

    #[tokio::test]
    async fn ctrl_c_in_a_pipe_takes_the_place_of_what_is_not_sent() {
        let mut input = Input::none();
        input.take(b"one\ntw").unwrap();
        input.take(b"o\x03\x03three\n").unwrap();
        assert_eq!(unsent(&input), ["\x03", "three\r"]);
        assert_eq!(input.next().await.unwrap(), [INTERRUPT]);
        assert!(input.take(b"\x03\x04").is_err());
    }

    #[tokio::test]
    async fn a_long_line_goes_in_pieces() {
        let mut input = Input::none();
        input.take(&[b'x'; 130]).unwrap();
        input.take(b"\n").unwrap();
        let lengths: Vec<_> = input.unsent.iter().map(Vec::len).collect();
        assert_eq!(lengths, [60, 60, 11]);
    }
}

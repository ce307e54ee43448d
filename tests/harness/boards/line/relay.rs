//! The terminal in front of a board: bytes go both ways at once, so neither side ever waits for the other.

use std::{
    collections::VecDeque,
    fs::OpenOptions,
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags},
    fs::{CWD, Mode, OFlags, mkfifoat},
    io::ioctl_fionread,
};

use super::{
    tty::{Tty, poll_one},
    worker::{End, Worker},
};
use crate::boards::process::processor::Processor;

/// A pty for clients, and a thread that carries what passes between it and a board.
#[derive(Debug)]
pub(in crate::boards) struct Relay {
    path: PathBuf,
    processor: Arc<OnceLock<Processor>>,
    _worker: Worker,
}

impl Relay {
    /// Opens a second pty, which is the board's terminal; its path comes with it.
    pub(in crate::boards) fn to_terminal() -> (Self, PathBuf) {
        let (board, terminal) = Tty::pair().expect("the system has a pty left");
        let to_board = board.try_clone().expect("a file can be opened twice");
        let hold = Tty::open(&terminal).expect("a pty that was just made can be opened");
        let relay = Self::start(to_board, board, Some(hold), false);
        (relay, terminal)
    }

    /// Connects to an emulator's serial port, which reads `pipe.in` and writes `pipe.out`, at
    /// 115,200 baud.
    ///
    /// An emulator hands on bytes as fast as they come, which no real line does: the firmware's 64 bytes of room
    /// overflow. Here the next bytes go when the emulator has taken the last ones, and not before a real line would have
    /// brought them; [`keep_pace`](Self::keep_pace) says by which clock.
    pub(in crate::boards) fn to_serial(pipe: &Path) -> Self {
        let to_board = fifo(&pipe.with_extension("in")).expect("the folder is ours");
        let from_board = fifo(&pipe.with_extension("out")).expect("the folder is ours");
        Self::start(to_board, from_board, None, true)
    }

    fn start(to_board: Tty, from_board: Tty, board: Option<Tty>, is_paced: bool) -> Self {
        let (client, path) = Tty::pair().expect("the system has a pty left");
        let hold = Tty::open(&path).expect("a pty that was just made can be opened");
        let processor = Arc::default();
        let cable = Cable {
            client,
            to_board,
            from_board,
            is_paced,
            processor: Arc::clone(&processor),
            down: VecDeque::new(),
            up: VecDeque::new(),
            _holds: (hold, board),
        };
        Self {
            path,
            processor,
            _worker: Worker::start(move |end| cable.carry(&end)),
        }
    }

    /// Counts the time that a real line takes by this processor's clock: on a busy machine, where it does not get on as
    /// fast as a real one, it gets bytes no faster either.
    pub(in crate::boards) fn keep_pace(&self, processor: Processor) {
        let _ = self.processor.set(processor);
    }

    /// The pty to open.
    pub(in crate::boards) fn path(&self) -> &Path {
        &self.path
    }
}

/// Opened for reading and writing, which waits for nobody.
fn fifo(path: &Path) -> io::Result<Tty> {
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)?;
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(flags);
    options.open(path).map(Tty::from)
}

struct Cable {
    client: Tty,
    to_board: Tty,
    from_board: Tty,
    is_paced: bool,
    processor: Arc<OnceLock<Processor>>,
    down: VecDeque<u8>,
    up: VecDeque<u8>,
    /// The far ends of the ptys, held open: a line survives who comes and goes.
    _holds: (Tty, Option<Tty>),
}

impl Cable {
    fn carry(mut self, end: &End) {
        while !end.is_over() {
            self.wait();
            self.carry_down();
            self.carry_up();
        }
    }

    /// Until something can move.
    fn wait(&self) {
        if self.is_paced && !self.down.is_empty() {
            return thread::sleep(GRAIN_TIME);
        }
        let mut ends = Vec::new();
        match self.down.is_empty() {
            true => ends.push(PollFd::new(&self.client, PollFlags::IN)),
            false => ends.push(PollFd::new(&self.to_board, PollFlags::OUT)),
        }
        match self.up.is_empty() {
            true => ends.push(PollFd::new(&self.from_board, PollFlags::IN)),
            false => ends.push(PollFd::new(&self.client, PollFlags::OUT)),
        }
        poll_one(&mut ends, LONGEST_WAIT);
    }

    fn carry_down(&mut self) {
        if self.down.is_empty() {
            let bytes = self.client.read(Duration::ZERO).unwrap_or_default();
            self.down.extend(bytes);
        }
        if !self.is_paced {
            return move_on(&mut self.down, usize::MAX, &mut self.to_board);
        }
        let is_taken = ioctl_fionread(&self.to_board).is_ok_and(|unread| unread == 0);
        let has_time = || {
            self.processor
                .get()
                .is_none_or(|it| it.has_done(GRAIN_TIME))
        };
        if is_taken && has_time() {
            move_on(&mut self.down, GRAIN, &mut self.to_board);
        }
    }

    fn carry_up(&mut self) {
        if self.up.is_empty() {
            let bytes = self.from_board.read(Duration::ZERO).unwrap_or_default();
            self.up.extend(bytes);
        }
        move_on(&mut self.up, usize::MAX, &mut self.client);
    }
}

/// Moves as many bytes as fit, and at most `most`.
fn move_on(waiting: &mut VecDeque<u8>, most: usize, to: &mut Tty) {
    let front = waiting.make_contiguous();
    let count = front.len().min(most);
    if count > 0 {
        let written = to.write(&front[..count]);
        waiting.drain(..written);
    }
}

/// Bytes that go at once, and the time they take on the line.
const GRAIN: usize = 4;
const GRAIN_TIME: Duration = Duration::from_micros(GRAIN as u64 * 10 * 1_000_000 / 115_200);
const LONGEST_WAIT: Duration = Duration::from_millis(20);

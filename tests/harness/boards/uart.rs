//! The serial line of an emulated board.

use std::{
    collections::VecDeque,
    fs::OpenOptions,
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags},
    fs::{CWD, Mode, OFlags, mkfifoat},
    io::ioctl_fionread,
};

use super::tty::{Tty, poll_one};

/// A pty in front of an emulator's two pipes, at 115,200 baud.
///
/// An emulator hands on bytes as fast as they come, which no real line does: the firmware's 64 bytes of room overflow,
/// and the more so on a busy machine. Here the next bytes go when the emulator has taken the last ones, and not before
/// a real line would have brought them.
#[derive(Debug)]
pub(super) struct Uart {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Uart {
    /// Makes `pipe.in` and `pipe.out`, as qemu's `-serial pipe:` wants them, and a pty that leads to them.
    pub(super) fn make(pipe: &Path) -> Self {
        let (client, path) = Tty::pair().expect("the system has a pty left");
        let cable = Cable {
            // Held open, so that the line survives a client that comes and goes.
            _hold: Tty::open(&path).expect("a pty that was just made can be opened"),
            client,
            to_board: fifo(&pipe.with_extension("in")).expect("the folder is ours"),
            from_board: fifo(&pipe.with_extension("out")).expect("the folder is ours"),
            down: VecDeque::new(),
            up: VecDeque::new(),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let stop = Arc::clone(&stop);
            move || cable.carry(&stop)
        });
        Self {
            path,
            stop,
            thread: Some(thread),
        }
    }

    /// The pty to open.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Uart {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
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
    down: VecDeque<u8>,
    up: VecDeque<u8>,
    _hold: Tty,
}

impl Cable {
    fn carry(mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            self.wait();
            self.carry_down();
            self.carry_up();
        }
    }

    fn wait(&self) {
        if !self.down.is_empty() || !self.up.is_empty() {
            return thread::sleep(GRAIN_TIME);
        }
        let mut ends = [
            PollFd::new(&self.client, PollFlags::IN),
            PollFd::new(&self.from_board, PollFlags::IN),
        ];
        poll_one(&mut ends, LONGEST_WAIT);
    }

    fn carry_down(&mut self) {
        if self.down.len() < ROOM {
            self.down
                .extend(self.client.read(Duration::ZERO).unwrap_or_default());
        }
        let is_taken = ioctl_fionread(&self.to_board).is_ok_and(|unread| unread == 0);
        if is_taken {
            let grain: Vec<u8> = self.down.iter().copied().take(GRAIN).collect();
            let written = self.to_board.write(&grain);
            self.down.drain(..written);
        }
    }

    fn carry_up(&mut self) {
        if self.up.is_empty() {
            self.up
                .extend(self.from_board.read(Duration::ZERO).unwrap_or_default());
        }
        let (front, _) = self.up.as_slices();
        let written = self.client.write(front);
        self.up.drain(..written);
    }
}

/// Bytes that go at once, and the time they take on the line.
const GRAIN: usize = 4;
const GRAIN_TIME: Duration = Duration::from_micros(GRAIN as u64 * 10 * 1_000_000 / 115_200);
const LONGEST_WAIT: Duration = Duration::from_millis(20);
/// What the line holds before it lets its client wait.
const ROOM: usize = 4096;

//! The cable between a client and a board, as bad as a test wants it.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fastrand::Rng;
use rustix::event::{PollFd, PollFlags};

use super::tty::{Tty, poll_one};

/// What a wire does to the bytes on it. The default is a good wire.
///
/// Chances are in a million per byte, drawn from `seed`, so a failure can be had again.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// Where the chances come from.
    pub seed: u64,
    /// Bits per second in each direction, ten to a byte; as fast as it goes when there is none.
    pub baud: Option<u32>,
    /// One bit of a byte from the board is flipped.
    pub flip: u32,
    /// A byte from the board is lost.
    pub lose: u32,
    /// A byte from the board comes twice.
    pub repeat: u32,
    /// After a byte from the board comes a line that it was not asked for, as from a timer that prints.
    pub babble: u32,
    /// After this many bytes from the board, nothing passes for this long.
    pub stall: Option<(usize, Duration)>,
    /// After this many bytes from the board, the cable is pulled.
    pub unplug_after: Option<usize>,
    /// The raw-paste question is answered with "no", which makes the unix port interruptible.
    pub no_raw_paste: bool,
}

/// One blow to a wire.
#[derive(Debug, Clone, Copy)]
pub struct Strike {
    /// Whether it hits what goes to the board, or what comes from it.
    pub to_board: bool,
    /// It hits after so many more bytes in that direction.
    pub after: usize,
    /// What happens then.
    pub blow: Blow,
}

/// What a [`Strike`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blow {
    /// One bit of a byte, of the number given, is flipped.
    Flip(u8),
    /// A byte is lost.
    Lose,
    /// A byte comes twice.
    Repeat,
    /// Nothing passes in this direction for a while.
    Stall(Duration),
    /// Nothing passes in either direction any more, until the wire is mended.
    Cut,
    /// The cable is pulled.
    Unplug,
}

/// A blow, and what the board has still to say before its bytes are counted.
#[derive(Debug)]
struct Planned {
    unsaid: Vec<u8>,
    /// The last of what it has said, shorter than that.
    tail: Vec<u8>,
    strike: Strike,
}

impl Planned {
    /// How many of these bytes of the board's come before those that are counted.
    fn hear(&mut self, bytes: &[u8]) -> usize {
        let before = self.tail.len();
        self.tail.extend(bytes);
        let length = self.unsaid.len();
        let said = |at: &usize| self.tail[*at..].starts_with(&self.unsaid);
        if let Some(at) = (0..self.tail.len()).find(said) {
            self.unsaid.clear();
            return at + length - before;
        }
        self.tail
            .drain(..self.tail.len().saturating_sub(length - 1));
        bytes.len()
    }
}

/// A pty in front of a board's pty.
#[derive(Debug)]
pub struct Wire {
    path: PathBuf,
    strike: Arc<Mutex<Option<Planned>>>,
    cut: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// Puts a wire on a board.
    ///
    /// # Panics
    ///
    /// When there are no more ptys, or `board` is none.
    #[must_use]
    pub fn attach(board: &Path, faults: Faults) -> Self {
        let board = Tty::open(board).expect("the board's pty can be opened");
        let (client, path) = Tty::pair().expect("the system has a pty left");
        // Held open, so that the line survives a client that comes and goes.
        let hold = Tty::open(&path).expect("a pty that was just made can be opened");
        let stop = Arc::new(AtomicBool::new(false));
        let strike = Arc::new(Mutex::new(None));
        let cut = Arc::new(AtomicBool::new(false));
        let cable = Cable {
            strike: Arc::clone(&strike),
            cut: Arc::clone(&cut),
            pulled: false,
            down: Lane::new(&faults),
            up: Lane::new(&faults),
            faults,
            client,
            board,
            _hold: hold,
        };
        let thread = thread::spawn({
            let stop = Arc::clone(&stop);
            move || cable.carry(&stop)
        });
        Self {
            path,
            strike,
            cut,
            stop,
            thread: Some(thread),
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Plans a blow, in place of one that has not hit yet.
    pub fn strike(&self, strike: Strike) {
        self.strike_after(b"", strike);
    }

    /// Plans a blow whose bytes are counted from the moment in which the board has said this, whoever runs or waits then.
    pub fn strike_after(&self, said: &[u8], strike: Strike) {
        let unsaid = said.to_vec();
        let planned = Planned {
            unsaid,
            tail: Vec::new(),
            strike,
        };
        *self.strike.lock().unwrap_or_else(PoisonError::into_inner) = Some(planned);
    }

    /// Ends a cut, and forgets a blow that has not hit. Whether one was left.
    pub fn mend(&self) -> bool {
        self.cut.store(false, Ordering::Relaxed);
        let mut strike = self.strike.lock().unwrap_or_else(PoisonError::into_inner);
        strike.take().is_some()
    }

    /// Pulls the cable: the client's end is gone when this returns.
    pub fn unplug(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.unplug();
    }
}

struct Cable {
    strike: Arc<Mutex<Option<Planned>>>,
    cut: Arc<AtomicBool>,
    pulled: bool,
    client: Tty,
    board: Tty,
    /// Bytes to the board, and from it.
    down: Lane,
    up: Lane,
    faults: Faults,
    _hold: Tty,
}

/// One direction.
struct Lane {
    waiting: VecDeque<u8>,
    byte_time: Duration,
    /// When the next byte may leave.
    free_at: Instant,
    /// Nothing was on it, and nothing came: what comes next has not been late.
    idle: bool,
    passed: usize,
    rng: Rng,
}

impl Cable {
    fn carry(mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) && !self.is_unplugged() {
            self.wait();
            self.take_from_client();
            self.take_from_board();
            let now = Instant::now();
            self.down.deliver(now, &mut self.board);
            self.up.deliver(now, &mut self.client);
        }
    }

    fn is_unplugged(&self) -> bool {
        let pulled = self.faults.unplug_after;
        self.pulled
            || pulled.is_some_and(|count| self.up.passed >= count && self.up.waiting.is_empty())
    }

    fn wait(&self) {
        if !self.down.waiting.is_empty() || !self.up.waiting.is_empty() {
            let next = self.down.due().min(self.up.due());
            let wait = next.saturating_duration_since(Instant::now());
            return thread::sleep(wait.clamp(self.shortest_wait(), LONGEST_WAIT));
        }
        let mut ends = [
            PollFd::new(&self.client, PollFlags::IN),
            PollFd::new(&self.board, PollFlags::IN),
        ];
        poll_one(&mut ends, LONGEST_WAIT);
    }

    /// Adapters hand on what came in a while too; one byte at a time would keep a whole processor busy.
    fn shortest_wait(&self) -> Duration {
        self.down.byte_time.saturating_mul(GRAIN).min(LONGEST_GRAIN)
    }

    fn take_from_client(&mut self) {
        let mut bytes = self.down.read(&mut self.client);
        if self.faults.no_raw_paste && bytes.ends_with(PROBE) {
            bytes.truncate(bytes.len() - PROBE.len());
            self.up.waiting.extend(b"R\x00>");
        }
        let bytes = self.suffer(true, bytes);
        self.down.begin(!bytes.is_empty());
        self.down.waiting.extend(bytes);
    }

    fn take_from_board(&mut self) {
        let bytes = self.up.read(&mut self.board);
        let bytes = self.suffer(false, bytes);
        self.up.begin(!bytes.is_empty());
        for byte in bytes {
            if self
                .faults
                .unplug_after
                .is_some_and(|end| self.up.passed >= end)
            {
                return;
            }
            self.up.pass(byte, &self.faults);
        }
    }
}

/// Blows.
impl Cable {
    /// What is left of bytes that pass in one direction.
    fn suffer(&mut self, to_board: bool, mut bytes: Vec<u8>) -> Vec<u8> {
        if let Some((at, blow)) = self.hit(to_board, &bytes) {
            self.take_blow(to_board, blow, at, &mut bytes);
        }
        if self.cut.load(Ordering::Relaxed) {
            bytes.clear();
        }
        bytes
    }

    /// Where among the next bytes the planned blow falls, if it does.
    fn hit(&self, to_board: bool, bytes: &[u8]) -> Option<(usize, Blow)> {
        let mut planned = self.strike.lock().unwrap_or_else(PoisonError::into_inner);
        let next = planned.as_mut()?;
        let before = match (next.unsaid.is_empty(), to_board) {
            (true, _) => 0,
            (false, true) => return None,
            (false, false) => next.hear(bytes),
        };
        let (strike, count) = (&mut next.strike, bytes.len() - before);
        if strike.to_board != to_board {
            return None;
        }
        if strike.after >= count {
            strike.after -= count;
            return None;
        }
        let hit = (before + strike.after, strike.blow);
        *planned = None;
        Some(hit)
    }

    fn take_blow(&mut self, to_board: bool, blow: Blow, at: usize, bytes: &mut Vec<u8>) {
        let lane = if to_board {
            &mut self.down
        } else {
            &mut self.up
        };
        match blow {
            Blow::Flip(bit) => bytes[at] ^= 1 << (bit % 8),
            Blow::Lose => drop(bytes.remove(at)),
            Blow::Repeat => bytes.insert(at, bytes[at]),
            Blow::Stall(pause) => lane.free_at = Instant::now() + pause,
            Blow::Cut => self.cut.store(true, Ordering::Relaxed),
            Blow::Unplug => {
                self.pulled = true;
                bytes.truncate(at);
            }
        }
    }
}

impl Lane {
    fn new(faults: &Faults) -> Self {
        let byte_time = faults.baud.map_or(Duration::ZERO, |baud| {
            Duration::from_secs(BITS_PER_BYTE) / baud.max(1)
        });
        Self {
            waiting: VecDeque::new(),
            byte_time,
            free_at: Instant::now(),
            idle: true,
            passed: 0,
            rng: Rng::with_seed(faults.seed),
        }
    }

    /// What has arrived at the lane's beginning, unless it is full.
    fn read(&self, from: &mut Tty) -> Vec<u8> {
        if self.waiting.len() >= ROOM {
            return Vec::new();
        }
        from.read(Duration::ZERO).unwrap_or_default()
    }

    /// A line that had nothing to carry has saved no time for what comes now. But what came while this thread was not
    /// let run would have been on its way.
    fn begin(&mut self, comes: bool) {
        if comes && self.idle {
            self.free_at = self.free_at.max(Instant::now());
        }
        self.idle = !comes && self.waiting.is_empty();
    }

    /// Takes a byte, as the faults have it.
    fn pass(&mut self, byte: u8, faults: &Faults) {
        self.passed += 1;
        if let Some((at, pause)) = faults.stall.filter(|(at, _)| *at == self.passed) {
            self.free_at = Instant::now() + pause;
            debug_assert_eq!(at, self.passed);
        }
        if self.happens(faults.lose) {
            return;
        }
        let flipped = if self.happens(faults.flip) {
            byte ^ (1 << self.rng.u8(0..8))
        } else {
            byte
        };
        self.waiting.push_back(flipped);
        if self.happens(faults.repeat) {
            self.waiting.push_back(flipped);
        }
        if self.happens(faults.babble) {
            self.waiting.extend(b"tick 17\r\n");
        }
    }

    fn happens(&mut self, chance: u32) -> bool {
        chance > 0 && self.rng.u32(0..1_000_000) < chance
    }

    fn due(&self) -> Instant {
        if self.waiting.is_empty() {
            return Instant::now() + LONGEST_WAIT;
        }
        self.free_at
    }

    /// Writes the bytes whose time has come. Late ones are made up for: a real line is never late.
    fn deliver(&mut self, now: Instant, to: &mut Tty) {
        if self.waiting.is_empty() || now < self.free_at {
            return;
        }
        let late = now - self.free_at + self.byte_time;
        let count = match self.byte_time.as_nanos() {
            0 => self.waiting.len(),
            nanos => usize::try_from(late.as_nanos() / nanos).unwrap_or(usize::MAX),
        };
        let (front, _) = self.waiting.as_slices();
        let written = to.write(&front[..count.min(front.len())]);
        self.waiting.drain(..written);
        self.free_at += self.byte_time * u32::try_from(written).unwrap_or(u32::MAX);
    }
}

const PROBE: &[u8] = b"\x05A\x01";
/// A start bit, eight of data, a stop bit.
const BITS_PER_BYTE: u64 = 10;
/// How many bytes go at once on a line that is slow enough.
const GRAIN: u32 = 8;
const LONGEST_GRAIN: Duration = Duration::from_millis(2);
const LONGEST_WAIT: Duration = Duration::from_millis(20);
/// What a lane holds before it lets its source wait.
const ROOM: usize = 4096;

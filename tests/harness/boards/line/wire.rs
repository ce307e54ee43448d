//! The cable between a client and a board, as bad as a test wants it.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags};

use super::{
    lane::{LONGEST_WAIT, Lane},
    leaving::Leaving,
    sampling::sampled,
    tty::{Tty, poll_one},
    worker::{End, Worker},
};

/// Faults of a wire. The default is a good wire.
///
/// Chances are in a million per byte, drawn from `seed`, so a failure can be had again.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Bits per second in each direction, ten to a byte; as fast as it goes when there is none.
    pub baud: Option<u32>,
    /// Each byte arrives this much later, in either direction.
    pub delay: Duration,
    /// Speed of the board's end, in bits per second: a client that has set another one reads and sends garbage, as the receiver of a
    /// serial line samples it.
    pub speed: Option<u32>,
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
    /// Words of the client after which the cable is pulled, as soon as the board has taken the program with them.
    pub leaves_after: &'static [u8],
    /// The raw-paste question is answered with "no", which makes the unix port interruptible.
    pub no_raw_paste: bool,
}

/// One blow to a wire.
#[derive(Debug, Clone, Copy)]
pub struct Strike {
    /// True to hit the bytes to the board, false for those from it.
    pub to_board: bool,
    /// It hits after so many more bytes in that direction.
    pub after: usize,
    /// Effect of the strike.
    pub blow: Blow,
}

/// Effect of a [`Strike`].
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
    /// Returns the number of these bytes of the board that precede the counted ones.
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
    carried: Arc<Carried>,
    pulled: Arc<AtomicBool>,
    worker: Worker,
}

/// Bytes that came onto the wire at each end.
#[derive(Debug, Default)]
struct Carried {
    from_client: AtomicUsize,
    from_board: AtomicUsize,
}

impl Wire {
    /// Puts a wire on a board.
    ///
    /// # Panics
    ///
    /// When there are no more ptys, or `board` is none.
    #[must_use]
    pub fn attach(board: &Path, faults: Faults) -> Self {
        let pair = Tty::pair().expect("the system has a pty left");
        Self::between(board, pair, faults)
    }

    /// Puts a wire between a board and a terminal line that was just made.
    pub(in crate::boards) fn between(
        board: &Path,
        (client, path): (Tty, PathBuf),
        faults: Faults,
    ) -> Self {
        let board = Tty::open(board).expect("the board's pty can be opened");
        // Held open, so that the line survives a client that comes and goes.
        let hold = Tty::open(&path).expect("a pty that was just made can be opened");
        let strike = Arc::new(Mutex::new(None));
        let cut = Arc::new(AtomicBool::new(false));
        let carried = Arc::new(Carried::default());
        let pulled = Arc::new(AtomicBool::new(false));
        let cable = Cable {
            carried: Arc::clone(&carried),
            strike: Arc::clone(&strike),
            cut: Arc::clone(&cut),
            pulled: Arc::clone(&pulled),
            leaving: Leaving::No(Vec::new()),
            down: Lane::new(&faults),
            up: Lane::new(&faults),
            faults,
            client,
            board,
            _hold: hold,
        };
        Self {
            path,
            strike,
            cut,
            carried,
            pulled,
            worker: Worker::start(move |end| cable.carry(&end)),
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of bytes that the client and the board have sent since the wire was attached.
    #[must_use]
    pub fn carried(&self) -> (usize, usize) {
        let Carried {
            from_client,
            from_board,
        } = &*self.carried;
        [from_client, from_board]
            .map(|count| count.load(Ordering::Relaxed))
            .into()
    }

    /// Returns true once a fault or a blow has pulled the cable.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        self.pulled.load(Ordering::Relaxed)
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
        self.worker.end();
    }
}

struct Cable {
    carried: Arc<Carried>,
    strike: Arc<Mutex<Option<Planned>>>,
    cut: Arc<AtomicBool>,
    pulled: Arc<AtomicBool>,
    leaving: Leaving,
    client: Tty,
    board: Tty,
    /// Bytes to the board, and from it.
    down: Lane,
    up: Lane,
    faults: Faults,
    _hold: Tty,
}

impl Cable {
    fn carry(mut self, end: &End) {
        while !end.is_over() {
            if self.is_unplugged() {
                return self.pulled.store(true, Ordering::Relaxed);
            }
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
        self.leaving.is_gone(Instant::now())
            || pulled.is_some_and(|count| self.up.passed >= count && self.up.waiting.is_empty())
    }

    fn wait(&self) {
        if self.down.has_any() || self.up.has_any() {
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
        if let Some((client, board)) = self.other_speeds() {
            bytes = sampled(&bytes, client, board);
        }
        let count = &self.carried.from_client;
        count.fetch_add(bytes.len(), Ordering::Relaxed);
        self.leaving.hear_client(self.faults.leaves_after, &bytes);
        if self.faults.no_raw_paste && bytes.ends_with(PROBE) {
            bytes.truncate(bytes.len() - PROBE.len());
            self.up.waiting.extend(b"R\x00>");
        }
        let bytes = self.suffer(true, bytes);
        let bytes = self.down.carry(bytes);
        self.down.begin(!bytes.is_empty());
        self.down.waiting.extend(bytes);
    }

    fn take_from_board(&mut self) {
        let mut bytes = self.up.read(&mut self.board);
        if let Some((client, board)) = self.other_speeds() {
            bytes = sampled(&bytes, board, client);
        }
        let count = &self.carried.from_board;
        count.fetch_add(bytes.len(), Ordering::Relaxed);
        self.leaving.hear_board(&bytes);
        let bytes = self.suffer(false, bytes);
        let bytes = self.up.carry(bytes);
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

/// Speeds.
impl Cable {
    /// The client's speed and the board's, if they differ.
    fn other_speeds(&self) -> Option<(u32, u32)> {
        let board = self.faults.speed?;
        let client = self.client.speed();
        (client != board).then_some((client, board))
    }
}

/// Blows.
impl Cable {
    /// Returns the bytes that survive the way in one direction.
    fn suffer(&mut self, to_board: bool, mut bytes: Vec<u8>) -> Vec<u8> {
        if let Some((at, blow)) = self.hit(to_board, &bytes) {
            self.take_blow(to_board, blow, at, &mut bytes);
        }
        if self.cut.load(Ordering::Relaxed) {
            bytes.clear();
        }
        bytes
    }

    /// Returns the position of the planned blow among the next bytes, if it falls there.
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
                self.leaving = Leaving::Gone;
                bytes.truncate(at);
            }
        }
    }
}

const PROBE: &[u8] = b"\x05A\x01";
/// Number of bytes sent at once on a slow line.
const GRAIN: u32 = 8;
const LONGEST_GRAIN: Duration = Duration::from_millis(2);

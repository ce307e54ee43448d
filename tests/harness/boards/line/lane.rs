//! One direction of a [`Wire`](super::wire::Wire): bytes that come late, at the line's speed, and as its faults have it.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use fastrand::Rng;

use super::{tty::Tty, wire::Faults};

/// One direction.
pub(super) struct Lane {
    pub(super) waiting: VecDeque<u8>,
    /// Bytes on their way, with the time of their arrival.
    under_way: VecDeque<(Instant, Vec<u8>)>,
    delay: Duration,
    pub(super) byte_time: Duration,
    /// Time at which the next byte may leave.
    pub(super) free_at: Instant,
    /// Nothing was on it, and nothing came: what comes next has not been late.
    idle: bool,
    pub(super) passed: usize,
    rng: Rng,
}

impl Lane {
    pub(super) fn new(faults: &Faults) -> Self {
        let byte_time = faults.baud.map_or(Duration::ZERO, |baud| {
            Duration::from_secs(BITS_PER_BYTE) / baud.max(1)
        });
        Self {
            waiting: VecDeque::new(),
            under_way: VecDeque::new(),
            delay: faults.delay,
            byte_time,
            free_at: Instant::now(),
            idle: true,
            passed: 0,
            rng: Rng::with_seed(faults.seed),
        }
    }

    /// Reads the bytes that arrived at the lane's beginning, unless it is full.
    pub(super) fn read(&self, from: &mut Tty) -> Vec<u8> {
        let under_way: usize = self.under_way.iter().map(|(_, bytes)| bytes.len()).sum();
        if self.waiting.len() + under_way >= ROOM {
            return Vec::new();
        }
        from.read(Duration::ZERO).unwrap_or_default()
    }

    /// Takes in bytes, and returns those that arrive now.
    pub(super) fn carry(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        if self.delay.is_zero() {
            return bytes;
        }
        let now = Instant::now();
        if !bytes.is_empty() {
            self.under_way.push_back((now + self.delay, bytes));
        }
        let mut arrived = Vec::new();
        while self.under_way.front().is_some_and(|(due, _)| *due <= now) {
            arrived.extend(self.under_way.pop_front().unwrap_or((now, Vec::new())).1);
        }
        arrived
    }

    pub(super) fn has_any(&self) -> bool {
        !self.waiting.is_empty() || !self.under_way.is_empty()
    }

    /// A line that had nothing to carry has saved no time for what comes now. But what came while this thread was not
    /// let run would have been on its way.
    pub(super) fn begin(&mut self, comes: bool) {
        if comes && self.idle {
            self.free_at = self.free_at.max(Instant::now());
        }
        self.idle = !comes && self.waiting.is_empty();
    }

    /// Takes a byte, as the faults have it.
    pub(super) fn pass(&mut self, byte: u8, faults: &Faults) {
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

    pub(super) fn due(&self) -> Instant {
        let arrival = self.under_way.front().map(|(due, _)| *due);
        let departure = (!self.waiting.is_empty()).then_some(self.free_at);
        let next = [arrival, departure].into_iter().flatten().min();
        next.unwrap_or_else(|| Instant::now() + LONGEST_WAIT)
    }

    /// Writes the bytes whose time has come. Late ones are made up for: a real line is never late.
    pub(super) fn deliver(&mut self, now: Instant, to: &mut Tty) {
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

/// A start bit, eight of data, a stop bit.
const BITS_PER_BYTE: u64 = 10;
/// Time after which a wire looks at both directions again, whatever they carry.
pub(super) const LONGEST_WAIT: Duration = Duration::from_millis(20);
/// Capacity of a lane before its source has to wait.
const ROOM: usize = 4096;

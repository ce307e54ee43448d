//! A client and a simulated board on one bench, under virtual time.

use std::{collections::VecDeque, time::Duration};

use fastrand::Rng;
use flylead_core::{
    Input, Instant, Pump,
    raw_repl::{Command, CommandError, Config, Event, RawRepl},
};

use crate::device::Device;

/// Both halves and the wire between them, which cuts what passes into random pieces and delays each.
#[derive(Debug)]
pub struct Pair {
    client: Pump<RawRepl>,
    device: Device,
    now: Instant,
    wire: Wire,
    is_plugged: bool,
    events: Vec<(Instant, Event)>,
    /// Number of them that a test has examined.
    seen: usize,
    steps: usize,
}

#[derive(Debug)]
struct Wire {
    rng: Rng,
    /// The longest time a piece takes.
    latency: Duration,
    down: Lane,
    up: Lane,
}

/// Pieces on their way, in order, each with the moment of its arrival.
type Lane = VecDeque<(Instant, Vec<u8>)>;

/// More steps than any test has a use for: something asks to be woken forever.
const STEP_LIMIT: usize = 5_000_000;

impl Pair {
    /// A client that has just opened this board.
    #[must_use]
    pub fn new(seed: u64, latency: Duration, config: Config, device: Device) -> Self {
        Self {
            client: Pump::new(RawRepl::new(config)),
            device,
            now: Instant::START,
            wire: Wire {
                rng: Rng::with_seed(seed),
                latency,
                down: Lane::new(),
                up: Lane::new(),
            },
            is_plugged: true,
            events: Vec::new(),
            seen: 0,
            steps: 0,
        }
    }

    /// Current time on the bench.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// The board.
    #[must_use]
    pub const fn device(&self) -> &Device {
        &self.device
    }

    /// Everything the client told, and when.
    #[must_use]
    pub fn events(&self) -> &[(Instant, Event)] {
        &self.events
    }

    /// Gives the client a command.
    pub fn command(&mut self, command: &Command) -> Result<(), CommandError> {
        let now = self.now;
        let answer = self.client.command(|repl| repl.command(now, command));
        self.settle();
        answer
    }

    /// Runs a program and waits until it has ended.
    ///
    /// # Panics
    ///
    /// When the client is busy.
    pub fn exec(&mut self, source: &[u8], timeout: Option<Duration>) {
        let source = source.to_vec();
        self.command(&Command::Exec { source, timeout })
            .expect("one command at a time");
    }

    /// Lets time pass until the client tells such an event, at most for `limit`. Returns the events that no earlier
    /// call has returned, with that one as the last, or `None` when it does not come.
    pub fn until(
        &mut self,
        limit: Duration,
        wanted: impl Fn(&Event) -> bool,
    ) -> Option<Vec<Event>> {
        let end = self.now + limit;
        let first = self.seen;
        loop {
            while let Some((_, event)) = self.events.get(self.seen) {
                self.seen += 1;
                if wanted(event) {
                    let told = self.events[first..self.seen].iter();
                    return Some(told.map(|(_, event)| event.clone()).collect());
                }
            }
            if !self.step(end) {
                return None;
            }
        }
    }

    /// Lets [`until`](Self::until) begin with what comes from now on.
    pub fn skip_events(&mut self) {
        self.seen = self.events.len();
    }

    /// Lets this much time pass.
    pub fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.step(end) {}
        self.now = end;
    }

    /// Presses the board's reset button. What is on the wire stays on its way.
    pub fn restart(&mut self) {
        self.device.restart(self.now);
        self.settle();
    }

    /// Pulls the board out.
    pub fn unplug(&mut self) {
        self.is_plugged = false;
        self.wire.up.clear();
        self.wire.down.clear();
        self.client.handle_input(self.now, Input::Closed);
        self.settle();
    }

    /// Goes to the next moment at which something happens, if that is before `end`, and lets it happen.
    fn step(&mut self, end: Instant) -> bool {
        self.steps += 1;
        assert!(
            self.steps < STEP_LIMIT,
            "it never comes to rest, at {}",
            self.now
        );
        let Some(next) = self.next_moment().filter(|next| *next <= end) else {
            return false;
        };
        self.now = self.now.max(next);
        if let Some(piece) = due(&mut self.wire.down, self.now) {
            self.device.receive(self.now, &piece);
        } else if let Some(piece) = due(&mut self.wire.up, self.now) {
            self.client.handle_input(self.now, Input::Bytes(&piece));
        } else {
            self.device.wake(self.now);
            self.client.handle_input(self.now, Input::Timeout);
        }
        self.settle();
        true
    }

    fn next_moment(&self) -> Option<Instant> {
        let front = |lane: &Lane| lane.front().map(|(at, _)| *at);
        let device = self.device.wake_at().filter(|_| self.is_plugged);
        [
            front(&self.wire.down),
            front(&self.wire.up),
            self.client.deadline(),
            device,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Puts what both have said on the wire.
    fn settle(&mut self) {
        let down = self.client.take_transmit();
        let up = self.device.take_output();
        if self.is_plugged {
            self.wire.carry(self.now, &down, |wire| &mut wire.down);
            self.wire.carry(self.now, &up, |wire| &mut wire.up);
        }
        while let Some(event) = self.client.poll_event() {
            self.events.push((self.now, event));
        }
    }
}

impl Wire {
    fn carry(&mut self, now: Instant, mut bytes: &[u8], lane: impl Fn(&mut Self) -> &mut Lane) {
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(self.piece_length(bytes.len()));
            let arrival = now + self.latency.mul_f64(self.rng.f64());
            let lane = lane(self);
            let last = lane.back().map_or(now, |(at, _)| *at);
            lane.push_back((arrival.max(last), piece.to_vec()));
            bytes = rest;
        }
    }

    /// Often everything, often one byte, and everything between.
    fn piece_length(&mut self, available: usize) -> usize {
        match self.rng.u8(0..4) {
            0 => available,
            1 => 1,
            2 => self.rng.usize(1..=available.min(8)),
            _ => self.rng.usize(1..=available),
        }
    }
}

fn due(lane: &mut Lane, now: Instant) -> Option<Vec<u8>> {
    lane.pop_front_if(|(at, _)| *at <= now)
        .map(|(_, piece)| piece)
}

//! Questions that are given up and answered later, in all orders and at any time: no log becomes another run's.

use std::{collections::VecDeque, time::Duration};

use flylead_core::{
    Input, Instant, Pump,
    export::{Collector, Config, Doubt, Event, Failure, RunId},
};

use crate::faults::device::{Random, crc32, size_line};

const CONVERSATIONS: u64 = 1000;
const RUNS: [&str; 3] = ["runA", "runB", "runC"];

/// A device that needs seconds to find a file, and answers one question after the other.
struct Slow {
    framing: usize,
    has_checksum: bool,
    says_ok: bool,
    is_named: bool,
    logs: Vec<Vec<u8>>,
    free_at: Instant,
    /// Answers that it will send, and when.
    sent: VecDeque<(Instant, Vec<u8>)>,
}

impl Slow {
    fn new(random: &mut Random, is_named: bool) -> Self {
        let rows = |run: &str, random: &mut Random| {
            let count = random.between(2, 20);
            let rows: Vec<_> = (0..count).map(|row| format!("{row},{run}\n")).collect();
            ["t,run\n", &rows.concat()].concat().into_bytes()
        };
        Self {
            framing: random.below(3),
            has_checksum: random.below(2) == 0,
            says_ok: random.below(2) == 0,
            is_named,
            logs: RUNS.iter().map(|run| rows(run, random)).collect(),
            free_at: Instant::START,
            sent: VecDeque::new(),
        }
    }

    fn name(&self, run: &str) -> Vec<u8> {
        match self.is_named {
            true => format!("RUN={run}\n").into_bytes(),
            false => Vec::new(),
        }
    }

    fn answer(&self, run: &str, log: &[u8]) -> Vec<u8> {
        let mut answer = self.name(run);
        let lines = log.iter().filter(|byte| **byte == b'\n').count();
        answer.extend_from_slice(&match self.framing {
            0 => size_line(log.len()),
            1 => b"BEGIN\n".to_vec(),
            _ => format!("BEGIN LINES={lines}\n").into_bytes(),
        });
        answer.extend_from_slice(log);
        if self.framing > 0 {
            answer.extend_from_slice(b"END\n");
        }
        if self.has_checksum {
            answer.extend_from_slice(format!("\nCRC32={:08x}\n", crc32(log)).as_bytes());
        }
        if self.says_ok {
            answer.extend_from_slice(if self.has_checksum {
                b"OK\n"
            } else {
                b"\nOK\n"
            });
        }
        answer
    }

    /// Reads a question: the answer comes seconds later, in pieces with pauses, or never.
    fn ask(&mut self, now: Instant, line: &[u8], random: &mut Random) {
        let line = String::from_utf8_lossy(line);
        let run = line
            .trim_end()
            .strip_prefix("EXPORT run_id=")
            .expect("the only command");
        let number = RUNS
            .iter()
            .position(|known| *known == run)
            .expect("one of them");
        if random.below(8) == 0 {
            return;
        }
        let mut at = self.free_at.max(now) + Duration::from_millis(random.below(9000) as u64);
        let answer = match random.below(10) {
            0 => [self.name(run), b"ERROR: card busy\n".to_vec()].concat(),
            _ => self.answer(run, &self.logs[number]),
        };
        let mut rest = &answer[..];
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(random.between(1, 200).min(rest.len()));
            self.sent.push_back((at, chunk.to_vec()));
            at += Duration::from_millis(random.below(400) as u64);
            rest = after;
        }
        self.free_at = at;
    }
}

/// One program with the port open.
struct Program {
    pump: Pump<Collector>,
    log: Vec<u8>,
}

impl Program {
    /// A program that begins, and remembers what an earlier one left without an answer.
    fn start(now: Instant, left: &[RunId]) -> Self {
        let mut config = Config::default();
        config.timeout = Duration::from_secs(6);
        let mut machine = Collector::new(config);
        let until = now + Duration::from_secs(600);
        left.iter()
            .for_each(|run_id| machine.expect_late(run_id, until));
        Self {
            pump: Pump::new(machine),
            log: Vec::new(),
        }
    }

    /// Asks once, until there is an end or the person gives up; whether a log came, and the log.
    fn fetch(
        &mut self,
        now: &mut Instant,
        run: &str,
        give_up: Option<Duration>,
        device: &mut Slow,
        random: &mut Random,
    ) -> Option<Result<(), (Failure, Vec<Doubt>)>> {
        let run_id = RunId::new(run).expect("a good name");
        self.log.clear();
        self.pump
            .command(|machine| machine.export(*now, &run_id))
            .expect("nothing is under way");
        let end = give_up.map(|time| *now + time);
        loop {
            let sent = self.pump.take_transmit();
            if !sent.is_empty() {
                device.ask(*now, &sent, random);
            }
            while let Some(event) = self.pump.poll_event() {
                match event {
                    Event::Body(bytes) => self.log.extend(bytes),
                    Event::Finished(_) => return Some(Ok(())),
                    Event::Failed { failure, doubts } => return Some(Err((failure, doubts))),
                    _ => {}
                }
            }
            let deadline = self.pump.deadline().expect("it waits for something");
            let arrival = device.sent.front().map(|(at, _)| *at);
            let next = arrival.map_or(deadline, |at| at.min(deadline)).max(*now);
            if let Some(end) = end
                && end <= next
            {
                *now = end;
                self.pump
                    .command(Collector::cancel)
                    .expect("it is under way");
                while self.pump.poll_event().is_some() {}
                return None;
            }
            *now = next;
            match arrival {
                Some(at) if at <= next => {
                    let (_, bytes) = device.sent.pop_front().expect("it is there");
                    self.pump.handle_input(next, Input::Bytes(&bytes));
                }
                _ => self.pump.handle_input(next, Input::Timeout),
            }
        }
    }
}

/// Some fetches that end in any way; right logs, and doubts about whose a log is.
fn converse(seed: u64, is_named: bool) -> (u32, u32) {
    let mut random = Random(seed);
    let mut device = Slow::new(&mut random, is_named);
    let mut now = Instant::START;
    let mut program = Program::start(now, &[]);
    let (mut right, mut doubts) = (0, 0);
    for _ in 0..random.between(2, 8) {
        let number = random.below(RUNS.len());
        let give_up =
            (random.below(2) == 0).then(|| Duration::from_millis(random.between(1, 8000) as u64));
        for _ in 0..=1 {
            let end = program.fetch(&mut now, RUNS[number], give_up, &mut device, &mut random);
            match end {
                Some(Ok(())) => {
                    assert_eq!(
                        String::from_utf8_lossy(&program.log),
                        String::from_utf8_lossy(&device.logs[number]),
                        "seed {seed}: another run's log was taken for {}",
                        RUNS[number]
                    );
                    right += 1;
                    break;
                }
                Some(Err((Failure::LateAnswer { .. }, _))) => doubts += 1,
                Some(Err(_)) | None => break,
            }
        }
        if random.below(2) == 0 {
            // What comes while no program has the port open is lost.
            let left: Vec<_> = program.pump.machine().unanswered().cloned().collect();
            now += Duration::from_millis(random.below(3000) as u64);
            device.sent.retain(|(at, _)| *at >= now);
            program = Program::start(now, &left);
        }
    }
    (right, doubts)
}

#[test]
fn a_late_answer_never_becomes_another_runs_log() {
    let (mut right, mut doubts) = (0, 0);
    for seed in 0..CONVERSATIONS {
        let (more, doubted) = converse(seed, false);
        right += more;
        doubts += doubted;
    }
    println!("{right} right logs, {doubts} doubts");
    assert!(
        right > 1000,
        "only {right} right logs: refusing all proves nothing"
    );
    assert!(doubts > 100, "only {doubts} answers came late");
}

#[test]
fn a_device_that_names_its_runs_is_hardly_ever_doubted() {
    let (mut right, mut doubts) = (0, 0);
    for seed in 0..CONVERSATIONS {
        let (more, doubted) = converse(seed, true);
        right += more;
        doubts += doubted;
    }
    println!("{right} right logs, {doubts} doubts");
    assert!(right > 1000, "only {right} right logs");
    // What is left is a name that was lost while no program had the port open.
    assert!(doubts * 20 < right, "{doubts} doubts");
}

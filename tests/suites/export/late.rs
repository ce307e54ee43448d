//! Questions that are given up and answered later, in all orders and at any time: no log becomes another run's.

use std::{collections::VecDeque, time::Duration};

use flylead_core::{
    Input, Instant, Pump,
    export::{Collector, Config, Event, Failure, RunId},
};

use crate::faults::device::{Random, crc32, size_line};

const CONVERSATIONS: u64 = 600;
const RUNS: [&str; 3] = ["runA", "runB", "runC"];

/// Form in which a device names the question that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    None,
    /// `RUN=run001`, in a line or in the header.
    Run,
    /// `RUN=run001 REQ=7`; its logs grow with each question.
    Request,
}

/// A device that needs seconds to find a file, and answers one question after the other.
struct Slow {
    framing: usize,
    has_checksum: bool,
    says_ok: bool,
    naming: Naming,
    is_in_header: bool,
    logs: Vec<Vec<u8>>,
    /// The last question had a number.
    last_request: bool,
    free_at: Instant,
    /// Answers that it will send, and when.
    sent: VecDeque<(Instant, Vec<u8>)>,
}

impl Slow {
    fn new(random: &mut Random, naming: Naming) -> Self {
        let rows = |run: &str, random: &mut Random| {
            let count = random.between(2, 20);
            let rows: Vec<_> = (0..count).map(|row| format!("{row},{run}\n")).collect();
            ["t,run\n", &rows.concat()].concat().into_bytes()
        };
        Self {
            framing: random.below(3),
            has_checksum: random.below(2) == 0,
            says_ok: random.below(2) == 0,
            naming,
            is_in_header: random.below(2) == 0,
            logs: RUNS.iter().map(|run| rows(run, random)).collect(),
            last_request: false,
            free_at: Instant::START,
            sent: VecDeque::new(),
        }
    }

    fn name(&self, run: &str, request: &str) -> String {
        match self.naming {
            Naming::None => String::new(),
            Naming::Run => format!("RUN={run}"),
            Naming::Request => format!("RUN={run} REQ={request}"),
        }
    }

    fn answer(&self, name: &str, log: &[u8]) -> Vec<u8> {
        let lines = log.iter().filter(|byte| **byte == b'\n').count();
        let header = match self.framing {
            0 => String::from_utf8_lossy(&size_line(log.len()))
                .trim()
                .to_owned(),
            1 => "BEGIN".to_owned(),
            _ => format!("BEGIN LINES={lines}"),
        };
        let mut answer = match (name, self.is_in_header) {
            ("", _) => format!("{header}\n"),
            (name, true) => format!("{header} {name}\n"),
            (name, false) => format!("{name}\n{header}\n"),
        }
        .into_bytes();
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
        let (run, request) = run.split_once(" req=").unwrap_or((run, "0"));
        assert!(request == "0" || self.naming == Naming::Request, "{line}");
        let number = RUNS
            .iter()
            .position(|known| *known == run)
            .expect("one of them");
        self.last_request = request != "0";
        if self.naming == Naming::Request {
            self.logs[number].extend_from_slice(b"9,more\n");
        }
        if random.below(8) == 0 {
            return;
        }
        let name = self.name(run, request);
        let mut at = self.free_at.max(now) + Duration::from_millis(random.below(9000) as u64);
        let answer = match random.below(10) {
            0 => format!("{name}\nERROR: card busy\n").into_bytes(),
            _ => self.answer(&name, &self.logs[number]),
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
        // As random as two programs' numbers are.
        config.first_request = u32::try_from((now - Instant::START).as_millis()).unwrap_or(1);
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
    ) -> Option<Result<(), Failure>> {
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
                    Event::Failed { failure, .. } => return Some(Err(failure)),
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
fn converse(seed: u64, naming: Naming) -> (u32, u32) {
    let mut random = Random(seed);
    let mut device = Slow::new(&mut random, naming);
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
                    let (log, whole) = (&program.log[..], &device.logs[number][..]);
                    // Without a number, the log may be the run's as it was a question ago.
                    let is_right = match device.last_request || naming != Naming::Request {
                        true => log == whole,
                        false => whole.starts_with(log),
                    };
                    let log = String::from_utf8_lossy(log);
                    assert!(
                        is_right,
                        "seed {seed}: {log} was taken for {}",
                        RUNS[number]
                    );
                    right += 1;
                    break;
                }
                Some(Err(Failure::LateAnswer { .. })) => doubts += 1,
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

/// Right logs and doubts of many conversations with devices that name their answers so.
fn conversations(naming: Naming) -> (u32, u32) {
    let (mut right, mut doubts) = (0, 0);
    for seed in 0..CONVERSATIONS {
        let (more, doubted) = converse(seed, naming);
        right += more;
        doubts += doubted;
    }
    println!("{naming:?}: {CONVERSATIONS} conversations, {right} right logs, {doubts} doubts");
    assert!(
        u64::from(right) > CONVERSATIONS,
        "only {right} right logs: refusing all proves nothing"
    );
    (right, doubts)
}

#[test]
fn a_late_answer_never_becomes_another_runs_log() {
    let (_, doubts) = conversations(Naming::None);
    assert!(doubts > 60, "only {doubts} answers came late");
}

#[test]
fn a_device_that_names_its_runs_is_hardly_ever_doubted() {
    for naming in [Naming::Run, Naming::Request] {
        let (right, doubts) = conversations(naming);
        // What is left is a name that was lost while no program had the port open.
        assert!(doubts * 20 < right, "{doubts} doubts");
    }
}

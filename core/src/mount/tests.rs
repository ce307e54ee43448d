//! Tests the machine with boards that send questions, restart and print anything.

use alloc::{string::String, vec, vec::Vec};
use core::time::Duration;

use super::{Config, Content, Errno, Event, Failure, Mount, Question};
use crate::{
    Input, Instant, Pump,
    board::Capabilities,
    channel::{Kind, encode},
};

/// Abilities of every board in these tests.
const ABLE: &str = "vfs\r\nstdin\r\ncrc32\r\nfree=200000\r\n";
/// Size of an answer before its content, in bytes.
const HEADER: usize = 21;
const RAW_BANNER: &[u8] = b"\r\nraw REPL; CTRL-B to exit\r\n>";
const BANNER: &[u8] = b"\r\nMicroPython v1.29; Type \"help()\" for more information.\r\n>>> ";

/// A machine, and a board that carries out raw mode (`shared/runtime/pyexec.c`).
struct Bench {
    mount: Pump<Mount>,
    now: Instant,
    /// Size of the pieces into which the board's bytes are cut.
    piece: usize,
    says: &'static str,
    line: Vec<u8>,
    programs: Vec<String>,
    /// Input that reached the board since the last check, except for programs.
    typed: Vec<u8>,
    is_raw: bool,
    /// False while a program runs, which finds queries on its stdin.
    answers_questions: bool,
    interrupted: bool,
    /// Number of following programs that the board refuses.
    refuses: usize,
}

impl Bench {
    fn new(piece: usize, says: &'static str) -> Self {
        let mut config = Config::new("/remote").unwrap();
        config.repl.raw_paste = false;
        Self {
            mount: Pump::new(Mount::new(config)),
            now: Instant::START,
            piece,
            says,
            line: Vec::new(),
            programs: Vec::new(),
            typed: Vec::new(),
            is_raw: false,
            answers_questions: true,
            interrupted: false,
            refuses: 0,
        }
    }

    fn mounted(piece: usize) -> Self {
        let mut bench = Self::new(piece, ABLE);
        let now = bench.now;
        bench.mount.command(|mount| mount.mount(now)).unwrap();
        let events = bench.settle();
        assert_eq!(events, [Event::Mounted, Event::Output(BANNER.to_vec())]);
        bench
    }

    /// Sends bytes from the board.
    fn say(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(self.piece) {
            self.mount.handle_input(self.now, Input::Bytes(piece));
        }
    }

    /// Exchanges bytes and advances time until both sides are quiet. Returns the application's events, with output
    /// joined.
    fn settle(&mut self) -> Vec<Event> {
        loop {
            let sent = self.mount.take_transmit();
            for &byte in &sent {
                self.take(byte);
            }
            if sent.is_empty() {
                let Some(due) = self.mount.deadline() else {
                    break;
                };
                self.now = self.now.max(due);
                self.mount.handle_input(self.now, Input::Timeout);
            }
        }
        self.events()
    }

    fn events(&mut self) -> Vec<Event> {
        let mut all: Vec<Event> = Vec::new();
        while let Some(event) = self.mount.poll_event() {
            match (all.last_mut(), event) {
                (Some(Event::Output(before)), Event::Output(bytes)) => before.extend(bytes),
                (_, event) => all.push(event),
            }
        }
        all
    }

    fn take(&mut self, byte: u8) {
        match byte {
            byte if !self.answers_questions => {
                self.interrupted |= byte == 3;
                self.typed.push(byte);
            }
            1 => {
                self.is_raw = true;
                self.line.clear();
                self.say(RAW_BANNER);
            }
            2 if self.is_raw => {
                self.is_raw = false;
                self.say(BANNER);
            }
            3 => self.line.clear(),
            4 if self.is_raw => {
                let program = core::mem::take(&mut self.line);
                let program = String::from_utf8(program).unwrap();
                let says = if program.contains("build=") {
                    self.says
                } else {
                    ""
                };
                self.programs.push(program);
                let error: &[u8] = match self.refuses {
                    0 => b"",
                    _ => b"Traceback (most recent call last):\r\nSyntaxError: invalid syntax\r\n",
                };
                self.refuses = self.refuses.saturating_sub(1);
                let reply = [b"OK", says.as_bytes(), b"\x04", error, b"\x04>"].concat();
                self.say(&reply);
            }
            byte if self.is_raw => self.line.push(byte),
            byte => self.typed.push(byte),
        }
    }

    fn answer(&mut self, id: super::QuestionId, answer: &super::Answer) -> Vec<u8> {
        let now = self.now;
        self.mount.command(|mount| mount.answer(now, id, answer));
        self.mount.take_transmit()
    }

    /// Returns the board's question, and asserts that nothing else was sent.
    fn asked(&mut self) -> (super::QuestionId, Question) {
        match self.events().as_slice() {
            [Event::Asked(id, question)] => (*id, question.clone()),
            other => panic!("{other:?}"),
        }
    }
}

fn credit(bytes: u16) -> [u8; 7] {
    let [low, high] = bytes.to_le_bytes();
    let sum = b'C'.wrapping_add(low).wrapping_add(high);
    [0x18, 0x0f, b'C', low, high, 0, sum]
}

fn remove(number: u8) -> Vec<u8> {
    encode(Kind::Question, &[&[number, b'x', 2, 0][..], b"/a"].concat())
}

const PIECES: [usize; 3] = [4096, 7, 1];

#[test]
fn a_folder_is_mounted_and_the_prompt_comes_after_it() {
    for piece in PIECES {
        let bench = Bench::mounted(piece);
        assert!(bench.programs[1].contains("m['go']('/remote',"));
        assert!(bench.mount.machine().is_mounted());
    }
}

#[test]
fn a_firmware_that_is_known_is_asked_for_its_build_alone() {
    for (build, programs) in [("3.4; Pico", 2), ("3.4; Pico W", 3)] {
        let said = [ABLE, "build=3.4; Pico\r\n"].concat();
        let mut bench = Bench::new(7, ABLE);
        let mut config = Config::new("/remote").unwrap();
        config.repl.raw_paste = false;
        let known = Capabilities::parse(said.as_bytes()).unwrap();
        config.remembered = Some(Capabilities {
            build: build.into(),
            ..known
        });
        bench.mount = Pump::new(Mount::new(config));
        bench.says = "vfs\r\nstdin\r\ncrc32\r\nfree=200000\r\nbuild=3.4; Pico\r\n";
        let now = bench.now;
        bench.mount.command(|mount| mount.mount(now)).unwrap();
        assert_eq!(bench.settle()[0], Event::Mounted);
        assert_eq!(bench.programs.len(), programs);
        let learned = bench.mount.machine().capabilities().unwrap();
        assert_eq!(learned.build, "3.4; Pico");
    }
}

#[test]
fn boards_that_cannot_are_refused_by_what_they_lack() {
    for (says, why) in [
        ("stdin\r\ncrc32\r\n", Failure::NoFileSystems),
        ("vfs\r\nstdin\r\n", Failure::NoBinaryData),
    ] {
        let mut bench = Bench::new(7, says);
        let now = bench.now;
        bench.mount.command(|mount| mount.mount(now)).unwrap();
        assert_eq!(bench.settle()[0], Event::Failed(why));
        assert_eq!(bench.programs.len(), 1);
    }
}

#[test]
fn a_question_is_taken_out_of_the_output_and_its_answer_sent_once() {
    for piece in PIECES {
        let mut bench = Bench::mounted(piece);
        bench.say(&[b"before", &remove(9)[..], b"after"].concat());
        let events = bench.events();
        let [
            Event::Output(before),
            Event::Asked(id, question),
            Event::Output(after),
        ] = events.as_slice()
        else {
            panic!("{events:?}");
        };
        assert_eq!((&before[..], &after[..]), (&b"before"[..], &b"after"[..]));
        assert_eq!(*question, Question::Remove { path: "/a".into() });
        let sent = bench.answer(*id, &Ok(Content::Done));
        assert_eq!(sent, b"\x18\x0f0900000000000000039");
        assert_eq!(bench.answer(*id, &Ok(Content::Done)), b"");
    }
}

#[test]
fn a_question_that_is_asked_again_is_answered_as_before_and_not_done_again() {
    let mut bench = Bench::mounted(7);
    bench.say(&remove(1));
    bench.say(&remove(1));
    let (id, _) = bench.asked();
    let sent = bench.answer(id, &Err(Errno::NOT_FOUND));
    bench.say(&remove(1));
    assert_eq!(bench.events(), []);
    assert_eq!(bench.mount.take_transmit(), sent);
    bench.say(&remove(2));
    bench.asked();
}

#[test]
fn what_nobody_can_ask_is_answered_with_an_error() {
    for payload in [
        &b"\x01z\0\0"[..],
        b"\x01x\x09\0/a",
        b"\x01x\x02\0/a!",
        b"\x01x\x01\0\xff",
    ] {
        let mut bench = Bench::mounted(7);
        bench.say(&encode(Kind::Question, payload));
        assert_eq!(bench.events(), []);
        assert!(bench.mount.take_transmit().starts_with(b"\x18\x0f0116"));
    }
}

#[test]
fn a_long_answer_goes_as_the_board_makes_room() {
    let mut bench = Bench::mounted(1);
    bench.say(&remove(1));
    let (id, _) = bench.asked();
    // These bytes do not compress, and the board could not unpack them.
    let data: Vec<u8> = (0..5000u32).map(|n| ((n * n) >> 3) as u8 | 0x80).collect();
    assert_eq!(bench.answer(id, &Ok(Content::Data(data))).len(), HEADER);
    for (bytes, sent) in [(2048, 2048), (2048, 0), (3072, 1024), (5000, 1928)] {
        bench.say(&credit(bytes));
        assert_eq!(bench.mount.take_transmit().len(), sent, "{bytes}");
    }
    let now = bench.now;
    bench.mount.command(|mount| mount.send(now, b"x"));
    assert_eq!(bench.mount.take_transmit(), b"");
    bench.say(&credit(5001));
    assert_eq!(bench.mount.take_transmit(), b"x");
}

#[test]
fn what_is_typed_waits_for_the_answer_and_no_longer_than_the_board_reads() {
    let mut bench = Bench::mounted(7);
    bench.say(&remove(1));
    let (id, _) = bench.asked();
    let now = bench.now;
    bench.mount.command(|mount| mount.send(now, b"\x03"));
    assert_eq!(bench.mount.take_transmit(), b"");
    assert_eq!(bench.answer(id, &Ok(Content::Done)).len(), HEADER);
    bench.say(&credit(1));
    assert_eq!(bench.mount.take_transmit(), b"\x03");

    bench.say(&remove(2));
    let (id, _) = bench.asked();
    bench.answer(id, &Ok(Content::Data(vec![0x80; 4000])));
    bench.mount.command(|mount| mount.send(now, b"\x03"));
    // The board may wait for a lost byte; then it no longer responds.
    let late = |seconds| now + Duration::from_secs(seconds);
    bench.mount.handle_input(late(3), Input::Timeout);
    assert_eq!(bench.mount.take_transmit(), [0; 64]);
    bench.mount.handle_input(late(6), Input::Timeout);
    assert_eq!(bench.mount.take_transmit(), b"\x03");
}

#[test]
fn what_the_board_has_read_by_mistake_is_typed_again() {
    let mut bench = Bench::mounted(7);
    bench.say(&encode(Kind::Typed, b"bob\r"));
    assert_eq!(bench.mount.take_transmit(), b"bob\r");
}

#[test]
fn after_a_reset_the_folder_is_there_before_the_prompt_is() {
    for piece in PIECES {
        let mut bench = Bench::mounted(piece);
        let before = b"\r\nMPY: soft reboot\r\nboot\r\n".as_slice();
        bench.say(before);
        bench.say(BANNER);
        let seen = [before, BANNER].concat();
        assert_eq!(told(bench.settle()), (seen, true), "by {piece}");

        // A board that was reset by its button does not report it.
        bench.say(BANNER);
        assert_eq!(told(bench.settle()), (BANNER.to_vec(), true));

        bench.is_raw = true;
        bench.say(before);
        bench.say(RAW_BANNER);
        let seen = [before, RAW_BANNER].concat();
        assert_eq!(told(bench.settle()), (seen, true));
        assert!(bench.is_raw);
        assert_eq!(bench.programs.len(), 2 + 3);
    }
}

/// A board buffers data sent while it restarts, and answers all of it at its prompt.
#[test]
fn what_others_ask_a_board_that_restarts_is_not_taken_for_its_answer() {
    let mut bench = Bench::mounted(7);
    let now = bench.now;
    for _ in 0..2 {
        assert!(bench.mount.command(|mount| mount.send(now, b"\x03\x01")));
    }
    assert_eq!(bench.mount.take_transmit(), b"\x03\x01\x03\x01");
    bench.say(BANNER);
    assert_eq!(bench.mount.take_transmit(), b"");
    // The answer to data from others proves as much as one to this machine's query.
    bench.say(RAW_BANNER);
    assert_eq!(bench.mount.take_transmit(), b"\x03\x01");
    bench.is_raw = true;
    for _ in 0..2 {
        assert_eq!(bench.mount.take_transmit(), b"");
        bench.say(RAW_BANNER);
    }
    bench.programs.clear();
    let events = bench.settle();
    assert!(events.contains(&Event::Mounted), "{events:?}");
    assert_eq!(bench.programs.len(), 1, "{:?}", bench.programs);
}

#[test]
fn a_board_that_refuses_the_folder_after_a_reset_is_asked_once_more() {
    for (refuses, is_back) in [(1, true), (2, false)] {
        let mut bench = Bench::mounted(7);
        bench.refuses = refuses;
        bench.say(BANNER);
        let events = bench.settle();
        let failed = |event: &Event| matches!(event, Event::Failed(Failure::Raised(_)));
        assert_eq!(events.iter().any(failed), !is_back, "{events:?}");
        assert_eq!(bench.mount.machine().is_mounted(), is_back);
        // Capabilities were queried at first; the prompt arrives in any case.
        assert_eq!(bench.programs.len(), 4);
        let prompt = Event::Output(b">>> ".to_vec());
        assert_eq!(events.last(), Some(&prompt));
    }
}

/// A bridge to a second board, or a stored log: the program continues, or waits for input.
#[test]
fn a_program_that_prints_what_looks_like_a_restart_is_not_interrupted() {
    let raw = [b"\r\nMPY: soft reboot\r\n", RAW_BANNER].concat();
    for looks in [BANNER, &raw] {
        for rest in [&b"and so on"[..], b""] {
            for piece in PIECES {
                let mut bench = Bench::mounted(piece);
                bench.answers_questions = false;
                let said = [looks, rest].concat();
                bench.say(&said);
                let output = match bench.settle().as_slice() {
                    [Event::Output(output)] => output.clone(),
                    other => panic!("{other:?}"),
                };
                assert_eq!(output, said, "by {piece}");
                assert_eq!(bench.programs.len(), 2, "it was not mounted again");
                assert!(!bench.interrupted);
                // Input typed in the meantime arrives.
                let now = bench.now;
                bench.say(looks);
                bench.mount.command(|mount| mount.send(now, b"bob"));
                bench.settle();
                assert!(bench.typed.ends_with(b"bob"));
            }
        }
    }
}

#[test]
fn a_question_of_the_board_shows_that_it_has_not_restarted() {
    let mut bench = Bench::mounted(7);
    bench.say(&[BANNER, &remove(1)[..]].concat());
    let events = bench.events();
    let said: Vec<u8> = events
        .iter()
        .filter_map(|event| match event {
            Event::Output(bytes) => Some(bytes.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(said, BANNER);
    assert!(matches!(events.last(), Some(Event::Asked(..))));
    assert_eq!(bench.mount.take_transmit(), b"");
}

fn told(events: Vec<Event>) -> (Vec<u8>, bool) {
    let (mut output, mut is_mounted) = (Vec::new(), false);
    for event in events {
        match event {
            Event::Output(bytes) => output.extend(bytes),
            Event::Mounted => {
                assert!(!output.ends_with(b">>> "));
                is_mounted = true;
            }
            other => panic!("{other:?}"),
        }
    }
    (output, is_mounted)
}

#[test]
fn leaving_raw_mode_is_no_reset() {
    let mut bench = Bench::mounted(7);
    bench.is_raw = true;
    let now = bench.now;
    bench.mount.command(|mount| mount.send(now, b"\x02"));
    assert_eq!(bench.settle(), [Event::Output(BANNER.to_vec())]);
    assert_eq!(bench.programs.len(), 2);
}

#[test]
fn any_bytes_however_split_tell_the_same() {
    let mut state = 7u32;
    for _ in 0..300 {
        let mut bytes = Vec::new();
        for _ in 0..20 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match state >> 28 {
                0..4 => bytes.extend(remove((state >> 20) as u8)),
                4 => bytes.extend([0x18, 0x0f, b'C', 0, 1, 0, b'C' + 1]),
                5 => bytes.extend(encode(Kind::Typed, b"typed")),
                6 => bytes.extend(b"\x18\x0fQ"),
                7 => bytes.extend(b"soft reboot\r\n"),
                _ => bytes.push((state >> 16) as u8),
            }
        }
        let tell = |piece| {
            let mut bench = Bench::new(piece, ABLE);
            bench.say(&bytes);
            (bench.mount.take_transmit(), bench.events())
        };
        assert_eq!(tell(1), tell(bytes.len()));
        assert_eq!(tell(7), tell(bytes.len()));
    }
}

//! Floods every queue between a board and an application, and measures the memory in use. It is a process of its own with one
//! test in it, so that nothing else is counted.

use std::time::Duration;

use flylead_core::{
    Input, Instant, Machine, Pump,
    board::{Board, Config, NewEntry, Request},
    channel::{Kind, encode},
    mount::{self, Event, Mount},
};
use flylead_tests::memory::{Counting, in_use};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes of a flood, and the memory that it may cost: the longest message of any protocol, twice while it is read.
const FLOOD: usize = 1 << 20;
const LIMIT: usize = 768 << 10;
/// Memory for the longest answer of a board, which is the tree of a hundred thousand files (`core/src/board/jobs/query.rs`).
const ANSWER: usize = 16 << 20;
const PIECE: usize = 4096;

/// Bytes that boards, programs and bad lines send, each of which some reader waits for.
fn floods() -> Vec<(&'static str, Vec<u8>)> {
    let credit = encode(Kind::Credit, &[0, 8]);
    vec![
        ("zeros", vec![0]),
        ("a line without end", b"x".to_vec()),
        ("lines", b"tick 1\r\n".to_vec()),
        ("ends", vec![4]),
        (
            "all but an end",
            b"\x04Traceback (most recent call last):\r\n".to_vec(),
        ),
        ("credit", vec![1]),
        ("acknowledgments", vec![6]),
        ("banners", b"\r\nraw REPL; CTRL-B to exit\r\n>".to_vec()),
        (
            "prompts",
            b"MicroPython v1.28; Type \"help()\" for more information.\r\n>>> ".to_vec(),
        ),
        (
            "heads of frames",
            [&b"\x18\x0fQ\x60\xea\0\x9b"[..], &[b'x'; 2000]].concat(),
        ),
        (
            "questions",
            encode(Kind::Question, b"\x01l\x01\0/\0\0\0\0\0\x02\0\0"),
        ),
        ("credit of frames", credit),
        ("typed input", encode(Kind::Typed, b"typed")),
        ("content", encode(Kind::Plain, &[7; 512])),
        ("damaged content", damaged()),
    ]
}

fn damaged() -> Vec<u8> {
    let mut frame = encode(Kind::Packed, &[7; 512]);
    frame[9] ^= 1;
    frame
}

fn requests() -> Vec<Request> {
    let path = || String::from("a");
    let data = vec![7; 20_000];
    let source = b"print(1)".to_vec();
    let timeout = None;
    vec![
        Request::Exec { source, timeout },
        Request::SoftReset,
        Request::List {
            path: path(),
            times: true,
        },
        Request::List {
            path: path(),
            times: false,
        },
        Request::Stat { path: path() },
        Request::ReadStream { path: path() },
        Request::Write { path: path(), data },
        Request::WriteTree {
            entries: vec![NewEntry::Directory { path: path() }],
        },
        Request::Hash { path: path() },
    ]
}

#[test]
fn a_flood_of_anything_in_any_state_costs_little_memory() {
    let mut most = 0;
    for (name, unit) in floods() {
        let flood: Vec<u8> = unit
            .iter()
            .copied()
            .cycle()
            .take(PIECE / unit.len() * unit.len())
            .collect();
        for request in requests() {
            for knows in [false, true] {
                let (mut board, now) = board(&request, knows);
                let cost = cost(&mut board, now, &flood, FLOOD);
                assert!(cost < LIMIT, "{name} after {request:?}: {cost} bytes");
                most = most.max(cost);
            }
        }
        for is_mounting in [false, true] {
            let mut mount = mount(is_mounting);
            let cost = cost(&mut mount, Instant::START, &flood, FLOOD);
            assert!(cost < LIMIT, "{name} while mounted: {cost} bytes");
            most = most.max(cost);
        }
    }
    println!("bytes from a board: {most} bytes of memory at most");
    let tree = Request::Tree {
        path: "a".into(),
        hashes: false,
    };
    let (mut board, now) = board(&tree, true);
    let line = checked_line("f 1 0 - 61");
    let lines = line.repeat(PIECE / line.len());
    let cost = cost(&mut board, now, lines.as_bytes(), ANSWER + (4 << 20));
    println!("an answer without end: {cost} bytes");
    assert!((ANSWER - PIECE..2 * ANSWER).contains(&cost), "{cost} bytes");
    typed_input_is_refused_in_time();
}

/// A line of an answer with its checksum, as `core/src/board/python/say.py` prints it.
fn checked_line(text: &str) -> String {
    let sum = text
        .bytes()
        .fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) & 0xff_ffff);
    format!("{text} {sum}\r\n")
}

/// Input that an application types faster than it is read.
fn typed_input_is_refused_in_time() {
    let before = in_use();
    let mut board = Pump::new(Board::new(Config::default()));
    let exec = Request::Exec {
        source: b"input()".to_vec(),
        timeout: None,
    };
    board
        .command(|board| board.request(Instant::START, exec))
        .unwrap();
    let refused =
        (0..FLOOD / PIECE).filter(|_| board.command(|board| board.send(&[b'x'; PIECE])).is_err());
    assert!(refused.count() > 0);
    let cost = in_use().saturating_sub(before);
    assert!(cost < LIMIT, "{cost} bytes typed for a program");

    let before = in_use();
    let mut mount = mount(false);
    let question = encode(Kind::Question, b"\x01x\x02\0/a");
    mount.handle_input(Instant::START, Input::Bytes(&question));
    let asked =
        std::iter::from_fn(|| mount.poll_event()).any(|event| matches!(event, Event::Asked(..)));
    assert!(asked, "it is a question");
    let typed = (0..FLOOD / PIECE)
        .filter(|_| mount.command(|mount| mount.send(Instant::START, &[b'x'; PIECE])));
    assert!(typed.count() < FLOOD / PIECE);
    let cost = in_use().saturating_sub(before);
    assert!(cost < LIMIT, "{cost} bytes typed beside a mounted folder");
}

/// A board that has begun a request. If it `knows` what it can do, the request's own program runs; else that of the probe,
/// or the one that does all at once.
fn board(request: &Request, knows: bool) -> (Pump<Board>, Instant) {
    let mut config = Config::default();
    config.repl.raw_paste = false;
    let mut board = Pump::new(Board::new(config));
    let now = if knows {
        begin(&mut board, Instant::START, &Request::Capabilities);
        let now = await_program(&mut board, Instant::START);
        board.handle_input(now, Input::Bytes(ABLE));
        drain(&mut board);
        now
    } else {
        Instant::START
    };
    begin(&mut board, now, request);
    let now = await_program(&mut board, now);
    (board, now)
}

fn begin(board: &mut Pump<Board>, now: Instant, request: &Request) {
    let begun = board.command(|board| board.request(now, request.clone()));
    begun.expect("nothing else is under way");
}

/// Waits while a program is sent at its pace, and confirms it as a board does.
fn await_program(board: &mut Pump<Board>, now: Instant) -> Instant {
    let mut now = now;
    for _ in 0..2000 {
        let sent = board.take_transmit();
        if sent.ends_with(b"\x01") {
            board.handle_input(now, Input::Bytes(b"raw REPL; CTRL-B to exit\r\n>"));
        } else if sent.ends_with(b"\x04") {
            board.handle_input(now, Input::Bytes(b"OK"));
            return now;
        } else {
            now = board.deadline().unwrap_or(now);
            board.handle_input(now, Input::Timeout);
        }
    }
    panic!("no program came: {:?}", board.poll_event());
}

/// Answer of a board to the probe, with the end of its program.
const ABLE: &[u8] = b"build=3.4; Pico\nstdin stdout crc32 sha256 base64 inflate deflate stat rename vfs free=200000\n\x04\x04>";

/// A machine that passes a board's output on, or is mounting a folder.
fn mount(is_mounting: bool) -> Pump<Mount> {
    let config = mount::Config::new("/remote").expect("it is a path");
    let mut mount = Pump::new(Mount::new(config));
    if is_mounting {
        let begun = mount.command(|mount| mount.mount(Instant::START));
        begun.expect("nothing else is under way");
    }
    mount
}

/// Memory that a flood costs at most, while the application takes every event, in bytes.
fn cost<M: Machine>(machine: &mut Pump<M>, now: Instant, flood: &[u8], bytes: usize) -> usize {
    let before = in_use();
    let mut now = now;
    let mut most = 0;
    for _ in 0..bytes / flood.len() {
        machine.handle_input(now, Input::Bytes(flood));
        drain(machine);
        most = most.max(in_use().saturating_sub(before));
        now += Duration::from_millis(1);
        if machine.deadline().is_some_and(|due| due <= now) {
            machine.handle_input(now, Input::Timeout);
            drain(machine);
        }
    }
    most
}

fn drain<M: Machine>(machine: &mut Pump<M>) {
    drop(machine.take_transmit());
    while machine.poll_event().is_some() {}
}

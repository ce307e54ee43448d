//! Checks that any words from a board in answer to any request give an answer or none, independent of their split, and
//! never a panic.
#![no_main]

use flylead_core::board::{Board, Config, Event, NewEntry, Request};
use flylead_core::{Input, Instant, Pump};
use flylead_fuzz::{choices, pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 4);
    let choice = |index: usize| choices.get(index).copied().unwrap_or_default();
    let request = request(choice(0));
    let abilities = abilities(choice(1), choice(2));
    let whole = converse(&request, &abilities, bytes, |reply| vec![reply]);
    // An acknowledgment counts once in each piece, so a transfer may continue differently.
    let is_transfer = |request: &Request| {
        matches!(
            request,
            Request::Write { .. } | Request::WriteTree { .. } | Request::Read { .. }
        )
    };
    if !is_transfer(&request) {
        let by_one = |reply| pieces(reply, &[0]).collect();
        assert_eq!(whole, converse(&request, &abilities, bytes, by_one));
    }
});

fn request(choice: u8) -> Request {
    let path = String::from("a");
    match choice % 10 {
        0 => Request::List { path, times: true },
        9 => Request::List { path, times: false },
        1 => Request::Tree { path, hashes: true },
        2 => Request::Stat { path },
        3 => Request::Space { path },
        4 => Request::Hash { path },
        5 => Request::Read { path },
        6 => Request::Write {
            path,
            data: vec![7; 100],
        },
        7 => Request::WriteTree {
            entries: vec![
                NewEntry::Directory { path },
                NewEntry::File {
                    path: "a/b".into(),
                    data: vec![7; 100],
                },
            ],
        },
        _ => Request::Remove { path },
    }
}

fn abilities(choice: u8, more: u8) -> String {
    let names = [
        "stdin", "stdout", "sha256", "base64", "inflate", "deflate", "stat", "rename",
    ];
    let has = |index: &usize| choice >> index & 1 == 1;
    let mut words: Vec<_> = (0..8).filter(has).map(|index| names[index]).collect();
    if more & 1 == 1 {
        words.extend(["viper", "free=100000"]);
    }
    words.join("\n")
}

/// Returns the application's events when each program is answered by the bytes up to the next
/// `\xff`.
fn converse<'a>(
    request: &Request,
    abilities: &'a str,
    bytes: &'a [u8],
    split: impl Fn(&'a [u8]) -> Vec<&'a [u8]>,
) -> Vec<Event> {
    let mut config = Config::default();
    config.repl.raw_paste = false;
    let mut board = Pump::new(Board::new(config));
    let _ = board.command(|board| board.request(Instant::START, request.clone()));
    board.handle_input(
        Instant::START,
        Input::Bytes(b"raw REPL; CTRL-B to exit\r\n>"),
    );
    let replies = [abilities.as_bytes()].into_iter();
    for reply in replies.chain(bytes.split(|&byte| byte == 0xff)) {
        let now = await_program(&mut board);
        board.handle_input(now, Input::Bytes(b"OK"));
        for piece in split(reply) {
            board.handle_input(now, Input::Bytes(piece));
        }
        board.handle_input(now, Input::Bytes(b"\x04\x04>"));
    }
    std::iter::from_fn(|| board.poll_event())
        .filter(|event| matches!(event, Event::Answered(_)))
        .collect()
}

/// Waits while a program is sent at its pace.
fn await_program(board: &mut Pump<Board>) -> Instant {
    let mut now = Instant::START;
    for _ in 0..200 {
        if board.take_transmit().ends_with(b"\x04") {
            break;
        }
        now = board.deadline().unwrap_or(now);
        board.handle_input(now, Input::Timeout);
    }
    now
}

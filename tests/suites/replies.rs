//! Checks that answers of a board about its files are parsed correctly, and that none makes the
//! client panic or wait without end.

use flylead_core::board::{Answer, Board, Config, Entry, EntryKind, Error, Event, Request};
use flylead_core::{Input, Instant, Pump};
use proptest::prelude::*;

const ABILITIES: &str = "stdin\nstdout\nsha256\nbase64\nstat\nrename\nfree=100000\n";

/// The answer when the output of each program is `reply`, in pieces of a size. What makes no sense is asked for again.
fn ask(request: &Request, reply: &[u8], size: usize) -> Option<Result<Answer, Error>> {
    let mut config = Config::default();
    config.repl.raw_paste = false;
    config.text_link = true;
    let mut board = Pump::new(Board::new(config));
    // The board is known, so that it is asked in full.
    let mut now = Instant::START;
    begin(&mut board, now, Request::Capabilities);
    board.handle_input(now, Input::Bytes(b"raw REPL; CTRL-B to exit\r\n>"));
    for output in [ABILITIES.as_bytes(), reply, reply, reply] {
        now = await_program(&mut board, now);
        let whole = [b"OK", output, b"\x04\x04>"].concat();
        for piece in whole.chunks(size) {
            board.handle_input(now, Input::Bytes(piece));
        }
        while let Some(event) = board.poll_event() {
            match event {
                Event::Answered(Ok(Answer::Capabilities(_))) => {
                    begin(&mut board, now, request.clone());
                }
                Event::Answered(answer) => return Some(answer),
                _ => {}
            }
        }
    }
    None
}

fn begin(board: &mut Pump<Board>, now: Instant, request: Request) {
    board
        .command(|board| board.request(now, request))
        .expect("it is idle");
}

/// Lets a program be sent at its pace.
fn await_program(board: &mut Pump<Board>, mut now: Instant) -> Instant {
    for _ in 0..500 {
        if board.take_transmit().ends_with(b"\x04") {
            break;
        }
        now = board.deadline().unwrap_or(now);
        board.handle_input(now, Input::Timeout);
    }
    now
}

fn query() -> impl Strategy<Value = Request> {
    let path = String::from("a");
    prop::sample::select(vec![
        Request::List {
            path: path.clone(),
            times: true,
        },
        Request::List {
            path: path.clone(),
            times: false,
        },
        Request::Stat { path: path.clone() },
        Request::Space { path: path.clone() },
        Request::Hash { path: path.clone() },
        Request::Read { path: path.clone() },
        Request::Remove { path },
    ])
}

/// The words of an answer, so that chance gets anywhere at all.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let lines = [
        "epoch 1970",
        "epoch 2000",
        "f 12 0 - 6162",
        "d 0 0 - 63",
        "12 0",
        "6162",
        "end 0",
        "end 1",
        "end 2",
    ];
    let mut words = lines.map(summed).map(String::into_bytes).to_vec();
    words.extend(
        ["epoch ", "f ", "12 ", "-", "=", ":YWI=\r\n", "\n"].map(|word| word.as_bytes().to_vec()),
    );
    let word = prop_oneof![
        6 => prop::sample::select(words),
        1 => prop::collection::vec(5..=255_u8, 0..10),
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

fn entry() -> impl Strategy<Value = Entry> {
    let name = "[^\0]{1,12}";
    let hash = prop::option::of(any::<[u8; 32]>());
    let modified = prop::option::of(1..4_000_000_000_i64);
    (name, any::<bool>(), any::<u64>(), modified, hash).prop_map(
        |(name, is_file, size, modified, sha256)| Entry {
            name,
            kind: if is_file {
                EntryKind::File
            } else {
                EntryKind::Directory
            },
            size,
            modified,
            sha256,
        },
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats an entry like the board's program.
fn line(entry: &Entry) -> String {
    let kind = match entry.kind {
        EntryKind::File => 'f',
        EntryKind::Directory => 'd',
    };
    let hash = entry.sha256.map_or("-".into(), |hash| hex(&hash));
    let modified = entry.modified.unwrap_or_default();
    let name = hex(entry.name.as_bytes());
    format!("{kind} {} {modified} {hash} {name}", entry.size)
}

/// A line as the board's program prints it, with the sum of its bytes.
fn summed(line: impl AsRef<str>) -> String {
    let line = line.as_ref();
    let sum = line
        .bytes()
        .fold(0_u64, |sum, byte| (sum * 31 + u64::from(byte)) % (1 << 24));
    format!("{line} {sum}\r\n")
}

proptest! {
    #[test]
    fn any_output_is_an_answer_or_an_error_and_the_same_in_pieces(
        query in query(), output in output(), size in 1..9_usize,
    ) {
        let whole = ask(&query, &output, usize::MAX);
        prop_assert!(whole.is_some(), "no answer");
        prop_assert_eq!(whole, ask(&query, &output, size));
    }

    #[test]
    fn every_entry_is_read_as_it_was_told(mut entries in prop::collection::vec(entry(), 0..20)) {
        let mut lines = vec!["epoch 1970".to_owned()];
        lines.extend(entries.iter().map(line));
        lines.push(format!("end {}", lines.len()));
        let output: String = lines.iter().map(summed).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let request = Request::List { path: String::new(), times: true };
        prop_assert_eq!(ask(&request, output.as_bytes(), usize::MAX), Some(Ok(Answer::Entries(entries))));
    }
}

#[test]
fn a_file_is_taken_only_with_its_hash() {
    let request = Request::Read { path: "a".into() };
    // SHA-256 of "ab".
    let hash = "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603";
    let right = format!("noise\r\n:YWI=\r\n={hash}\r\n");
    let answer = ask(&request, right.as_bytes(), usize::MAX);
    assert_eq!(answer, Some(Ok(Answer::Bytes(b"ab".to_vec()))));
    let wrong = format!(":YWM=\r\n={hash}\r\n");
    let answer = ask(&request, wrong.as_bytes(), usize::MAX);
    assert_eq!(answer, Some(Err(Error::Damaged)));
    let answer = ask(&request, b":YWI=\r\n", usize::MAX);
    assert_eq!(answer, Some(Err(Error::Damaged)));
}

//! The makers' own firmware: programs, files and what is left behind. `cargo xtask test pico` runs these, as an emulator takes a
//! processor for minutes; where an image is missing it says so.
#![cfg(unix)]

use std::{path::Path, thread, time::Duration};

use flylead_core::{
    board::{Answer, Config, Request},
    raw_repl::Outcome,
};
use flylead_tests::boards::{AnyBoard, Blow, Faults, Files, Kind, Strike, UsbPort, Wire, is_whole};

/// Connects, with the patience that an emulator needs.
fn open(board: &AnyBoard) -> Files {
    open_at(board.path())
}

fn open_at(path: &Path) -> Files {
    Files::open(path, config())
}

/// Time-outs for the emulator, which is some twenty times slower than a Pico.
fn config() -> Config {
    let mut config = Config::default();
    config.repl.enter_timeout = Duration::from_secs(60);
    config.repl.reply_timeout = Duration::from_secs(60);
    config.repl.probe_timeout = Duration::from_secs(20);
    config.stall_timeout = Duration::from_secs(90);
    config
}

fn write(path: &str, data: &[u8]) -> Request {
    Request::Write {
        path: path.into(),
        data: data.into(),
    }
}

fn printed(files: &mut Files, source: &str) -> String {
    let (stdout, outcome) = files.exec(source);
    assert_eq!(outcome, Outcome::Completed, "{source}");
    String::from_utf8(stdout)
        .expect("it is text")
        .trim()
        .to_owned()
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_runs_programs_gives_files_back_and_keeps_nothing() {
    for version in Kind::picos() {
        let board = version.start();
        let mut files = open(&board);
        assert_eq!(printed(&mut files, "print(6*7)"), "42", "{version}");
        let names = "print(sorted(globals()))";
        let before = printed(&mut files, names);
        let small = b"print('small')\n".repeat(30);
        files.must(write("small.py", &small));
        files.must(write("small.py", &small));
        let list = files.must(Request::List {
            path: "".into(),
            times: true,
        });
        let Answer::Entries(entries) = list else {
            panic!("{list:?}")
        };
        assert!(
            entries
                .iter()
                .any(|it| it.name == "small.py" && it.size == 450),
            "{entries:?}"
        );
        let all: Vec<u8> = (0..=255).cycle().take(6000).collect();
        files.must(write("all.bin", &all));
        let path = "all.bin".into();
        assert!(
            files.must(Request::Read { path }) == Answer::Bytes(all),
            "{version}"
        );
        assert_eq!(
            printed(&mut files, "import small"),
            "small\r\n".repeat(30).trim()
        );
        printed(
            &mut files,
            "del small\nimport sys\ndel sys.modules['small'],sys",
        );
        assert_eq!(printed(&mut files, names), before, "{version}");
    }
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_interrupts_a_loop_and_forgets_at_a_soft_reset() {
    for version in Kind::picos() {
        let board = version.start();
        let mut files = open(&board);
        files.start("mine=1\nprint('on')\nwhile 1:pass");
        files.wait_for_output();
        files.interrupt();
        match files.outcome() {
            Outcome::Raised(traceback) => assert_eq!(traceback.exception, "KeyboardInterrupt"),
            other => panic!("{version}: {other:?}"),
        }
        assert_eq!(printed(&mut files, "print(mine)"), "1", "{version}");
        files.must(Request::SoftReset);
        assert_eq!(printed(&mut files, "print('mine' in globals())"), "False");
    }
}

/// All firmware in a whole run, and the newest one in a quick one.
fn picos() -> impl Iterator<Item = Kind> {
    let all: Vec<_> = Kind::picos().collect();
    let first = if is_whole() {
        0
    } else {
        all.len().saturating_sub(1)
    };
    all.into_iter().skip(first)
}

fn read(path: &str) -> Request {
    Request::Read { path: path.into() }
}

/// Connects, and gives up early on a board that is silent in the middle of a file, and then on one that does not answer.
fn open_hastily(path: &Path) -> Files {
    let mut config = config();
    config.repl.enter_timeout = Duration::from_secs(15);
    config.stall_timeout = Duration::from_secs(20);
    Files::open(path, config)
}

/// Reads a file of a board that may be waiting for the rest of a transfer. Each attempt to enter ends its read; then it
/// drops bytes until 200 ms of its own time are silent, which take up to twelve seconds in the emulator. Attempts a second
/// apart would keep it there, so each group of them is followed by a pause.
fn read_in_pauses(path: &Path, name: &str) -> Answer {
    for _ in 0..8 {
        match open_hastily(path).ask(read(name)) {
            Ok(answer) => return answer,
            Err(_) => thread::sleep(Duration::from_secs(20)),
        }
    }
    panic!("the board did not answer again");
}

/// Both directions hold so many bytes and bring them late; then a byte of a file is lost on its way.
#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_file_goes_whole_to_a_pico_and_back_over_a_late_line_that_loses_a_byte() {
    for version in picos() {
        let board = version.start();
        let faults = Faults {
            delay: Duration::from_millis(20),
            baud: Some(1_000_000),
            ..Faults::default()
        };
        let wire = Wire::attach(board.path(), faults);
        let mut files = open_at(wire.path());
        let all = |start: u8| -> Vec<u8> { (0..6000).map(|at| (at as u8) ^ start).collect() };
        let (old, new) = (all(0), all(77));
        files.must(write("data", &old));
        assert!(
            files.must(read("data")) == Answer::Bytes(old.clone()),
            "{version}"
        );
        wire.strike(Strike {
            to_board: true,
            after: 3000,
            blow: Blow::Lose,
        });
        let written = open_hastily(wire.path()).ask(write("data", &new));
        assert!(!wire.mend(), "{version}: the byte was lost");
        let there = read_in_pauses(wire.path(), "data");
        let expected = if written.is_ok() { new } else { old };
        assert!(there == Answer::Bytes(expected), "{version}: {written:?}");
    }
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_that_resets_is_lost_and_keeps_its_files_at_the_next_port() {
    for version in picos() {
        let board = version.start();
        let faults = Faults {
            leaves_after: b"machine.reset()",
            ..Faults::default()
        };
        // The emulator is slow: a Ctrl-C that comes before the program has got as far as its reset would end it.
        let away = Duration::from_secs(6);
        let port = UsbPort::attach(board.path(), faults, away);
        let mut files = open_at(port.path());
        files.must(write("kept", b"it stays"));
        files.start("mine=1\nimport machine\nmachine.reset()");
        while !files.is_over() {
            files.pass(Duration::from_millis(20));
        }
        while port.names().len() < 2 {
            files.pass(Duration::from_millis(20));
        }
        let mut files = open_at(port.path());
        assert_eq!(printed(&mut files, "print('mine' in globals())"), "False");
        let kept = files.must(read("kept"));
        assert!(kept == Answer::Bytes(b"it stays".to_vec()), "{version}");
    }
}

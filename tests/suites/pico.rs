//! The makers' own firmware: programs, files and what is left behind. `cargo xtask test pico` runs these, as an emulator takes a
//! processor for minutes; where an image is missing it says so.
#![cfg(unix)]

use std::{path::PathBuf, time::Duration};

use flylead_core::{
    board::{Answer, Config, Request},
    raw_repl::Outcome,
};
use flylead_tests::boards::{FIRMWARE, Files, Pico};

/// The images that are there; the others are named.
fn images() -> Vec<(&'static str, PathBuf)> {
    let found = FIRMWARE.into_iter().filter_map(|firmware| {
        let image = firmware.find();
        if image.is_none() {
            println!(
                "\nskipped: NOT RUN: pico {}: no {}",
                firmware.version, firmware.image
            );
        }
        Some((firmware.version, image?))
    });
    found.collect()
}

/// Connects, with the patience that an emulator needs.
fn open(board: &Pico) -> Files {
    let mut config = Config::default();
    config.repl.enter_timeout = Duration::from_secs(60);
    config.repl.reply_timeout = Duration::from_secs(60);
    config.repl.probe_timeout = Duration::from_secs(20);
    config.stall_timeout = Duration::from_secs(90);
    Files::open(board.path(), config)
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
fn programs_run_files_come_back_and_nothing_is_left() {
    for (version, image) in images() {
        let board = Pico::start(&image);
        let mut files = open(&board);
        assert_eq!(printed(&mut files, "print(6*7)"), "42", "{version}");
        let names = "print(sorted(globals()))";
        let before = printed(&mut files, names);
        let small = b"print('small')\n".repeat(30);
        files.must(write("small.py", &small));
        files.must(write("small.py", &small));
        let list = files.must(Request::List { path: "".into() });
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
fn a_loop_is_interrupted_and_a_soft_reset_forgets() {
    for (version, image) in images() {
        let board = Pico::start(&image);
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

//! Boards as another tool has left them: at a raw prompt, with its answers still unread.

use std::{fs::OpenOptions, io::Write as _, path::Path, process::Command, thread, time::Duration};

use flylead_tests::boards::UnixBoard;

use crate::common::{done, flylead, folder, run, write};

/// Types this at the board, and leaves without reading what it answers.
fn leave(board: &Path, typed: &[u8]) {
    let raw = Command::new("stty")
        .arg("-F")
        .arg(board)
        .args(["raw", "-echo"])
        .status();
    assert!(raw.expect("coreutils are installed").success());
    let mut port = OpenOptions::new()
        .read(true)
        .write(true)
        .open(board)
        .expect("it is ours");
    for typed in [b"\r\x03", typed] {
        port.write_all(typed).expect("the board reads");
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_raw_prompt_that_another_tool_has_left_is_no_answer_to_us() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "hello.py", "print('hello')\n");
    for typed in [
        &b"\x01"[..],
        b"\x01\x01",
        b"\x01\x05A\x01",
        b"\x01\x05A\x01print(",
        b"\x05x = (",
    ] {
        for words in [&["run", &file][..], &["exec", "print('hello')"]] {
            leave(board.path(), typed);
            assert_eq!(
                run(flylead(board.path(), words)),
                done("hello\n"),
                "{typed:?} {words:?}"
            );
        }
        leave(board.path(), typed);
        let (code, _, stderr) = run(flylead(board.path(), &["ls"]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{typed:?}");
    }
}

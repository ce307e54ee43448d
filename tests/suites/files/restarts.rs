//! Boards that restart in the middle of a transfer.

use std::time::Duration;

use flylead_core::board::{Answer, Config, Error};
use flylead_tests::boards::{Faults, Files, UnixBoard, Wire};

use crate::common::{read, write};

/// A file whose every line leaves a trace if a prompt runs it.
fn trap() -> Vec<u8> {
    b"open('/flash/RAN','w').close()\r\n".repeat(2000)
}

/// A board without the means to unpack, which gets every file as it is.
const NO_DEFLATE: &str = "import sys\nsys.modules['deflate']=sys";

const ROUNDS: u64 = 8;

/// Number of bytes that 115,200 baud carry in sixteen hundredths of a second, less than the time
/// that any board takes to boot. It is counted in bytes, since time is unreliable on a busy
/// computer.
const MOST_MISSED: u64 = 115_200 / 10 * 16 / 100;

/// Simulates a board on a UART: it takes nothing for a moment, and then its prompt takes the bytes
/// that still arrive.
#[test]
fn what_is_left_of_a_file_is_not_run_by_a_board_that_restarts() {
    for round in 0..ROUNDS {
        let board = UnixBoard::booting_in(Duration::from_millis(500));
        let faults = Faults {
            baud: Some(115_200),
            ..Faults::default()
        };
        let wire = Wire::attach(board.path(), faults);
        let mut files = Files::open(wire.path(), Config::default());
        files.exec(NO_DEFLATE);
        files.must(write("a", b"old"));
        files.begin(write("a", &trap()));
        assert!(files.reach(1000), "it ended too soon");
        files.pass(Duration::from_millis(100 + 90 * round));
        board.reset();
        let answer = files.answer();
        let ran = board.flash().join("RAN").exists();
        assert!(!ran, "round {round}: the board ran the file");
        let missed = board.missed();
        assert!(missed <= MOST_MISSED, "round {round}: {missed} bytes");
        assert_eq!(answer, Err(Error::Restarted), "round {round}");
        assert!(Error::Restarted.to_string().contains("restarted"));
        assert_eq!(files.must(read("a")), Answer::Bytes(b"old".to_vec()));
    }
}

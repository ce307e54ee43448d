//! Boards on which a thread or a timer prints while files move.

use std::fs;

use flylead_core::board::{Answer, Request};
use flylead_tests::boards::{Faults, UnixBoard, Wire};

use crate::common::{list, names, open, open_text, random, read, write};

/// It prints text, dots and plus signs, which were words of earlier receivers.
const CHATTER: &str = "import _thread,time
def chatter():
 while 1:
  print('tick +1.5 degrees')
  time.sleep_ms(3)
_thread.start_new_thread(chatter,())";

#[test]
fn a_thread_that_prints_spoils_no_transfer() {
    for open in [open, open_text] {
        let board = UnixBoard::start();
        let mut files = open(board.path());
        let content = [
            &random(1, 600_000),
            &b"print('the same again')\n".repeat(9000)[..],
        ]
        .concat();
        files.exec(CHATTER);
        files.must(write("a", &content));
        assert!(files.must(read("a")) == Answer::Bytes(content));
        assert_eq!(names(&list(&mut files, "")), ["a"]);
        let path = String::from("a");
        assert!(matches!(
            files.must(Request::Hash { path }),
            Answer::Hash(_)
        ));
    }
}

/// A UART at the usual speed: the file takes seconds, in which the thread prints some hundred times.
#[test]
fn a_download_of_seconds_comes_whole_while_a_thread_prints() {
    for open in [open, open_text] {
        let board = UnixBoard::start();
        let content = random(2, 40_000);
        fs::write(board.flash().join("a"), &content).unwrap();
        let faults = Faults {
            baud: Some(115_200),
            ..Faults::default()
        };
        let wire = Wire::attach(board.path(), faults);
        let mut files = open(wire.path());
        files.exec(CHATTER);
        assert!(files.must(read("a")) == Answer::Bytes(content));
    }
}

//! Tests the edges of the machine: refusals and exact times. Whole conversations are transcripts.

use alloc::{vec, vec::Vec};
use core::time::Duration;

use super::{CommandError, Config, Event, LostReason, Mode, Outcome, Peer, RawRepl, Traffic};
use crate::{Input, Instant, Pump};

const BANNER: &[u8] = b"\r\nraw REPL; CTRL-B to exit\r\n>";

struct Board {
    pump: Pump<RawRepl>,
    now: Instant,
}

impl Board {
    fn new() -> Self {
        Self {
            pump: Pump::new(RawRepl::new(Config::default())),
            now: Instant::START,
        }
    }

    fn in_raw_mode() -> Self {
        let mut board = Self::new();
        board.command(RawRepl::enter).expect("nothing is under way");
        board.says(BANNER);
        assert_eq!(board.events(), [Event::Entered]);
        board.sent();
        board
    }

    fn command<R>(&mut self, command: impl FnOnce(&mut RawRepl, Instant) -> R) -> R {
        let now = self.now;
        self.pump.command(|repl| command(repl, now))
    }

    fn exec(&mut self, source: &[u8], timeout: Option<Duration>) -> Result<(), CommandError> {
        self.command(|repl, now| repl.exec(now, source, timeout))
    }

    fn says(&mut self, bytes: &[u8]) {
        self.pump.handle_input(self.now, Input::Bytes(bytes));
    }

    /// Waits for the machine's own deadlines until `millis` after the start.
    fn wait_until(&mut self, millis: u64) {
        let end = Instant::from_millis(millis);
        while let Some(deadline) = self.pump.deadline().filter(|deadline| *deadline <= end) {
            self.now = deadline;
            self.pump.handle_input(deadline, Input::Timeout);
        }
        self.now = end;
    }

    fn sent(&mut self) -> Vec<u8> {
        self.pump.take_transmit()
    }

    fn events(&mut self) -> Vec<Event> {
        core::iter::from_fn(|| self.pump.poll_event()).collect()
    }
}

#[test]
fn a_board_that_never_answers_is_lost_after_ten_seconds() {
    let mut board = Board::new();
    board.command(RawRepl::enter).expect("nothing is under way");
    board.wait_until(9_999);
    assert_eq!(board.events(), []);
    board.wait_until(10_000);
    let reason = LostReason::NotEntered {
        after: Duration::from_secs(10),
        said: "".into(),
        peer: Peer::Silent,
    };
    assert_eq!(board.events(), [Event::Lost { reason }]);
}

#[test]
fn a_board_that_does_not_stop_is_lost_with_its_last_line() {
    let mut board = Board::new();
    board.command(RawRepl::enter).expect("nothing is under way");
    board.says(&b"\x1b[31mtick 16\r\n".repeat(100));
    board.says(b"\x1b[2Jtick \xff17\r\n\r\n");
    board.wait_until(10_000);
    let events = board.events();
    let [
        Event::Terminal(_),
        Event::Terminal(_),
        Event::Lost { reason },
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!(
        alloc::string::ToString::to_string(reason),
        "the board did not stop its program within 10 s: its program ignores Ctrl-C. Press the board's reset button and try \
         again. Last output: [2Jtick \u{fffd}17"
    );
}

#[test]
fn a_board_that_floods_while_it_should_enter_is_lost_in_time_too() {
    let mut board = Board::new();
    board.command(RawRepl::enter).expect("nothing is under way");
    for millis in 0..10_000 {
        board.now = Instant::from_millis(millis);
        board.says(b"temperature 21.5\r\n");
    }
    assert_eq!(board.pump.machine().mode(), Mode::Entering);
    board.now = Instant::from_millis(10_000);
    board.says(b"temperature");
    assert_eq!(board.pump.machine().mode(), Mode::Lost);
}

#[test]
fn a_late_answer_to_an_earlier_try_is_not_taken_for_a_reply() {
    let mut board = Board::new();
    board.exec(b"1", None).expect("nothing is under way");
    board.wait_until(300);
    assert_eq!(board.sent(), b"\x03\x01\x03\x01");
    board.says(BANNER);
    board.wait_until(350);
    board.says(BANNER);
    assert_eq!(board.sent(), b"", "it waits for the second answer");
    board.wait_until(450);
    assert_eq!(board.sent(), b"1\x04");
}

#[test]
fn a_second_command_is_refused_while_one_is_under_way() {
    let mut board = Board::in_raw_mode();
    board
        .exec(b"while True: pass", None)
        .expect("the board is idle");
    assert_eq!(board.exec(b"1", None), Err(CommandError::Busy));
    assert_eq!(board.command(RawRepl::soft_reset), Err(CommandError::Busy));
    assert_eq!(
        board.command(|repl, _| repl.leave()),
        Err(CommandError::Busy)
    );
    board.says(b"OK\x04\x04>");
    assert_eq!(board.exec(b"1", None), Ok(()));
}

#[test]
fn a_source_with_control_bytes_is_refused_before_anything_is_sent() {
    let mut board = Board::new();
    assert_eq!(
        board.exec(b"print('\x04')", None),
        Err(CommandError::ControlByte { offset: 7 })
    );
    assert_eq!(
        board.exec(b"\x05", None),
        Err(CommandError::ControlByte { offset: 0 })
    );
    assert_eq!(board.sent(), b"");
}

#[test]
fn a_program_that_prints_what_looks_like_its_end_is_heard_before_it_goes_on() {
    let mut board = Board::in_raw_mode();
    board.exec(b"ask()", None).expect("the board is idle");
    board.says(b"OK\x04>name? ");
    assert_eq!(board.events(), []);
    board.wait_until(499);
    assert_eq!(board.events(), []);
    board.wait_until(500);
    assert_eq!(board.events(), [Event::Stdout(b"\x04>name? ".to_vec())]);
    board.says(b"you\r\n");
    assert_eq!(board.events(), [Event::Stdout(b"you\r\n".to_vec())]);
    board.says(b"\x04\x04>");
    assert_eq!(board.events(), [Event::Finished(Outcome::Completed)]);
}

#[test]
fn a_program_that_was_asked_in_vain_whether_it_has_ended_is_heard() {
    let mut board = Board::in_raw_mode();
    board.exec(b"ask()", None).expect("the board is idle");
    board.says(b"OKa\x04b\x04c>name? ");
    assert_eq!(board.events(), [Event::Stdout(b"a".to_vec())]);
    board.sent();
    board.wait_until(10_000);
    assert_eq!(board.sent(), b"\x01\x01\x01");
    let said = Event::Stdout(b"\x04b\x04c>name? ".to_vec());
    assert_eq!(board.events(), [said]);
}

#[test]
fn what_is_typed_before_a_program_runs_waits_for_it() {
    let mut board = Board::in_raw_mode();
    board.exec(b"input()", None).expect("the board is idle");
    board.sent();
    board
        .command(|repl, _| repl.send(b"early\r"))
        .expect("it will be read");
    let too_much = vec![b'x'; 64 * 1024];
    let refused = board.command(|repl, _| repl.send(&too_much));
    assert_eq!(refused, Err(CommandError::NotRunning));
    assert_eq!(board.sent(), b"");
    board.says(b"OK");
    assert_eq!(board.sent(), b"early\r");
}

#[test]
fn what_a_program_has_not_read_is_dropped_before_the_next() {
    let mut board = Board::in_raw_mode();
    board.exec(b"first()", None).expect("the board is idle");
    board.says(b"OK");
    board
        .command(|repl, _| repl.send(b"unread"))
        .expect("it runs");
    board.says(b"\x04\x04>");
    board.sent();
    board.exec(b"second()", None).expect("the board is idle");
    assert_eq!(board.sent(), b"\x03\x01");
    board.says(BANNER);
    assert_eq!(board.sent(), b"second()\x04");
}

#[test]
fn a_program_past_its_time_is_interrupted_until_it_stops() {
    let mut board = Board::in_raw_mode();
    board
        .exec(b"while True: pass", Some(Duration::from_secs(1)))
        .expect("the board is idle");
    board.says(b"OK");
    board.sent();
    board.wait_until(999);
    assert_eq!(board.sent(), b"");
    board.wait_until(1_250);
    assert_eq!(board.sent(), b"\x03\x03");
    board.says(b"\x04KeyboardInterrupt: \r\n\x04>");
    let events = board.events();
    assert!(
        matches!(&events[..], [Event::Finished(Outcome::TimedOut(Some(_)))]),
        "{events:?}"
    );
}

#[test]
fn a_program_that_resists_its_time_out_is_lost() {
    let mut board = Board::in_raw_mode();
    board
        .exec(b"deaf()", Some(Duration::from_secs(1)))
        .expect("the board is idle");
    board.says(b"OK");
    board.wait_until(11_000);
    let reason = LostReason::TimedOut {
        after: Duration::from_secs(10),
    };
    assert_eq!(board.events(), [Event::Lost { reason }]);
}

#[test]
fn a_program_interrupted_before_it_was_sent_never_runs() {
    let mut board = Board::new();
    board.exec(b"launch()", None).expect("nothing is under way");
    board
        .command(RawRepl::interrupt)
        .expect("the board is there");
    board.sent();
    let events = board.events();
    assert!(
        matches!(&events[..], [Event::Finished(Outcome::Raised(traceback))] if traceback.is_interrupt()),
        "{events:?}"
    );
    // The board may be in raw mode when it reads this.
    board.command(|repl, _| repl.leave()).expect("nothing runs");
    assert_eq!(board.sent(), b"\x02");
    // The answers to the first attempt, to that and to the second attempt arrive together.
    board.exec(b"again()", None).expect("nothing is under way");
    assert_eq!(board.sent(), b"\x03\x01");
    board.says(BANNER);
    board.says(b"\r\nMicroPython\r\nType \"help()\" for more information.\r\n>>> ");
    board.says(BANNER);
    assert_eq!(board.sent(), b"");
    board.wait_until(100);
    assert_eq!(board.sent(), b"again()\x04");
}

#[test]
fn a_board_that_hangs_on_the_probe_gets_paced_raw_mode() {
    let mut board = Board::in_raw_mode();
    let long = vec![b'#'; 150];
    board.exec(&long, None).expect("the board is idle");
    assert_eq!(board.sent(), b"\x05A\x01");
    board.wait_until(2_000);
    assert_eq!(board.sent(), b"\x03\x01");
    board.says(BANNER);
    assert_eq!(board.sent().len(), 32);
    board.wait_until(2_004);
    assert_eq!(board.sent().len(), 0);
    for (moment, length) in [(2_005, 32), (2_010, 32), (2_015, 32), (2_020, 23)] {
        board.wait_until(moment);
        assert_eq!(board.sent().len(), length);
    }
    board.says(b"OK\x04\x04>");
    assert_eq!(board.pump.machine().has_raw_paste(), Some(false));
    assert_eq!(
        board.events().last(),
        Some(&Event::Finished(Outcome::Completed))
    );
}

#[test]
fn a_board_that_has_told_its_window_gets_short_programs_at_once() {
    let mut board = Board::in_raw_mode();
    let short = vec![b'#'; 100];
    board.exec(&short, None).expect("the board is idle");
    assert_eq!(board.sent().len(), 32);
    board.wait_until(20);
    board.sent();
    board.says(b"OK\x04\x04>");
    board.exec(&[b'#'; 150], None).expect("the board is idle");
    board.says(b"R\x01\x80\x00\x01");
    board.says(b"\x04\x04\x04>");
    board.sent();
    board.exec(&short, None).expect("the board is idle");
    assert_eq!(board.sent(), [&*short, b"\x04"].concat());
}

#[test]
fn output_that_nobody_asked_for_makes_the_next_command_enter_afresh() {
    let mut board = Board::in_raw_mode();
    board.says(b"timer\r\n");
    assert_eq!(board.events(), [Event::Terminal(b"timer\r\n".to_vec())]);
    board.exec(b"1", None).expect("the board is idle");
    assert_eq!(board.sent(), b"\x03\x01");
}

#[test]
fn an_endless_boot_py_is_interrupted_after_the_reset() {
    let mut board = Board::in_raw_mode();
    board
        .command(RawRepl::soft_reset)
        .expect("the board is idle");
    assert_eq!(board.sent(), b"\x03\x04");
    board.says(b"OK\r\nMPY: soft reboot\r\nconnecting");
    board.wait_until(10_000);
    assert_eq!(board.sent(), b"\x03\x01");
    board.says(BANNER);
    let boot = [&b"MPY: soft reboot\r\n"[..], b"connecting"];
    let [announced, printed] = boot.map(|text| Event::Terminal(text.to_vec()));
    assert_eq!(board.events(), [announced, printed, Event::SoftReset]);
}

#[test]
fn after_the_end_there_is_silence() {
    let mut board = Board::in_raw_mode();
    board.pump.handle_input(board.now, Input::Closed);
    board.pump.handle_input(board.now, Input::Closed);
    board.says(b"ghost");
    assert_eq!(
        board.events(),
        [Event::Lost {
            reason: LostReason::Closed
        }]
    );
    assert_eq!(board.exec(b"1", None), Err(CommandError::Lost));
    assert_eq!(board.pump.deadline(), None);
}

const LONG: &[u8] = &[b'#'; 1000];

impl Board {
    /// Creates a state in which a program is being sent that the board reads as data.
    fn loading() -> Self {
        let mut board = Self::in_raw_mode();
        board.exec(&[b'#'; 200], None).expect("it is idle");
        board.says(b"R\x01\x00\x04\x01");
        board.says(b"\x01\x04\x04\x04>");
        board.events();
        board.sent();
        let begun = board.command(|repl, now| repl.exec_loading(now, LONG, Traffic::Text));
        begun.expect("it is idle");
        board.says(b"R\x01\x00\x04\x01\x01\x04");
        let loader = board.sent();
        assert!(!loader.windows(9).any(|window| window == &LONG[..9]));
        board
    }
}

#[test]
fn a_program_that_is_loaded_waits_for_the_mark_and_noise_is_output() {
    let mut board = Board::loading();
    board.says(b"tick\r\n");
    assert_eq!(board.sent(), b"");
    board.says(b"\x06");
    assert_eq!(board.sent(), LONG);
    board.says(b"tock\r\n\x06result\x06\x04\x04>");
    let noise = [&b"tick\r\n"[..], b"tock\r\n"].map(|text| Event::Stdout(text.to_vec()));
    let [tick, tock] = noise;
    assert_eq!(
        board.events(),
        [
            tick,
            tock,
            Event::Loaded,
            Event::Stdout(b"result\x06".to_vec()),
            Event::Finished(Outcome::Completed)
        ]
    );
    assert_eq!(board.sent(), b"");
}

#[test]
fn a_program_that_is_interrupted_before_it_is_loaded_is_not_sent() {
    let mut board = Board::loading();
    board.command(RawRepl::interrupt).expect("it is there");
    assert_eq!(board.sent(), b"\x03");
    board.says(b"\x06\x04KeyboardInterrupt: \r\n\x04>");
    assert_eq!(board.sent(), b"");
    // The board's state at its prompt is uncertain.
    board.exec(b"pass", None).expect("it is idle");
    assert_eq!(board.sent(), b"\x03\x01");
}

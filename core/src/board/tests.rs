//! Tests that hold for every request: one answer, in time, whatever the board does.

use alloc::{string::String, vec::Vec};
use core::{iter, time::Duration};

use super::{Answer, Board, Config, Error, Event, Request};
use crate::{
    Input, Instant, Pump,
    raw_repl::{CommandError, LostReason, Mode, Outcome},
};

const BANNER: &[u8] = b"\r\nraw REPL; CTRL-B to exit\r\n>";

/// A board with scripted output, and a clock.
struct Conversation {
    pump: Pump<Board>,
    now: Instant,
}

impl Conversation {
    fn new() -> Self {
        Self {
            pump: Pump::new(Board::new(Config::default())),
            now: Instant::START,
        }
    }

    /// Creates a state with a running program.
    fn running() -> Self {
        let mut board = Self::new();
        assert_eq!(board.request(exec("work()")), Ok(()));
        board.says(BANNER);
        board.says(b"OK");
        board.sent();
        board
    }

    fn request(&mut self, request: Request) -> Result<(), CommandError> {
        let now = self.now;
        self.pump.command(|board| board.request(now, request))
    }

    fn release(&mut self, within: Duration) {
        let now = self.now;
        let released = self.pump.command(|board| board.release(now, within));
        assert_eq!(released, Ok(()));
    }

    fn stop(&mut self, within: Duration) {
        let now = self.now;
        let stopped = self.pump.command(|board| board.stop(now, within));
        assert_eq!(stopped, Ok(()));
    }

    fn says(&mut self, bytes: &[u8]) {
        self.pump.handle_input(self.now, Input::Bytes(bytes));
    }

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
        iter::from_fn(|| self.pump.poll_event()).collect()
    }
}

fn exec(source: &str) -> Request {
    Request::Exec {
        source: source.into(),
        timeout: None,
    }
}

fn ran(outcome: Outcome) -> Event {
    Event::Answered(Ok(Answer::Ran(outcome)))
}

fn done() -> Event {
    Event::Answered(Ok(Answer::Done))
}

#[test]
fn each_request_has_one_answer() {
    let mut board = Conversation::new();
    for (request, reply, events) in [
        (Request::Enter, BANNER, Vec::from([done()])),
        (
            exec("print(1)"),
            b"OK1\r\n\x04\x04>",
            Vec::from([Event::Stdout(b"1\r\n".to_vec()), ran(Outcome::Completed)]),
        ),
        (
            Request::SoftReset,
            b"OK\r\nMPY: soft reboot\r\nboot.py\r\nraw REPL; CTRL-B to exit\r\n>",
            Vec::from([
                Event::Terminal(b"MPY: soft reboot\r\nboot.py\r\n".to_vec()),
                done(),
            ]),
        ),
        (Request::Leave, b"", Vec::from([done()])),
    ] {
        let name = alloc::format!("{request}");
        assert_eq!(board.request(request), Ok(()));
        board.says(reply);
        assert_eq!(board.events(), events, "{name}");
    }
}

#[test]
fn a_board_that_restarts_under_a_program_is_asked_first() {
    let mut board = Conversation::running();
    let banner = b"ets Jul 29\r\nType \"help()\" for more information.\r\n>>> ";
    board.says(banner);
    assert_eq!(board.events(), [Event::Stdout(banner.to_vec())]);
    board.wait_until(1000);
    assert_eq!(board.sent(), b"\x01");
    board.says(BANNER);
    let end = Event::Stdout(b"\r\n".to_vec());
    assert_eq!(board.events(), [end, ran(Outcome::BoardReset)]);
    assert_eq!(board.request(Request::Leave), Ok(()));
}

#[test]
fn a_program_that_exits_is_answered_after_the_reset() {
    let mut board = Conversation::running();
    board.says(b"bye\x04\x04MPY: soft reboot\r\n");
    assert_eq!(board.events(), [Event::Stdout(b"bye".to_vec())]);
    assert_eq!(board.request(exec("1")), Err(CommandError::Busy));
    board.says(b"raw REPL; CTRL-B to exit\r\n>");
    assert_eq!(board.events(), [ran(Outcome::Exited)]);
    assert_eq!(board.request(exec("1")), Ok(()));
}

#[test]
fn a_board_that_is_lost_answers_first() {
    let reason = LostReason::Closed;
    let mut board = Conversation::running();
    board.pump.handle_input(board.now, Input::Closed);
    let answer = Event::Answered(Err(Error::Lost(reason.clone())));
    assert_eq!(board.events(), [answer, Event::Lost { reason }]);
    assert_eq!(board.request(exec("1")), Err(CommandError::Lost));
}

#[test]
fn a_source_that_cannot_be_sent_is_refused_before_anything_happens() {
    let mut board = Conversation::new();
    let refused = board.request(exec("'\x04'"));
    assert_eq!(refused, Err(CommandError::ControlByte { offset: 1 }));
    assert_eq!((board.sent(), board.events()), (Vec::new(), Vec::new()));
}

#[test]
fn nothing_is_typed_into_a_request_for_files() {
    let mut board = Conversation::new();
    let (path, times) = (String::new(), true);
    assert_eq!(board.request(Request::List { path, times }), Ok(()));
    let typed = board.pump.command(|board| board.send(b"x"));
    assert_eq!(typed, Err(CommandError::Busy));
    assert_eq!(board.pump.machine().mode(), Mode::Running);
}

#[test]
fn a_program_is_interrupted_each_second_until_it_has_ended() {
    let mut board = Conversation::running();
    board.stop(Duration::from_secs(10));
    board.wait_until(2_500);
    assert_eq!(board.sent(), b"\x03\x03\x03");
    board.says(b"tidied up\x04KeyboardInterrupt: \r\n\x04>");
    let events = board.events();
    assert!(
        matches!(
            &events[..],
            [
                Event::Stdout(_),
                Event::Answered(Ok(Answer::Ran(Outcome::Raised(_)))),
                Event::Stopped(Ok(()))
            ]
        ),
        "{events:?}"
    );
    board.wait_until(20_000);
    assert_eq!((board.sent(), board.events()), (Vec::new(), Vec::new()));
    assert_eq!(board.request(exec("1")), Ok(()));
}

#[test]
fn where_nothing_runs_nothing_is_pressed() {
    let mut board = Conversation::new();
    board.stop(Duration::from_secs(10));
    assert_eq!(board.events(), [Event::Stopped(Ok(()))]);
    assert_eq!(board.sent(), b"");
}

#[test]
fn a_program_that_does_not_stop_in_time_runs_on_and_may_be_stopped_again() {
    let within = Duration::from_secs(3);
    let mut board = Conversation::running();
    board.stop(within);
    board.wait_until(60_000);
    assert_eq!(board.sent(), b"\x03\x03\x03");
    let stopped = Event::Stopped(Err(Error::NotStopped { within }));
    assert_eq!(board.events(), [stopped]);
    assert_eq!(board.request(exec("1")), Err(CommandError::Busy));
    board.stop(within);
    board.release(within);
    let now = board.now;
    let stopped = board.pump.command(|board| board.stop(now, within));
    assert_eq!(stopped, Err(CommandError::Busy));
    board.says(b"\x04\x04>");
    assert!(matches!(
        &board.events()[..],
        [Event::Answered(Ok(_)), Event::Released(Ok(()))]
    ));
}

#[test]
fn a_board_is_released_at_its_prompt() {
    let mut board = Conversation::new();
    board.release(Duration::from_secs(3));
    assert_eq!(board.events(), [Event::Released(Ok(()))]);
    assert_eq!(board.sent(), b"");
    assert_eq!(board.request(exec("1")), Ok(()));
    board.says(BANNER);
    board.says(b"OK\x04\x04>");
    board.sent();
    board.events();
    board.release(Duration::from_secs(3));
    assert_eq!(board.events(), [Event::Released(Ok(()))]);
    assert_eq!(board.sent(), b"\x02");
}

#[test]
fn a_program_is_interrupted_until_the_board_can_be_released() {
    let mut board = Conversation::running();
    board.release(Duration::from_secs(3));
    assert_eq!(board.request(exec("1")), Err(CommandError::Busy));
    board.wait_until(500);
    assert_eq!(board.sent(), b"\x03\x03\x03");
    board.says(b"\x04KeyboardInterrupt: \r\n\x04>");
    let events = board.events();
    assert!(
        matches!(
            &events[..],
            [
                Event::Answered(Ok(Answer::Ran(Outcome::Raised(_)))),
                Event::Released(Ok(()))
            ]
        ),
        "{events:?}"
    );
    assert_eq!(board.sent(), b"\x02");
}

#[test]
fn a_board_that_has_not_answered_is_released_at_once() {
    let mut board = Conversation::new();
    assert_eq!(board.request(exec("work()")), Ok(()));
    board.release(Duration::from_secs(3));
    let events = board.events();
    assert!(
        matches!(
            &events[..],
            [
                Event::Answered(Ok(Answer::Ran(Outcome::Raised(_)))),
                Event::Released(Ok(()))
            ]
        ),
        "{events:?}"
    );
    // If it still enters raw mode, it leaves it.
    assert_eq!(board.sent(), b"\x03\x01\x02");
}

#[test]
fn a_program_that_does_not_end_is_not_waited_for() {
    let within = Duration::from_secs(3);
    let mut board = Conversation::running();
    board.release(within);
    board.wait_until(2_999);
    assert_eq!(board.events(), []);
    board.wait_until(3_000);
    let released = Event::Released(Err(Error::NotStopped { within }));
    assert_eq!(board.events(), [released]);
}

#[test]
fn a_request_that_is_cancelled_before_it_has_begun_is_not_begun() {
    let mut board = Conversation::new();
    let path = String::from("a");
    assert_eq!(board.request(Request::Remove { path }), Ok(()));
    board.says(BANNER);
    board.wait_until(2_000);
    board.says(BANNER);
    board.wait_until(3_000);
    let now = board.now;
    let interrupted = board.pump.command(|board| board.interrupt(now));
    assert_eq!(interrupted, Ok(()));
    // The board's capabilities were already being queried.
    board.says(b"OKstat\r\n\x04\x04>");
    assert_eq!(board.events(), [Event::Answered(Err(Error::Cancelled))]);
}

/// Output of a thread can move a file's bytes to the place of an error's text.
#[test]
fn bytes_of_a_file_in_the_place_of_an_error_are_asked_for_again_and_not_shown() {
    let mut board = Conversation::new();
    let path = String::from("a");
    assert_eq!(board.request(Request::Read { path }), Ok(()));
    board.says(BANNER);
    board.says(b"R\x00>");
    board.wait_until(1_000);
    board.says(b"OK\x04ImportError: no module named 'hashlib'\r\n\x04>");
    board.wait_until(2_000);
    board.says(b"OKfree=9000\r\n\x04\x04>");
    for attempt in 3..=5 {
        board.wait_until(1_000 * attempt);
        assert!(board.sent().ends_with(b"\x04"), "it is asked {attempt}");
        board.says(b"OK\x04b'the file\'s own bytes'\r\n\x04>");
    }
    assert_eq!(
        board.events().last(),
        Some(&Event::Answered(Err(Error::Damaged)))
    );
}

#[test]
fn a_small_file_whose_answer_is_cut_is_given_up_as_soon_as_a_stream() {
    let mut board = Conversation::new();
    let (path, data) = ("a".into(), b"1".to_vec());
    assert_eq!(board.request(Request::Write { path, data }), Ok(()));
    board.says(BANNER);
    board.says(b"R\x01\x00\x10\x01");
    // One 04 of three was lost.
    board.says(b"\x04\x04>");
    board.sent();
    let limit = Config::default().stall_timeout.as_millis() as u64;
    board.wait_until(limit - 100);
    assert_eq!(board.sent(), b"");
    board.wait_until(limit + 100);
    assert!(
        !board.sent().is_empty(),
        "the board is brought back to its prompt"
    );
    board.says(BANNER);
    let stalled = Event::Answered(Err(Error::Stalled));
    assert_eq!(board.events(), [stalled]);
}

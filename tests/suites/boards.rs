//! The raw REPL against real boards: MicroPython 1.28 (unix port) and 1.9.2 (micro:bit).
//!
//! With `FLYLEAD_RECORD=FOLDER` each test writes its conversation there as a transcript.
#![cfg(unix)]

use std::{env, fs, path::Path, time::Duration};

use flylead_core::{
    raw_repl::{Command, Config, Event, Outcome, Recovery},
    trace::{self, Record},
};
use flylead_tests::boards::{Faults, Microbit, Session, UnixBoard, Wire};

/// Keeps a conversation, when somebody asked for it.
fn record(session: &Session, name: &str, why: &str) {
    if let Some(folder) = env::var_os("FLYLEAD_RECORD") {
        let file = Path::new(&folder).join(name).with_extension("txt");
        let text = format!("# {why}\n{}", join_received(session.trace()));
        fs::write(file, text).expect("the folder exists");
    }
}

/// Joins adjacent pieces, which are easier to read as one.
fn join_received(trace: &str) -> String {
    let mut joined: Vec<Record> = Vec::new();
    for (_, record) in trace::parse(trace).expect("we wrote it") {
        match (joined.last_mut(), record) {
            (Some(Record::Received(bytes)), Record::Received(more)) => bytes.extend(more),
            (_, record) => joined.push(record),
        }
    }
    joined.iter().map(trace::render).collect()
}

fn raised(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Raised(traceback) => &traceback.exception,
        other => panic!("it did not raise: {other:?}"),
    }
}

fn start(session: &mut Session, source: &str) {
    let source = source.as_bytes().to_vec();
    let timeout = None;
    session
        .command(&Command::Exec { source, timeout })
        .expect("nothing else runs");
}

/// A program too long for the short way, so that raw-paste mode is looked for.
fn long(source: &str) -> Vec<u8> {
    format!("{}{source}", "# a long comment\n".repeat(30)).into_bytes()
}

#[test]
fn a_modern_board_runs_short_and_long_programs() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let done = |text: &str| (text.as_bytes().to_vec(), Outcome::Completed);
    assert_eq!(session.exec(b"print(1+1)"), done("2\n"));
    assert_eq!(session.exec(&long("print('long')")), done("long\n"));
    assert_eq!(
        session.exec("print('h\u{e9}')".as_bytes()),
        done("h\u{e9}\n")
    );
    record(
        &session,
        "unix_1_28_runs_short_and_long_programs",
        "MicroPython 1.28, unix port: raw mode, then raw-paste with credit",
    );
}

#[test]
fn an_old_board_runs_short_and_long_programs() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    let done = |text: &str| (text.as_bytes().to_vec(), Outcome::Completed);
    assert_eq!(session.exec(b"print(1+1)"), done("2\r\n"));
    assert_eq!(session.exec(&long("print('long')")), done("long\r\n"));
    assert_eq!(session.exec(&long("print('again')")), done("again\r\n"));
    record(
        &session,
        "microbit_1_9_2_runs_short_and_long_programs",
        "MicroPython 1.9.2, micro:bit: no raw-paste, asked twice, then paced",
    );
}

#[test]
fn a_traceback_names_its_line_and_the_board_goes_on() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let (stdout, outcome) = session.exec(b"print('before')\ndef f():\n  1/0\nf()\n");
    assert_eq!(stdout, b"before\n");
    let Outcome::Raised(traceback) = &outcome else {
        panic!("it did not raise: {outcome:?}")
    };
    let places: Vec<_> = traceback.frames.iter().map(ToString::to_string).collect();
    assert_eq!(places, ["<stdin>:4, in <module>", "<stdin>:3, in f"]);
    assert_eq!(traceback.exception, "ZeroDivisionError");
    assert_eq!(traceback.kind().recovery(), Recovery::Continue);
    assert_eq!(session.exec(b"print('after')").0, b"after\n");
    record(
        &session,
        "unix_1_28_traceback_and_on",
        "MicroPython 1.28, unix port: an exception, then the next program",
    );
}

/// The board ends the field of the traceback with that byte, and does not escape it.
#[test]
fn an_exception_with_a_closing_byte_in_its_message_is_one() {
    let (unix, microbit) = (UnixBoard::start(), Microbit::start());
    for board in [unix.path(), microbit.path()] {
        let mut session = Session::open(board, Config::default());
        for message in ["a\\x04b", "\\x04", "\\x04\\x04c"] {
            let source = format!("print('before')\nraise ValueError('{message}')");
            let (stdout, outcome) = session.exec(source.as_bytes());
            assert_eq!(stdout.trim_ascii_end(), b"before", "{message}");
            let Outcome::Raised(traceback) = &outcome else {
                panic!("{message} did not raise: {outcome:?}")
            };
            let expected = message.replace("\\x04", "\x04");
            assert_eq!(traceback.message, expected);
        }
        assert_eq!(session.exec(b"print('after')").0.trim_ascii(), b"after");
    }
}

#[test]
fn a_syntax_error_early_in_a_long_program_aborts_its_paste() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let source = format!("if:\n{}", "x = 1\n".repeat(200));
    let (_, outcome) = session.exec(source.as_bytes());
    assert_eq!(raised(&outcome), "SyntaxError");
    assert_eq!(session.exec(b"print('after')").0, b"after\n");
    record(
        &session,
        "unix_1_28_syntax_error_aborts_a_paste",
        "MicroPython 1.28, unix port: the board has seen enough of 1,200 bytes",
    );
}

#[test]
fn a_long_program_arrives_whole_on_both_boards() {
    let check = "print(len(s), sum(s))";
    let source =
        |count: usize| format!("s = b'{}'\n{check}", "abcdefghij".repeat(count)).into_bytes();
    let unix = UnixBoard::start();
    let mut session = Session::open(unix.path(), Config::default());
    assert_eq!(session.exec(&source(5000)).0, b"50000 5075000\n");
    let microbit = Microbit::start();
    let mut session = Session::open(microbit.path(), Config::default());
    assert_eq!(session.exec(&source(100)).0, b"1000 101500\r\n");
}

#[test]
fn ctrl_c_stops_an_endless_loop_on_an_old_board() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    start(&mut session, "print('on')\nwhile True:\n  pass");
    session.until(|event| matches!(event, Event::Stdout(_)));
    session.command(&Command::Interrupt).expect("it runs");
    session.until(|event| matches!(event, Event::Finished(_)));
    assert_eq!(raised(&session.report(0).1), "KeyboardInterrupt");
    assert_eq!(session.exec(b"print('after')").0, b"after\r\n");
    record(
        &session,
        "microbit_1_9_2_ctrl_c_stops_a_loop",
        "MicroPython 1.9.2, micro:bit: Ctrl-C while code runs",
    );
}

#[test]
fn ctrl_c_stops_an_endless_loop_on_a_modern_board() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    start(&mut session, "print('on')\nwhile True:\n  pass");
    session.until(|event| matches!(event, Event::Stdout(_)));
    session.command(&Command::Interrupt).expect("it runs");
    session.until(|event| matches!(event, Event::Finished(_)));
    assert_eq!(raised(&session.report(0).1), "KeyboardInterrupt");
    assert_eq!(session.exec(b"print('after')").0, b"after\n");
    record(
        &session,
        "unix_1_28_ctrl_c_stops_a_loop",
        "MicroPython 1.28, unix port: Ctrl-C while code runs",
    );
}

#[test]
fn a_soft_reset_forgets_every_variable_and_stays_in_raw_mode() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    session.exec(b"x = 1");
    session.command(&Command::SoftReset).expect("nothing runs");
    session.until(|event| matches!(event, Event::SoftReset));
    assert_eq!(raised(&session.exec(b"x").1), "NameError");
    record(
        &session,
        "microbit_1_9_2_soft_reset",
        "MicroPython 1.9.2, micro:bit: `soft reboot` without `MPY: `",
    );
}

#[test]
fn an_old_board_ends_a_system_exit_like_any_program() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    let (_, outcome) = session.exec(b"raise SystemExit");
    assert_eq!(outcome, Outcome::Completed);
    record(
        &session,
        "microbit_1_9_2_system_exit",
        "MicroPython 1.9.2, micro:bit: SystemExit does not reset",
    );
}

#[test]
fn a_unix_board_that_left_at_a_soft_reset_is_found_again() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    session.exec(b"x = 1");
    session.command(&Command::SoftReset).expect("nothing runs");
    session.until(|event| matches!(event, Event::SoftReset));
    assert_eq!(raised(&session.exec(b"x").1), "NameError");
    record(
        &session,
        "unix_1_28_soft_reset",
        "MicroPython 1.28, unix port: it leaves, and the fixture starts it again",
    );
}

#[test]
fn a_unix_board_that_exits_shows_as_a_board_that_was_reset() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let (_, outcome) = session.exec(b"raise SystemExit");
    assert_eq!(outcome, Outcome::BoardReset);
    assert_eq!(session.exec(b"print('after')").0, b"after\n");
    record(
        &session,
        "unix_1_28_system_exit",
        "MicroPython 1.28, unix port: SystemExit ends the process",
    );
}

#[test]
fn a_slow_wire_only_takes_longer() {
    let board = UnixBoard::start();
    let faults = Faults {
        baud: Some(115_200),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let mut session = Session::open(wire.path(), Config::default());
    assert_eq!(session.exec(&long("print('x' * 5000)")).0.len(), 5001);
}

#[test]
fn a_board_that_refuses_raw_paste_is_sent_raw_programs_and_can_be_interrupted() {
    let board = UnixBoard::start();
    let faults = Faults {
        no_raw_paste: true,
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let mut session = Session::open(wire.path(), Config::default());
    assert_eq!(session.exec(&long("print('long')")).0, b"long\n");
    start(&mut session, "print('on')\nwhile True: pass");
    session.until(|event| matches!(event, Event::Stdout(_)));
    session.command(&Command::Interrupt).expect("it runs");
    session.until(|event| matches!(event, Event::Finished(_)));
}

#[test]
fn a_board_pulled_out_mid_run_is_lost() {
    let board = UnixBoard::start();
    let mut wire = Wire::attach(board.path(), Faults::default());
    let mut session = Session::open(wire.path(), Config::default());
    start(&mut session, "print('on')\nwhile True:\n  pass");
    session.until(|event| matches!(event, Event::Stdout(_)));
    wire.unplug();
    let last = session.until_end(|_| false);
    assert!(matches!(last, Event::Lost { .. }), "{last}");
}

#[test]
fn a_flood_from_a_real_board_passes_whole() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let source = "for i in range(20000): print('0123456789' * 10)";
    let (stdout, outcome) = session.exec(source.as_bytes());
    assert_eq!(outcome, Outcome::Completed);
    assert_eq!(stdout.len(), 20_000 * 101);
}

#[test]
fn a_board_that_runs_its_main_program_is_interrupted_and_entered() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    let write = b"f = open('main.py', 'w')\nf.write('while True: print(1)\\n')\nf.close()";
    assert_eq!(session.exec(write).1, Outcome::Completed);
    session.command(&Command::Leave).expect("nothing runs");
    session
        .command(&Command::Send(b"\x04".to_vec()))
        .expect("the prompt is there");
    session.until(is_output_of_main);
    assert_eq!(session.exec(b"print('mine')").0, b"mine\r\n");
    record(
        &session,
        "microbit_1_9_2_main_program_is_interrupted",
        "MicroPython 1.9.2, micro:bit: main.py prints forever, and is stopped for a command",
    );
}

#[test]
fn a_busy_main_program_leaves_nothing_in_the_next_programs_output() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    let main = r"left=3\nwhile left:\n try:\n  print('OK 1')\n  for i in range(20000):pass\n except KeyboardInterrupt:left-=1";
    let write = format!("f = open('main.py', 'w')\nf.write(\"{main}\")\nf.close()");
    assert_eq!(session.exec(write.as_bytes()).1, Outcome::Completed);
    session.command(&Command::Leave).expect("nothing runs");
    session
        .command(&Command::Send(b"\x04".to_vec()))
        .expect("the prompt is there");
    session.until(is_output_of_main);
    assert_eq!(session.exec(b"print('mine')").0, b"mine\r\n");
}

fn is_output_of_main(event: &Event) -> bool {
    matches!(event, Event::Terminal(bytes) if bytes.windows(3).any(|piece| piece == b"1\r\n"))
}

#[test]
fn a_program_that_prints_nothing_for_a_while_is_waited_for() {
    let board = Microbit::start();
    let mut session = Session::open(board.path(), Config::default());
    let (stdout, outcome) = session.exec(b"from microbit import sleep\nsleep(3000)\nprint('done')");
    assert_eq!(
        (stdout.as_slice(), outcome),
        (b"done\r\n".as_slice(), Outcome::Completed)
    );
}

#[test]
fn a_wire_that_spoils_bytes_never_makes_the_client_hang_or_panic() {
    let board = UnixBoard::start();
    let config = Config::default()
        .enter_timeout(Duration::from_secs(3))
        .reply_timeout(Duration::from_secs(2));
    for seed in 0..6 {
        let faults = Faults {
            seed,
            flip: 20_000,
            lose: 20_000,
            repeat: 20_000,
            ..Faults::default()
        };
        let wire = Wire::attach(board.path(), faults);
        let mut session = Session::open(wire.path(), config.clone());
        let source = long("print('0123456789' * 20)");
        let timeout = Some(Duration::from_secs(2));
        session
            .command(&Command::Exec { source, timeout })
            .expect("nothing else runs");
        session.until_end(|event| matches!(event, Event::Finished(_)));
    }
}

#[test]
fn a_wire_that_stalls_only_takes_longer() {
    let board = UnixBoard::start();
    let faults = Faults {
        stall: Some((100, Duration::from_secs(1))),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let mut session = Session::open(wire.path(), Config::default());
    assert_eq!(session.exec(b"print('x' * 500)").0.len(), 501);
}

#[test]
fn random_bytes_printed_by_a_real_board_arrive_as_they_are() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..100 {
        let length = [10, 300, 3000][rng.usize(0..3)];
        let bytes: Vec<u8> = (0..rng.usize(0..length)).map(|_| rng.u8(5..)).collect();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let source = format!("import sys\nsys.stdout.buffer.write(bytes.fromhex('{hex}'))");
        let (stdout, outcome) = session.exec(source.as_bytes());
        assert_eq!(outcome, Outcome::Completed, "round {round}");
        assert!(stdout == bytes, "round {round}: {stdout:?}");
    }
}

#[test]
fn a_real_program_that_prints_a_banner_is_heard_to_its_end() {
    let board = UnixBoard::start();
    let mut session = Session::open(board.path(), Config::default());
    let log = "Type \"help()\" for more information.\r\n>>> ";
    let source = format!("import time\nprint({log:?},end='')\ntime.sleep(1)\nprint('end')");
    let (stdout, outcome) = session.exec(source.as_bytes());
    assert_eq!(outcome, Outcome::Completed);
    assert_eq!(String::from_utf8_lossy(&stdout), format!("{log}end\n"));
    assert_eq!(session.exec(b"print('next')").0, b"next\n");
}

//! Boards that do what boards do on a bad day: a clear answer within the time-out, never a hang, never a panic.

use std::time::Duration;

use flylead_core::{
    Instant,
    raw_repl::{Command, Config, Event, LostReason, Outcome, Peer},
};
use flylead_tests::{
    device::{Device, Program, RawPaste, Step, Temper, Traits},
    pair::Pair,
};

const LATENCY: Duration = Duration::from_millis(3);

fn pair_of(traits: Traits, programs: &[Program]) -> Pair {
    let device = Device::new(Instant::START, traits, programs.to_vec());
    Pair::new(7, LATENCY, Config::default(), device)
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::Finished(_) | Event::Lost { .. })
}

fn stdout(events: &[Event]) -> Vec<u8> {
    let bytes = |event: &Event| match event {
        Event::Stdout(bytes) => bytes.clone(),
        _ => Vec::new(),
    };
    events.iter().flat_map(bytes).collect()
}

fn stdout_length(events: &[Event]) -> usize {
    stdout(events).len()
}

#[test]
fn a_board_pulled_out_mid_run_is_lost_at_once() {
    let program = Program::new(b"blink", vec![Step::Print(b"on".to_vec()), Step::Forever]);
    let mut pair = pair_of(Traits::default(), &[program]);
    pair.exec(b"blink", None);
    pair.until(seconds(10), |event| matches!(event, Event::Stdout(_)))
        .expect("it prints");
    pair.unplug();
    let told = pair.until(Duration::ZERO, is_end).expect("it is lost");
    assert_eq!(
        told.last(),
        Some(&Event::Lost {
            reason: LostReason::Closed
        })
    );
    assert!(pair.command(&Command::Enter).is_err());
}

#[test]
fn a_board_pulled_out_at_any_moment_of_a_session_is_lost_and_nothing_else() {
    for moment in 0..300 {
        let source = vec![b'#'; 2000];
        let mut pair = pair_of(
            Traits::default(),
            &[Program::new(&source, vec![Step::Work(seconds(1))])],
        );
        pair.exec(&source, None);
        pair.pass(Duration::from_millis(moment));
        pair.unplug();
        let told = pair.until(seconds(100), |event| matches!(event, Event::Lost { .. }));
        let _ = told.unwrap_or_else(|| panic!("not lost after {moment} ms"));
        assert_eq!(
            pair.until(seconds(100), |_| true),
            None,
            "more after the end"
        );
    }
}

#[test]
fn a_flood_of_output_passes_and_can_be_interrupted() {
    let flood = Step::Repeat(vec![b'x'; 4096], Duration::from_millis(1));
    let mut pair = pair_of(Traits::default(), &[Program::new(b"flood", vec![flood])]);
    pair.exec(b"flood", None);
    pair.pass(seconds(2));
    pair.command(&Command::Interrupt).expect("it runs");
    let told = pair.until(seconds(1), is_end).expect("it stops");
    assert!(matches!(
        told.last(),
        Some(Event::Finished(Outcome::Raised(_)))
    ));
    let all: Vec<_> = pair
        .events()
        .iter()
        .map(|(_, event)| event.clone())
        .collect();
    assert!(stdout_length(&all) > 4_000_000);
}

#[test]
fn a_board_that_floods_from_its_main_program_is_entered() {
    let flood = Step::Repeat(b"tick\n".to_vec(), Duration::from_millis(1));
    let main = Some(Program::new(b"main", vec![flood]));
    let mut pair = pair_of(
        Traits {
            main,
            ..Traits::default()
        },
        &[],
    );
    pair.pass(seconds(1));
    pair.command(&Command::Enter).expect("nothing runs");
    let told = pair.until(seconds(10), |event| matches!(event, Event::Entered));
    assert!(told.is_some(), "{:?}", pair.events().last());
}

#[test]
fn a_program_that_prints_nothing_for_minutes_is_waited_for() {
    let steps = vec![Step::Work(seconds(3600)), Step::Print(b"done".to_vec())];
    let mut pair = pair_of(Traits::default(), &[Program::new(b"long", steps)]);
    pair.exec(b"long", None);
    let told = pair.until(seconds(3700), is_end).expect("it ends");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
    assert!(pair.now().since_start() >= seconds(3600));
}

#[test]
fn a_program_that_outlives_its_time_is_interrupted_then() {
    let mut pair = pair_of(
        Traits::default(),
        &[Program::new(b"endless", vec![Step::Forever])],
    );
    pair.exec(b"endless", Some(seconds(30)));
    let told = pair.until(seconds(31), is_end).expect("it is stopped");
    assert!(
        matches!(
            told.last(),
            Some(Event::Finished(Outcome::TimedOut(Some(_))))
        ),
        "{told:?}"
    );
}

#[test]
fn a_program_that_catches_every_ctrl_c_is_lost_after_its_time() {
    let program = Program::new(b"stubborn", vec![Step::Repeat(b".".to_vec(), seconds(1))]);
    let mut pair = pair_of(Traits::default(), &[program.shrugging(u32::MAX)]);
    pair.exec(b"stubborn", Some(seconds(5)));
    let told = pair.until(seconds(60), is_end).expect("it is given up");
    assert!(
        matches!(
            told.last(),
            Some(Event::Lost {
                reason: LostReason::TimedOut { .. }
            })
        ),
        "{told:?}"
    );
}

#[test]
fn a_board_that_never_answers_is_lost_after_exactly_the_enter_timeout() {
    let mut pair = pair_of(
        Traits {
            temper: Temper::Mute,
            ..Traits::default()
        },
        &[],
    );
    pair.exec(b"print(1)", None);
    let told = pair.until(seconds(60), is_end).expect("it is given up");
    let after = Config::default().enter_timeout;
    assert_eq!(
        told.last(),
        Some(&Event::Lost {
            reason: LostReason::NotEntered {
                after,
                said: String::new(),
                peer: Peer::Silent,
            }
        })
    );
    assert_eq!(pair.now().since_start(), after);
}

#[test]
fn a_board_that_sends_garbage_is_lost_within_the_enter_timeout() {
    for seed in 0..200 {
        let temper = Temper::Mad { seed };
        let mut pair = pair_of(
            Traits {
                temper,
                ..Traits::default()
            },
            &[],
        );
        pair.exec(b"print(1)", None);
        let told = pair.until(seconds(11), is_end).expect("it is given up");
        assert!(matches!(told.last(), Some(Event::Lost { .. })), "{told:?}");
    }
}

#[test]
fn a_board_that_is_busy_with_its_main_program_is_interrupted() {
    let main = Some(Program::new(b"main", vec![Step::Forever]));
    let work = Program::new(b"work", vec![Step::Print(b"done".to_vec())]);
    let mut pair = pair_of(
        Traits {
            main,
            ..Traits::default()
        },
        &[work],
    );
    pair.pass(seconds(1));
    pair.exec(b"work", None);
    let told = pair.until(seconds(10), is_end).expect("it ends");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
}

#[test]
fn a_main_program_that_catches_ctrl_c_is_interrupted_until_it_stops() {
    let main = Some(Program::new(b"main", vec![Step::Forever]).shrugging(3));
    let mut pair = pair_of(
        Traits {
            main,
            ..Traits::default()
        },
        &[],
    );
    pair.command(&Command::Enter).expect("nothing runs");
    let told = pair.until(seconds(10), |event| matches!(event, Event::Entered));
    assert!(told.is_some(), "{:?}", pair.events());
}

#[test]
fn what_a_busy_board_still_says_is_not_the_next_programs_output() {
    let work = Program::new(b"work", vec![Step::Print(b"done".to_vec())]);
    let flood = Step::Repeat(b"OK, tick\n".to_vec(), Duration::from_millis(40));
    let mut pair = pair_of(
        Traits {
            main: Some(Program::new(b"main", vec![flood]).shrugging(2)),
            // Each Ctrl-A that it was sent meanwhile is answered so late that it seems to have said all.
            byte_time: Duration::from_millis(110),
            ..Traits::default()
        },
        &[work],
    );
    pair.exec(b"work", None);
    let told = pair.until(seconds(60), is_end).expect("it ends");
    assert_eq!(
        told.last(),
        Some(&Event::Finished(Outcome::Completed)),
        "{told:?}"
    );
    assert_eq!(stdout(&told), b"done");
}

#[test]
fn a_board_that_restarts_while_a_program_is_sent_says_so_and_goes_on() {
    for raw_paste in [RawPaste::Window(128), RawPaste::Refused] {
        let source = vec![b'#'; 5000];
        let long = Program::new(&source, vec![]);
        let work = Program::new(b"work", vec![Step::Print(b"done".to_vec())]);
        let mut pair = pair_of(
            Traits {
                raw_paste,
                byte_time: Duration::from_millis(1),
                ..Traits::default()
            },
            &[long, work],
        );
        pair.exec(&source, None);
        pair.pass(seconds(1));
        pair.restart();
        let told = pair.until(seconds(20), is_end).expect("it ends");
        let end = Event::Finished(Outcome::BoardReset);
        assert_eq!(told.last(), Some(&end), "{told:?}");
        pair.exec(b"work", None);
        let told = pair.until(seconds(20), is_end).expect("it ends");
        assert_eq!(stdout(&told), b"done", "{told:?}");
    }
}

/// A bridge to a second board, or a stored log of a boot.
#[test]
fn a_program_that_prints_what_a_board_prints_when_it_starts_is_heard_to_its_end() {
    let log = b"boot\nType \"help()\" for more information.\n>>> ".to_vec();
    for pause in [0, 1, 60] {
        let steps = vec![
            Step::Print(log.clone()),
            Step::Work(seconds(pause)),
            Step::Print(b"on\n".to_vec()),
            Step::Work(seconds(60)),
            Step::Print(b"end".to_vec()),
        ];
        let next = Program::new(b"next", vec![Step::Print(b"!".to_vec())]);
        let programs = [Program::new(b"bridge", steps), next];
        let mut pair = pair_of(Traits::default(), &programs);
        pair.exec(b"bridge", None);
        let told = pair.until(seconds(200), is_end).expect("it ends");
        assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
        let text = "boot\r\nType \"help()\" for more information.\r\n>>> on\r\nend";
        assert_eq!(String::from_utf8_lossy(&stdout(&told)), text);
        pair.exec(b"next", None);
        let told = pair.until(seconds(10), is_end).expect("it ends");
        assert_eq!(stdout(&told), b"!", "{told:?}");
    }
}

#[test]
fn a_board_that_restarts_under_its_program_is_asked_and_says_so() {
    let steps = vec![Step::Print(b"on".to_vec()), Step::Forever];
    let next = Program::new(b"next", vec![Step::Print(b"!".to_vec())]);
    let programs = [Program::new(b"blink", steps), next];
    let mut pair = pair_of(Traits::default(), &programs);
    pair.exec(b"blink", None);
    pair.pass(seconds(5));
    pair.restart();
    let told = pair.until(seconds(5), is_end).expect("it is seen");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::BoardReset)));
    assert!(!stdout(&told).windows(8).any(|piece| piece == b"raw REPL"));
    pair.exec(b"next", None);
    let told = pair.until(seconds(10), is_end).expect("it ends");
    assert_eq!(stdout(&told), b"!", "{told:?}");
}

#[test]
fn a_board_that_boots_when_it_is_opened_is_asked_again() {
    let boot_time = Duration::from_millis(2500);
    let work = Program::new(b"work", vec![Step::Print(b"done".to_vec())]);
    let mut pair = pair_of(
        Traits {
            boot_time,
            ..Traits::default()
        },
        &[work],
    );
    pair.exec(b"work", None);
    let told = pair.until(seconds(10), is_end).expect("it ends");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
}

#[test]
fn a_program_that_prints_control_bytes_is_still_framed() {
    let output = b"\x04 \x04\x04 \x01\x02\x03\x05 OK>\x04\n".to_vec();
    let program = Program::new(b"rude", vec![Step::Write(output.clone())]);
    let next = Program::new(b"next", vec![]);
    let mut pair = pair_of(Traits::default(), &[program, next]);
    pair.exec(b"rude", None);
    let told = pair.until(seconds(10), is_end).expect("it ends");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
    assert_eq!(stdout_length(&told), output.len());
    pair.exec(b"next", None);
    let told = pair.until(seconds(10), is_end).expect("it ends");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
}

#[test]
fn a_program_that_prints_a_whole_reply_does_not_break_the_next_one() {
    let steps = vec![
        Step::Write(b"\x04\x04>".to_vec()),
        Step::Work(Duration::from_millis(200)),
        Step::Write(b"more".to_vec()),
    ];
    let programs = [
        Program::new(b"liar", steps),
        Program::new(b"next", vec![Step::Print(b"!".to_vec())]),
    ];
    let mut pair = pair_of(Traits::default(), &programs);
    pair.exec(b"liar", None);
    pair.until(seconds(10), is_end).expect("it seems to end");
    pair.pass(seconds(5));
    pair.skip_events();
    pair.exec(b"next", None);
    let told = pair.until(seconds(10), is_end).expect("it ends");
    assert_eq!(told.last(), Some(&Event::Finished(Outcome::Completed)));
    assert_eq!(stdout_length(&told), 1, "{told:?}");
}

#[test]
fn a_soft_reset_goes_through_boot_and_leaves_main_alone() {
    let main = Some(Program::new(b"main", vec![Step::Forever]));
    let traits = Traits {
        main,
        boot_output: b"hello from boot\r\n",
        ..Traits::default()
    };
    let mut pair = pair_of(traits, &[]);
    pair.command(&Command::SoftReset).expect("nothing runs");
    let told = pair.until(seconds(20), |event| matches!(event, Event::SoftReset));
    assert!(told.is_some(), "{:?}", pair.events());
    assert_eq!(pair.device().history().resets, 1);
}

#[test]
fn an_early_abort_never_resets_the_board() {
    for at in 1..400 {
        let source = vec![b'#'; 400];
        let program = Program::new(&source, Vec::new()).faulty(at);
        let traits = Traits {
            raw_paste: RawPaste::Window(32),
            ..Traits::default()
        };
        let mut pair = pair_of(traits, &[program]);
        pair.exec(&source, None);
        let told = pair.until(seconds(20), is_end).expect("it ends");
        let Some(Event::Finished(Outcome::Raised(traceback))) = told.last() else {
            panic!("abort at {at}: {told:?}")
        };
        assert_eq!(traceback.exception, "SyntaxError");
        pair.pass(seconds(1));
        assert_eq!(pair.device().history().resets, 0, "abort at {at}");
    }
}

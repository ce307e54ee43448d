//! Any bytes, split anywhere, give the same events, and nothing that comes in can make the client panic.

use std::time::Duration;

use flylead_core::{
    Input, Instant, Pump,
    raw_repl::{Command, Config, Event, RawRepl},
};
use proptest::prelude::*;

/// Action of an application, or output of a board.
#[derive(Debug, Clone)]
enum Happening {
    Bytes(Vec<u8>),
    Command(Command),
    Pass(u64),
}

/// The words of the protocol, so that chance gets anywhere at all.
const WORDS: &[&[u8]] = &[
    b"raw REPL; CTRL-B to exit\r\n>",
    b"OK",
    b"\x04",
    b"\x04\x04>",
    b"\x04Traceback (most recent call last):\r\nValueError: x\r\n\x04>",
    b"R\x01\x80\x00\x01",
    b"R\x00>",
    b"\x01",
    b">",
    b"MPY: soft reboot\r\n",
    b"soft reboot",
    b"Type \"help()\" for more information.\r\n>>> ",
    b"\xc3\xa9",
];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        4 => prop::sample::select(WORDS).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| words.concat())
}

fn command() -> impl Strategy<Value = Command> {
    let source = prop_oneof![Just(5), Just(300), Just(1000)];
    // One of nothing has passed between two halves of one piece, and may be noticed there.
    let timeout = prop::option::of((1..2000_u64).prop_map(Duration::from_millis));
    prop_oneof![
        4 => (source, timeout).prop_map(|(length, timeout)| Command::Exec { source: vec![b'#'; length], timeout }),
        1 => Just(Command::Enter),
        1 => Just(Command::Interrupt),
        1 => Just(Command::SoftReset),
        1 => Just(Command::Leave),
        1 => Just(Command::Send(b"hi\r".to_vec())),
    ]
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let happening = prop_oneof![
        5 => bytes().prop_map(Happening::Bytes),
        2 => command().prop_map(Happening::Command),
        1 => (0..3000_u64).prop_map(Happening::Pass),
    ];
    prop::collection::vec(happening, 0..16)
}

/// Returns the results: the bytes sent, and the events with streams joined.
fn play(happenings: &[Happening], cut: impl Fn(usize) -> usize) -> (Vec<u8>, Vec<Event>) {
    let mut pump = Pump::new(RawRepl::new(Config::default()));
    let mut now = Instant::START;
    let mut told = Told::default();
    for happening in happenings {
        match happening {
            Happening::Bytes(bytes) => {
                let mut rest = bytes.as_slice();
                while !rest.is_empty() {
                    let (piece, after) = rest.split_at(cut(rest.len()).clamp(1, rest.len()));
                    pump.handle_input(now, Input::Bytes(piece));
                    rest = after;
                }
            }
            Happening::Command(command) => {
                let _ = pump.command(|repl| repl.command(now, command));
            }
            Happening::Pass(millis) => now = pass(&mut pump, now, *millis),
        }
        told.collect(&mut pump);
    }
    (told.sent, told.events)
}

fn pass(pump: &mut Pump<RawRepl>, now: Instant, millis: u64) -> Instant {
    let end = now + Duration::from_millis(millis);
    while let Some(deadline) = pump.deadline().filter(|deadline| *deadline <= end) {
        pump.handle_input(deadline, Input::Timeout);
    }
    end
}

#[derive(Default)]
struct Told {
    sent: Vec<u8>,
    events: Vec<Event>,
}

impl Told {
    fn collect(&mut self, pump: &mut Pump<RawRepl>) {
        self.sent.extend(pump.take_transmit());
        while let Some(event) = pump.poll_event() {
            match (self.events.last_mut(), event) {
                (Some(Event::Stdout(open)), Event::Stdout(more))
                | (Some(Event::Terminal(open)), Event::Terminal(more)) => open.extend(more),
                (_, event) => self.events.push(event),
            }
        }
    }
}

/// The output told of a field after a silence goes on alike, whether the rest of the field comes with its end or before it.
#[test]
fn a_field_that_goes_on_after_a_silence_is_told_alike_however_it_is_split() {
    let source = vec![b'#'; 300];
    let happenings = [
        Happening::Command(Command::Exec {
            source,
            timeout: None,
        }),
        Happening::Bytes(b"raw REPL; CTRL-B to exit\r\n>".to_vec()),
        Happening::Bytes(b"R\x01\x80\x00\x01".to_vec()),
        Happening::Bytes(b"\x04\x04>".to_vec()),
        Happening::Pass(500),
        Happening::Bytes(b"\x05\x04".to_vec()),
        Happening::Bytes(b">".to_vec()),
    ];
    let whole = play(&happenings, |rest| rest);
    assert_eq!(whole, play(&happenings, |_| 1));
    let told = Event::Stdout(b"\x04>\x05".to_vec());
    assert!(whole.1.contains(&told), "{:?}", whole.1);
}

/// A board that answers in raw mode is sent the program again, whether more comes with its answer or after it.
#[test]
fn a_program_is_sent_again_at_once_however_the_answer_is_split() {
    let banner = b"raw REPL; CTRL-B to exit\r\n>";
    let happenings = [
        Happening::Command(Command::Exec {
            source: vec![b'#'; 300],
            timeout: None,
        }),
        Happening::Bytes(banner.repeat(3)),
        Happening::Bytes(b"Type \"help()\" for more information.\r\n>>> ".to_vec()),
        Happening::Pass(250),
        Happening::Bytes(banner.repeat(2)),
    ];
    let whole = play(&happenings, |rest| rest);
    assert!(whole.0.ends_with(&[b'#'; 32]), "{:?}", whole.0);
    assert_eq!(whole, play(&happenings, |_| 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_split_anywhere_give_the_same_events(happenings in happenings(), size in 1..40_usize) {
        let whole = play(&happenings, |rest| rest);
        prop_assert_eq!(&whole, &play(&happenings, |_| 1));
        prop_assert_eq!(&whole, &play(&happenings, |_| 7));
        prop_assert_eq!(&whole, &play(&happenings, |rest| rest % size + 1));
    }

    #[test]
    fn a_conversation_that_is_over_stays_over(happenings in happenings()) {
        let mut pump = Pump::new(RawRepl::new(Config::default()));
        pump.handle_input(Instant::START, Input::Closed);
        while pump.poll_event().is_some() {}
        for happening in &happenings {
            match happening {
                Happening::Bytes(bytes) => pump.handle_input(Instant::START, Input::Bytes(bytes)),
                Happening::Command(command) => {
                    let answer = pump.command(|repl| repl.command(Instant::START, command));
                    prop_assert!(answer.is_err());
                }
                Happening::Pass(_) => pump.handle_input(Instant::START, Input::Timeout),
            }
            prop_assert_eq!(pump.poll_event(), None);
            prop_assert!(pump.take_transmit().is_empty());
        }
    }
}

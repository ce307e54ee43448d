//! Tests the codec with BEP 3's own examples, and conversations from nREPL's documentation.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::task::Waker;

use super::{NreplServer, bencode::Value};
use crate::{
    Input, Instant, Machine as _, Pump,
    zylisp::{
        Evaluator, Interrupted, Outcome, Progress, ServerConfig, ServerEvent, ServerLost, Task,
        Zylisp,
        lang::{Budget, Limits},
    },
};

fn server() -> Pump<NreplServer> {
    let factory = Zylisp::factory(Limits::default(), Budget::unlimited());
    let config = ServerConfig {
        session: "own".into(),
        message_limit: 4_096,
        ..ServerConfig::default()
    };
    Pump::new(NreplServer::nrepl(Instant::START, config, factory))
}

/// Encodes a request of texts like a client: `op eval code (+ 1 2)` with its fields split at `|`.
fn request(fields: &str) -> String {
    let fields = fields
        .split('|')
        .map(|field| field.split_once('=').unwrap());
    let fields = fields.map(|(key, value)| format!("{}:{key}{}:{value}", key.len(), value.len()));
    format!("d{}e", fields.collect::<String>())
}

/// Returns the server's replies in a readable form: `{id=1 status=[done]}`.
fn ask(server: &mut Pump<NreplServer>, bytes: &[u8], piece: usize) -> Vec<String> {
    for piece in bytes.chunks(piece) {
        server.handle_input(Instant::START, Input::Bytes(piece));
    }
    run(server);
    let sent = server.take_transmit();
    let mut rest = &*sent;
    let mut replies = Vec::new();
    while !rest.is_empty() {
        replies.push(read(&mut rest));
    }
    replies
}

/// Evaluates until nothing remains to do.
fn run(server: &mut Pump<NreplServer>) {
    while server.machine().wants_turn() {
        server.handle_input(Instant::START, Input::Timeout);
    }
}

/// Reads one value as specified by BEP 3, independent of the codec under test.
fn read(rest: &mut &[u8]) -> String {
    let first = rest[0];
    match first {
        b'i' => {
            let end = rest.iter().position(|byte| *byte == b'e').unwrap();
            let number = String::from_utf8(rest[1..end].to_vec()).unwrap();
            *rest = &rest[end + 1..];
            number
        }
        b'l' | b'd' => {
            *rest = &rest[1..];
            let mut parts = Vec::new();
            while rest[0] != b'e' {
                let part = read(rest);
                parts.push(match first {
                    b'd' => format!("{part}={}", read(rest)),
                    _ => part,
                });
            }
            *rest = &rest[1..];
            match first {
                b'd' => format!("{{{}}}", parts.join(" ")),
                _ => format!("[{}]", parts.join(" ")),
            }
        }
        _ => {
            let colon = rest.iter().position(|byte| *byte == b':').unwrap();
            let length: usize = core::str::from_utf8(&rest[..colon])
                .unwrap()
                .parse()
                .unwrap();
            let text = rest[colon + 1..][..length].to_vec();
            *rest = &rest[colon + 1 + length..];
            String::from_utf8(text).unwrap()
        }
    }
}

#[test]
fn values_are_written_as_bep_3_writes_its_examples() {
    let list = Value::from_iter(["spam", "eggs"]);
    let map = |pairs: &[(&'static str, Value)]| Value::Map(pairs.iter().cloned().collect());
    let table = [
        ("spam".into(), "4:spam"),
        (Value::Integer(3), "i3e"),
        (Value::Integer(-3), "i-3e"),
        (Value::Integer(0), "i0e"),
        (list.clone(), "l4:spam4:eggse"),
        (
            map(&[("spam", "eggs".into()), ("cow", "moo".into())]),
            "d3:cow3:moo4:spam4:eggse",
        ),
        (
            map(&[("spam", Value::from_iter(["a", "b"]))]),
            "d4:spaml1:a1:bee",
        ),
    ];
    for (value, expected) in table {
        let mut out = Vec::new();
        value.encode(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn conversations_go_as_the_documentation_of_nrepl_has_them_however_they_are_cut() {
    let table: &[(&str, &[&str])] = &[
        (
            "op=eval|id=1|code=(+ 1 2) (println \"a\") \"b\"",
            &[
                "{id=1 ns=user session=own value=3}",
                "{id=1 out=a\n session=own}",
                "{id=1 ns=user session=own value=nil}",
                "{id=1 ns=user session=own value=\"b\"}",
                "{id=1 session=own status=[done]}",
            ],
        ),
        (
            "op=eval|id=2|code=(define x 7)",
            &[
                "{id=2 ns=user session=own value=7}",
                "{id=2 session=own status=[done]}",
            ],
        ),
        (
            "op=clone|id=3",
            &["{id=3 new-session=own-1 session=own status=[done]}"],
        ),
        (
            "op=eval|id=4|session=own-1|code=x|line=4",
            &[
                "{id=4 ns=user session=own-1 value=7}",
                "{id=4 session=own-1 status=[done]}",
            ],
        ),
        (
            "op=ls-sessions|id=5",
            &["{id=5 session=own sessions=[own own-1] status=[done]}"],
        ),
        (
            "op=eval|id=6|file=a.zl|line=10|column=3|code=(/ 1 0)",
            &[
                "{err=arithmetic-error: division by zero\n  at a.zl:10:3\n id=6 session=own}",
                "{column=3 ex=arithmetic-error file=a.zl id=6 line=10 root-ex=arithmetic-error session=own status=[eval-error]}",
                "{id=6 session=own status=[done]}",
            ],
        ),
        (
            "op=load-file|id=7|file-path=b.zl|file=#! zylisp\n(define y 1) (+ y x)",
            &[
                "{id=7 ns=user session=own value=8}",
                "{id=7 session=own status=[done]}",
            ],
        ),
        (
            "op=interrupt|id=8|session=own",
            &["{id=8 session=own status=[session-idle done]}"],
        ),
        (
            "op=completions|id=9|prefix=lis",
            &[
                "{completions=[{candidate=list type=function} {candidate=list? type=function}] id=9 session=own status=[done]}",
            ],
        ),
        (
            "op=eldoc|id=10|sym=cons",
            &[
                "{docstring=The list with VALUE in front of it. eldoc=[[VALUE LIST]] id=10 name=cons ns=user session=own status=[done] type=function}",
            ],
        ),
        (
            "op=lookup|id=11|sym=nothing",
            &["{id=11 info={} session=own status=[done]}"],
        ),
        (
            "op=eldoc|id=12|sym=nothing",
            &["{id=12 session=own status=[no-eldoc done]}"],
        ),
        (
            "op=close|id=13|session=own-1",
            &["{id=13 session=own-1 status=[session-closed done]}"],
        ),
        (
            "op=eval|id=14|session=own-1|code=1",
            &[
                "{err=this connection has no such session; clone creates one, and ls-sessions lists them\n id=14 session=own-1 status=[error unknown-session done]}",
            ],
        ),
        (
            "op=fly|id=15",
            &[
                "{err=the server has no such operation; describe lists those it has\n id=15 session=own status=[error unknown-op done]}",
            ],
        ),
        (
            "op=eval|id=16",
            &["{err=`eval` needs `code`\n id=16 session=own status=[error no-code done]}"],
        ),
        (
            "op=eval|id=17|code=(list 1 2 3)|nrepl.middleware.print/quota=3",
            &[
                "{id=17 nrepl.middleware.print/truncated-keys=[value] ns=user session=own status=[nrepl.middleware.print/truncated] value=(1 }",
                "{id=17 session=own status=[done]}",
            ],
        ),
    ];
    for piece in [usize::MAX, 7, 1] {
        let mut server = server();
        for (fields, expected) in table {
            let replies = ask(&mut server, request(fields).as_bytes(), piece);
            assert_eq!(replies, *expected, "{fields} by {piece}");
        }
    }
}

#[test]
fn a_program_that_reads_asks_for_input_and_an_interrupt_ends_one_that_does_not_end() {
    let mut server = server();
    let asked = ask(
        &mut server,
        request("op=eval|id=1|code=(read-line)").as_bytes(),
        64,
    );
    assert_eq!(asked, ["{id=1 session=own status=[need-input]}"]);
    let given = ask(
        &mut server,
        request("op=stdin|id=2|stdin=hello\n").as_bytes(),
        64,
    );
    assert_eq!(
        given,
        [
            "{id=2 session=own status=[done]}",
            "{id=1 ns=user session=own value=\"hello\"}",
            "{id=1 session=own status=[done]}",
        ]
    );
    let endless = request("op=eval|id=3|code=(define f (lambda () (f))) (f)");
    server.handle_input(Instant::START, Input::Bytes(endless.as_bytes()));
    let interrupt = request("op=interrupt|id=4|session=own|interrupt-id=9");
    server.handle_input(Instant::START, Input::Bytes(interrupt.as_bytes()));
    let interrupt = request("op=interrupt|id=5|session=own|interrupt-id=3");
    assert_eq!(
        ask(&mut server, interrupt.as_bytes(), 64),
        [
            "{id=3 ns=user session=own value=<function>}",
            "{id=4 session=own status=[error interrupt-id-mismatch done]}",
            "{id=5 session=own status=[done]}",
            "{id=3 session=own status=[interrupted done]}",
        ]
    );
}

#[test]
fn an_interrupt_of_another_connections_session_is_answered_by_that_one_even_after_the_end_of_input()
{
    let mut server = server();
    let interrupt = request("op=interrupt|id=1|session=other|interrupt-id=7");
    assert!(ask(&mut server, interrupt.as_bytes(), 64).is_empty());
    let Some(ServerEvent::InterruptElsewhere(elsewhere)) = server.poll_event() else {
        panic!("the driver is asked");
    };
    assert_eq!(
        (&*elsewhere.session, elsewhere.target.as_deref()),
        ("other", Some("7"))
    );
    server.handle_input(Instant::START, Input::Closed);
    assert!(!server.machine().is_over());
    server.command(|server| {
        server.interrupted(elsewhere.id, Some(Interrupted::Found));
    });
    assert_eq!(server.take_transmit(), b"d2:id1:16:statusl4:doneee");
    assert!(server.machine().is_over());
}

#[test]
fn what_is_no_bencode_is_told_and_ends_the_connection_and_a_wrong_field_does_not() {
    let wrong = [
        "i3e",
        "4:spam",
        "le",
        "x",
        "e",
        "d1",
        "di1e",
        "dle",
        "d2:ope",
        "d2:opi03e",
        "d2:opi-0e",
        "d2:opi--1e",
        "d2:opi9223372036854775808e",
        "d02:op",
        "d2:opie",
        "d2:op1x",
        "d2:op-1:",
    ];
    for bytes in wrong {
        let mut server = server();
        let replies = ask(&mut server, bytes.as_bytes(), 1);
        let unfinished = bytes == "d1";
        assert_eq!(replies.is_empty(), unfinished, "{bytes} {replies:?}");
        let lost = ServerEvent::Ended {
            reason: Some(ServerLost::Garbage),
        };
        assert_eq!(
            server.poll_event().is_some_and(|event| event == lost),
            !unfinished,
            "{bytes}"
        );
    }
    let mut server = server();
    let replies = ask(&mut server, b"d2:idi7e2:op4:eval4:codei3ee", 3);
    assert_eq!(
        replies,
        [
            "{err=malformed message: `code` must be a string, not a number\n id=7 status=[error malformed done]}",
        ]
    );
    let long = format!("d2:id1:82:op4:eval4:code5000:{}e", "x".repeat(5_000));
    let replies = ask(&mut server, long.as_bytes(), 100);
    assert_eq!(
        replies,
        ["{err=the message is longer than 4096 bytes\n id=8 status=[error malformed done]}"]
    );
    let replies = ask(&mut server, request("op=eval|id=9|code=1").as_bytes(), 100);
    assert_eq!(replies.len(), 2, "{replies:?}");
}

#[test]
fn an_empty_list_is_nil_and_a_field_that_is_nil_is_absent() {
    for piece in [usize::MAX, 7, 1] {
        let request = b"d4:code1:72:id1:12:op4:eval4:filele7:sessionlee";
        let replies = ask(&mut server(), request, piece);
        assert_eq!(
            replies,
            [
                "{id=1 ns=user session=own value=7}",
                "{id=1 session=own status=[done]}",
            ]
        );
    }
}

#[test]
fn a_client_that_closes_its_side_is_answered_all_that_it_asked() {
    let mut server = server();
    let requests: String = (0..10)
        .map(|id| request(&format!("op=eval|id={id}|code=(+ 1 2)")))
        .collect();
    server.handle_input(Instant::START, Input::Bytes(requests.as_bytes()));
    server.handle_input(Instant::START, Input::Closed);
    run(&mut server);
    let sent = String::from_utf8(server.take_transmit()).unwrap();
    assert_eq!(sent.matches("5:value1:3").count(), 10);
    assert_eq!(
        server.poll_event(),
        Some(ServerEvent::Ended { reason: None })
    );
}

/// Evaluates nothing, has no optional ability, prints a letter at each interrupt, and ends at the third.
#[derive(Default)]
struct Stubborn {
    interrupts: usize,
    output: String,
}

impl Evaluator for Stubborn {
    fn begin(&mut self, _task: Task) {}

    fn run(&mut self, _fuel: &mut u64, _waker: &Waker) -> Progress {
        match self.interrupts {
            3.. => Progress::Done(Outcome::Interrupted),
            _ => Progress::Waiting,
        }
    }

    fn interrupt(&mut self) {
        self.interrupts += 1;
        self.output.push('c');
    }

    fn take_output(&mut self) -> (String, usize) {
        (core::mem::take(&mut self.output), 0)
    }
}

fn stubborn_server() -> Pump<NreplServer> {
    let config = ServerConfig {
        session: "own".into(),
        ..ServerConfig::default()
    };
    let factory = Arc::new(|| Box::new(Stubborn::default()) as _);
    Pump::new(NreplServer::nrepl(Instant::START, config, factory))
}

#[test]
fn a_program_that_catches_an_interrupt_gets_the_next_one_too_and_its_output_is_shown() {
    let mut server = stubborn_server();
    let found = |id: usize| format!("{{id={id} session=own status=[done]}}");
    let out = String::from("{id=1 out=c session=own}");
    let mut tell = |fields: &str| ask(&mut server, request(fields).as_bytes(), usize::MAX);
    assert!(tell("op=eval|id=1|code=endless").is_empty());
    assert_eq!(tell("op=interrupt|id=2"), [found(2)]);
    let due = server.deadline().expect("output waits to be sent");
    server.handle_input(due, Input::Timeout);
    let mut sent = &*server.take_transmit();
    assert_eq!(read(&mut sent), out);
    let mut tell = |fields: &str| ask(&mut server, request(fields).as_bytes(), usize::MAX);
    assert_eq!(tell("op=interrupt|id=3"), [found(3)]);
    let ended = String::from("{id=1 session=own status=[interrupted done]}");
    let rest = String::from("{id=1 out=cc session=own}");
    assert_eq!(tell("op=interrupt|id=4"), [found(4), rest, ended]);
}

#[test]
fn an_operation_is_advertised_where_the_evaluator_carries_it_out() {
    let optional = [
        "stdin",
        "clone",
        "completions",
        "complete",
        "lookup",
        "info",
        "eldoc",
    ];
    for (mut server, able) in [(server(), true), (stubborn_server(), false)] {
        let mut ask = |fields: &str| ask(&mut server, request(fields).as_bytes(), usize::MAX);
        let described = ask("op=describe|id=1").concat();
        assert!(described.contains(" eval={} "), "{described}");
        for operation in optional {
            let advertised = described.contains(&format!("{operation}={{}}"));
            assert_eq!(advertised, able, "{operation} in {described}");
            let fields = format!("op={operation}|id=2|stdin=a|sym=car|prefix=c");
            let refused = ask(&fields).concat().contains("unknown-op");
            assert_eq!(refused, !able, "{operation}");
        }
    }
}

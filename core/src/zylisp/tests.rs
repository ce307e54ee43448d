//! A session over the protocol, in both encodings.

use alloc::{format, string::String, vec, vec::Vec};
use core::{task::Waker, time::Duration};

use serde_json::{Value as Json, json};

use super::{
    lang::{Interpreter, Limits},
    *,
};
use crate::{Input, Instant, Pump};

const BOTH: [Encoding; 2] = [Encoding::Json, Encoding::MessagePack];

/// A client and a session under one clock, with nothing between them.
struct Pair {
    client: Pump<ZylispClient>,
    session: Session<Zylisp>,
    now: Instant,
    ended: bool,
}

impl Pair {
    fn new(encoding: Encoding) -> Self {
        Self::with(ServerConfig {
            encoding,
            ..ServerConfig::default()
        })
    }

    fn with(config: ServerConfig) -> Self {
        let zylisp = Zylisp::new(Interpreter::new(Limits::default()));
        let now = Instant::START;
        Self {
            client: Pump::new(ZylispClient::new(config.encoding, 1 << 20)),
            session: Session::new(now, config, SessionLimits::default(), zylisp),
            now,
            ended: false,
        }
    }

    fn send<R>(&mut self, command: impl FnOnce(&mut ZylispClient, Instant) -> R) -> R {
        let now = self.now;
        let answer = self.client.command(|client| command(client, now));
        let bytes = self.client.take_transmit();
        self.session.handle_input(self.now, Input::Bytes(&bytes));
        answer
    }

    /// Runs for so many slices at most, and delivers what the server says.
    fn run(&mut self, slices: usize) -> Vec<ClientEvent> {
        for _ in 0..slices {
            self.session.run(self.now, 10_000, Waker::noop());
        }
        let bytes = self.session.take_transmit();
        self.client.handle_input(self.now, Input::Bytes(&bytes));
        while let Some(event) = self.session.poll_event() {
            self.ended |= matches!(event, SessionEvent::Ended { .. });
            if let SessionEvent::Load { path } = event {
                let source = (path == "two.zylisp").then(|| "(define a 1)\n(define b 2)".into());
                self.session
                    .loaded(self.now, source.ok_or("no such file".into()));
            }
        }
        core::iter::from_fn(|| self.client.poll_event()).collect()
    }

    fn eval(&mut self, code: &str) -> Reply {
        self.send(|client, now| client.eval(now, code)).unwrap();
        let mut events = self.run(100);
        match events.pop() {
            Some(ClientEvent::Reply(reply)) if events.is_empty() => reply,
            other => panic!("{code}: {other:?} after {events:?}"),
        }
    }
}

fn value(value: Json) -> ReplyOutcome {
    ReplyOutcome::Value { value, text: None }
}

fn error(kind: &str, message: &str) -> ReplyOutcome {
    ReplyOutcome::Error(EvalError {
        kind: kind.into(),
        message: message.into(),
    })
}

const FOREVER: &str = "(define f (lambda () (f))) (f)";

#[test]
fn values_errors_and_output_arrive_as_what_they_are() {
    for encoding in BOTH {
        let mut pair = Pair::new(encoding);
        assert_eq!(pair.eval("(+ 1 2)").outcome, value(json!(3)));
        assert_eq!(
            pair.eval("9223372036854775807").outcome,
            value(json!(i64::MAX))
        );
        assert_eq!(pair.eval("()").outcome, value(Json::Null));
        assert_eq!(
            pair.eval("(list 1 \"a\" (list))").outcome,
            value(json!([1, "a", []]))
        );
        assert_eq!(
            pair.eval("(/ 1 0)").outcome,
            error("arithmetic-error", "division by zero")
        );
        assert_eq!(
            pair.eval("(+ 1").outcome,
            error("syntax-error", "unclosed list")
        );
        let printed = pair.eval("(println \"hello\")");
        assert_eq!(
            (printed.outcome, printed.output.as_str()),
            (value(Json::Null), "hello\n")
        );
        let named = ReplyOutcome::Value {
            value: json!("<primitive:+>"),
            text: Some("<primitive:+>".into()),
        };
        assert_eq!(pair.eval("+").outcome, named);
    }
}

#[test]
fn the_documents_examples_are_answered_as_it_shows() {
    let table = [
        (
            r#"{"op":"eval", "id":"2", "code":"(/ 1 0)"}"#,
            json!({"id":"2","value":{"error":"division by zero","type":"arithmetic-error"},"output":"","status":["done"]}),
        ),
        (
            r#"{"op":"invalid", "id":"3"}"#,
            json!({"id":"3","protocol_error":"unknown operation: invalid","status":["error"]}),
        ),
        (
            r#"{"op":"eval", "id":"4", "code":"(println \"hello\")"}"#,
            json!({"id":"4","value":null,"output":"hello\n","status":["done"]}),
        ),
        (
            r#"{"op":"complete", "id":5}"#,
            json!({"id":"5","protocol_error":"operation not implemented","status":["error"]}),
        ),
        (
            r#"{"op":"interrupt","id":"6"}"#,
            json!({"id":"6","status":["done","session-idle"]}),
        ),
        (
            r#"{"op":"eval","id":"7"}"#,
            json!({"id":"7","status":["error"],"protocol_error":"`eval` needs `code`"}),
        ),
    ];
    for (request, expected) in table {
        let mut pair = Pair::new(Encoding::Json);
        pair.session
            .handle_input(pair.now, Input::Bytes(request.as_bytes()));
        pair.session.run(pair.now, 10_000, Waker::noop());
        let reply: Json = serde_json::from_slice(&pair.session.take_transmit()).unwrap();
        assert_eq!(reply, expected, "{request}");
    }
}

#[test]
fn describe_names_the_operations_and_the_session() {
    let mut pair = Pair::with(ServerConfig {
        session: "s1".into(),
        transports: vec!["tcp".into()],
        ..ServerConfig::default()
    });
    pair.send(|client, now| client.describe(now)).unwrap();
    let events = pair.run(1);
    let [ClientEvent::Reply(reply)] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(reply.data["session"], "s1");
    assert_eq!(reply.data["transports"], json!(["tcp"]));
    assert_eq!(reply.data["versions"]["protocol"], "0.1.0");
}

#[test]
fn a_file_of_many_forms_is_loaded_and_a_missing_one_is_refused() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client, now| client.load_file(now, "two.zylisp"))
        .unwrap();
    pair.run(1);
    let events = pair.run(1);
    assert!(
        matches!(&events[..], [ClientEvent::Reply(reply)] if reply.outcome == value(json!(2))),
        "{events:?}"
    );
    pair.send(|client, now| client.load_file(now, "three.zylisp"))
        .unwrap();
    pair.run(1);
    let events = pair.run(1);
    let refused = ReplyOutcome::Refused("no such file".into());
    assert!(
        matches!(&events[..], [ClientEvent::Reply(reply)] if reply.outcome == refused),
        "{events:?}"
    );
    assert_eq!(pair.eval("(+ a b)").outcome, value(json!(3)));
}

#[test]
fn output_comes_before_the_end_to_who_asks_for_that() {
    let source =
        "(println 1) (define p (lambda (n) (if (= n 0) (println 2) (p (- n 1))))) (p 9000)";
    for encoding in BOTH {
        let mut pair = Pair::new(encoding);
        let request = pair
            .send(|client, now| client.eval_live(now, source))
            .unwrap();
        pair.now += Duration::from_millis(10);
        let output = "1\n".into();
        assert_eq!(pair.run(1), [ClientEvent::Output { request, output }]);
        let events = pair.run(100);
        let [ClientEvent::Reply(reply)] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!((reply.request, &*reply.output), (request, "2\n"));
        assert_eq!(pair.eval("(println 3)").output, "3\n");
    }
}

#[test]
fn half_a_message_is_not_waited_for_for_ever() {
    let mut pair = Pair::new(Encoding::Json);
    pair.now = Instant::from_millis(1_000);
    pair.session
        .handle_input(pair.now, Input::Bytes(b"{\"op\":\"eval\","));
    assert_eq!(pair.session.deadline(), Some(Instant::from_millis(61_000)));
    pair.now = Instant::from_millis(60_999);
    pair.session.handle_input(pair.now, Input::Timeout);
    pair.session
        .handle_input(pair.now, Input::Bytes(b"\"id\":\"1\","));
    assert_eq!(pair.run(1), []);
    pair.now = Instant::from_millis(61_000);
    pair.session.handle_input(pair.now, Input::Timeout);
    let events = pair.run(1);
    let why = "the message did not end within 60 s";
    assert!(
        matches!(&events[..], [ClientEvent::Notice(notice)] if notice.protocol_error.as_deref() == Some(why)),
        "{events:?}"
    );
    assert!(pair.ended);
}

#[test]
fn an_interrupt_overtakes_what_runs_and_what_waits_still_runs() {
    for encoding in BOTH {
        let mut pair = Pair::new(encoding);
        let slow = pair.send(|client, now| client.eval(now, FOREVER)).unwrap();
        let next = pair.send(|client, now| client.eval(now, "7")).unwrap();
        let given_up = pair.send(|client, now| client.eval(now, "(f)")).unwrap();
        assert_eq!(pair.run(10), []);
        pair.send(|client, now| client.interrupt(now, Some(given_up)))
            .unwrap();
        pair.send(|client, now| client.interrupt(now, Some(slow)))
            .unwrap();
        let outcomes: Vec<_> = pair
            .run(1)
            .into_iter()
            .filter_map(|event| match event {
                ClientEvent::Reply(reply) => Some((reply.request, reply.outcome)),
                _ => None,
            })
            .collect();
        assert_eq!(outcomes.len(), 5);
        assert!(outcomes.contains(&(slow, ReplyOutcome::Interrupted)));
        assert!(outcomes.contains(&(given_up, ReplyOutcome::Interrupted)));
        assert!(outcomes.contains(&(next, value(json!(7)))));
    }
}

#[test]
fn another_connection_interrupts_a_session_by_its_name() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client, now| client.eval(now, FOREVER)).unwrap();
    pair.run(1);
    assert!(!pair.session.interrupt(pair.now, Some("nobody")));
    assert!(pair.session.interrupt(pair.now, Some("1")));
    assert!(
        matches!(&pair.run(1)[..], [ClientEvent::Reply(reply)] if reply.outcome == ReplyOutcome::Interrupted)
    );
    pair.send(|client, now| client.interrupt_session(now, "other", None))
        .unwrap();
    let elsewhere = pair.session.poll_event();
    assert!(
        matches!(elsewhere, Some(SessionEvent::InterruptElsewhere { session, .. }) if session == "other")
    );
}

#[test]
fn a_cancelled_request_is_interrupted_and_its_late_reply_is_dropped() {
    let mut pair = Pair::new(Encoding::Json);
    let slow = pair.send(|client, now| client.eval(now, FOREVER)).unwrap();
    pair.run(1);
    pair.send(|client, now| client.cancel(now, slow));
    assert_eq!(pair.run(2), []);
    assert_eq!(pair.eval("(+ 40 2)").outcome, value(json!(42)));
}

#[test]
fn an_evaluation_that_takes_too_long_is_an_error_of_the_program() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client, now| client.eval(now, FOREVER)).unwrap();
    assert_eq!(pair.run(1), []);
    pair.now += Duration::from_secs(61);
    let late = pair.run(1);
    let expected = error("limit-error", "the evaluation took longer than 60 s");
    assert!(
        matches!(&late[..], [ClientEvent::Reply(reply)] if reply.outcome == expected),
        "{late:?}"
    );
}

#[test]
fn a_client_that_closes_its_side_gets_quick_answers_and_keeps_nothing_running() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client, now| client.eval(now, "1")).unwrap();
    pair.session.handle_input(pair.now, Input::Closed);
    assert_eq!(pair.run(1).len(), 1);
    pair.run(1);
    assert!(pair.ended);

    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client, now| client.eval(now, FOREVER)).unwrap();
    pair.session.handle_input(pair.now, Input::Closed);
    pair.run(1);
    assert!(!pair.ended && pair.session.is_busy());
    pair.now += Duration::from_millis(25);
    pair.run(1);
    assert!(pair.ended && !pair.session.is_busy());
}

#[test]
fn without_the_token_nothing_is_done() {
    let config = ServerConfig {
        token: Some("secret".into()),
        ..ServerConfig::default()
    };
    let mut pair = Pair::with(config.clone());
    assert!(matches!(pair.eval("1").outcome, ReplyOutcome::Refused(_)));
    pair.send(|client, now| client.authorize(now, "secret"))
        .unwrap();
    assert_eq!(pair.run(1).len(), 1);
    assert_eq!(pair.eval("1").outcome, value(json!(1)));

    let mut pair = Pair::with(config.clone());
    pair.send(|client, now| client.authorize(now, "secre"))
        .unwrap();
    assert!(
        matches!(&pair.run(1)[..], [ClientEvent::Reply(reply)] if matches!(reply.outcome, ReplyOutcome::Refused(_)))
    );
    assert!(pair.ended);

    let mut pair = Pair::with(config);
    assert_eq!(pair.session.deadline(), Some(Instant::from_millis(10_000)));
    pair.session
        .handle_input(Instant::from_millis(10_000), Input::Timeout);
    pair.run(1);
    assert!(pair.ended);
}

#[test]
fn garbage_is_answered_each_time_and_ends_the_connection_when_nothing_else_comes() {
    let mut pair = Pair::new(Encoding::Json);
    pair.session.handle_input(
        pair.now,
        Input::Bytes(b"hello\n{\"op\":\"eval\",\"id\":\"1\",\"code\":\"1\"}\nbye\n"),
    );
    assert_eq!(pair.run(1).len(), 3);
    pair.session
        .handle_input(pair.now, Input::Bytes("x\n".repeat(200).as_bytes()));
    assert_eq!(pair.run(1).len(), 99, "with the one before");
    assert!(pair.ended);
}

#[test]
fn requests_that_wait_are_bounded() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client, now| client.eval(now, FOREVER)).unwrap();
    let mut sent = 0;
    while pair.session.wants_input() {
        pair.send(|client, now| client.eval(now, "1")).unwrap();
        sent += 1;
    }
    assert!((4_000..5_000).contains(&sent), "{sent}");
    pair.session.interrupt(pair.now, None);
    assert_eq!(pair.run(1_000).len(), sent + 1);
    assert!(pair.session.wants_input());
}

#[test]
fn a_go_servers_values_and_errors_are_understood() {
    let function = r#"{"Params":[{"Name":"x"}],"Body":{"Name":"x"},"Env":{}}"#;
    let text = |text: &str| Some(String::from(text));
    let table = [
        (r#""value":{"Value":3}"#, json!(3), None),
        (r#""value":{"Value":"hello"}"#, json!("hello"), None),
        (r#""value":{}"#, Json::Null, None),
        (r#""data":{}"#, Json::Null, None),
        (r#""value":{"Elements":null}"#, json!([]), None),
        (
            r#""value":{"Elements":[{"Value":1},{"Elements":[{"Value":true}]}]}"#,
            json!([1, [true]]),
            None,
        ),
        (r#""value":{"Name":"a"}"#, json!("a"), text("a")),
        (
            r#""value":{"Elements":[{"Value":"a"},{"Name":"a"}]}"#,
            json!(["a", "a"]),
            text("(\"a\" a)"),
        ),
        (
            &format!("\"value\":{function}"),
            json!("<function>"),
            text("<function>"),
        ),
    ];
    for (field, value, text) in table {
        assert_eq!(
            go_reply(field),
            ReplyOutcome::Value { value, text },
            "{field}"
        );
    }
    let errors = [
        (
            "eval error: /: division by zero",
            "arithmetic-error",
            "division by zero",
        ),
        (
            "eval error: undefined variable: x",
            "unbound-variable",
            "undefined variable: x",
        ),
        (
            "eval error: car: requires 1 argument, got 0",
            "arity-error",
            "car: requires 1 argument, got 0",
        ),
        (
            "eval error: not a function: 1",
            "type-error",
            "not a function: 1",
        ),
        (
            "parse error: unclosed list",
            "syntax-error",
            "unclosed list",
        ),
    ];
    for (text, kind, message) in errors {
        let field = format!("\"protocol_error\":\"evaluator error: {text}\"");
        assert_eq!(go_reply(&field), error(kind, message));
    }
    let refused = r#""protocol_error":"unknown operation: \"x\"""#;
    assert!(matches!(go_reply(refused), ReplyOutcome::Refused(_)));
}

fn go_reply(field: &str) -> ReplyOutcome {
    let mut client = Pump::new(ZylispClient::new(Encoding::Json, 1_000));
    client
        .command(|client| client.eval(Instant::START, "x"))
        .unwrap();
    let reply = format!("{{\"op\":\"\",\"id\":\"1\",\"status\":[\"done\"],{field}}}\n");
    client.handle_input(Instant::START, Input::Bytes(reply.as_bytes()));
    match client.poll_event() {
        Some(ClientEvent::Reply(reply)) => reply.outcome,
        other => panic!("{other:?}"),
    }
}

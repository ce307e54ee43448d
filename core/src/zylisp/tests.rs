//! A session over the protocol, in both encodings.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::time::Duration;

use serde_json::{Value as Json, json};

use super::{
    lang::{Budget, Limits, Source},
    *,
};
use crate::{Input, Instant, Machine, Pump};

mod hostile;
mod interrupts;
mod operations;

const BOTH: [Encoding; 2] = [Encoding::Json, Encoding::MessagePack];

/// A client and a server under one clock, with nothing between them.
struct Pair {
    client: Pump<ZylispClient>,
    server: Pump<ZylispServer>,
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
        let factory = Zylisp::factory(Limits::default(), Budget::unlimited());
        let now = Instant::START;
        Self {
            client: Pump::new(ZylispClient::new(config.encoding, 1 << 20)),
            server: Pump::new(ZylispServer::new(now, config, factory)),
            now,
            ended: false,
        }
    }

    fn send<R>(&mut self, command: impl FnOnce(&mut ZylispClient) -> R) -> R {
        let answer = self.client.command(command);
        let bytes = self.client.take_transmit();
        self.feed(&bytes);
        answer
    }

    fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        self.server
            .handle_input(self.now, Input::Bytes(bytes.as_ref()));
    }

    /// Runs for at most this many turns, and delivers the server's messages.
    fn run(&mut self, turns: usize) -> Vec<ClientEvent> {
        for _ in 0..turns {
            self.server.handle_input(self.now, Input::Timeout);
        }
        while let Some(event) = self.server.poll_event() {
            self.ended |= matches!(event, ServerEvent::Ended { .. });
            if let ServerEvent::Load(load) = event {
                let Load { session, path } = *load;
                let source = (path == "two.zylisp").then(|| "(define a 1)\n(define b 2)".into());
                let source: Result<Source, _> = source.ok_or("no such file".into());
                let now = self.now;
                self.server
                    .command(|server| server.loaded(now, &session, source));
            }
        }
        let bytes = self.server.take_transmit();
        self.client.handle_input(self.now, Input::Bytes(&bytes));
        core::iter::from_fn(|| self.client.poll_event()).collect()
    }

    /// Returns the server's replies to a request, as it writes them.
    fn answer(&mut self, request: &str) -> Vec<Json> {
        self.feed(request);
        for _ in 0..100 {
            self.server.handle_input(self.now, Input::Timeout);
        }
        let bytes = self.server.take_transmit();
        let replies = serde_json::Deserializer::from_slice(&bytes).into_iter();
        replies.collect::<Result<_, _>>().unwrap()
    }

    fn eval(&mut self, code: &str) -> Reply {
        self.send(|client| client.eval(code)).unwrap();
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
    ReplyOutcome::Error(EvalError::new(kind, message))
}

/// Returns an error at the beginning of the source.
fn error_at(kind: &str, message: &str) -> ReplyOutcome {
    let mut error = EvalError::new(kind, message);
    error.trace.push(lang::Call {
        function: None,
        source: None,
        place: lang::Place::START,
    });
    ReplyOutcome::Error(error)
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
            error_at("arithmetic-error", "division by zero")
        );
        assert_eq!(
            pair.eval("(+ 1").outcome,
            error_at("syntax-error", "unclosed list")
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
            json!({"id":"2","value":{"error":"division by zero","type":"arithmetic-error"},"output":"","status":["done"],
                "data":{"trace":[{"line":1,"column":1}]}}),
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
            r#"{"op":"complete", "id":5, "data":{"prefix":"nu"}}"#,
            json!({"id":"5","status":["done"],"data":{"completions":[
                {"candidate":"null?","type":"function"},
                {"candidate":"number->string","type":"function"},{"candidate":"number?","type":"function"}]}}),
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
        assert_eq!(pair.answer(request), [expected], "{request}");
    }
}

#[test]
fn describe_names_the_operations_and_the_session() {
    let mut pair = Pair::with(ServerConfig {
        session: "s1".into(),
        transports: vec!["tcp".into()],
        ..ServerConfig::default()
    });
    pair.send(|client| client.describe()).unwrap();
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
    pair.send(|client| client.load_file("two.zylisp")).unwrap();
    let events = pair.run(1);
    assert!(
        matches!(&events[..], [ClientEvent::Reply(reply)] if reply.outcome == value(json!(2))),
        "{events:?}"
    );
    pair.send(|client| client.load_file("three.zylisp"))
        .unwrap();
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
            .send(|client| client.eval(Program::from(source).live()))
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
    client.command(|client| client.eval("x")).unwrap();
    let reply = format!("{{\"op\":\"\",\"id\":\"1\",\"status\":[\"done\"],{field}}}\n");
    client.handle_input(Instant::START, Input::Bytes(reply.as_bytes()));
    match client.poll_event() {
        Some(ClientEvent::Reply(reply)) => reply.outcome,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_trace_travels_with_its_functions_and_places() {
    for encoding in BOTH {
        let mut pair = Pair::new(encoding);
        let mut program = Program::from("(define half (lambda (n) (/ n 0)))\n(list (half 4))");
        program.file = Some("half.zylisp".into());
        program.start.line = 10;
        pair.send(|client| client.eval(program)).unwrap();
        let events = pair.run(10);
        let [
            ClientEvent::Reply(Reply {
                outcome: ReplyOutcome::Error(error),
                ..
            }),
        ] = &events[..]
        else {
            panic!("{events:?}")
        };
        let text = error.to_string();
        assert_eq!(
            text,
            "arithmetic-error: division by zero\n  in half at half.zylisp:10:26\n  at half.zylisp:11:7"
        );
    }
}

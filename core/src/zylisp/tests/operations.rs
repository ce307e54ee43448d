//! Tests the operations of a session beside evaluation: other sessions, input, pages of a long
//! value, completion and documentation.

use super::*;

#[test]
fn sessions_are_cloned_listed_used_and_closed() {
    let mut pair = Pair::with(ServerConfig {
        session: "own".into(),
        ..ServerConfig::default()
    });
    pair.eval("(define x 1)");
    assert_eq!(
        pair.answer(r#"{"op":"clone","id":"c"}"#),
        [json!({"id":"c","status":["done"],"data":{"session":"own-1"}})]
    );
    assert_eq!(
        pair.answer(r#"{"op":"ls-sessions","id":"l"}"#)[0]["data"],
        json!({"sessions":["own","own-1"]})
    );
    let in_clone = |pair: &mut Pair, code: &str| {
        pair.answer(&format!(
            "{{\"op\":\"eval\",\"id\":\"e\",\"session\":\"own-1\",\"code\":\"{code}\"}}"
        ))
        .remove(0)["value"]
            .clone()
    };
    assert_eq!(in_clone(&mut pair, "(define y (+ x 1))"), 2);
    assert_eq!(pair.eval("x").outcome, value(json!(1)));
    assert!(matches!(pair.eval("y").outcome, ReplyOutcome::Error(_)));
    // Both work at the same time, and an interrupt reaches only its own session.
    pair.answer(&format!(
        "{{\"op\":\"eval\",\"id\":\"loop\",\"session\":\"own-1\",\"code\":\"{FOREVER}\"}}"
    ));
    assert_eq!(pair.eval("(+ x 41)").outcome, value(json!(42)));
    let replies = pair.answer(r#"{"op":"close","id":"x","session":"own-1"}"#);
    assert_eq!(replies[0]["status"], json!(["interrupted"]));
    assert_eq!(replies[1], json!({"id":"x","status":["done"]}));
    let gone = pair.answer(r#"{"op":"eval","id":"e","session":"own-1","code":"1"}"#);
    assert!(
        gone[0]["protocol_error"]
            .as_str()
            .unwrap()
            .contains("no such session")
    );
    for _ in 0..31 {
        pair.answer(r#"{"op":"clone","id":"c"}"#);
    }
    let refused = pair.answer(r#"{"op":"clone","id":"c"}"#);
    assert_eq!(
        refused[0]["protocol_error"],
        "a connection has at most 32 sessions"
    );
}

#[test]
fn a_program_that_reads_asks_for_input_and_gets_it() {
    for encoding in BOTH {
        let mut pair = Pair::new(encoding);
        let source = "(println \"name?\") (list (read-line) (read-line))";
        let request = pair
            .send(|client| client.eval(Program::from(source).live()))
            .unwrap();
        let events = pair.run(1);
        let output = "name?\n".into();
        assert_eq!(
            events,
            [
                ClientEvent::Output { request, output },
                ClientEvent::NeedsInput { request }
            ]
        );
        // Time spent typing does not count for the program.
        pair.now += Duration::from_secs(300);
        assert_eq!(pair.run(1), []);
        pair.send(|client| client.input("Ada\n")).unwrap();
        let events = pair.run(1);
        assert!(
            matches!(
                &events[..],
                [ClientEvent::Reply(_), ClientEvent::NeedsInput { .. }]
            ),
            "{events:?}"
        );
        pair.send(|client| client.input("")).unwrap();
        let events = pair.run(1);
        assert!(
            matches!(&events[..], [ClientEvent::Reply(_), ClientEvent::Reply(reply)] if reply.outcome == value(json!(["Ada", null]))),
            "{events:?}"
        );
        // A client that accepts only one message has no input.
        assert_eq!(pair.eval("(read-line)").outcome, value(Json::Null));
    }
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client| client.eval(Program::from("(read-line)").live()))
        .unwrap();
    pair.run(1);
    pair.now += Duration::from_secs(601);
    let events = pair.run(2);
    assert!(
        matches!(&events[..], [ClientEvent::Reply(reply)] if reply.outcome == error("limit-error", "no input came within 600 s")),
        "{events:?}"
    );
}

#[test]
fn a_value_that_is_too_long_or_too_deep_comes_in_pages_of_its_text() {
    let mut pair = Pair::with(ServerConfig {
        page: 1_000,
        ..ServerConfig::default()
    });
    let build = "(define build (lambda (n l) (if (= n 0) l (build (- n 1) (cons n l)))))";
    let reply = pair.eval(&format!("{build} (build 500 (list))"));
    let whole: String = (1..=500).map(|n| format!(" {n}")).collect();
    let whole = format!("({})", whole.trim());
    let mut text = reply.data["text"].as_str().unwrap().to_owned();
    assert_eq!(text.len(), 1_000);
    assert!(reply.has_more());
    loop {
        pair.send(|client| client.more(300)).unwrap();
        let events = pair.run(1);
        let [ClientEvent::Reply(reply)] = &events[..] else {
            panic!("{events:?}")
        };
        text += reply.data["text"].as_str().unwrap();
        if !reply.has_more() {
            break;
        }
    }
    assert_eq!(text, whole);
    pair.send(|client| client.more(300)).unwrap();
    assert!(
        matches!(&pair.run(1)[..], [ClientEvent::Reply(reply)] if matches!(&reply.outcome, ReplyOutcome::Refused(why) if why.contains("no further pages")))
    );

    // A value that was sent completely has no next page either.
    assert!(!pair.eval("(+ 1 2)").has_more());
    pair.send(|client| client.more(300)).unwrap();
    assert!(
        matches!(&pair.run(1)[..], [ClientEvent::Reply(reply)] if matches!(reply.outcome, ReplyOutcome::Refused(_)))
    );

    let deep = "(".repeat(100) + &")".repeat(100);
    let reply = pair.eval(&format!("(quote {deep})"));
    assert_eq!(
        reply.outcome,
        ReplyOutcome::Value {
            value: deep.clone().into(),
            text: Some(deep)
        }
    );
    assert!(!reply.has_more());
}

#[test]
fn names_are_completed_and_explained_even_while_something_runs() {
    let mut pair = Pair::new(Encoding::Json);
    pair.eval("(define square (lambda (side) (* side side)))");
    pair.send(|client| client.eval(FOREVER)).unwrap();
    assert_eq!(pair.run(1), []);
    for op in ["info", "lookup", "eldoc"] {
        let reply = pair.answer(&format!(
            "{{\"op\":\"{op}\",\"id\":\"1\",\"data\":{{\"symbol\":\"square\"}}}}"
        ));
        assert_eq!(
            reply[0]["data"],
            json!({"name":"square","type":"function","usage":"(square side)","line":1,"column":16})
        );
    }
    let unknown = pair.answer(r#"{"op":"info","id":"1","data":{"sym":"nothing"}}"#);
    assert_eq!(unknown, [json!({"id":"1","status":["done","no-info"]})]);
    let none = pair.answer(r#"{"op":"complete","id":"1","prefix":"zzz"}"#);
    assert_eq!(none[0]["data"], json!({"completions": []}));
}

//! Tests interrupts, from this and other connections, and the answers to a client that has closed its side.

use alloc::{boxed::Box, sync::Arc};
use core::task::Waker;

use super::*;

#[test]
fn an_interrupt_overtakes_what_runs_and_what_waits_still_runs() {
    for encoding in BOTH {
        let mut pair = Pair::new(encoding);
        let slow = pair.send(|client| client.eval(FOREVER)).unwrap();
        let next = pair.send(|client| client.eval("7")).unwrap();
        let given_up = pair.send(|client| client.eval("(f)")).unwrap();
        assert_eq!(pair.run(10), []);
        pair.send(|client| client.interrupt(Some(given_up)))
            .unwrap();
        pair.send(|client| client.interrupt(Some(slow))).unwrap();
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
    pair.send(|client| client.eval(FOREVER)).unwrap();
    pair.run(1);
    let now = pair.now;
    let mut interrupt = |session, target| {
        pair.server
            .command(|server| server.interrupt(now, session, target))
    };
    assert_eq!(interrupt("nobody", None), None);
    assert_eq!(interrupt("", Some("nobody")), Some(Interrupted::Mismatch));
    assert_eq!(interrupt("", Some("1")), Some(Interrupted::Found));
    assert!(
        matches!(&pair.run(1)[..], [ClientEvent::Reply(reply)] if reply.outcome == ReplyOutcome::Interrupted)
    );
    pair.send(|client| client.interrupt_session("other", None))
        .unwrap();
    let elsewhere = pair.server.poll_event();
    assert!(
        matches!(elsewhere, Some(ServerEvent::InterruptElsewhere(elsewhere)) if elsewhere.session == "other")
    );
}

#[test]
fn a_cancelled_request_is_interrupted_and_its_late_reply_is_dropped() {
    let mut pair = Pair::new(Encoding::Json);
    let slow = pair.send(|client| client.eval(FOREVER)).unwrap();
    pair.run(1);
    pair.send(|client| client.cancel(slow));
    assert_eq!(pair.run(2), []);
    assert_eq!(pair.eval("(+ 40 2)").outcome, value(json!(42)));
}

#[test]
fn an_evaluation_that_takes_too_long_is_an_error_of_the_program() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client| client.eval(FOREVER)).unwrap();
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
fn everything_that_was_asked_before_a_client_closed_its_side_is_answered() {
    let mut pair = Pair::new(Encoding::Json);
    let slow = "(define c (lambda (n) (if (= n 0) 7 (c (- n 1))))) (c 100000)";
    for _ in 0..100 {
        pair.send(|client| client.eval(slow)).unwrap();
    }
    pair.server.handle_input(pair.now, Input::Closed);
    pair.now += Duration::from_secs(1);
    let replies = pair.run(100_000);
    assert_eq!(replies.len(), 100);
    assert!(replies.iter().all(
        |event| matches!(event, ClientEvent::Reply(reply) if reply.outcome == value(json!(7)))
    ));
    assert!(pair.ended && pair.server.machine().is_over());
}

#[test]
fn an_interrupt_finds_its_target_wherever_its_id_stands_and_says_so_if_there_is_none() {
    let table = [
        (
            r#"{"op":"interrupt","id":"i","interrupt-id":"run"}"#,
            json!(["done"]),
            true,
        ),
        (
            r#"{"op":"interrupt","id":"i","data":{"interrupt-id":"run"}}"#,
            json!(["done"]),
            true,
        ),
        (
            r#"{"op":"interrupt","id":"i","data":{"interrupt-id":"other"}}"#,
            json!(["done", "interrupt-id-mismatch"]),
            false,
        ),
        (
            r#"{"op":"interrupt","id":"i","interrupt-id":"other"}"#,
            json!(["done", "interrupt-id-mismatch"]),
            false,
        ),
        (r#"{"op":"interrupt","id":"i"}"#, json!(["done"]), true),
    ];
    for (interrupt, status, found) in table {
        let mut pair = Pair::new(Encoding::Json);
        assert_eq!(
            pair.answer(&format!(
                "{{\"op\":\"eval\",\"id\":\"run\",\"code\":\"{FOREVER}\"}}"
            )),
            [Json::Null; 0]
        );
        let replies = pair.answer(interrupt);
        assert!(
            replies.contains(&json!({"id": "i", "status": status})),
            "{replies:?}"
        );
        let interrupted = replies.iter().any(|reply| reply["id"] == "run");
        assert_eq!(interrupted, found, "{interrupt}");
    }
    let mut pair = Pair::new(Encoding::Json);
    pair.answer(&format!(
        "{{\"op\":\"eval\",\"id\":7,\"code\":\"{FOREVER}\"}}"
    ));
    let replies = pair.answer(r#"{"op":"interrupt","id":8,"interrupt-id":7}"#);
    assert!(
        replies
            .iter()
            .any(|reply| reply["id"] == "7" && reply["status"] == json!(["interrupted"])),
        "{replies:?}"
    );
}

/// An evaluator of programs that catch the first two interrupts.
struct Stubborn {
    interrupts: usize,
}

impl Evaluator for Stubborn {
    fn begin(&mut self, _: Task) {}

    fn run(&mut self, _: &mut u64, _: &Waker) -> Progress {
        match self.interrupts {
            0..3 => Progress::Waiting,
            _ => Progress::Done(Outcome::Interrupted),
        }
    }

    fn interrupt(&mut self) {
        self.interrupts += 1;
    }

    fn take_output(&mut self) -> (String, usize) {
        (String::new(), 0)
    }
}

#[test]
fn a_program_that_catches_interrupts_is_interrupted_again_and_again_after_its_limit() {
    let factory: EvaluatorFactory = Arc::new(|| Box::new(Stubborn { interrupts: 0 }));
    let config = ServerConfig::default();
    let mut now = Instant::START;
    let mut server = Pump::new(ZylispServer::new(now, config, factory));
    let request = br#"{"op":"eval","id":"1","code":"x"}"#;
    server.handle_input(now, Input::Bytes(request));
    // A client's interrupt leaves the limit in force.
    server.command(|server| server.interrupt(now, "", None));
    let limit = now + Duration::from_secs(60);
    server.handle_input(now, Input::Timeout);
    assert_eq!(server.deadline(), Some(limit));
    now = limit;
    server.handle_input(now, Input::Timeout);
    assert_eq!(server.take_transmit(), b"");
    assert_eq!(server.deadline(), Some(now + Duration::from_secs(5)));
    now += Duration::from_secs(5);
    server.handle_input(now, Input::Timeout);
    let reply = String::from_utf8(server.take_transmit()).unwrap();
    assert!(reply.contains("took longer than 60 s"), "{reply}");
}

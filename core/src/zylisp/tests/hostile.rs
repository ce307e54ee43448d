//! Tests clients that send incomplete messages, too much data, or lack authorization.

use super::*;

#[test]
fn half_a_message_is_not_waited_for_for_ever() {
    let mut pair = Pair::new(Encoding::Json);
    pair.now = Instant::from_millis(1_000);
    pair.feed(b"{\"op\":\"eval\",");
    assert_eq!(pair.server.deadline(), Some(Instant::from_millis(61_000)));
    pair.now = Instant::from_millis(60_999);
    pair.server.handle_input(pair.now, Input::Timeout);
    pair.feed(b"\"id\":\"1\",");
    assert_eq!(pair.run(1), []);
    pair.now = Instant::from_millis(61_000);
    pair.server.handle_input(pair.now, Input::Timeout);
    let events = pair.run(1);
    let why = "the message did not end within 60 s";
    assert!(
        matches!(&events[..], [ClientEvent::Notice(notice)] if notice.protocol_error.as_deref() == Some(why)),
        "{events:?}"
    );
    assert!(pair.ended);
}

#[test]
fn a_client_that_has_gone_is_noticed_by_asking_and_keeps_nothing_running() {
    for (encoding, probe) in [(Encoding::Json, b"\n"), (Encoding::MessagePack, b"\x80")] {
        let mut pair = Pair::new(encoding);
        pair.send(|client| client.eval(FOREVER)).unwrap();
        pair.server.handle_input(pair.now, Input::Closed);
        assert!(!pair.server.machine().is_over() && pair.server.machine().wants_turn());
        assert_eq!(pair.server.deadline(), Some(Instant::from_millis(20)));
        for millis in [20, 40, 60] {
            pair.now = Instant::from_millis(millis);
            pair.server.handle_input(pair.now, Input::Timeout);
            assert_eq!(pair.server.take_transmit(), probe);
        }
        pair.server.handle_input(pair.now, Input::Closed);
        pair.run(1);
        assert!(pair.ended && pair.server.machine().is_over());
        assert!(!pair.server.machine().wants_turn());
    }
}

#[test]
fn without_the_token_nothing_is_done() {
    let config = ServerConfig {
        token: Some("secret".into()),
        ..ServerConfig::default()
    };
    let mut pair = Pair::with(config.clone());
    assert!(matches!(pair.eval("1").outcome, ReplyOutcome::Refused(_)));
    pair.send(|client| client.authorize("secret")).unwrap();
    assert_eq!(pair.run(1).len(), 1);
    assert_eq!(pair.eval("1").outcome, value(json!(1)));

    let mut pair = Pair::with(config.clone());
    pair.send(|client| client.authorize("secre")).unwrap();
    assert!(
        matches!(&pair.run(1)[..], [ClientEvent::Reply(reply)] if matches!(reply.outcome, ReplyOutcome::Refused(_)))
    );
    assert!(pair.ended);

    let mut pair = Pair::with(config);
    assert_eq!(pair.server.deadline(), Some(Instant::from_millis(10_000)));
    pair.server
        .handle_input(Instant::from_millis(10_000), Input::Timeout);
    pair.run(1);
    assert!(pair.ended);
}

#[test]
fn garbage_is_answered_each_time_and_ends_the_connection_when_nothing_else_comes() {
    let mut pair = Pair::new(Encoding::Json);
    pair.feed(b"hello\n{\"op\":\"eval\",\"id\":\"1\",\"code\":\"1\"}\nbye\n");
    assert_eq!(pair.run(1).len(), 3);
    pair.feed("x\n".repeat(200));
    assert_eq!(pair.run(1).len(), 99, "with the one before");
    assert!(pair.ended);
}

#[test]
fn requests_that_wait_are_bounded() {
    let mut pair = Pair::new(Encoding::Json);
    pair.send(|client| client.eval(FOREVER)).unwrap();
    let mut sent = 0;
    while pair.server.machine().wants_input() {
        pair.send(|client| client.eval("1")).unwrap();
        sent += 1;
    }
    assert!((4_000..5_000).contains(&sent), "{sent}");
    let now = pair.now;
    pair.server
        .command(|server| server.interrupt(now, "", None));
    assert_eq!(pair.run(1_000).len(), sent + 1);
    assert!(pair.server.machine().wants_input());
}

#[test]
fn what_waits_with_large_data_takes_no_memory_and_what_it_takes_is_counted() {
    let budget = Budget::new(1 << 20);
    let mut config = ServerConfig {
        budget: budget.clone(),
        ..ServerConfig::default()
    };
    config.message_limit = 600_000;
    let mut pair = Pair::with(config);
    pair.send(|client| client.eval(FOREVER)).unwrap();
    let large = "x".repeat(500_000);
    for id in 0..40 {
        let message =
            json!({"op": "eval", "id": id, "code": "1", "data": {"a": [large], "b": {"c": 1}}});
        let bytes = message.to_string();
        let (first, second) = bytes.split_at(400_000);
        pair.feed(first);
        pair.feed(second);
    }
    assert!(budget.used() < 100_000, "{}", budget.used());
    assert!(pair.server.machine().wants_input());
    // Of these, one fits into the message limit beside the others, and two into the budget.
    let mut refused = 0;
    for id in 100..104 {
        let replies = pair.answer(&format!(
            "{{\"op\":\"eval\",\"id\":{id},\"code\":\"{large}\"}}"
        ));
        refused += replies
            .iter()
            .filter(|reply| {
                reply["protocol_error"]
                    .as_str()
                    .is_some_and(|why| why.contains("out of memory"))
            })
            .count();
        assert!(budget.used() <= budget.limit());
    }
    assert_eq!(refused, 2);
    assert!(!pair.server.machine().wants_input());
}

#[test]
fn an_empty_token_lets_nobody_in() {
    for shown in ["", "x"] {
        let mut pair = Pair::with(ServerConfig {
            token: Some(String::new()),
            ..ServerConfig::default()
        });
        assert!(matches!(pair.eval("1").outcome, ReplyOutcome::Refused(_)));
        pair.send(|client| client.authorize(shown)).unwrap();
        pair.run(1);
        assert!(pair.ended);
    }
}

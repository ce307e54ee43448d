//! nREPL's server against whatever a client may send, in any order and cut anywhere.

use std::collections::BTreeMap;

use flylead_core::{
    Input, Instant, Machine as _, Pump,
    nrepl::NreplServer,
    zylisp::{
        ServerConfig, ServerEvent, Zylisp,
        lang::{Budget, Limits},
    },
};
use proptest::prelude::*;

fn server() -> Pump<NreplServer> {
    let factory = Zylisp::factory(Limits::default(), Budget::unlimited());
    let mut config = ServerConfig::default();
    config.session = "own".into();
    config.message_limit = 2_000;
    Pump::new(NreplServer::nrepl(Instant::START, config, factory))
}

/// Everything that it says to these pieces, and how it ended.
fn answers<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<ServerEvent>) {
    let mut server = server();
    let mut sent = Vec::new();
    let mut ended = Vec::new();
    for piece in pieces {
        server.handle_input(Instant::START, Input::Bytes(piece));
        sent.extend(server.take_transmit());
    }
    server.handle_input(Instant::START, Input::Closed);
    for _ in 0..TURNS {
        server.handle_input(Instant::START, Input::Timeout);
        server.command(|server| server.interrupt_all(Instant::START));
        while let Some(event) = server.poll_event() {
            ended.extend(unless_elsewhere(&mut server, event));
        }
        sent.extend(server.take_transmit());
    }
    assert!(server.machine().is_over(), "nothing waits forever");
    (sent, ended)
}

/// Fails requests for sessions of other connections, of which there are none here.
fn unless_elsewhere(server: &mut Pump<NreplServer>, event: ServerEvent) -> Option<ServerEvent> {
    let ServerEvent::InterruptElsewhere(elsewhere) = event else {
        return Some(event);
    };
    server.command(|server| server.interrupted(elsewhere.id, None));
    None
}

/// Enough for everything that is asked here.
const TURNS: usize = 300;

/// A value of bencode, read by other code than the server's own.
#[derive(Debug, PartialEq)]
enum Value {
    Number(i64),
    Text(Vec<u8>),
    List(Vec<Self>),
    Map(BTreeMap<Vec<u8>, Self>),
}

/// The first value of `bytes`, as BEP 3 has it, and what follows it.
fn read(bytes: &[u8]) -> (Value, &[u8]) {
    match bytes[0] {
        b'i' => {
            let (number, rest) = number(&bytes[1..], b'e');
            (Value::Number(number), rest)
        }
        b'l' | b'd' => {
            let (mut values, mut rest) = (Vec::new(), &bytes[1..]);
            while rest[0] != b'e' {
                let (value, later) = read(rest);
                values.push(value);
                rest = later;
            }
            let list = Value::List(values);
            let value = if bytes[0] == b'd' { map(list) } else { list };
            (value, &rest[1..])
        }
        _ => {
            let (length, rest) = number(bytes, b':');
            let (text, rest) = rest.split_at(usize::try_from(length).unwrap());
            (Value::Text(text.to_vec()), rest)
        }
    }
}

fn number(bytes: &[u8], end: u8) -> (i64, &[u8]) {
    let length = bytes.iter().position(|byte| *byte == end).unwrap();
    let digits = std::str::from_utf8(&bytes[..length]).unwrap();
    (digits.parse().unwrap(), &bytes[length + 1..])
}

fn map(list: Value) -> Value {
    let Value::List(values) = list else {
        unreachable!();
    };
    let mut values = values.into_iter();
    let mut map = BTreeMap::new();
    while let (Some(Value::Text(key)), Some(value)) = (values.next(), values.next()) {
        let last = map.last_key_value().map(|(key, _)| key);
        assert!(
            last.is_none_or(|last| *last < key),
            "keys are in their order"
        );
        map.insert(key, value);
    }
    Value::Map(map)
}

/// All replies as they were written, in an order of their own.
fn replies(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut replies = Vec::new();
    while !bytes.is_empty() {
        let (_, rest) = read(bytes);
        replies.push(bytes[..bytes.len() - rest.len()].to_vec());
        bytes = rest;
    }
    replies.sort_unstable();
    replies
}

/// Counts the last replies for each id.
fn endings(mut bytes: &[u8]) -> BTreeMap<Vec<u8>, usize> {
    let mut endings = BTreeMap::new();
    while !bytes.is_empty() {
        let (reply, rest) = read(bytes);
        bytes = rest;
        let Value::Map(reply) = reply else {
            panic!("a reply is a dictionary");
        };
        let done = Value::Text(b"done".to_vec());
        if let (Some(Value::Text(id)), Some(Value::List(words))) =
            (reply.get(&b"id"[..]), reply.get(&b"status"[..]))
            && words.contains(&done)
        {
            *endings.entry(id.clone()).or_default() += 1;
        }
    }
    endings
}

/// Bytes in pieces of these lengths, again and again.
fn pieces<'a>(bytes: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = bytes;
    let mut lengths = lengths.iter().cycle();
    std::iter::from_fn(move || {
        let length = (*lengths.next()?).min(rest.len());
        let (piece, later) = rest.split_at(length);
        rest = later;
        (!piece.is_empty()).then_some(piece)
    })
}

fn text(text: &str) -> String {
    format!("{}:{text}", text.len())
}

/// A request with some of the fields that there are, whatever its operation makes of them.
fn request() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    let field = |name: &'static str, values: &'static [&'static str]| {
        prop::option::weighted(0.7, prop::sample::select(values))
            .prop_map(move |value| Some((name, value?)))
    };
    let operations: &[&str] = &[
        "eval",
        "eval",
        "eval",
        "load-file",
        "clone",
        "close",
        "ls-sessions",
        "describe",
        "interrupt",
        "stdin",
        "completions",
        "lookup",
        "eldoc",
        "fly",
    ];
    let codes: &[&str] = &[
        "(+ 1 2)",
        "(define f (lambda () (f))) (f)",
        "(read-line)",
        "(println 1) 2 (car 3)",
        ")",
        "",
    ];
    let fields = (
        prop::sample::select(operations).prop_map(|operation| Some(("op", operation))),
        field("code", codes),
        field("session", &["own", "own-1", "own-2", "other", ""]),
        field("file", codes),
        field("interrupt-id", &["0", "1", "2"]),
        field("stdin", &["line\n", ""]),
        field("prefix", &["l", ""]),
        field("sym", &["car", "nothing"]),
    );
    fields.prop_map(|(a, b, c, d, e, f, g, h)| {
        [a, b, c, d, e, f, g, h].into_iter().flatten().collect()
    })
}

/// Bytes that look like bencode, so that chance gets anywhere at all.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    const WORDS: &[&[u8]] = &[
        b"d",
        b"l",
        b"e",
        b"i3e",
        b"i-0e",
        b"2:id",
        b"2:op",
        b"4:code",
        b"0:",
        b"01:",
        b"99999:",
        b"4:eval",
        b"d2:id1:12:op4:eval4:code7:(+ 1 2)e",
        b"d2:op5:clonee",
        b"GET / HTTP",
        b"-",
        b":",
        b"9",
    ];
    let word = prop_oneof![
        6 => prop::sample::select(WORDS).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(word, 0..14).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_bytes_split_anywhere_are_answered_alike(bytes in noise(), lengths in prop::collection::vec(1_usize..9, 1..6)) {
        // What is wrong with the next bytes may be told before what came before them has been evaluated.
        let sorted = |(sent, ended): (Vec<u8>, _)| (replies(&sent), ended);
        let whole = sorted(answers([bytes.as_slice()]));
        prop_assert_eq!(&whole, &sorted(answers(bytes.chunks(1))));
        prop_assert_eq!(&whole, &sorted(answers(pieces(&bytes, &lengths))));
    }

    #[test]
    fn every_request_in_any_order_is_answered_to_its_end_once(requests in prop::collection::vec(request(), 0..12), lengths in prop::collection::vec(1_usize..200, 1..6)) {
        let mut bytes = String::new();
        for (id, fields) in requests.iter().enumerate() {
            let fields = fields.iter().map(|(key, value)| text(key) + &text(value));
            bytes += &format!("d{}{}{}e", text("id"), text(&id.to_string()), fields.collect::<String>());
        }
        let (sent, ended) = answers(pieces(bytes.as_bytes(), &lengths));
        let expected: BTreeMap<_, _> = (0..requests.len()).map(|id| (id.to_string().into_bytes(), 1)).collect();
        prop_assert_eq!(endings(&sent), expected);
        prop_assert_eq!(ended, [ServerEvent::Ended { reason: None }]);
    }
}

#[test]
fn what_was_asked_before_the_unreadable_is_answered_though_the_client_closes_its_side() {
    let bytes = b"d2:id1:12:op4:eval4:code7:(+ 1 2)ed2:id1:22:op4:eval4:code7:(+ 1 2)el";
    let (sent, _) = answers([bytes.as_slice()]);
    let expected = [(b"1".to_vec(), 1), (b"2".to_vec(), 1)];
    let endings = endings(&sent);
    assert!(
        expected
            .iter()
            .all(|(id, count)| endings.get(id) == Some(count))
    );
}

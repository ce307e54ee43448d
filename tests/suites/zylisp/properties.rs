//! Tests that hold for any message, any bytes and any program.

use flylead_core::{
    Input, Instant, Pump,
    zylisp::{
        Decoder, Encoding, Malformed, Message, ServerConfig, Status, Zylisp, ZylispServer,
        lang::{Budget, Limits},
    },
};
use proptest::prelude::*;
use serde_json::{Map, Value as Json};

const BOTH: [Encoding; 2] = [Encoding::Json, Encoding::MessagePack];

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        ".{0,12}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            object(inner).prop_map(Json::from),
        ]
    })
}

fn object(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Map<String, Json>> {
    prop::collection::btree_map(".{0,6}", value, 0..4).prop_map(|map| map.into_iter().collect())
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        Just(Status::Done),
        Just(Status::Error),
        Just(Status::Interrupted),
        Just(Status::NeedInput),
        Just(Status::SessionIdle),
        "x-[a-z]{1,8}".prop_map(Status::from),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let text = || prop::option::of(".{0,20}");
    let request = ("[a-z-]{0,10}", ".{0,8}", text(), text(), text(), text());
    let reply = (
        prop::option::of(json()),
        text(),
        prop::collection::vec(status(), 0..3),
        text(),
        prop::option::of(object(json())),
        any::<bool>(),
    );
    (request, reply).prop_map(
        |(
            (op, id, session, code, file, interrupt_id),
            (value, output, status, protocol_error, data, stream),
        )| {
            let mut message = Message::request(&op, id);
            message.session = session;
            message.code = code;
            message.file_path.clone_from(&file);
            message.file = file;
            message.interrupt_id = interrupt_id;
            message.value = value;
            message.output = output;
            message.status = status;
            message.protocol_error = protocol_error;
            message.data = data;
            message.stream = stream;
            message
        },
    )
}

type Found = Vec<Result<Message, Malformed>>;

fn decode<'a>(
    encoding: Encoding,
    limit: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Found {
    let mut decoder = Decoder::new(encoding, limit);
    let mut found = Vec::new();
    for piece in pieces {
        decoder.push(piece, |message| found.push(message));
    }
    found
}

/// Bytes in pieces of these lengths, again and again.
fn pieces<'a>(bytes: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = bytes;
    let mut lengths = lengths.iter().cycle();
    core::iter::from_fn(move || {
        let length = (*lengths.next()?).min(rest.len());
        let (piece, later) = rest.split_at_checked(length)?;
        rest = later;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Bytes that look like the protocol's, so that chance gets anywhere at all.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    const WORDS: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b"\n",
        b":",
        b",",
        b"null",
        b"-1e9",
        b"\\ud800",
        b"{\"op\":\"eval\",\"id\":\"1\",\"code\":\"(+ 1 2)\"}",
        b"\"id\":",
        b"\"op\":",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\x81\xa2",
        b"\xc1",
        b"\xdf\xff",
    ];
    let word = prop_oneof![
        4 => prop::sample::select(WORDS).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_message_comes_back_as_it_was_sent(messages in prop::collection::vec(message(), 1..4), lengths in prop::collection::vec(1_usize..40, 1..6)) {
        for encoding in BOTH {
            let mut bytes = Vec::new();
            messages.iter().for_each(|message| encoding.encode(message, &mut bytes));
            let sent: Found = messages.iter().cloned().map(Ok).collect();
            prop_assert_eq!(decode(encoding, 1 << 20, pieces(&bytes, &lengths)), sent);
        }
    }

    #[test]
    fn any_bytes_split_anywhere_are_the_same_messages_and_faults(bytes in noise(), lengths in prop::collection::vec(1_usize..9, 1..6), limit in 0_usize..80) {
        for encoding in BOTH {
            let whole = decode(encoding, limit, [bytes.as_slice()]);
            prop_assert_eq!(&whole, &decode(encoding, limit, bytes.chunks(1)));
            prop_assert_eq!(&whole, &decode(encoding, limit, pieces(&bytes, &lengths)));
        }
    }

    #[test]
    fn whatever_came_before_a_request_on_a_line_of_its_own_is_answered_soon(bytes in noise()) {
        let language = Zylisp::factory(Limits::default(), Budget::unlimited());
        let server = ZylispServer::new(Instant::START, ServerConfig::default(), language);
        let mut server = Pump::new(server);
        server.handle_input(Instant::START, Input::Bytes(&bytes));
        // What was cut off may take in one line, and the line after it ends that.
        for id in ["a", "b", "c"] {
            let line = format!("\n{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"(* 6 7)\"}}\n");
            server.handle_input(Instant::START, Input::Bytes(line.as_bytes()));
        }
        for _ in 0..100 {
            server.handle_input(Instant::START, Input::Timeout);
        }
        let replies = decode(Encoding::Json, 1 << 20, [server.take_transmit().as_slice()]);
        let last = replies.last().and_then(|reply| reply.as_ref().ok());
        prop_assert_eq!(last.map(|reply| (reply.id.as_str(), &reply.value)), Some(("c", &Some(42.into()))));
    }
}

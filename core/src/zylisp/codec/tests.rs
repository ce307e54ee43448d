use alloc::{format, string::ToString, vec};
use core::mem;

use serde_json::{Value as Json, json};

use super::*;
use crate::zylisp::Status;

mod requests;

const BOTH: [Encoding; 2] = [Encoding::Json, Encoding::MessagePack];

/// Returns all decoded messages, read whole, by 7 bytes and by 1; they must agree.
fn decode(encoding: Encoding, limit: usize, bytes: &[u8]) -> Vec<Result<Message, Malformed>> {
    let mut results = [bytes.len().max(1), 7, 1].map(|size| {
        let mut decoder = Decoder::new(encoding, limit);
        let mut found = Vec::new();
        for chunk in bytes.chunks(size) {
            decoder.push(chunk, |message| found.push(message));
        }
        found
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    mem::take(&mut results[0])
}

fn malformed(reason: MalformedReason) -> Malformed {
    let id = String::new();
    Malformed { id, reason }
}

fn samples() -> Vec<Message> {
    vec![
        Message::default(),
        Message {
            code: Some("(println \"é中😀\n\t\\ \u{0}\")".into()),
            ..Message::request("eval", "1")
        },
        Message {
            value: Some(Json::Null),
            output: Some(String::new()),
            ..Message::reply("2", Status::Done)
        },
        Message {
            value: Some(json!([
                0,
                127,
                128,
                255,
                256,
                65_535,
                65_536,
                u32::MAX,
                u64::MAX,
                i64::MAX
            ])),
            ..Message::reply("3", Status::Interrupted)
        },
        Message {
            value: Some(json!([
                -1,
                -32,
                -33,
                -128,
                -129,
                -32_768,
                -32_769,
                i32::MIN,
                i64::MIN,
                1.5,
                true,
                false
            ])),
            status: vec![
                Status::Done,
                Status::SessionIdle,
                Status::Other("tired".into()),
            ],
            ..Message::default()
        },
        Message::protocol_error("4", "x".repeat(40)),
        Message {
            value: Some(Json::from(vec![Json::from("y".repeat(300)); 20])),
            file_path: Some("z".repeat(70_000)),
            data: json!({"a": {"b": [[], {}]}}).as_object().cloned(),
            ..Message::default()
        },
    ]
}

#[test]
fn every_message_comes_back_as_it_was_sent_in_both_encodings() {
    for encoding in BOTH {
        let mut bytes = Vec::new();
        for message in samples() {
            encoding.encode(&message, &mut bytes);
        }
        let messages: Vec<_> = samples().into_iter().map(Ok).collect();
        assert_eq!(decode(encoding, 1 << 20, &bytes), messages);
    }
}

#[test]
fn encoded_messages_are_cut_where_they_were_joined() {
    for encoding in BOTH {
        let mut bytes = Vec::new();
        for message in samples() {
            encoding.encode(&message, &mut bytes);
        }
        assert_eq!(encoding.messages(&bytes).count(), samples().len());
        for (cut, message) in encoding.messages(&bytes).zip(samples()) {
            assert_eq!(decode(encoding, 1 << 20, cut), [Ok(message)]);
        }
    }
}

#[test]
fn a_message_that_is_too_long_is_reported_once_and_the_next_one_is_found() {
    for encoding in BOTH {
        let mut bytes = Vec::new();
        for length in [10, 500, 5_000, 20] {
            let message = Message {
                code: Some("\"".repeat(length)),
                ..Message::request("eval", length.to_string())
            };
            encoding.encode(&message, &mut bytes);
        }
        let found = decode(encoding, 400, &bytes);
        let too_long = |id: &str| {
            let (id, reason) = (id.into(), MalformedReason::TooLong { limit: 400 });
            Err(Malformed { id, reason })
        };
        assert_eq!(found.len(), 4, "{encoding:?}");
        assert_eq!(found[0].as_ref().unwrap().id, "10");
        // MessagePack's keys are written in order, so that the code precedes the id.
        let known = |id| if encoding == Encoding::Json { id } else { "" };
        assert_eq!(found[1], too_long(known("500")));
        assert_eq!(found[2], too_long(known("5000")));
        assert_eq!(found[3].as_ref().unwrap().id, "20");
    }
}

#[test]
fn a_message_without_end_is_not_kept() {
    for (encoding, start) in [
        (Encoding::Json, &b"{\"code\":\""[..]),
        (Encoding::MessagePack, b"\x81\xa4code\xdb\xff\xff\xff\xff"),
    ] {
        let mut decoder = Decoder::new(encoding, 1_000);
        let mut faults = 0;
        decoder.push(start, |_| faults += 1);
        for _ in 0..1_000 {
            decoder.push(&[b'x'; 1_000], |_| faults += 1);
        }
        assert_eq!(faults, 1);
        assert!(decoder.0.bytes() < 10_000);
    }
}

#[test]
fn a_web_browser_is_recognized_before_its_body_is_read() {
    for encoding in BOTH {
        let request =
            b"POST / HTTP/1.1\r\nHost: x\r\n\r\n{\"op\":\"eval\",\"id\":\"1\",\"code\":\"1\"}\n";
        let found = decode(encoding, 1_000, request);
        assert_eq!(found, [Err(malformed(MalformedReason::Http))]);
    }
}

#[test]
fn the_longest_method_is_recognized_before_the_blank_after_it_has_come() {
    let found = decode(Encoding::Json, 100, b"PROPFIND / HTTP/1.1\r\n");
    assert_eq!(found, [Err(malformed(MalformedReason::Http))]);
}

#[test]
fn a_field_of_the_wrong_type_is_a_fault_that_names_its_request() {
    for encoding in BOTH {
        let mut bytes = Vec::new();
        let tree = json!({"op": "eval", "id": 7, "code": 5});
        match encoding {
            Encoding::Json => bytes = tree.to_string().into_bytes(),
            Encoding::MessagePack => {
                bytes.extend_from_slice(b"\x83\xa2op\xa4eval\xa2id\x07\xa4code\x05");
            }
        }
        let found = decode(encoding, 1_000, &bytes);
        let Err(fault) = &found[0] else {
            panic!("{found:?}")
        };
        assert_eq!(fault.id, "7");
        assert!(
            matches!(fault.reason, MalformedReason::Shape(_)),
            "{fault:?}"
        );
    }
}

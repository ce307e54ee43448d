use alloc::{format, string::ToString, vec};
use core::mem;

use serde_json::{Value as Json, json};

use super::*;
use crate::zylisp::Status;

const BOTH: [Encoding; 2] = [Encoding::Json, Encoding::MessagePack];

/// Everything that comes out, decoded whole, by 7 bytes and by 1; they must agree.
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
        // MessagePack's keys come in their order, so that the code comes before the id.
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
fn a_web_browser_is_recognised_before_its_body_is_read() {
    for encoding in BOTH {
        let request =
            b"POST / HTTP/1.1\r\nHost: x\r\n\r\n{\"op\":\"eval\",\"id\":\"1\",\"code\":\"1\"}\n";
        let found = decode(encoding, 1_000, request);
        assert_eq!(found, [Err(malformed(MalformedReason::Http))]);
    }
}

#[test]
fn the_longest_method_is_recognised_before_the_blank_after_it_has_come() {
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

fn json(text: impl AsRef<[u8]>) -> Vec<Result<String, MalformedReason>> {
    decode(Encoding::Json, 1 << 20, text.as_ref())
        .into_iter()
        .map(|found| match found {
            Ok(message) => Ok(message.id + "=" + message.code.as_deref().unwrap_or("-")),
            Err(fault) => Err(fault.reason),
        })
        .collect()
}

/// What a server keeps of requests, whole, by 7 bytes and by 1.
fn requests(encoding: Encoding, bytes: &[u8]) -> Vec<Result<Request, Malformed>> {
    let mut results = [bytes.len().max(1), 7, 1].map(|size| {
        let builder = RequestBuilder::new(|level, name| {
            Some(match (level, name) {
                (Level::Top, b"id") => Field::Id,
                (Level::Top, b"op") => Field::Op,
                (Level::Top, b"code") => Field::Code,
                (Level::Top, b"stream") => Field::Stream,
                (_, b"file") => Field::File,
                _ => return None,
            })
        });
        let mut decoder = StreamDecoder::new(AnyTokens::new(encoding), builder, 1 << 20);
        let mut found = Vec::new();
        for chunk in bytes.chunks(size) {
            decoder.push(chunk, |request| found.push(request));
        }
        found
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    mem::take(&mut results[0])
}

#[test]
fn a_request_is_its_fields_and_nothing_else_is_kept_of_it() {
    let message = json!({
        "op": "eval", "id": 7.5, "stream": true, "code": "(\"é\\ \n😀\")", "rest": [1, {"id": 3}],
        "data": {"file": "inner", "large": ["x".repeat(50_000), {"file": "deep"}]},
    });
    let mut all = message.to_string().into_bytes();
    all.extend_from_slice(
        br#"{"id":null,"file":"outer","data":{"file":"inner"},"code":"a","code":"b"}"#,
    );
    let found = requests(Encoding::Json, &all);
    let [Ok(first), Ok(second)] = &found[..] else {
        panic!("{found:?}")
    };
    let get = |field| first.get(field);
    assert_eq!(
        (get(Field::Id), get(Field::Stream)),
        (Some("7.5"), Some("true"))
    );
    assert_eq!(get(Field::Code), Some("(\"é\\ \n😀\")"));
    assert_eq!(get(Field::File), Some("inner"));
    assert!(first.bytes() < 2_000, "{}", first.bytes());
    assert_eq!(
        (second.id().as_str(), second.get(Field::File)),
        ("", Some("outer"))
    );
    assert_eq!(second.get(Field::Code), Some("b"));
}

#[test]
fn both_encodings_give_the_same_request() {
    let message = Message {
        code: Some("(println \"é\")".into()),
        file: Some(String::new()),
        stream: true,
        data: json!({"x": [1, -2, 1.5, null, {"y": "z"}]})
            .as_object()
            .cloned(),
        ..Message::request("eval", "1")
    };
    let found = BOTH.map(|encoding| {
        let mut bytes = Vec::new();
        encoding.encode(&message, &mut bytes);
        requests(encoding, &bytes)
    });
    let [json, messagepack] = found.map(|mut found| found.remove(0).unwrap());
    for field in [
        Field::Op,
        Field::Id,
        Field::Code,
        Field::File,
        Field::Stream,
    ] {
        assert_eq!(json.get(field), messagepack.get(field), "{field:?}");
    }
    assert_eq!(json.get(Field::File), Some(""));
}

#[test]
fn what_is_no_request_keeps_its_id_and_says_what_is_wrong_where() {
    let table = [
        (
            r#"{"id":"1","code":5}"#,
            "1",
            "`code` must be a string, not a number",
        ),
        (
            r#"{"code":[],"id":1}"#,
            "1",
            "`code` must be a string, not a list",
        ),
        (
            r#"{"id":{},"op":"x"}"#,
            "",
            "`id` must be a string or a number, not a map",
        ),
        (r#"{"id":"2","stream":"yes"}"#, "2", ""),
        (
            r#"{"id":"3","stream":1}"#,
            "3",
            "`stream` must be true or false, not a number",
        ),
        (
            r#"{"id":"4","data":{"file":true}}"#,
            "4",
            "`file` must be a string, not a truth value",
        ),
        (
            "{\"id\":\"5\",\"code\" 1}\n",
            "5",
            "at byte 18 of it, a colon was expected",
        ),
        ("{\"code\":tru}\n", "", "at byte 12 of it, a number, a word"),
        (
            "{\"id\":\"6\",\"code\":\"a\tb\"}\n",
            "6",
            "at byte 20 of it, the rest of a string",
        ),
        (
            "{\"id\":\"7\",\"code\":\"\\x\"}\n",
            "7",
            "at byte 20 of it, an escape",
        ),
        ("[1]\n", "", "at byte 1 of it, an object was expected"),
        (
            "\u{feff}{}\n",
            "",
            "at byte 1 of it, an object was expected",
        ),
    ];
    for (text, id, what) in table {
        let found = requests(Encoding::Json, text.as_bytes());
        match (&found[..], what) {
            ([Ok(request)], "") => assert_eq!(request.id(), id),
            ([Err(fault)], _) => {
                assert_eq!(fault.id, id, "{text}");
                let why = fault.reason.to_string();
                assert!(
                    why.starts_with("malformed message: ") && why.contains(what),
                    "{text}: {why}"
                );
            }
            _ => panic!("{text}: {found:?}"),
        }
    }
}

#[test]
fn a_text_of_four_gigabytes_is_no_text_of_none() {
    // On a machine of 32 bits, the length of what begins here is one less than the whole of its memory.
    let mut bytes = b"\x83\xa2id\xa17\xa4code\xdb\xff\xff\xff\xff".to_vec();
    bytes.resize(2_000, 0x80);
    let mut decoder = Decoder::new(Encoding::MessagePack, 1_000);
    let mut found = Vec::new();
    decoder.push(&bytes, |message| found.push(message));
    let reason = MalformedReason::TooLong { limit: 1_000 };
    let id = "7".into();
    assert_eq!(found, [Err(Malformed { id, reason })]);
    assert!(decoder.is_unfinished());
}

#[test]
fn json_is_what_serde_json_says_it_is() {
    let values = [
        "0",
        "-0",
        "01",
        "1.",
        ".5",
        "1e5",
        "1E+5",
        "1e",
        "-",
        "+1",
        "1.5.2",
        "nul",
        "null",
        "NaN",
        "true1",
        "\"\\u00e9\"",
        "\"\\u00g9\"",
        "\"\\/\"",
        "\"\\a\"",
        "\"\u{1}\"",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "[]",
        "{}",
        "[[],{}]",
        "18446744073709551615",
        "1e400",
    ];
    for value in values {
        let text = format!("{{\"x\":{value}}}");
        let wanted = serde_json::from_str::<Json>(&text).is_ok();
        let found = decode(Encoding::Json, 1 << 20, format!("{text}\n").as_bytes());
        let ours = matches!(&found[..], [Ok(_)]);
        assert_eq!(ours, wanted, "{text}: {found:?}");
    }
}

#[test]
fn a_json_object_is_found_however_it_is_laid_out() {
    let ok = |text: &str| Ok(text.to_string());
    let table = [
        ("{\"id\":\"1\",\"code\":\"1\"}", vec![ok("1=1")]),
        (
            "{\"id\":\"1\"}{\"id\":\"2\"}\r\n\n  \r\n{\"id\":\"3\"}",
            vec![ok("1=-"), ok("2=-"), ok("3=-")],
        ),
        (
            "{\n  \"id\": \"1\",\n  \"code\": \"}{\\\"\"\n}\n",
            vec![ok("1=}{\"")],
        ),
        (
            "{\"id\":1} {\"id\":null} {}",
            vec![ok("1=-"), ok("=-"), ok("=-")],
        ),
        (
            "{\"id\":\"1\",\"id\":\"2\",\"code\":\"1\",\"code\":\"2\"}",
            vec![ok("2=2")],
        ),
        (
            "{\"id\":\"1\",\"foo\":[1,[true,{}],null,-1.5e+3],\"code\":\"a\"}",
            vec![ok("1=a")],
        ),
        (
            "{\"id\":\"\\ud800\\ud83d\\ude00\\\\ud800\"}",
            vec![ok("\u{fffd}😀\\ud800=-")],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(json(text), expected, "{text}");
    }
    assert_eq!(json(b"{\"id\":\"\xff\xe4\xb8\xad\"}"), [ok("\u{fffd}中=-")]);
}

#[test]
fn malformed_json_is_reported_line_by_line_and_the_next_message_is_found() {
    let fault = || Err(());
    let ok = || Ok("2=-".to_string());
    let table = [
        ("{op:eval}\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
        ("hello\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
        (
            "hello\n5\nnull\n[1,2]\n\"eval\"\n{\"id\":\"2\"}",
            vec![fault(), fault(), fault(), fault(), fault(), ok()],
        ),
        (
            "{\"op\":\"eval\",\"id\":\"1\",\n{\"id\":\"2\"}\n",
            vec![fault(), ok()],
        ),
        ("{\"op\":\"eval\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
        ("{\"op\":\"ev\\\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
        (
            "{\"op\":\n  {\"id\":\"2\"}]\n{\"id\":\"2\"}",
            vec![fault(), ok()],
        ),
        (
            "\u{feff}{\"id\":\"1\"}\n{\"id\":\"2\"}\n",
            vec![fault(), ok()],
        ),
        ("{\"id\":tru}\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
        ("]}\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
        ("HELLO\n{\"id\":\"2\"}\n", vec![fault(), ok()]),
    ];
    let json = |text: &str| -> Vec<_> {
        let found = json(text).into_iter();
        found
            .map(|found| {
                found.map_err(|reason| assert!(matches!(reason, MalformedReason::Syntax { .. })))
            })
            .collect()
    };
    for (text, expected) in table {
        assert_eq!(json(text), expected, "{text}");
    }
    let deep = "{\"data\":".repeat(200) + "1" + &"}".repeat(200) + "\n{\"id\":\"2\"}\n";
    assert_eq!(json(&deep), [fault(), ok()]);
}

#[test]
fn malformed_messagepack_is_reported_and_the_next_map_is_found() {
    let mut good = Vec::new();
    Encoding::MessagePack.encode(&Message::request("describe", "2"), &mut good);
    let faults: [&[u8]; 5] = [
        b"\x05",
        b"\xc1\xc1\xc1",
        b"\x81\x05\x05",
        b"\x81\xa2id\xc1",
        b"\x81\xa2id\xd4\x01\x01",
    ];
    for bad in faults {
        let found = decode(Encoding::MessagePack, 1_000, &[bad, &good].concat());
        assert_eq!(found.len(), 2, "{bad:?} {found:?}");
        assert!(found[0].is_err());
        assert_eq!(found[1].as_ref().unwrap().id, "2");
    }
}

//! Tests requests as read by a server.

use super::*;

fn json(text: impl AsRef<[u8]>) -> Vec<Result<String, MalformedReason>> {
    decode(Encoding::Json, 1 << 20, text.as_ref())
        .into_iter()
        .map(|found| match found {
            Ok(message) => Ok(message.id + "=" + message.code.as_deref().unwrap_or("-")),
            Err(fault) => Err(fault.reason),
        })
        .collect()
}

/// Returns the requests that a server reads, whole, in pieces of 7 bytes and of 1.
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
            "at byte 18: expected a colon",
        ),
        (
            "{\"code\":tru}\n",
            "",
            "at byte 12: expected a number, a word",
        ),
        (
            "{\"id\":\"6\",\"code\":\"a\tb\"}\n",
            "6",
            "at byte 20: expected the rest of a string",
        ),
        (
            "{\"id\":\"7\",\"code\":\"\\x\"}\n",
            "7",
            "at byte 20: expected an escape",
        ),
        ("[1]\n", "", "at byte 1: expected an object"),
        ("\u{feff}{}\n", "", "at byte 1: expected an object"),
    ];
    for (text, id, what) in table {
        let found = requests(Encoding::Json, text.as_bytes());
        match (&found[..], what) {
            ([Ok(request)], "") => assert_eq!(request.id(), id),
            ([Err(fault)], _) => {
                assert_eq!(fault.id, id, "{text}");
                let why = fault.reason.to_string();
                assert!(
                    why.starts_with("malformed message") && why.contains(what),
                    "{text}: {why}"
                );
            }
            _ => panic!("{text}: {found:?}"),
        }
    }
}

#[test]
fn a_text_of_four_gigabytes_is_no_text_of_none() {
    // On a 32-bit machine, the length of this text is one less than the whole memory.
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

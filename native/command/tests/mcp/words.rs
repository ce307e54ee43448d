//! Tests the texts that a model reads: states, hints, errors, logs.

use std::{fs, path::Path};

use flylead_tests::boards::{Line, Recorder, exported};
use serde_json::{Value, json};

use crate::by_hand::{ByHand, wait_until};

const LOG: &str = "t,v\n0,1\n1,4\n";

/// A device that records, says `READY` a moment after `WAKE`, and has a log.
fn device() -> Recorder {
    Recorder::start(|line, port: &mut Line| match line.split_once(" run_id=") {
        Some(("EXPORT", "refused")) => port.say(b"SIZE=8\nt,v\n0,1\nwhat is this\n"),
        Some(("EXPORT", _)) => port.say(&exported(LOG.as_bytes())),
        Some(_) => port.say(b"OK: Recording\r\n"),
        None if line == "WAKE" => {
            port.say(b"one moment\r\n");
            port.rest(std::time::Duration::from_millis(50));
            port.say(b"now READY to go\r\nand more\r\n");
        }
        None => port.say(b"OK\r\n"),
    })
}

fn client(device: &Recorder, artifacts: &Path, more: &[&str]) -> ByHand {
    ByHand::start_with(device.path(), artifacts, more)
}

#[test]
fn after_a_new_start_nobody_is_told_of_the_run_before() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let port = json!({ "port": device.path() });
    let fetch = json!({ "port": device.path(), "run_id": "run001", "collect": true });
    let done = client.call("serial.request_export", &fetch);
    assert_eq!(client.call("serial.status", &port)["state"], "done");
    let write = |data: &str| json!({ "port": device.path(), "data": data });
    client.call("serial.write", &write("START run_id=run002"));
    let next = client.call("monitor_read_next", &port);
    assert_eq!(
        (&next["state"], &next["run_id"]),
        (&json!("recording"), &json!("run002")),
        "{next}"
    );
    assert_eq!(next["path"], Value::Null);
    // Who asks for the export by its name still gets it.
    let old = client.call(
        "monitor_read_next",
        &json!({ "export_id": done["export_id"] }),
    );
    assert_eq!(old["state"], "done");
    client.call("serial.write", &write("STOP"));
    assert_eq!(client.call("serial.status", &port)["state"], "open");
}

#[test]
fn a_write_says_how_its_answer_is_read_and_takes_bytes_as_numbers() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let written = client.call(
        "serial.write",
        &json!({ "port": device.path(), "data": [83, 84, 79, 80] }),
    );
    assert_eq!(
        (&written["bytes_written"], &written["hint"]),
        (&json!(5), &json!("monitor_read_next"))
    );
    let port = json!({ "port": device.path() });
    client.call_until("monitor_read_next", &port, |read| {
        read["lines"] == json!(["OK"])
    });
    assert_eq!(device.received(), ["STOP"]);
}

#[test]
fn a_text_is_waited_for_with_a_time_out() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let wait = |text: &str, send: Value, timeout_s: u32| {
        let mut wait = json!({ "port": device.path(), "text": text, "timeout_s": timeout_s });
        if !send.is_null() {
            wait["send"] = send;
        }
        wait
    };
    let found = client.call("serial.wait_for", &wait("READY", json!("WAKE"), 50));
    assert_eq!(
        found["lines"],
        json!(["one moment", "now READY to go"]),
        "{found}"
    );
    // Only what comes after the command is looked at.
    let again = client.call("serial.wait_for", &wait("READY", json!("WAKE"), 50));
    assert_eq!(
        (&again["found"], &again["lines"][1]),
        (&json!(true), &json!("one moment")),
        "{again}"
    );
    let missing = client.call("serial.wait_for", &wait("never said", Value::Null, 1));
    assert_eq!(
        (&missing["ok"], &missing["found"]),
        (&json!(true), &json!(false)),
        "{missing}"
    );
    let port = json!({ "port": device.path() });
    client.call_until("monitor_read_next", &port, |read| {
        read["lines"] == json!(["and more"])
    });
}

#[test]
fn a_regular_expression_is_waited_for_and_a_wrong_one_is_explained() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let mut wait = json!({ "port": device.path(), "text": "^now [A-Z]+", "regex": true, "send": "WAKE", "timeout_s": 50 });
    let found = client.call("serial.wait_for", &wait);
    assert_eq!(
        found["lines"],
        json!(["one moment", "now READY to go"]),
        "{found}"
    );
    assert_eq!(found["untrusted"], true);
    for (wrong, why) in [
        ("T=(", "regular expression"),
        ("x*", "nothing"),
        ("", "is empty"),
    ] {
        wait["text"] = json!(wrong);
        let error = client.call("serial.wait_for", &wait)["error"]["message"].clone();
        assert!(
            error.as_str().is_some_and(|it| it.contains(why)),
            "{wrong}: {error}"
        );
    }
}

/// "Measure for a while and give me the CSV": one call, after the ports were listed.
#[test]
fn one_call_records_and_fetches_and_a_device_that_refuses_is_quoted() {
    let artifacts = tempfile::tempdir().unwrap();
    let recorder = device();
    let mut client = client(&recorder, artifacts.path(), &[]);
    let measure = json!({ "port": recorder.path(), "run_id": "run001", "record_s": 1 });
    let done = client.call("serial.request_export", &measure);
    assert_eq!(
        (&done["state"], &done["proven"]),
        (&json!("done"), &json!(true)),
        "{done}"
    );
    assert_eq!(
        fs::read_to_string(done["path"].as_str().unwrap()).unwrap(),
        LOG
    );
    let said = recorder.received();
    assert_eq!(said[..2], ["START run_id=run001", "STOP"], "{said:?}");
    assert!(said[2].starts_with("EXPORT run_id=run001"), "{said:?}");

    let long = json!({ "port": recorder.path(), "run_id": "run001", "record_s": 600 });
    let refused = client.call("serial.request_export", &long)["error"]["message"].clone();
    assert!(
        refused.as_str().is_some_and(|it| it.contains("at most 40")),
        "{refused}"
    );
    // A run that somebody else records is not ended for another one.
    let start = json!({ "port": recorder.path(), "data": "START run_id=theirs" });
    client.call("serial.write", &start);
    let refused = client.call("serial.request_export", &measure);
    assert_eq!(refused["error"]["code"], "recording", "{refused}");
    assert_eq!(
        recorder.received().last().map(String::as_str),
        Some("START run_id=theirs")
    );

    let full = Recorder::start(|line, port: &mut Line| {
        port.say(if line == "STOP" {
            b"OK\r\n"
        } else {
            b"ERROR: no SD card\r\n"
        });
    });
    let mut client = self::client(&full, artifacts.path(), &[]);
    let measure = json!({ "port": full.path(), "run_id": "run002", "record_s": 40 });
    let refused = client.call("serial.request_export", &measure)["error"].clone();
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("ERROR: no SD card"), "{refused}");
    assert_eq!(
        (&refused["code"], &refused["untrusted"]),
        (&json!("device"), &json!(true))
    );
    // The refusal does not wait for the device to read the last line.
    wait_until("the run is ended", || {
        full.received() == ["START run_id=run002", "STOP"]
    });
}

#[test]
fn the_newest_of_many_runs_is_listed_first_and_all_are_listed() {
    let artifacts = tempfile::tempdir().unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for run in 0..450 {
        let folder = artifacts.path().join(format!("run{run:03}/sd"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("log.csv"), LOG).unwrap();
        if run != 7 {
            let log = fs::File::options().write(true).open(folder.join("log.csv"));
            log.unwrap().set_modified(old).unwrap();
        }
    }
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let (mut listed, mut page) = (Vec::new(), json!({}));
    loop {
        let answer = client.request("resources/list", &page)["result"].clone();
        let resources = answer["resources"].as_array().expect("a list");
        listed.extend(
            resources
                .iter()
                .map(|log| log["uri"].as_str().unwrap().to_owned()),
        );
        if answer["nextCursor"].is_null() {
            break;
        }
        page = json!({ "cursor": answer["nextCursor"] });
    }
    assert_eq!(listed[0], "flylead://runs/run007/log.csv");
    let all: std::collections::BTreeSet<_> = listed.iter().collect();
    assert_eq!((listed.len(), all.len()), (450, 450));
}

#[test]
fn prompts_for_usual_work_are_offered() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &["--tool-names=underscore"]);
    let listed = client.request("prompts/list", &json!({}))["result"]["prompts"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    let fill =
        json!({ "name": listed[0]["name"], "arguments": { "port": "COM7", "seconds": "5" } });
    let filled =
        client.request("prompts/get", &fill)["result"]["messages"][0]["content"]["text"].clone();
    let filled = filled.as_str().expect("a text");
    assert!(
        filled.contains("COM7") && filled.contains("serial_request_export"),
        "{filled}"
    );
}

#[test]
fn a_saved_log_comes_with_its_head_and_statistics_and_is_a_resource() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let fetch = json!({ "port": device.path(), "run_id": "run001", "collect": true });
    let id = client.ask_tool("serial.request_export", &fetch);
    let result = client.answer(id)["result"].clone();
    let done = &result["structuredContent"];
    assert_eq!(done["log"]["head"], json!(["t,v", "0,1", "1,4"]), "{done}");
    assert_eq!(done["log"]["columns"]["v"]["mean"], 2.5);
    assert_eq!(done["proven"], true);
    let uri = &done["resource"];
    let link = &result["content"][1];
    assert_eq!(
        (&link["type"], &link["uri"]),
        (&json!("resource_link"), uri)
    );
    let listed = client.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], *uri);
    let read = client.request("resources/read", &json!({ "uri": uri }));
    assert_eq!(read["result"]["contents"][0]["text"], LOG);
    let summary = format!("{}/summary", uri.as_str().unwrap());
    let read = client.request("resources/read", &json!({ "uri": summary }));
    let text = read["result"]["contents"][0]["text"]
        .as_str()
        .expect("a text");
    let summary: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(
        (&summary["log"]["rows"], &summary["manifest"]["integrity"]),
        (&json!(2), &json!("crc32"))
    );
    let unknown = client.request("resources/read", &json!({ "uri": "file:///etc/passwd" }));
    assert!(unknown["error"].is_object(), "{unknown}");
}

#[test]
fn a_refused_log_says_what_takes_it_and_is_taken_by_that() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let mut fetch = json!({ "port": device.path(), "run_id": "refused", "collect": true });
    let refused = client.call("serial.request_export", &fetch);
    let error = &refused["error"];
    assert_eq!(
        (&error["code"], &error["accept"]),
        (&json!("trailing_data"), &json!(["tail"])),
        "{refused}"
    );
    let kept = error["kept"].as_str().expect("it is kept");
    assert_eq!(fs::read_to_string(kept).unwrap(), "t,v\n0,1\n");
    fetch["accept"] = error["accept"].clone();
    let taken = client.call("serial.request_export", &fetch);
    assert_eq!(
        (&taken["state"], &taken["proven"]),
        (&json!("done"), &json!(false)),
        "{taken}"
    );
    assert!(taken["warnings"].to_string().contains("tail"), "{taken}");
}

#[test]
fn errors_speak_of_the_tools_and_never_of_the_programming_language() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &["--allow-port", "/dev/null"]);
    let port = device.path();
    let cases = [
        (
            "serial.write",
            json!({ "port": port, "data": 5 }),
            "data must be a string",
        ),
        (
            "serial.write",
            json!({ "port": port, "text": "STOP" }),
            "there is no argument text",
        ),
        ("serial.write", json!({ "port": port }), "data is missing"),
        (
            "serial.write",
            json!({ "port": port, "data": "x", "baud": "fast" }),
            "whole number",
        ),
        (
            "serial.request_export",
            json!({ "port": port, "run_id": 5 }),
            "run_id must be a string",
        ),
        (
            "serial.wait_for",
            json!({ "port": port, "text": "" }),
            "text is empty",
        ),
        (
            "monitor_read_next",
            json!({}),
            "give an export_id or a port",
        ),
    ];
    for (tool, arguments, expected) in cases {
        let fault = client.call(tool, &arguments)["error"].clone();
        let message = fault["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{tool} {arguments}: {message}");
        assert!(
            !message.contains("untagged") && !message.contains("variant"),
            "{message}"
        );
        assert_eq!(
            (&fault["code"], &fault["retryable"]),
            (&json!("bad_argument"), &json!(false))
        );
    }
    let null = client.call("serial.write", &json!({ "port": "/dev/null", "data": "x" }));
    assert_eq!(
        (&null["error"]["code"], &null["error"]["retryable"]),
        (&json!("port"), &json!(false)),
        "{null}"
    );
}

#[test]
fn with_underscores_every_text_names_the_tools_so() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let names = |client: &mut ByHand| {
        let tools = client.request("tools/list", &json!({}))["result"]["tools"].take();
        let tools = tools.as_array().expect("a list").clone();
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        tools.iter().map(name).collect::<Vec<_>>()
    };
    let dotted = names(&mut client(&device, artifacts.path(), &[]));
    assert!(dotted.contains(&"serial.write".to_owned()), "{dotted:?}");
    let more = ["--tool-names", "underscore"];
    let mut client = client(&device, artifacts.path(), &more);
    let port = json!({ "port": device.path() });
    let tool = |client: &mut ByHand, name: &str, arguments: &Value| {
        let id = client.ask_tool(name, arguments);
        client.answer(id)["result"].clone()
    };
    let closed = tool(&mut client, "monitor_read_next", &port);
    let nowhere = json!({ "port": "/dev/none", "data": "x" });
    let refusal = tool(&mut client, "serial_write", &nowhere);
    let fetch = json!({ "port": device.path(), "run_id": "refused", "collect": true });
    let doubt = tool(&mut client, "serial_request_export", &fetch);
    let texts = [
        client.introduction.clone(),
        client.request("tools/list", &json!({})),
        client.request("resources/templates/list", &json!({})),
        closed.clone(),
        refusal.clone(),
        doubt.clone(),
    ];
    for text in texts.map(|text| text.to_string()) {
        let dots: Vec<_> = dotted
            .iter()
            .filter(|name| name.contains('.') && text.contains(*name))
            .collect();
        assert!(dots.is_empty(), "{dots:?}: {text}");
    }
    for (text, name) in [
        (&client.introduction, "serial_request_export"),
        (&closed, "serial_wait_for"),
        (&refusal, "serial_list_ports"),
        (&doubt, "serial_request_export"),
    ] {
        assert!(text.to_string().contains(name), "{name}: {text}");
    }
}

#[test]
fn every_tool_is_called_by_its_name_with_underscores_too() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = device();
    let mut client = client(&device, artifacts.path(), &[]);
    let list = client.request("tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().expect("a list");
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"))
        .collect();
    for name in names {
        // Refused for its arguments, or done: either way it is known.
        let id = client.ask_tool(&name.replace('.', "_"), &json!({ "port": "/dev/none" }));
        let answer = client.answer(id);
        assert!(answer["result"].is_object(), "{name}: {answer}");
    }
    let unknown = client.ask_tool("serial_none", &json!({}));
    let unknown = client.answer(unknown);
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

//! Real boards: their programs, their files, and the person who is asked.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use flylead_tests::boards::{Faults, Microbit, UnixBoard, Wire};
use serde_json::{Value, json};

use crate::{
    FLYLEAD,
    by_hand::{ByHand, PATIENCE, wait_until},
    clients::run_board_client,
};

/// A board, and a server that may open it.
struct Setup {
    board: UnixBoard,
    /// The port between them.
    path: PathBuf,
    _wire: Option<Wire>,
    client: ByHand,
}

impl Setup {
    fn new() -> Self {
        Self::with(&[], None)
    }

    /// A board that Ctrl-C reaches: its programs are sent without raw-paste mode.
    fn interruptible() -> Self {
        let board = UnixBoard::start();
        let faults = Faults {
            no_raw_paste: true,
            ..Faults::default()
        };
        let wire = Wire::attach(board.path(), faults);
        let path = wire.path().to_owned();
        Self::at(board, path, Some(wire), &[], None)
    }

    fn with(more: &[&str], answer: Option<&'static str>) -> Self {
        let board = UnixBoard::start();
        let path = board.path().to_owned();
        Self::at(board, path, None, more, answer)
    }

    fn at(
        board: UnixBoard,
        path: PathBuf,
        wire: Option<Wire>,
        more: &[&str],
        answer: Option<&'static str>,
    ) -> Self {
        let mut command = Command::new(FLYLEAD);
        command.args(["mcp", "--artifacts", "/nowhere", "--port"]);
        let client = ByHand::run(command.arg(&path).args(more), answer);
        Self {
            board,
            path,
            _wire: wire,
            client,
        }
    }

    fn ask(&mut self, tool: &str, mut arguments: Value) -> u64 {
        arguments["port"] = json!(self.path);
        self.client.ask_tool(tool, &arguments)
    }

    /// Returns a tool's answer about this board.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.ask(tool, arguments);
        self.client.answer(id)["result"]["structuredContent"].clone()
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.board.flash().join(name)).unwrap_or_default()
    }

    /// Starts a program that moves something for as long as it runs, and waits until it does.
    fn start_actuator(&mut self) -> u64 {
        let code =
            "n = 0\nwhile True:\n  n += 1\n  with open('/flash/moves', 'w') as f: f.write(str(n))";
        let id = self.ask("board.exec", json!({ "code": code, "timeout_s": 3000 }));
        wait_until("it moves", || !self.file("moves").is_empty());
        id
    }

    /// Runs a program as soon as a call that was cancelled, and is not answered therefore, has let go of the port.
    fn exec_when_free(&mut self, code: &str) -> Value {
        let give_up = Instant::now() + PATIENCE;
        loop {
            let answer = self.call("board.exec", json!({ "code": code }));
            if answer["error"]["code"] != "busy" || Instant::now() > give_up {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until nothing moves any more. The program itself cannot tell that it ends: another Ctrl-C may end it amid that.
    fn wait_for_rest(&self) {
        wait_until("it rests", || {
            let before = self.file("moves");
            std::thread::sleep(Duration::from_millis(500));
            self.file("moves") == before
        });
    }
}

#[test]
fn a_program_whose_call_is_cancelled_is_interrupted() {
    let mut setup = Setup::interruptible();
    let id = setup.start_actuator();
    setup.client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    setup.wait_for_rest();
    let next = setup.exec_when_free("print(1)");
    assert_eq!(next["output"], "1\n", "{next}");
    // Another call may end it too.
    let id = setup.start_actuator();
    setup.call("serial.cancel", json!({}));
    let cancelled = setup.client.answer(id);
    assert_eq!(
        cancelled["result"]["structuredContent"]["error"]["code"], "cancelled",
        "{cancelled}"
    );
    setup.wait_for_rest();
}

#[test]
fn a_board_that_restarts_is_a_fault_of_its_own() {
    let mut setup = Setup::new();
    let id = setup.start_actuator();
    setup.board.reset();
    let answer = setup.client.answer(id)["result"]["structuredContent"].clone();
    assert_eq!(
        (&answer["ok"], &answer["error"]["code"]),
        (&json!(false), &json!("board_reset")),
        "{answer}"
    );
    let next = setup.call("board.exec", json!({ "code": "print(1)" }));
    assert_eq!(next["output"], "1\n", "{next}");
}

#[test]
fn a_client_that_ends_leaves_no_program_running() {
    let mut setup = Setup::interruptible();
    setup.start_actuator();
    setup.client.hang_up();
    setup.wait_for_rest();
    let limit = Instant::now() + PATIENCE;
    while setup
        .client
        .process
        .0
        .try_wait()
        .expect("it is ours")
        .is_none()
    {
        assert!(Instant::now() < limit, "the server does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn output_that_is_cut_is_marked_and_output_is_told_while_a_program_runs() {
    let mut setup = Setup::new();
    let code = "for i in range(3000): print('x' * 999)";
    let cut = setup.call("board.exec", json!({ "code": code, "timeout_s": 600 }));
    assert_eq!(
        (&cut["truncated"], &cut["ok"]),
        (&json!(true), &json!(true))
    );
    let output = cut["output"].as_str().expect("a text");
    assert_eq!((output.len(), &cut["bytes"]), (8000, &json!(3_000_000)));
    assert_eq!(cut["untrusted"], true);
    let uri = cut["resource"].as_str().expect("a resource");
    let mut read = |part: &str| {
        let address = format!("{uri}{part}");
        let read = setup
            .client
            .request("resources/read", &json!({ "uri": address }));
        read["result"]["contents"][0]["text"].clone()
    };
    assert_eq!(read("").as_str().map(str::len), Some(3_000_000));
    assert_eq!(read("/lines/1-1"), json!(format!("{}\n", "x".repeat(999))));
    assert_eq!(read("/grep/y"), json!(""));
    let listed = setup.client.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], *uri);
    let short = setup.call("board.exec", json!({ "code": "print(1)" }));
    assert_eq!(
        (&short["truncated"], &short["output"]),
        (&Value::Null, &json!("1\n"))
    );

    let code = "import time\nprint('begun')\ntime.sleep(2)\nprint('done')";
    let call = json!({ "name": "board.exec", "arguments": { "port": setup.path, "code": code }, "_meta": { "progressToken": 7 } });
    let id = setup.client.ask("tools/call", &call);
    let reported = setup.client.message();
    assert_eq!(reported["method"], "notifications/progress", "{reported}");
    assert_eq!(reported["params"]["message"], "begun\n");
    assert_eq!(
        setup.client.answer(id)["result"]["structuredContent"]["output"],
        "begun\ndone\n"
    );
}

#[test]
fn files_of_a_board_are_written_listed_read_and_removed() {
    let mut setup = Setup::new();
    let text = "it's \"quoted\"\r\n\u{4} 日本\n".repeat(1000);
    let name = "it's a.py";
    let written = setup.call("board.write_file", json!({ "path": name, "data": text }));
    assert_eq!(written, json!({ "ok": true, "bytes": text.len() }));
    assert_eq!(setup.file(name), text);
    let read = setup.call("board.read_file", json!({ "path": name }));
    assert_eq!(read["text"], json!(text));
    let binary = json!({ "path": "b", "data": { "base64": "/wAE" } });
    assert_eq!(setup.call("board.write_file", binary)["bytes"], 3);
    let read = setup.call("board.read_file", json!({ "path": "b" }));
    assert_eq!(
        (&read["base64"], &read["bytes"]),
        (&json!("/wAE"), &json!(3))
    );
    assert_eq!(
        setup.call("board.mkdir", json!({ "path": "lib/deep" })),
        json!({ "ok": true })
    );
    let listed = setup.call("board.list_files", json!({ "path": "/flash" }));
    assert_eq!(listed["files"], json!(["b", name, "lib/"]));
    assert_eq!(
        setup.call("board.remove", json!({ "path": "b" })),
        json!({ "ok": true })
    );
    let full = setup.call("board.remove", json!({ "path": "lib" }));
    assert_eq!(full["error"]["code"], "refused", "{full}");
    let all = setup.call("board.remove", json!({ "path": "lib", "recursive": true }));
    assert_eq!(all, json!({ "ok": true }));
    let listed = setup.call("board.list_files", json!({ "path": "/flash" }));
    assert_eq!(listed["files"], json!([name]));
}

#[test]
fn what_the_board_refuses_is_a_fault_and_the_board_works_on() {
    let mut setup = Setup::new();
    for tool in ["board.read_file", "board.list_files", "board.remove"] {
        let answer = setup.call(tool, json!({ "path": "none" }));
        assert_eq!(
            (&answer["ok"], &answer["error"]["code"]),
            (&json!(false), &json!("refused"))
        );
    }
    fs::write(setup.board.flash().join("long"), vec![0; 1024 * 1024 + 1]).unwrap();
    let answer = setup.call("board.read_file", json!({ "path": "long" }));
    assert_eq!(answer["error"]["code"], "bad_argument");
    let raised = setup.call("board.exec", json!({ "code": "1/0" }));
    assert_eq!(
        (&raised["error"]["code"], &raised["error"]["retryable"]),
        (&json!("raised"), &json!(false))
    );
    let done = setup.call("board.exec", json!({ "code": "print(1)" }));
    assert_eq!(done["output"], "1\n");
}

#[test]
fn a_soft_reset_forgets_everything() {
    let mut setup = Setup::new();
    setup.call("board.exec", json!({ "code": "x = 1" }));
    assert_eq!(setup.call("board.reset", json!({})), json!({ "ok": true }));
    let forgotten = setup.call("board.exec", json!({ "code": "print('x' in globals())" }));
    assert_eq!(forgotten["output"], "False\n");
    // This port of MicroPython has no machine.reset().
    let hard = setup.call("board.reset", json!({ "hard": true }));
    assert_eq!(hard["ok"], false, "{hard}");
}

/// "Find out why main.py fails": the restart says it.
#[test]
fn a_restart_that_is_listened_to_tells_how_main_fails_and_leaves_it_running() {
    let board = Microbit::start();
    let mut command = Command::new(FLYLEAD);
    command.args(["mcp", "--artifacts", "/nowhere", "--port"]);
    let mut client = ByHand::run(command.arg(board.path()), None);
    let mut call = |tool: &str, mut arguments: Value| {
        arguments["port"] = json!(board.path());
        client.call(tool, &arguments)
    };
    let main = "print('begun')\nprint(1 / 0)\n";
    let written = call(
        "board.write_file",
        json!({ "path": "main.py", "data": main }),
    );
    assert_eq!(written["ok"], true, "{written}");
    let heard = call("board.reset", json!({ "listen_s": 3 }));
    let output = heard["output"].as_str().expect("a text");
    assert!(
        output.contains("begun") && output.contains("ZeroDivisionError"),
        "{heard}"
    );
    assert_eq!(heard["untrusted"], true);
    let both = call("board.reset", json!({ "hard": true, "listen_s": 3 }));
    assert_eq!(both["error"]["code"], "bad_argument", "{both}");
}

#[test]
fn a_program_in_the_background_goes_on_is_read_and_is_ended() {
    let mut setup = Setup::interruptible();
    let code =
        "import time\nn = 0\nwhile True:\n    n += 1\n    print('beat', n)\n    time.sleep(0.2)\n";
    let begun = setup.call(
        "board.exec",
        json!({ "code": code, "background": true, "timeout_s": 1 }),
    );
    assert_eq!(
        (&begun["ok"], &begun["running"]),
        (&json!(true), &json!(true)),
        "{begun}"
    );
    assert!(
        begun["output"].as_str().unwrap().starts_with("beat 1"),
        "{begun}"
    );
    assert_eq!(setup.call("serial.status", json!({}))["state"], "running");
    let later = setup.call("serial.wait_for", json!({ "text": "beat 12" }));
    assert_eq!(later["found"], true, "{later}");
    setup.call("serial.cancel", json!({}));
    assert_eq!(setup.call("serial.status", json!({}))["state"], "open");
    let said = setup.call(
        "serial.wait_for",
        json!({ "text": ">>> " , "timeout_s": 5 }),
    );
    assert_eq!(said["found"], true, "it is at its prompt again: {said}");
    let known = setup.call("board.exec", json!({ "code": "print('after', n > 11)" }));
    assert_eq!(known["output"], "after True\n", "{known}");
    let short = setup.call(
        "board.exec",
        json!({ "code": "print(1)", "background": true }),
    );
    assert_eq!(
        (&short["output"], &short["running"]),
        (&json!("1\n"), &json!(null)),
        "{short}"
    );
}

#[test]
fn a_folder_is_copied_to_a_board_and_only_what_differs_and_nothing_from_outside() {
    let here = tempfile::tempdir().unwrap();
    fs::create_dir_all(here.path().join("app/lib/deep")).unwrap();
    fs::write(here.path().join("app/main.py"), "print(1)\n").unwrap();
    fs::write(here.path().join("app/lib/deep/a.py"), "2\n").unwrap();
    let mut setup = Setup::with(&["--files", &here.path().display().to_string()], None);
    let sync = |delete: bool| json!({ "folder": "app", "target": "/flash", "delete": delete });
    let first = setup.call("board.sync", sync(false));
    assert_eq!(
        first["written"],
        json!(["lib/deep/a.py", "main.py"]),
        "{first}"
    );
    assert_eq!(
        (setup.file("main.py"), setup.file("lib/deep/a.py")),
        ("print(1)\n".into(), "2\n".into())
    );
    fs::write(setup.board.flash().join("old.py"), "old").unwrap();
    fs::write(here.path().join("app/main.py"), "print(3)\n").unwrap();
    let second = setup.call("board.sync", sync(true));
    let counts = (&second["written"], &second["removed"], &second["unchanged"]);
    assert_eq!(
        counts,
        (&json!(["main.py"]), &json!(["old.py"]), &json!(1)),
        "{second}"
    );
    for folder in ["..", "/etc"] {
        let refused = setup.call("board.sync", json!({ "folder": folder }));
        assert_eq!(refused["error"]["code"], "folder_refused", "{refused}");
    }
    let mut other = Setup::new();
    let refused = other.call("board.sync", sync(false));
    assert_eq!(refused["error"]["code"], "folder_refused");
}

#[test]
fn a_package_is_installed() {
    let package = tempfile::tempdir().unwrap();
    let manifest = json!({ "urls": [["tool/run.py", "run.py"]], "version": "1" });
    fs::write(package.path().join("package.json"), manifest.to_string()).unwrap();
    fs::write(package.path().join("run.py"), "print('run')\n").unwrap();
    let mut setup = Setup::new();
    let install = json!({ "package": package.path().join("package.json"), "target": "/flash/lib" });
    let installed = setup.call("board.install", install.clone());
    assert_eq!(
        installed["written"],
        json!(["/flash/lib/tool/run.py"]),
        "{installed}"
    );
    assert_eq!(setup.file("lib/tool/run.py"), "print('run')\n");
    assert_eq!(setup.call("board.install", install)["unchanged"], 1);
    let none = setup.call("board.install", json!({ "package": "no-such-package" }));
    assert_eq!(none["error"]["code"], "package", "{none}");
}

#[test]
fn the_person_is_asked_before_something_is_run_or_erased() {
    let mut setup = Setup::with(&[], Some("decline"));
    fs::write(setup.board.flash().join("keep.py"), "mine").unwrap();
    let cases = [
        (
            "board.exec",
            json!({ "code": "open('/flash/ran', 'w')" }),
            "open('/flash/ran', 'w')",
        ),
        (
            "board.remove",
            json!({ "path": "/flash/keep.py" }),
            "/flash/keep.py is to be removed",
        ),
        (
            "board.write_file",
            json!({ "path": "/flash/keep.py", "data": "" }),
            "is to be replaced",
        ),
        ("board.reset", json!({}), "is to be reset"),
        (
            "board.install",
            json!({ "package": "none" }),
            "is to be installed",
        ),
    ];
    for (tool, arguments, question) in cases {
        let declined = setup.call(tool, arguments);
        assert_eq!(declined["error"]["code"], "declined", "{tool}: {declined}");
        let asked = setup.client.asked.pop().expect("the person was asked");
        assert!(asked.contains(question), "{asked}");
    }
    assert_eq!(
        (
            setup.file("keep.py").as_str(),
            setup.board.flash().join("ran").exists()
        ),
        ("mine", false)
    );
    // Nobody is asked for what harms nothing.
    assert_eq!(
        setup.call("board.write_file", json!({ "path": "new.txt", "data": "" }))["ok"],
        true
    );
    assert_eq!(
        setup.call("board.list_files", json!({ "path": "" }))["ok"],
        true
    );
    assert_eq!(setup.client.asked, Vec::<String>::new());

    let mut setup = Setup::with(&[], Some("accept"));
    assert_eq!(
        setup.call("board.exec", json!({ "code": "print(1)" }))["output"],
        "1\n"
    );
    assert_eq!(setup.client.asked.len(), 1);
    let mut setup = Setup::with(&["--no-confirm"], Some("decline"));
    assert_eq!(
        setup.call("board.exec", json!({ "code": "print(1)" }))["output"],
        "1\n"
    );
}

/// A yes for a session counts for its tool and its port, and not where a run would be disturbed.
#[test]
fn a_person_who_ticks_the_box_is_asked_once_for_each_tool() {
    let mut setup = Setup::with(&[], Some("accept"));
    setup.client.ticks = true;
    let exec = |setup: &mut Setup| setup.call("board.exec", json!({ "code": "print(1)" }));
    for _ in 0..3 {
        assert_eq!(exec(&mut setup)["output"], "1\n");
    }
    assert_eq!(setup.client.asked.len(), 1, "{:?}", setup.client.asked);
    setup.call("board.reset", json!({}));
    setup.call("board.reset", json!({}));
    assert_eq!(setup.client.asked.len(), 2, "{:?}", setup.client.asked);
    // More than a reset of the interpreter was not agreed to, and a folder with all that is in it is asked about each time.
    setup.call("board.reset", json!({ "listen_s": 1 }));
    assert_eq!(setup.client.asked.len(), 3, "{:?}", setup.client.asked);
    for asked in 4..6 {
        setup.call("board.mkdir", json!({ "path": "/flash/old" }));
        let remove = json!({ "path": "/flash/old", "recursive": true });
        assert_eq!(setup.call("board.remove", remove)["ok"], true);
        assert_eq!(setup.client.asked.len(), asked, "{:?}", setup.client.asked);
    }
    setup.client.ticks = false;
    exec(&mut setup);
    assert_eq!(setup.client.asked.len(), 5, "{:?}", setup.client.asked);
}

/// Tries all tools that could do it: a prompt runs its input, and a new `main.py` runs at the next
/// start.
#[test]
fn no_tool_gets_code_to_run_that_the_person_declined() {
    let here = tempfile::tempdir().unwrap();
    fs::create_dir(here.path().join("app")).unwrap();
    fs::write(here.path().join("app/main.py"), CODE).unwrap();
    let mut setup = Setup::with(
        &["--files", &here.path().display().to_string()],
        Some("decline"),
    );
    let runs = [
        ("serial.write", json!({ "data": CODE })),
        ("serial.write", json!({ "data": [3, 4] })),
        (
            "serial.write",
            json!({ "data": "STOP\rimport os", "append_newline": false }),
        ),
        (
            "serial.wait_for",
            json!({ "send": CODE, "text": ">>>", "timeout_s": 5 }),
        ),
        ("board.exec", json!({ "code": CODE })),
        ("board.reset", json!({})),
        ("board.reset", json!({ "listen_s": 1 })),
        (
            "board.write_file",
            json!({ "path": "/flash/main.py", "data": CODE }),
        ),
        ("board.sync", json!({ "folder": "app", "target": "/flash" })),
        ("board.install", json!({ "package": "none" })),
        ("board.remove", json!({ "path": "/flash/keep.py" })),
    ];
    let harmless = [
        "serial.list_ports",
        "serial.request_export",
        "monitor_read_next",
        "serial.status",
        "serial.cancel",
        "board.list_files",
        "board.read_file",
        "board.mkdir",
    ];
    fs::write(setup.board.flash().join("keep.py"), "mine").unwrap();
    for (tool, arguments) in &runs {
        let declined = setup.call(tool, arguments.clone());
        assert_eq!(
            declined["error"]["code"], "declined",
            "{tool} {arguments}: {declined}"
        );
        assert!(
            setup.client.asked.pop().is_some(),
            "{tool}: nobody was asked"
        );
    }
    // Nothing arrived: a board that got any of it would have made a file, or lost one.
    let listed = setup.call("board.list_files", json!({ "path": "/flash" }));
    assert_eq!(listed["files"], json!(["keep.py"]), "{listed}");
    assert_eq!(setup.client.asked, Vec::<String>::new());
    // A tool that is new has to say on which side it is.
    let known: Vec<_> = runs.iter().map(|(tool, _)| *tool).chain(harmless).collect();
    for tool in setup.client.tools() {
        let name = tool["name"].as_str().expect("a name");
        assert!(known.contains(&name), "{name}");
        let reads_only = tool["annotations"]["readOnlyHint"] == true;
        let may = !name.starts_with("board.") && harmless.contains(&name);
        assert!(may || !reads_only, "{name} is called unasked by clients");
    }
}

const CODE: &str = "open('/flash/ran', 'w').close()";

/// The echo of a command holds its text before the command has run.
#[test]
fn a_text_that_is_waited_for_is_not_the_echo_of_what_was_sent() {
    let mut setup = Setup::new();
    let wait = |text: &str, send: &str| json!({ "text": text, "send": send, "timeout_s": 50 });
    setup.call("serial.wait_for", wait(">>>", ""));
    let slow = "import time; time.sleep(1); print('READY')";
    let found = setup.call("serial.wait_for", wait("READY", slow));
    let lines = found["lines"].as_array().expect("lines");
    assert_eq!(lines.last(), Some(&json!("READY")), "{found}");
    assert_eq!(found["found"], true);
    // So it is when another call sent it.
    setup.call("serial.write", json!({ "data": slow }));
    let found = setup.call(
        "serial.wait_for",
        json!({ "text": "READY", "timeout_s": 50 }),
    );
    let lines = found["lines"].as_array().expect("lines");
    assert_eq!(lines.last(), Some(&json!("READY")), "{found}");
}

/// By an answer and a second call, as the revision of 2026-07-28 has it.
#[test]
fn fastmcp_asks_its_person_too() {
    let board = UnixBoard::start();
    run_board_client(board.path());
}

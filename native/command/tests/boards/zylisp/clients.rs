//! Clients that others wrote, at `flylead repl-server`.

use std::{path::Path, process::Stdio};

use flylead_tests::{
    boards::{command, venv},
    editors::{PYTHON, work_with_cider, work_with_conjure},
};
use tokio::{io::AsyncWriteExt, process::Command};

use super::{desk::Desk, ended};

/// Output of a client that others wrote, given the port and this input.
async fn client(mut command: Command, input: &str) -> String {
    let mut client = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = client.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let (code, stdout, stderr) = ended(client).await;
    assert_eq!(code, 0, "{stdout}{stderr}");
    stdout
}

#[tokio::test]
async fn the_repl_of_clojure_and_the_client_of_pypi_use_a_board() {
    let mut desk = Desk::start().await;
    let port = desk.address.rsplit_once(':').unwrap().1.to_owned();
    desk.eval("shared = 'board'").await;

    let jars = ["nrepl", "clojure", "spec.alpha", "core.specs.alpha"];
    let jars = jars.map(|jar| format!("/usr/share/java/{jar}.jar"));
    let mut java = Command::new(command("java"));
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
        .arg(jars.join(":"))
        .args(["clojure.main", "-m", "nrepl.cmdline", "--connect"])
        .args(["--host", "127.0.0.1", "--port", &port]);
    let shown = client(java, "shared\n").await;
    assert!(shown.contains("user=> 'board'"), "{shown}");

    let mut python = Command::new(venv().join("bin/python"));
    python.arg("-").arg(&port);
    let shown = client(python, PYPI).await;
    assert_eq!(shown, "value 42\nread Ada\nex ZeroDivisionError line 2\n");
}

#[tokio::test]
async fn the_client_of_npm_uses_every_operation_that_a_board_advertises() {
    let desk = Desk::start().await;
    let port = desk.address.rsplit_once(':').unwrap().1.to_owned();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut node = Command::new(command("node"));
    node.arg(tests.join("tests/zylisp/nrepl_board.js"))
        .arg(tests.join("../../tests/clients/nrepl/node_modules"))
        .arg(port);
    let shown = client(node, "").await;
    let expected = "\
ops clone close complete completions describe eldoc eval info interrupt load-file lookup ls-sessions stdin
eval héllo 42
load-file 21
completions double
complete double
eldoc n
info Twice.
lookup (n) Twice.
needs input true
stdin 'read Ada'
interrupt true
ls-sessions true
close session-closed,done
refused 
";
    assert_eq!(shown, expected);
}

const PYPI: &str = r#"
import queue, sys, nrepl
connection = nrepl.WatchableConnection(nrepl.connect("nrepl://127.0.0.1:" + sys.argv[1]))
messages = queue.Queue()
connection.watch("all", {}, lambda message, *_: messages.put(message))
def until(key):
    while True:
        message = messages.get(timeout=300)
        if key in message or key in message.get("status", []):
            return message
connection.send({"op": "clone", "id": "1"})
session = until("new-session")["new-session"]
connection.send({"op": "eval", "id": "2", "session": session, "code": "n = 6\nn * 7"})
print("value", until("value")["value"])
connection.send({"op": "eval", "id": "3", "session": session, "code": "'read ' + input()"})
until("need-input")
connection.send({"op": "stdin", "id": "4", "session": session, "stdin": "Ada\n"})
print(until("value")["value"].strip("'"))
connection.send({"op": "eval", "id": "5", "session": session, "code": "1\n1/0"})
failed = until("ex")
print("ex", failed["ex"], "line", failed["line"])
"#;

#[tokio::test]
async fn cider_and_conjure_can_use_every_operation_that_they_use_on_a_board() {
    let desk = Desk::start().await;
    let address = desk.address.clone();
    let work = tokio::task::spawn_blocking(move || {
        work_with_cider(&address, PYTHON);
        work_with_conjure(&address, PYTHON);
    });
    work.await.unwrap();
}

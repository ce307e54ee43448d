//! `flylead zylisp` as a person or a script sees it: exit codes, what goes to stdout and stderr, signals, a terminal.
#![cfg(unix)]

use std::{path::Path, process::Stdio, time::Duration};

use flylead::zylisp::{Address, Client, ReplyOutcome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

const FOREVER: &str = "(println \"ready\") (define f (lambda () (f))) (f)";

fn flylead(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("zylisp")
        .args(words)
        .env_remove("FLYLEAD_ZYLISP_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The exit code, stdout, stderr.
type Told = (i32, String, String);

async fn run(words: &[&str]) -> Told {
    ended(flylead(words).spawn().unwrap()).await
}

async fn ended(child: Child) -> Told {
    let output = timeout(PATIENCE, child.wait_with_output())
        .await
        .expect("it ends by itself")
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().expect("it was not killed"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn said(code: i32, stdout: &str, stderr: &str) -> Told {
    (code, stdout.into(), stderr.into())
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id().expect("it runs")).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// A server of the command line.
struct Serving {
    child: Child,
    _stdout: Lines<BufReader<ChildStdout>>,
    addresses: Vec<String>,
}

impl Serving {
    async fn start(addresses: &[&str], options: &[&str]) -> Self {
        let mut child = flylead(&[&["serve"], addresses, options].concat())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut listening = Vec::new();
        for _ in addresses {
            let line = timeout(PATIENCE, stdout.next_line())
                .await
                .unwrap()
                .unwrap();
            let line = line.expect("it says where it listens");
            listening.push(line.strip_prefix("listening on ").unwrap().to_owned());
        }
        Self {
            child,
            _stdout: stdout,
            addresses: listening,
        }
    }

    fn address(&self) -> &str {
        &self.addresses[0]
    }

    async fn client(&self) -> Client {
        let address: Address = self.address().parse().unwrap();
        Client::connect(&address).await.unwrap()
    }

    /// Stops it, and says how it ended.
    async fn stop(self) -> Told {
        signal(&self.child, Signal::TERM);
        ended(self.child).await
    }
}

#[tokio::test]
async fn values_go_to_stdout_errors_to_stderr_and_the_exit_code_tells_them_apart() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.zylisp"), "(define a 1)\n(+ a 1)").unwrap();
    let root = folder.path().to_str().unwrap();
    let server = Serving::start(&["127.0.0.1:0"], &["--root", root]).await;
    let address = server.address();
    let table: &[(&[&str], Told)] = &[
        (&["eval", address, "(+ 1 2)"], said(0, "3\n", "")),
        (
            &["eval", address, "(println \"a\") (list 1 \"b\" (quote c))"],
            said(0, "a\n(1 \"b\" c)\n", ""),
        ),
        (
            &["eval", address, "(println \"a\") (/ 1 0)"],
            said(1, "a\n", "arithmetic-error: division by zero\n"),
        ),
        (
            &["eval", address, "--json", "(println \"a\") (/ 1 0)"],
            said(
                1,
                "{\"error\":{\"message\":\"division by zero\",\"type\":\"arithmetic-error\"},\"output\":\"a\\n\"}\n",
                "",
            ),
        ),
        (&["load", address, "two.zylisp"], said(0, "2\n", "")),
        (
            &["load", address, "../secret"],
            said(
                5,
                "",
                "refused: no such file below the server's folders: ../secret\n",
            ),
        ),
        (&["eval", "in-process", "(* 6 7)"], said(0, "42\n", "")),
    ];
    for (words, expected) in table {
        assert_eq!(run(words).await, *expected, "{words:?}");
    }
    assert_eq!(run(&["eval", "127.0.0.1:9", "1"]).await.0, 3);
    assert_eq!(run(&["eval", "nonsense", "1"]).await.0, 2);
    let (code, _, stderr) = run(&["eval", "--codec", "msgpack", address, "1"]).await;
    assert_eq!(code, 4);
    assert!(stderr.contains("cannot read"), "{stderr}");
    assert_eq!(server.stop().await.0, 0);
}

#[tokio::test]
async fn one_server_listens_on_every_address_and_takes_its_socket_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("repl.sock");
    let addresses = ["127.0.0.1:0", socket.to_str().unwrap(), "ws://127.0.0.1:0"];
    for codec in ["json", "msgpack"] {
        let server = Serving::start(&addresses, &["--codec", codec]).await;
        for address in &server.addresses {
            assert_eq!(
                run(&["eval", "--codec", codec, address, "(+ 1 2)"]).await,
                said(0, "3\n", ""),
                "{address} {codec}"
            );
        }
        let described = run(&["describe", "--codec", codec, &server.addresses[1]]).await;
        let data: Json = serde_json::from_str(&described.1).unwrap();
        let transports = json!(["in-process", "tcp", "unix", "websocket"]);
        assert_eq!(
            (&data["transports"], &data["encoding"]),
            (&transports, &codec.into())
        );
        assert!(socket.exists());
        let (code, _, stderr) = server.stop().await;
        assert_eq!(code, 0, "{stderr}");
        assert!(!socket.exists());
    }
}

#[tokio::test]
async fn beyond_this_computer_a_token_is_needed_and_a_wrong_one_is_refused() {
    let (code, stdout, stderr) = run(&["serve", "0.0.0.0:0"]).await;
    assert_eq!((code, stdout.as_str()), (3, ""));
    assert!(stderr.contains("needs a token"), "{stderr}");
    let mut empty = flylead(&["serve", "0.0.0.0:0"]);
    empty.env("FLYLEAD_ZYLISP_TOKEN", "");
    assert_eq!(ended(empty.spawn().unwrap()).await, (code, stdout, stderr));
    let server = Serving::start(&["127.0.0.1:0"], &["--token", "secret"]).await;
    let address = server.address();
    assert_eq!(run(&["eval", address, "1"]).await.0, 5);
    assert_eq!(run(&["eval", "--token", "wrong", address, "1"]).await.0, 5);
    let right = run(&["eval", "--token", "secret", address, "1"]).await;
    assert_eq!(right, said(0, "1\n", ""));
}

#[tokio::test]
async fn ctrl_c_and_the_end_of_the_time_interrupt_what_runs_on_the_server() {
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let mut child = flylead(&["eval", server.address(), FOREVER])
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    let stdout = child.stdout.as_mut().unwrap();
    timeout(PATIENCE, stdout.read_exact(&mut ready))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&ready, b"ready\n", "output comes while it runs");
    signal(&child, Signal::INT);
    assert_eq!(ended(child).await, said(130, "", "interrupted\n"));
    let (code, stdout, _) = run(&["eval", "--timeout", "1", server.address(), FOREVER]).await;
    assert_eq!((code, stdout.as_str()), (130, "ready\n"));
}

#[tokio::test]
async fn another_shell_interrupts_a_session_by_its_name() {
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let client = server.client().await;
    let session = client.describe().await.unwrap().data["session"].clone();
    let session = session.as_str().unwrap();
    let mut running = client.start(FOREVER).await.unwrap();
    let output = timeout(PATIENCE, running.next_output()).await.unwrap();
    assert_eq!(output.as_deref(), Some("ready\n"));
    let interrupt = ["interrupt", server.address(), session];
    assert_eq!(run(&interrupt).await, said(0, "done\n", ""));
    let reply = timeout(PATIENCE, running.reply()).await.unwrap().unwrap();
    assert_eq!(reply.outcome, ReplyOutcome::Interrupted);
    assert_eq!(run(&interrupt).await, said(0, "done session-idle\n", ""));
}

#[tokio::test]
async fn a_server_that_is_told_to_end_answers_what_runs() {
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let client = server.client().await;
    let fib = "(println \"ready\") (define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))) (fib 24)";
    let mut running = client.start(fib).await.unwrap();
    assert!(running.next_output().await.is_some());
    let (reply, stopped) = tokio::join!(timeout(PATIENCE, running.reply()), server.stop());
    assert_eq!(stopped.0, 0);
    assert!(
        matches!(reply.unwrap().unwrap().outcome, ReplyOutcome::Value { value, .. } if value == 46_368)
    );
}

#[tokio::test]
async fn a_person_types_programs_of_many_lines_interrupts_them_and_finds_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let mut terminal = Terminal::open(server.address(), &history);
    terminal.see("zylisp> ").await;
    // An open list goes on in the next line.
    terminal.type_("(+ 40\r").await;
    terminal.type_("2)\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(define x 7)\r").await;
    terminal.see("\n7").await;
    terminal.see("zylisp> ").await;
    terminal.type_(&format!("{FOREVER}\r")).await;
    terminal.see("\nready").await;
    terminal.type_("\x03").await;
    terminal.see("interrupted").await;
    terminal.see("zylisp> ").await;
    // Ctrl-C clears a line, and the session has kept its definitions.
    terminal.type_("garbage\x03").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(* x 6)\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    // The line before is one key away.
    terminal.type_("\x1b[A\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(/ 1 0)\r").await;
    terminal.see("arithmetic-error: division by zero").await;
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
    let kept = std::fs::read_to_string(history).unwrap();
    assert!(kept.contains("(define x 7)"), "{kept}");
}

#[tokio::test]
async fn names_are_completed_and_explained_and_files_loaded_in_the_repl() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("area.zylisp");
    std::fs::write(&file, "(define area (lambda (r) (* 3 r r)))").unwrap();
    let mut terminal = Terminal::open("in-process", &folder.path().join("history"));
    for (typed, shown) in [
        ("(define quadruple (lambda (x) (* 4 x)))\r", "<function>"),
        ("(quad\t 3)\r", "12"),
        (":doc car\r", "(car LIST)"),
        (":doc quadruple\r", "no quadruple of its own"),
        (&format!(":load {}\r", file.display()), "<function>"),
        ("(area 2)\r", "12"),
        (":what\r", ":help tells"),
    ] {
        terminal.see("zylisp> ").await;
        terminal.type_(typed).await;
        terminal.see("\n").await;
        terminal.see(shown).await;
    }
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
}

#[tokio::test]
async fn programs_that_are_piped_in_are_evaluated_to_the_last_open_one() {
    let mut child = flylead(&["repl", "in-process"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(b"(+ 1 2)\n(list 1\n2)\n\n(car")
        .await
        .unwrap();
    drop(stdin);
    let told = ended(child).await;
    assert_eq!(told, said(0, "3\n(1 2)\n", "syntax-error: unclosed list\n"));
}

/// A person's terminal with `flylead zylisp repl` in it.
struct Terminal {
    pty: pty_process::Pty,
    child: Child,
    seen: String,
}

impl Terminal {
    fn open(address: &str, history: &Path) -> Self {
        let (pty, pts) = pty_process::open().unwrap();
        pty.resize(pty_process::Size::new(24, 200)).unwrap();
        let child = pty_process::Command::new(env!("CARGO_BIN_EXE_flylead"))
            .args(["zylisp", "repl", address, "--history"])
            .arg(history)
            .env("TERM", "xterm")
            .kill_on_drop(true)
            .spawn(pts)
            .unwrap();
        Self {
            pty,
            child,
            seen: String::new(),
        }
    }

    async fn type_(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).await.unwrap();
    }

    /// Waits until this has come; what came before it is forgotten.
    async fn see(&mut self, text: &str) {
        let mut chunk = [0; 4096];
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let read = timeout(PATIENCE, self.pty.read(&mut chunk)).await;
            let length = read
                .unwrap_or_else(|_| panic!("{text:?} does not come after {:?}", self.seen))
                .unwrap();
            self.seen += &String::from_utf8_lossy(&chunk[..length]);
        }
    }

    async fn exit_code(mut self) -> i32 {
        let status = timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap();
        status.code().unwrap()
    }
}

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

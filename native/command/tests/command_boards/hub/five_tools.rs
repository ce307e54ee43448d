//! One board under a REPL, a page's socket, an assistant, `fs sync` and an RFC 2217 client at the same time.

use std::{
    env,
    io::{BufRead, BufReader, Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::UnixBoard;
use serde_json::{Value, json};

use super::{Hub, read_until};
use crate::common::{done, flylead, folder, piped, press_ctrl_c, run, started, told_of, write};

/// Returns the duration of the tools' work: `FLYLEAD_SHARE_SECONDS=120` for two minutes.
fn while_they_work() -> Duration {
    let seconds = env::var("FLYLEAD_SHARE_SECONDS").ok();
    Duration::from_secs(seconds.map_or(4, |seconds| seconds.parse().expect("a number")))
}

#[test]
fn five_tools_at_once_get_each_answer_whole() {
    let board = UnixBoard::start();
    let hub = &Hub::start(board.path());
    let end = Instant::now() + while_they_work();
    let until_the_end = |name, mut ask: Box<dyn FnMut(u32) + Send>| {
        let mut rounds = 0;
        while rounds == 0 || Instant::now() < end {
            rounds += 1;
            ask(rounds);
        }
        eprintln!("{name}: {rounds} answers, each as expected");
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut repl = Repl::start(hub);
            until_the_end("repl", Box::new(move |round| repl.ask(round)));
        });
        scope.spawn(|| {
            let mut assistant = Assistant::start(hub, board.path());
            until_the_end("mcp", Box::new(move |round| assistant.ask(round)));
        });
        scope.spawn(|| until_the_end("page", Box::new(|round| ask_as_a_page(hub, round))));
        scope.spawn(|| until_the_end("fs sync", Box::new(|round| sync(hub, round))));
        scope.spawn(|| until_the_end("mpremote", Box::new(|round| ask_mpremote(hub, round))));
    });
    assert_eq!(hub.run(&["exec", "print(6 * 7)"]), done("42\n"));
}

/// Prints so much that a lost byte would be seen, and no other tool prints the same.
fn program(tool: &str, round: u32) -> String {
    format!("for i in range(50): print('{tool}', {round}, i)")
}

fn printed(tool: &str, round: u32) -> String {
    let lines = (0..50).map(|i| format!("{tool} {round} {i}\n"));
    lines.collect()
}

struct Repl {
    child: Child,
    screen: Box<dyn Read + Send>,
}

impl Repl {
    fn start(hub: &Hub) -> Self {
        let mut command = hub.flylead(&["repl"]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("flylead starts");
        let screen = Box::new(child.stdout.take().expect("it is piped"));
        Self { child, screen }
    }

    fn ask(&mut self, round: u32) {
        let keys = self.child.stdin.as_mut().expect("it is piped");
        writeln!(keys, "'repl' + ' said {round}.'").unwrap();
        read_until(&mut self.screen, &format!("'repl said {round}.'"));
    }
}

impl Drop for Repl {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let ended = self.child.wait().expect("it is our child");
        assert!(thread::panicking() || ended.success());
    }
}

/// `flylead mcp`, and a client of a few lines.
struct Assistant {
    port: PathBuf,
    child: Child,
    lines: Box<dyn BufRead + Send>,
}

impl Assistant {
    fn start(hub: &Hub, port: &Path) -> Self {
        let words = ["mcp", "--artifacts=/nowhere", "--allow-port"];
        let mut command = hub.flylead(&words);
        let command = command.arg(port).stdin(Stdio::piped());
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("flylead starts");
        let lines = Box::new(BufReader::new(child.stdout.take().expect("it is piped")));
        let port = port.to_owned();
        let mut assistant = Self { port, child, lines };
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        assistant.request(0, "initialize", &params);
        assistant.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assistant
    }

    fn say(&mut self, message: &Value) {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        writeln!(stdin, "{message}").expect("it reads");
    }

    fn request(&mut self, id: u32, method: &str, params: &Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            self.lines.read_line(&mut line).expect("it answers");
            let message: Value = serde_json::from_str(&line).expect("it speaks JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, round: u32) {
        let arguments = json!({ "port": self.port, "code": program("mcp", round) });
        let params = json!({ "name": "board_exec", "arguments": arguments });
        let answer = self.request(round, "tools/call", &params);
        let output = &answer["result"]["structuredContent"]["output"];
        assert_eq!(*output, printed("mcp", round), "{answer}");
    }
}

impl Drop for Assistant {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// By the WebSocket that pages use.
fn ask_as_a_page(hub: &Hub, round: u32) {
    let code = program("page", round);
    let exec = flylead(Path::new(hub.socket()), &["exec", &code]);
    assert_eq!(run(exec), done(&printed("page", round)));
}

fn sync(hub: &Hub, round: u32) {
    let here = folder();
    let content = printed("file", round).repeat(40);
    write(&here, "changing", &content);
    write(&here, "constant", "always the same");
    let path = here.path().to_str().expect("its name is text");
    let (code, _, stderr) = hub.run(&["fs", "sync", path, ":shared"]);
    assert_eq!(code, 0, "{stderr}");
    let cat = hub.run(&["fs", "cat", ":shared/changing"]);
    assert_eq!((cat.0, cat.1), (0, content), "{}", cat.2);
}

fn ask_mpremote(hub: &Hub, round: u32) {
    let said = hub.mpremote(&["exec", &program("mpremote", round)]);
    assert_eq!(said, printed("mpremote", round));
}

#[test]
fn who_types_without_a_pause_leaves_room_for_others() {
    let board = UnixBoard::start();
    let hub = &Hub::start(board.path());
    let mut repl = Repl::start(hub);
    repl.ask(0);
    let is_done = &AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1.. {
                if is_done.load(Ordering::Relaxed) {
                    return;
                }
                repl.ask(round);
            }
        });
        let said = hub.run(&["exec", "print(1)"]);
        is_done.store(true, Ordering::Relaxed);
        assert_eq!((said.0, &*said.1), (0, "1\n"), "{}", said.2);
    });
}

#[test]
fn programs_run_in_the_order_in_which_they_were_asked_for() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let first = started(hub.flylead(&["exec", "print('ready')\nimport time\ntime.sleep(60)"]));
    let waiting: Vec<_> = (0..5)
        .map(|number| {
            let code = format!("with open('order', 'a') as f: f.write('{number}')");
            let mut child = piped(hub.flylead(&["exec", &code]));
            let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
            let mut line = String::new();
            stderr.read_line(&mut line).expect("it says that it waits");
            assert!(line.contains("waiting for"), "{line}");
            (child, stderr)
        })
        .collect();
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);
    for (child, _stderr) in waiting {
        assert_eq!(told_of(child), done(""));
    }
    assert_eq!(
        hub.run(&["exec", "print(open('order').read())"]),
        done("01234\n")
    );
}

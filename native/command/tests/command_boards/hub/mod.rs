//! `flylead serve --board`: one board for many commands.

mod five_tools;
mod served;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::{Faults, UnixBoard, Wire, venv};
use tempfile::TempDir;
use tokio::net::TcpSocket;

use crate::common::{
    done, flylead, folder, must, piped, press_ctrl_c, random, run, started, told_of, wait_until,
    write,
};

/// `flylead serve` that owns a board, where only these tests' commands find it.
pub(crate) struct Hub {
    child: Child,
    runtime: TempDir,
    address: PathBuf,
    said: serde_json::Value,
}

impl Hub {
    pub(crate) fn start(address: &Path) -> Self {
        Self::start_in(folder(), address, "socket")
    }

    /// One at which commands come in by a Unix `socket`, or by `tcp` as on Windows.
    fn start_in(runtime: TempDir, address: &Path, door: &str) -> Self {
        let words = [
            "serve",
            "--json",
            "--board",
            "--rfc2217=0",
            "--listen=127.0.0.1:0",
        ];
        let mut serve = flylead(address, &words);
        serve
            .env("XDG_RUNTIME_DIR", runtime.path())
            .env("FLYLEAD_HUB", door)
            .stdout(Stdio::piped());
        let mut child = serve.spawn().expect("flylead starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("it is piped"))
            .read_line(&mut line)
            .expect("it says where it is");
        Self {
            child,
            runtime,
            address: address.to_owned(),
            said: serde_json::from_str(&line).expect("it speaks JSON"),
        }
    }

    pub(crate) fn flylead(&self, words: &[&str]) -> Command {
        let mut command = flylead(&self.address, words);
        command.env("XDG_RUNTIME_DIR", self.runtime.path());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> (i32, String, String) {
        run(self.flylead(words))
    }

    /// Starts a prompt with its keys and its screen.
    pub(crate) fn repl(&self) -> (Child, ChildStdin, ChildStdout) {
        let mut command = self.flylead(&["repl"]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut repl = command.spawn().expect("flylead starts");
        let keys = repl.stdin.take().expect("it is piped");
        let screen = repl.stdout.take().expect("it is piped");
        (repl, keys, screen)
    }

    /// Folder of its socket.
    pub(crate) fn runtime(&self) -> &Path {
        self.runtime.path()
    }

    fn rfc2217(&self) -> &str {
        self.said["rfc2217"][0].as_str().expect("it has one")
    }

    /// Address at which pages find the board.
    pub(crate) fn socket(&self) -> &str {
        self.said["board"].as_str().expect("it has one")
    }

    /// mpremote, at the hub's RFC 2217 server.
    pub(crate) fn mpremote(&self, words: &[&str]) -> String {
        let output = Command::new("timeout")
            .args(["--signal=KILL", "60"])
            .arg(venv().join("bin/mpremote"))
            // Without resume it restarts the board first, which ends a unix board's interpreter.
            .args(["connect", self.rfc2217(), "resume"])
            .args(words)
            .stdin(Stdio::null())
            .output()
            .expect("mpremote starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        said.replace("\r\n", "\n")
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        press_ctrl_c(&self.child);
        let _ = self.child.wait();
    }
}

#[test]
fn commands_take_turns_at_a_board_and_are_told_whom_they_wait_for() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    assert_eq!(hub.run(&["exec", "print(6 * 7)"]), done("42\n"));

    let first = started(hub.flylead(&["exec", "print('ready')\nimport time\ntime.sleep(60)"]));
    let (code, _, stderr) = hub.run(&["exec", "--no-wait", "print(1)"]);
    assert_eq!(code, 7, "{stderr}");
    let holder = format!("flylead exec (process {}) for", first.id());
    assert!(stderr.contains(&holder), "{stderr}");

    let mut second = hub
        .flylead(&["exec", "print(2)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(second.stderr.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(
        line.contains("waiting for") && line.contains(&holder),
        "{line}"
    );
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);
    let (code, stdout, _) = told_of(second);
    assert_eq!((code, &*stdout), (0, "2\n"));
}

#[test]
fn everybody_learns_who_has_a_board_and_who_waits_for_it() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let address = board.path().to_str().unwrap();
    let listed = || {
        let (code, stdout, stderr) = hub.run(&["ports", "--users", "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let ports: Vec<serde_json::Value> = serde_json::from_str(&stdout).unwrap();
        let port = ports.into_iter().find(|port| port["port"] == address);
        port.expect("it is listed")["shared"].clone()
    };
    assert_eq!(hub.run(&["exec", "print(1)"]), done("1\n"));
    wait_until("it is free", || listed()["activity"] == "prompt");
    assert_eq!(listed()["holder"], serde_json::Value::Null);

    let first = started(hub.flylead(&["exec", "print('ready')\nimport time\ntime.sleep(60)"]));
    let second = hub
        .flylead(&["exec", "print(2)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let second = second.unwrap();
    let who = |process: &Child| format!("flylead exec (process {})", process.id());
    wait_until("the second waits", || {
        listed()["waiting"][0]["who"] == who(&second)
    });
    let now = listed();
    assert_eq!(now["holder"]["who"], who(&first));
    assert_eq!(now["activity"], "program");
    let (_, words, _) = hub.run(&["ports", "--users"]);
    let expected = format!("{address}: in use by {} for ", who(&first));
    assert!(
        words.contains(&expected) && words.contains("; 1 tool waits\n"),
        "{words}"
    );
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);
    assert_eq!(told_of(second).1, "2\n");
}

#[test]
fn a_waiting_command_can_be_ended_by_its_timeout_and_a_running_one_taken_over() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let first = started(hub.flylead(&["exec", "print('ready')\nimport time\ntime.sleep(60)"]));
    let (code, _, stderr) = hub.run(&["--timeout=1", "exec", "print(1)"]);
    assert_eq!(code, 7, "{stderr}");
    assert_eq!(hub.run(&["exec", "--take-over", "print(3)"]), done("3\n"));
    let (code, _, stderr) = told_of(first);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("taken over by flylead exec"), "{stderr}");
}

#[test]
fn what_a_program_prints_reaches_who_looks_on() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let (mut repl, mut keys, mut screen) = hub.repl();
    keys.write_all(b"6 * 7\n").unwrap();
    read_until(&mut screen, "42");
    let source = "print('to', 'everybody')";
    assert_eq!(hub.run(&["exec", source]), done("to everybody\n"));
    read_until(&mut screen, "to everybody");
    keys.write_all(b"7 * 7\n").unwrap();
    read_until(&mut screen, "49");
    drop(keys);
    assert!(repl.wait().unwrap().success());
    assert_eq!(hub.run(&["exec", "print(1)"]), done("1\n"));
}

pub(crate) fn read_until(screen: &mut impl std::io::Read, wanted: &str) {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&seen).contains(wanted) {
        screen.read_exact(&mut byte).expect("there is more");
        seen.extend(byte);
    }
}

#[test]
fn a_board_answers_after_each_of_a_hundred_clients_that_were_killed() {
    let board = UnixBoard::start();
    // One on which Ctrl-C reaches every program.
    let wire = Wire::attach(
        board.path(),
        Faults {
            no_raw_paste: true,
            ..Faults::default()
        },
    );
    let hub = Hub::start(wire.path());
    let folder = folder();
    let file = write(&folder, "file", random(200_000));
    let commands: [&[&str]; 3] = [
        &["exec", "while True: pass"],
        &["fs", "cp", &file, ":file"],
        &["exec", "print('x' * 100000)"],
    ];
    let mut dice = 1u64;
    let mut times = Vec::new();
    for round in 0..100 {
        let mut client = piped(hub.flylead(commands[round % commands.len()]));
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        thread::sleep(Duration::from_millis(dice >> 33 & 127));
        client.kill().unwrap();
        client.wait().unwrap();
        let asked = Instant::now();
        assert_eq!(hub.run(&["exec", "print(5)"]), done("5\n"), "{round}");
        times.push(asked.elapsed());
    }
    times.sort();
    eprintln!(
        "answers after a kill: half within {:?}, all within {:?}",
        times[50], times[99]
    );
}

#[test]
fn mpremote_uses_a_board_through_the_rfc_2217_server() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    assert_eq!(hub.mpremote(&["exec", "print(6 * 7)"]), "42\n");
    let folder = folder();
    let program = write(&folder, "program.py", "print('it ran')");
    assert_eq!(hub.mpremote(&["run", &program]), "it ran\n");
    let file = write(&folder, "file", random(5000));
    hub.mpremote(&["fs", "cp", &file, ":copied"]);
    assert!(hub.mpremote(&["fs", "ls"]).contains("copied"));
    let down = folder.path().join("down");
    hub.mpremote(&["fs", "cp", ":copied", down.to_str().unwrap()]);
    assert_eq!(std::fs::read(down).unwrap(), random(5000));
    // And our own client, and the hub's turn after it.
    assert_eq!(must(Path::new(hub.rfc2217()), &["exec", "print(1)"]), "1\n");
    assert_eq!(hub.run(&["exec", "print(2)"]), done("2\n"));
}

#[test]
fn a_board_that_comes_back_is_used_again_and_a_missing_one_is_said_to_be_away() {
    let place = folder();
    let link = place.path().join("board");
    let hub = Hub::start(&link);
    let (code, _, stderr) = hub.run(&["exec", "print(1)"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("is not connected"), "{stderr}");
    for answer in 1..4 {
        let board = UnixBoard::start();
        std::os::unix::fs::symlink(board.path(), &link).unwrap();
        let print = format!("print({answer})");
        let (code, stdout, stderr) = hub.run(&["exec", &print]);
        assert_eq!((code, stdout), (0, format!("{answer}\n")), "{stderr}");
        std::fs::remove_file(&link).unwrap();
        drop(board);
        wait_until("the hub sees it go", || {
            hub.run(&["--no-wait", "--timeout=0.2", "exec", "print(1)"])
                .0
                != 0
        });
    }
}

#[test]
fn half_a_line_gives_way_and_comes_back_with_the_next_key() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let (mut repl, mut keys, mut screen) = hub.repl();
    let mut type_at = |text: &str, shown: &str| {
        keys.write_all(text.as_bytes()).unwrap();
        read_until(&mut screen, shown);
    };
    // The other tools say that they wait, for a second.
    let prints = |number: u32| {
        let print = format!("print({number})");
        let (code, stdout, stderr) = hub.run(&["exec", &print]);
        assert_eq!((code, stdout), (0, format!("{number}\n")), "{stderr}");
    };
    type_at("\nx = 6 *", "x = 6 *");
    prints(1);
    type_at(" 7\nprint('x is', x)\n", "x is 42");
    // A block of several lines, twice.
    type_at("def f():\nreturn 5", "return 5");
    for other in [2, 3] {
        prints(other);
        type_at(&format!(", {other}"), &format!(", {other}"));
    }
    // The board indents two blank lines, and the third ends the block.
    type_at("\n\n\n\nprint('f is', f())\n", "f is (5, 2, 3)");
    drop(keys);
    assert!(repl.wait().unwrap().success());
}

#[test]
fn a_second_hub_for_a_board_is_refused_and_an_absent_board_is_reported() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let (code, stdout, stderr) = hub.run(&["serve", "--board", "--listen=127.0.0.1:0"]);
    assert_eq!((code, &*stdout), (7, ""), "{stderr}");
    let refusal = format!("another `flylead serve` shares {}", board.path().display());
    assert!(stderr.contains(&refusal), "{stderr}");
    assert_eq!(hub.run(&["exec", "print(1)"]), done("1\n"));

    let place = folder();
    let absent = place.path().join("absent");
    let words = ["serve", "--board", "--rfc2217=0", "--listen=127.0.0.1:0"];
    let mut serve = flylead(&absent, &words);
    serve.env("XDG_RUNTIME_DIR", place.path());
    let mut serve = piped(serve);
    let said = BufReader::new(serve.stdout.take().unwrap()).lines();
    let offered = format!("{} is at rfc2217://127.0.0.1:", absent.display());
    assert!(
        said.map_while(Result::ok)
            .any(|line| line.starts_with(&offered))
    );
    let mut line = String::new();
    BufReader::new(serve.stderr.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    let reported = format!(
        "{} does not exist; it will be shared as soon as it is available",
        absent.display()
    );
    assert!(line.contains(&reported), "{line}");
    press_ctrl_c(&serve);
    assert!(serve.wait().unwrap().success());
}

#[test]
fn rfc_2217_is_offered_beyond_this_computer_only_when_that_is_said() {
    let words = [
        "serve",
        "--board",
        "--rfc2217=0.0.0.0:0",
        "--listen=127.0.0.1:0",
    ];
    let (code, _, stderr) = run(flylead(Path::new("/dev/none"), &words));
    assert_eq!(code, 2);
    assert!(stderr.contains("--rfc2217-open-to-network"), "{stderr}");
}

#[test]
fn pyserial_opens_a_port_of_the_hub_however_its_negotiation_is_timed() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let script = "import serial, sys\n\
        for _ in range(10):\n    \
            with serial.serial_for_url(sys.argv[1], baudrate=115200, timeout=20) as port:\n        \
                port.write(b'6 * 7\\r')\n        \
                assert b'42' in port.read_until(b'>>> ')\n";
    let output = Command::new("timeout")
        .args(["--signal=KILL", "60"])
        .arg(venv().join("bin/python"))
        .args(["-W", "ignore", "-c", script, hub.rfc2217()])
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Simulates Windows, which has no sockets that only their user can open.
#[test]
fn commands_find_a_board_on_loopback_by_a_file_of_this_users() {
    let board = UnixBoard::start();
    let runtime = folder();
    let files = runtime.path().join("flylead");
    // What a hub has left that was killed, whose port nobody listens at.
    let kept = TcpSocket::new_v4().unwrap();
    kept.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = kept.local_addr().unwrap().port();
    let key = "0".repeat(64);
    let left = format!(r#"{{"port":{port},"command":"{key}","hub":"{key}"}}"#);
    write(&runtime, "flylead/1.hub", left);

    let hub = Hub::start_in(runtime, board.path(), "tcp");
    let doors = std::fs::read_dir(&files).unwrap();
    let doors: Vec<_> = doors.map(|it| it.unwrap().path()).collect();
    let [door] = &doors[..] else {
        panic!("there is one hub: {doors:?}");
    };
    let metadata = std::fs::metadata(door).unwrap();
    assert!(metadata.is_file());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);

    let first = started(hub.flylead(&["exec", "print('ready')\nimport time\ntime.sleep(60)"]));
    let (code, _, stderr) = hub.run(&["exec", "--no-wait", "print(1)"]);
    assert_eq!(code, 7, "{stderr}");
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);
    assert_eq!(hub.run(&["exec", "print('a' * 100000)"]).1.len(), 100_001);

    // Another key opens nothing: the board is found in use, as without a hub.
    let keys = std::fs::read_to_string(door).unwrap();
    std::fs::write(door, keys.replace("\"command\":\"", "\"command\":\"0")).unwrap();
    assert_ne!(hub.run(&["exec", "print(1)"]).0, 0);
    std::fs::write(door, &keys).unwrap();
    assert_eq!(hub.run(&["exec", "print(2)"]), done("2\n"));
}

#[test]
fn boards_are_shared_as_they_come_and_let_go_when_they_are_gone() {
    let (runtime, ports) = (folder(), folder());
    let pattern = format!("{}/tty*", ports.path().display());
    let words = ["serve", "--listen=127.0.0.1:0", "--board", &pattern];
    let mut serve = flylead(Path::new("/dev/none"), &words);
    serve.env("XDG_RUNTIME_DIR", runtime.path());
    let mut serve = piped(serve);
    let mut said = BufReader::new(serve.stderr.take().unwrap()).lines();
    let mut until = |wanted: &str| {
        let mut said = said.by_ref().map(Result::unwrap);
        let line = said.find(|line| line.ends_with(wanted));
        assert!(line.is_some(), "it has ended without: {wanted}");
    };
    let shared = |port: &Path, words: &[&str]| {
        let mut command = flylead(port, words);
        command.env("XDG_RUNTIME_DIR", runtime.path());
        command
    };
    // A file that is called otherwise is nobody's.
    write(&ports, "other", "");
    for name in ["ttyA", "ttyB"] {
        let board = UnixBoard::start();
        let port = ports.path().join(name);
        std::os::unix::fs::symlink(board.path(), &port).unwrap();
        until(&format!("{name} was plugged in and is now shared"));
        let first = started(shared(
            &port,
            &["exec", "print('ready')\nimport time\ntime.sleep(60)"],
        ));
        let (code, _, stderr) = run(shared(&port, &["exec", "--no-wait", "print(1)"]));
        assert_eq!(code, 7, "{stderr}");
        let holder = format!("flylead exec (process {}) for", first.id());
        assert!(stderr.contains(&holder), "{stderr}");
        press_ctrl_c(&first);
        assert_eq!(told_of(first).0, 130);
        std::fs::remove_file(&port).unwrap();
        until("is gone");
        wait_until("nobody has the board any more", || {
            run(flylead(board.path(), &["exec", "print(2)"])) == done("2\n")
        });
    }
    press_ctrl_c(&serve);
    assert!(serve.wait().unwrap().success());
}

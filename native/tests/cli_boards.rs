//! The `flylead` command on real boards: what a person or a script sees of it.
#![cfg(target_os = "linux")]

use std::{
    fs::{self, OpenOptions},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use flylead_core::trace::{self, Record};
use flylead_tests::boards::{Faults, Microbit, UnixBoard, Wire, venv};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal},
};

/// `flylead` for one board.
fn flylead(board: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("--port")
        .arg(board)
        .args(arguments)
        .stdin(Stdio::null());
    command
}

/// What came of it: the exit code, stdout, stderr.
fn run(command: Command) -> (i32, String, String) {
    told_of(piped(command))
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("these tests speak UTF-8");
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

fn told_of(child: Child) -> (i32, String, String) {
    told(child.wait_with_output().expect("it is our child"))
}

/// Starts it with pipes for what it prints. It is killed when it takes too long, so that no test waits for ever.
fn piped(mut command: Command) -> Child {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    let pid = Pid::from_child(&child);
    // A handle on the process, and not its number, which is another's after it ended.
    let handle = pidfd_open(pid, PidfdFlags::empty()).expect("it is our child");
    thread::spawn(move || {
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        if poll(&mut ended, Some(&PATIENCE)) == Ok(0) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
        }
    });
    child
}

fn done(stdout: &str) -> (i32, String, String) {
    (0, stdout.to_owned(), String::new())
}

/// Starts it, and waits until the program on the board has printed a line.
fn started(command: Command) -> Child {
    let mut child = piped(command);
    let mut line = [0; 6];
    let stdout = child.stdout.as_mut().expect("it is piped");
    stdout.read_exact(&mut line).expect("the program prints");
    assert_eq!(&line, b"ready\n");
    child
}

fn press_ctrl_c(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("it runs");
}

#[test]
fn a_program_prints_on_stdout_and_nothing_else_does() {
    let board = UnixBoard::start();
    assert_eq!(
        run(flylead(board.path(), &["exec", "print(1+1)"])),
        done("2\n")
    );
    let utf8 = flylead(board.path(), &["exec", "print('h\u{e9}', end='')"]);
    assert_eq!(run(utf8), done("h\u{e9}"));
}

#[test]
fn an_exception_is_a_traceback_on_stderr_and_exit_code_1() {
    let board = UnixBoard::start();
    let (code, stdout, stderr) = run(flylead(board.path(), &["exec", "print(1)\n1/0"]));
    assert_eq!((code, stdout.as_str()), (1, "1\n"));
    assert_eq!(
        stderr,
        "Traceback (most recent call last):\n  File \"<stdin>\", line 2, in <module>\nZeroDivisionError: divide by zero\n"
    );
}

#[test]
fn a_files_traceback_has_the_files_name() {
    let board = UnixBoard::start();
    let file = board.flash().join("on host.py");
    fs::write(&file, "\u{feff}def work():\n  1/0\nwork()\n").unwrap();
    let name = file.to_str().unwrap();
    let (code, _, stderr) = run(flylead(board.path(), &["run", name]));
    assert_eq!(code, 1);
    assert!(
        stderr.contains(&format!("File \"{name}\", line 2, in work\n")),
        "{stderr}"
    );
    assert!(!stderr.contains("<stdin>"), "{stderr}");
}

#[test]
fn a_long_program_comes_from_stdin() {
    let board = UnixBoard::start();
    let mut command = flylead(board.path(), &["run", "-"]);
    command.stdin(Stdio::piped());
    let mut child = piped(command);
    let program = format!(
        "{}print('end')\n",
        "# a comment of some length\n".repeat(2000)
    );
    child
        .stdin
        .take()
        .unwrap()
        .write_all(program.as_bytes())
        .unwrap();
    assert_eq!(told_of(child), done("end\n"));
}

#[test]
fn a_file_that_is_not_there_is_named_and_exit_code_2() {
    let (code, _, stderr) = run(flylead(Path::new("/dev/null"), &["run", "no-such.py"]));
    assert_eq!(code, 2);
    assert!(stderr.starts_with("flylead: no-such.py: "), "{stderr}");
}

#[test]
fn eval_prints_text_as_it_is_and_values_as_python_writes_them() {
    let board = UnixBoard::start();
    let eval = |words: &[&str]| run(flylead(board.path(), &[&["eval"], words].concat()));
    assert_eq!(eval(&["'a\\n\\x04b'"]), done("a\n\u{4}b\n"));
    assert_eq!(eval(&["1, None # both"]), done("(1, None)\n"));
    assert_eq!(
        eval(&["--json", "[1, 'x', None]"]),
        done("[1,\"x\",null]\n")
    );
    assert_eq!(eval(&["-1"]), done("-1\n"));
    let (code, stdout, _) = eval(&["nonsense"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
}

#[test]
fn what_an_expression_prints_is_not_its_value() {
    let board = UnixBoard::start();
    let (code, stdout, stderr) = run(flylead(board.path(), &["eval", "print('31') or 2"]));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "2\n", "31\n"));
}

#[test]
fn ctrl_c_interrupts_the_program_and_the_board_goes_on() {
    let board = UnixBoard::start();
    let endless = "print('ready')\nwhile True: pass";
    let child = started(flylead(board.path(), &["exec", endless]));
    press_ctrl_c(&child);
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 130);
    assert!(
        stderr.trim_end().ends_with("KeyboardInterrupt:"),
        "{stderr}"
    );
    assert_eq!(
        run(flylead(board.path(), &["exec", "print(2)"])),
        done("2\n")
    );
}

#[test]
fn a_second_ctrl_c_leaves_a_program_that_will_not_end() {
    let board = UnixBoard::start();
    let stubborn = "
print('ready')
while True:
  try:
    while True: pass
  except KeyboardInterrupt: print('no')
";
    let mut child = started(flylead(board.path(), &["exec", stubborn]));
    press_ctrl_c(&child);
    let mut heard = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut heard).unwrap();
    assert_eq!(heard, "no\n");
    press_ctrl_c(&child);
    assert_eq!(told_of(child).0, 130);
}

#[test]
fn a_program_past_its_time_is_interrupted_with_exit_code_4() {
    let board = UnixBoard::start();
    let endless = ["--timeout", "0.3", "exec", "while True: pass"];
    let (code, _, stderr) = run(flylead(board.path(), &endless));
    assert_eq!(code, 4);
    assert!(stderr.contains("ran past its time"), "{stderr}");
    assert_eq!(
        run(flylead(board.path(), &["exec", "print(2)"])),
        done("2\n")
    );
}

#[test]
fn an_expression_past_its_time_is_given_up_and_the_board_freed() {
    let board = UnixBoard::start();
    let endless = ["--timeout", "0.3", "eval", "__import__('time').sleep(1000)"];
    let (code, _, stderr) = run(flylead(board.path(), &endless));
    assert_eq!(code, 4);
    assert!(stderr.contains("longer than --timeout"), "{stderr}");
    assert_eq!(
        run(flylead(board.path(), &["exec", "print(2)"])),
        done("2\n")
    );
}

#[test]
fn a_board_that_is_pulled_out_is_told_with_exit_code_4() {
    let board = UnixBoard::start();
    let mut wire = Wire::attach(board.path(), Faults::default());
    let child = started(flylead(
        wire.path(),
        &["exec", "print('ready')\nwhile True: pass"],
    ));
    wire.unplug();
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 4);
    assert!(stderr.contains("the board is gone"), "{stderr}");
}

#[test]
fn a_flood_of_output_comes_whole() {
    let board = UnixBoard::start();
    let flood = "for i in range(3000): print('x' * 99)";
    let (code, stdout, _) = run(flylead(board.path(), &["exec", flood]));
    assert_eq!((code, stdout.len()), (0, 300_000));
}

#[test]
fn a_reader_that_leaves_early_ends_the_command_and_frees_the_board() {
    let board = UnixBoard::start();
    let endless = "print('ready')\nwhile True: print('x' * 99)";
    let mut child = started(flylead(board.path(), &["exec", endless]));
    drop(child.stdout.take());
    assert_eq!(told_of(child).0, 2);
    assert_eq!(
        run(flylead(board.path(), &["exec", "print(2)"])),
        done("2\n")
    );
}

#[test]
fn a_board_that_is_busy_is_interrupted_and_not_reset() {
    let board = UnixBoard::start();
    let mut keys = OpenOptions::new().write(true).open(board.path()).unwrap();
    keys.write_all(b"kept = 41\rwhile True: pass\r\r\r")
        .unwrap();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(
        run(flylead(board.path(), &["eval", "kept + 1"])),
        done("42\n")
    );
}

#[test]
fn garbage_without_end_is_given_up_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        while peer.write_all(b"\xff\x04>garbage\r\n").is_ok() {}
    });
    let before = Instant::now();
    let (code, _, stderr) = run(flylead(Path::new(&address), &["exec", "print(1)"]));
    assert_eq!(code, 4, "{stderr}");
    assert!(before.elapsed() < Duration::from_secs(60), "{stderr}");
}

#[test]
fn mpremote_finds_the_board_as_it_likes_it_and_leaves_it_so_for_us() {
    let board = UnixBoard::start();
    assert_eq!(run(flylead(board.path(), &["exec", "a = 5"])), done(""));
    let mut mpremote = Command::new(venv().join("bin/mpremote"));
    mpremote.arg("connect").arg(board.path());
    mpremote.args(["resume", "exec", "print(a)"]);
    assert_eq!(run(mpremote), done("5\n"));
    assert_eq!(run(flylead(board.path(), &["eval", "a"])), done("5\n"));
}

#[test]
fn a_trace_has_the_commands_the_bytes_and_the_events() {
    let board = UnixBoard::start();
    let file = board.flash().join("trace.txt");
    let arguments = ["--trace", file.to_str().unwrap(), "exec", "print(1)"];
    assert_eq!(run(flylead(board.path(), &arguments)), done("1\n"));
    let text = fs::read_to_string(&file).unwrap();
    let records = trace::parse(&text).unwrap();
    for expected in [
        Record::Command("exec print(1)".into()),
        Record::Sent(b"print(1)\x04".into()),
        Record::Event("Finished Completed".into()),
        Record::Command("leave".into()),
    ] {
        assert!(
            records.iter().any(|(_, record)| *record == expected),
            "{text}"
        );
    }
}

#[test]
fn the_prompt_is_the_boards_own_and_the_terminal_is_given_back() {
    let board = UnixBoard::start();
    let shell = format!(
        "'{}' -p '{}' repl; echo left $?; stty -a",
        env!("CARGO_BIN_EXE_flylead"),
        board.path().display()
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let screen = runtime.block_on(type_at(
        &shell,
        &["\r", "6*7\r", "\x1b[A\r", "\x03", "\x18"],
    ));
    assert_eq!(screen.matches("42").count(), 2, "{screen}");
    assert!(screen.contains("left 0"), "{screen}");
    assert!(
        screen.contains(" icanon") && screen.contains(" echo "),
        "{screen}"
    );
}

/// Types each text into a shell on a terminal, after the prompt that comes of the one before; the whole screen.
async fn type_at(shell: &str, texts: &[&str]) -> String {
    use flylead::link::{self, Address};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let address: Address = format!("process:stty sane; {shell}").parse().unwrap();
    let mut terminal = link::open(&address).await.unwrap();
    let mut screen = Vec::new();
    let mut waited_for = b"Ctrl-X leaves".as_slice();
    for text in texts {
        let mut seen = screen.len();
        while !contains(&screen[seen..], waited_for) {
            let length = terminal.read_buf(&mut screen).await.unwrap();
            assert_ne!(length, 0, "{}", String::from_utf8_lossy(&screen));
            seen = seen.min(screen.len());
        }
        waited_for = b">>> ";
        terminal.write_all(text.as_bytes()).await.unwrap();
    }
    terminal.read_to_end(&mut screen).await.unwrap();
    String::from_utf8_lossy(&screen).into_owned()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn lines_from_a_pipe_are_typed_at_the_prompt() {
    let board = UnixBoard::start();
    let mut command = flylead(board.path(), &["repl"]);
    command.stdin(Stdio::piped());
    let mut child = piped(command);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"a = 6\na * 7\n")
        .unwrap();
    let (code, stdout, _) = told_of(child);
    assert_eq!(code, 0);
    assert!(stdout.contains(">>> a * 7\r\n42\n"), "{stdout:?}");
}

#[test]
fn an_old_board_without_raw_paste_runs_resets_and_says_what_it_is() {
    let board = Microbit::start();
    let run = |arguments: &[&str]| run(flylead(board.path(), arguments));
    assert_eq!(run(&["exec", "a = 1\nprint(a)"]), done("1\r\n"));
    assert_eq!(run(&["eval", "a"]), done("1\n"));
    assert_eq!(run(&["reset"]), done(""));
    assert_eq!(run(&["eval", "a"]).0, 1);
    let (code, info, _) = run(&["info", "--json"]);
    assert_eq!(code, 0);
    assert!(info.contains("\"platform\":\"microbit\""), "{info}");
    let (code, _, stderr) = run(&["reset", "--bootloader"]);
    assert_eq!(code, 1);
    assert!(stderr.starts_with("Traceback"), "{stderr}");
    assert_eq!(run(&["exec", "a = 1"]), done(""));
    assert_eq!(run(&["reset", "--hard"]), done(""));
    assert_eq!(run(&["eval", "a"]).0, 1);
}

/// `flylead serve` with this board, and the address of its WebSocket.
struct Served {
    child: Child,
    board: String,
}

impl Served {
    fn start(board: &Path) -> Self {
        let words = ["serve", "--json", "--board", "--listen", "127.0.0.1:0"];
        let mut child = piped(flylead(board, &words));
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("it is piped"))
            .read_line(&mut line)
            .expect("it says where it is");
        let said: serde_json::Value = serde_json::from_str(&line).expect("it speaks JSON");
        let board = said["board"].as_str().expect("it has a board").to_owned();
        Self { child, board }
    }

    /// The status of a WebSocket's handshake.
    fn handshake(&self, path: &str, origin: &str) -> String {
        let host = self.board.split('/').nth(2).unwrap();
        let mut socket = TcpStream::connect(host).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: {origin}\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(socket).read_line(&mut line).unwrap();
        line.split(' ').nth(1).unwrap_or_default().to_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        press_ctrl_c(&self.child);
        let _ = self.child.wait();
    }
}

#[test]
fn a_served_board_is_for_who_has_the_token_and_for_one_at_a_time() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let exec = |code: &str| flylead(Path::new(&served.board), &["exec", code]);
    assert_eq!(run(exec("print(6 * 7)")), done("42\n"));

    let first = started(exec("print('ready')\nimport time\ntime.sleep(60)"));
    let (code, _, stderr) = run(exec("print(1)"));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("another page uses this board"), "{stderr}");
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);

    let without = served.board.split('?').next().unwrap();
    let (code, _, stderr) = run(flylead(Path::new(without), &["exec", "print(1)"]));
    assert_eq!(code, 3);
    assert!(stderr.contains("401"), "{stderr}");
}

#[test]
fn a_served_board_is_for_no_other_site() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let (host, path) = served.board["ws://".len()..].split_once('/').unwrap();
    let path = format!("/{path}");
    assert_eq!(served.handshake(&path, &format!("http://{host}")), "101");
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(served.handshake(&path, origin), "403", "{origin}");
    }
    assert_eq!(
        served.handshake("/board?token=x", &format!("http://{host}")),
        "401"
    );
}

#[test]
fn a_variable_that_is_set_to_nothing_is_as_good_as_none() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let without = |variable, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args(words).env(variable, "").stdin(Stdio::null());
        run(command)
    };
    assert_eq!(without("FLYLEAD_PORT", &["ports"]).0, 0);
    let exec = ["--port", &served.board, "exec", "print(1)"];
    assert_eq!(without("FLYLEAD_WEBREPL_PASSWORD", &exec), done("1\n"));
    let serve = ["serve", "--listen", "0.0.0.0:0"];
    let (_, _, stderr) = without("FLYLEAD_SERVE_TOKEN", &serve);
    assert!(stderr.contains("--allow-remote"), "{stderr}");
    // Its client is gone before it says anything.
    let (code, _, stderr) = without("FLYLEAD_MCP_TOKEN", &["mcp"]);
    assert_eq!(code, 4, "{stderr}");
}

/// More than anything here takes on a busy machine.
const PATIENCE: Timespec = Timespec {
    tv_sec: 90,
    tv_nsec: 0,
};

//! `flylead zylisp serve --eval board:…`: a real MicroPython for everybody who connects.
#![cfg(target_os = "linux")]

use std::{path::Path, process::Stdio, time::Duration};

use flylead_tests::{
    boards::{Faults, UnixBoard, Wire, command, venv},
    editors::{PYTHON, work_with_cider, work_with_conjure},
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::timeout,
};

fn flylead(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("zylisp")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn ended(child: Child) -> (i32, String, String) {
    let output = timeout(PATIENCE, child.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace('\r', "");
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn interrupt(child: &Child) {
    let pid = i32::try_from(child.id().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::INT).unwrap();
}

#[tokio::test]
async fn the_shell_runs_python_on_a_board_that_is_shared() {
    let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
    let what = format!("board:{}", board.path().display());
    let mut server = flylead(&["serve", "127.0.0.1:0", "--eval", &what])
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, stdout.next_line())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let address = line.strip_prefix("listening on ").unwrap();
    let eval = |code: &str| flylead(&["eval", address, code]).spawn().unwrap();

    let (code, stdout, stderr) = ended(eval("print(6 * 7)")).await;
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "42\n", ""));
    assert_eq!(ended(eval("6 * 7")).await.1, "42\n");
    let mut repl = flylead(&["repl", address, "--no-history"]);
    let mut repl = repl.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = repl.stdin.take().unwrap();
    let typed = b"typed = 42\ntyped\nprint('out')\n:doc typed\n:doc\n";
    stdin.write_all(typed).await.unwrap();
    drop(stdin);
    let (code, stdout, stderr) = ended(repl).await;
    assert_eq!((code, stdout.as_str()), (0, "42\nout\n"), "{stderr}");
    assert!(
        stderr.contains("typed") && stderr.contains("int"),
        "{stderr}"
    );
    assert!(
        stderr.contains(" isinstance ") && !stderr.contains("car"),
        "{stderr}"
    );
    let (code, stdout, stderr) = ended(eval("print('before')\n1/0")).await;
    assert_eq!((code, stdout.as_str()), (1, "before\n"));
    assert!(
        stderr.starts_with("ZeroDivisionError: ") && stderr.contains("line 2"),
        "{stderr}"
    );

    let mut child = eval("print('ready')\nwhile True: pass");
    let mut ready = [0; 5];
    let reading = child.stdout.as_mut().unwrap().read_exact(&mut ready);
    timeout(PATIENCE, reading).await.unwrap().unwrap();
    assert_eq!(&ready, b"ready", "output comes while it runs");
    interrupt(&child);
    let (code, _, stderr) = ended(child).await;
    assert_eq!((code, stderr.as_str()), (130, "interrupted\n"));

    interrupt(&server);
    assert_eq!(ended(server).await.0, 0);
}

/// A request of texts, as nREPL's clients write it.
fn bencode(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| format!("{}:{text}", text.len());
    let fields = fields.iter().map(|(key, value)| text(key) + &text(value));
    format!("d{}e", fields.collect::<String>()).into_bytes()
}

/// Reads until this number of requests is done.
async fn answered(link: &mut TcpStream, count: usize) -> String {
    let (mut text, mut chunk) = (String::new(), [0; 4096]);
    while text.matches("4:done").count() < count {
        let length = timeout(PATIENCE, link.read(&mut chunk))
            .await
            .unwrap()
            .unwrap();
        assert!(length > 0, "{text}");
        text += &String::from_utf8_lossy(&chunk[..length]);
    }
    text
}

/// A board behind `flylead repl-server`, and an editor's connection to it.
struct Desk {
    server: Child,
    link: TcpStream,
    address: String,
    folder: tempfile::TempDir,
    /// Link to the wire, in `port`.
    port: tempfile::TempDir,
    wire: Wire,
    board: UnixBoard,
}

impl Desk {
    async fn start() -> Self {
        Self::limited("0").await
    }

    /// A server that gives each program this many seconds.
    async fn limited(seconds: &str) -> Self {
        let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
        let port = tempfile::tempdir().unwrap();
        let wire = plugged_in(&board, port.path());
        let folder = tempfile::tempdir().unwrap();
        let mut server = Command::new(env!("CARGO_BIN_EXE_flylead"))
            .args(["repl-server", "nrepl://127.0.0.1:0", "--timeout", seconds])
            .arg("--port")
            .arg(port.path().join("port"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(server.stdout.take().unwrap()).lines();
        let line = timeout(PATIENCE, stdout.next_line()).await.unwrap();
        let line = line.unwrap().expect("it says where it listens");
        let address = line.strip_prefix("listening on nrepl://").unwrap();
        Self {
            link: TcpStream::connect(address).await.unwrap(),
            address: address.into(),
            server,
            folder,
            port,
            wire,
            board,
        }
    }

    /// Pulls the board's cable and plugs it in again.
    fn plug_in_again(&mut self) {
        self.wire.unplug();
        std::fs::remove_file(self.port.path().join("port")).unwrap();
        self.wire = plugged_in(&self.board, self.port.path());
    }

    /// Ends the server, and returns the board.
    async fn stop(self) -> (Wire, UnixBoard) {
        interrupt(&self.server);
        let (code, _, stderr) = ended(self.server).await;
        assert_eq!(code, 0, "{stderr}");
        (self.wire, self.board)
    }

    async fn another_link(&self) -> TcpStream {
        TcpStream::connect(&self.address).await.unwrap()
    }

    async fn send(&mut self, fields: &[(&str, &str)]) {
        self.link.write_all(&bencode(fields)).await.unwrap();
    }

    /// Replies to a request, up to the last one.
    async fn ask(&mut self, fields: &[(&str, &str)]) -> String {
        self.send(fields).await;
        answered(&mut self.link, 1).await
    }

    /// Replies up to one that contains this.
    async fn see(&mut self, part: &str) -> String {
        let (mut seen, mut chunk) = (String::new(), [0; 4096]);
        while !seen.contains(part) {
            let reading = timeout(PATIENCE, self.link.read(&mut chunk)).await;
            let length = reading.expect(&seen).unwrap();
            assert!(length > 0, "{seen}");
            seen += &String::from_utf8_lossy(&chunk[..length]);
        }
        seen
    }
}

/// Puts a board at `port` in a folder.
fn plugged_in(board: &UnixBoard, folder: &Path) -> Wire {
    // Ctrl-C reaches every program of such a unix board.
    let faults = Faults {
        no_raw_paste: true,
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    std::os::unix::fs::symlink(wire.path(), folder.join("port")).unwrap();
    wire
}

/// Returns the session of the reply to `clone`.
fn new_session(cloned: &str) -> String {
    let (_, session) = cloned.split_once("11:new-session").expect(cloned);
    let (length, rest) = session.split_once(':').unwrap();
    rest[..length.parse().unwrap()].to_owned()
}

/// Prints `ready`, and `caught` for each Ctrl-C of the first so many, as one text that arrives in one message. The next
/// one is caught as soon as that is printed.
fn catching(count: usize) -> String {
    format!(
        "n = 0\nwhile n < {count}:\n  try:\n    print('caught %d' % n if n else 'ready')\n    while True: pass\n  except KeyboardInterrupt:\n    n += 1\nprint('caught %d' % n)\nwhile True: pass"
    )
}

#[tokio::test]
async fn a_clone_shares_the_board_and_every_operation_advertised_is_there() {
    let mut desk = Desk::start().await;
    let cloned = desk.ask(&[("op", "clone"), ("id", "1")]).await;
    let session = new_session(&cloned);
    desk.ask(&[("op", "eval"), ("id", "2"), ("code", "shared = 42")])
        .await;
    let code = [("op", "eval"), ("id", "3"), ("code", "shared")];
    let seen = desk
        .ask(&[&code[..], &[("session", &session)]].concat())
        .await;
    assert!(seen.contains("5:value2:42"));
    let described = desk.ask(&[("op", "describe"), ("id", "4")]).await;
    for operation in ["stdin", "completions", "lookup", "eldoc", "info", "clone"] {
        let advertised = described.contains(&format!("{}:{operation}de", operation.len()));
        let request = [("op", operation), ("id", "5"), ("stdin", "a\n")];
        let names = [("prefix", "sha"), ("sym", "shared")];
        let replies = desk.ask(&[&request[..], &names[..]].concat()).await;
        let refused = replies.contains("unknown-op") || replies.contains("error");
        assert_eq!(advertised, !refused, "{operation}: {replies}");
    }
}

#[tokio::test]
async fn each_interrupt_is_a_ctrl_c_for_a_program_that_catches_them() {
    let mut desk = Desk::start().await;
    desk.send(&[("op", "eval"), ("id", "1"), ("code", &catching(1))])
        .await;
    desk.see("ready").await;
    desk.send(&[("op", "interrupt"), ("id", "2")]).await;
    desk.see("caught 1").await;
    desk.send(&[("op", "interrupt"), ("id", "3")]).await;
    desk.see("11:interrupted").await;
    let value = desk.ask(&[("op", "eval"), ("id", "4"), ("code", "6 * 7")]);
    assert!(value.await.contains("5:value2:42"));
}

#[tokio::test]
async fn an_error_after_a_caught_interrupt_is_shown() {
    let mut desk = Desk::start().await;
    let code = "print('ready')\ntry:\n  while True: pass\nexcept KeyboardInterrupt:\n  1/0";
    desk.send(&[("op", "eval"), ("id", "1"), ("code", code)])
        .await;
    desk.see("ready").await;
    desk.send(&[("op", "interrupt"), ("id", "2")]).await;
    let replies = desk.see("eval-error").await;
    assert!(replies.contains("ZeroDivisionError"), "{replies}");
}

#[tokio::test]
async fn an_input_of_the_user_stays() {
    let mut desk = Desk::start().await;
    desk.ask(&[("op", "eval"), ("id", "1"), ("code", "input = 40")])
        .await;
    let value = desk.ask(&[("op", "eval"), ("id", "2"), ("code", "input + 2")]);
    assert!(value.await.contains("5:value2:42"));
}

#[tokio::test]
async fn a_program_that_a_closed_session_interrupts_may_clean_up() {
    let mut desk = Desk::start().await;
    let cloned = desk.ask(&[("op", "clone"), ("id", "1")]).await;
    let session = &new_session(&cloned);
    let code = "import time\nprint('ready')\ntry:\n  while True: pass\nexcept KeyboardInterrupt:\n  time.sleep_ms(500)\n  clean = 42";
    let eval = [
        ("op", "eval"),
        ("id", "2"),
        ("code", code),
        ("session", session),
    ];
    desk.send(&eval).await;
    desk.see("ready").await;
    desk.send(&[("op", "close"), ("id", "3"), ("session", session)])
        .await;
    desk.send(&[("op", "eval"), ("id", "4"), ("code", "clean")])
        .await;
    desk.see("5:value2:42").await;
}

#[tokio::test]
async fn a_client_that_leaves_a_program_which_catches_ctrl_c_leaves_a_free_board() {
    let mut desk = Desk::start().await;
    // After three of them the board is reset.
    for count in [2, 7] {
        desk.send(&[("op", "eval"), ("id", "1"), ("code", &catching(count))])
            .await;
        desk.see("ready").await;
        desk.link = desk.another_link().await;
        let value = desk.ask(&[("op", "eval"), ("id", "2"), ("code", "6 * 7")]);
        assert!(value.await.contains("5:value2:42"), "{count}");
    }
}

#[tokio::test]
async fn a_file_has_its_last_value_and_errors_name_the_editors_file_and_line() {
    let mut desk = Desk::start().await;
    let file = "def work(n):\n  return 1 / n\nwork(4)\n";
    let load = [("op", "load-file"), ("id", "1"), ("file", file)];
    let path = [("file-path", "/home/me/main.py"), ("file-name", "main.py")];
    let replies = desk.ask(&[&load[..], &path[..]].concat()).await;
    assert!(replies.contains("5:value4:0.25"), "{replies}");
    let region = [("op", "eval"), ("id", "2"), ("code", "x = 0\nwork(x)")];
    let place = [("file", "/home/me/other.py"), ("line", "40")];
    let replies = desk.ask(&[&region[..], &place[..]].concat()).await;
    for part in [
        "File \"/home/me/other.py\", line 41, in <module>",
        "File \"/home/me/main.py\", line 2, in work",
        "4:file16:/home/me/main.py",
        "4:linei2e",
    ] {
        assert!(replies.contains(part), "{part} is not in {replies}");
    }
    assert!(!replies.contains("<stdin>"), "{replies}");
}

#[tokio::test]
async fn a_program_on_a_board_asks_for_its_input_and_reads_lines_and_the_end() {
    let mut desk = Desk::start().await;
    let code = "name = input('name? ')\nprint('hello ' + name)\ntry:\n  input()\nexcept EOFError:\n  print('the end')";
    desk.send(&[("op", "eval"), ("id", "1"), ("code", code)])
        .await;
    let asked = desk.see("10:need-input").await;
    assert!(asked.contains("name? "), "{asked}");
    desk.send(&[("op", "stdin"), ("id", "2"), ("stdin", "Ada\n")])
        .await;
    let read = desk.see("10:need-input").await;
    assert!(read.contains("hello Ada"), "{read}");
    desk.send(&[("op", "stdin"), ("id", "3"), ("stdin", "")])
        .await;
    let ended = answered(&mut desk.link, 2).await;
    assert!(ended.contains("the end"), "{ended}");
    // A line that comes before it is asked for is read without a question.
    desk.send(&[("op", "stdin"), ("id", "4"), ("stdin", "Bob\n")])
        .await;
    desk.see("4:done").await;
    let replies = desk.ask(&[("op", "eval"), ("id", "5"), ("code", "input()")]);
    let replies = replies.await;
    assert!(replies.contains("5:value5:'Bob'"), "{replies}");
    assert!(!replies.contains("need-input"), "{replies}");
}

#[tokio::test]
async fn names_are_the_boards_own_and_signatures_come_from_programs_files_and_stubs() {
    let mut desk = Desk::start().await;
    let folder = desk.folder.path();
    std::fs::create_dir(folder.join("typings")).unwrap();
    let stub = "def collect() -> None:\n    \"\"\"Run a garbage collection.\"\"\"\n";
    std::fs::write(folder.join("typings/gc.pyi"), stub).unwrap();
    let code =
        "import gc\ndef spread(first, second=(1, 2)):\n  'Spreads.'\n  return first\nspeed = 3";
    desk.ask(&[("op", "eval"), ("id", "1"), ("code", code)])
        .await;
    let table = [
        ("completions", "spe", "9:candidate5:speed4:type3:var"),
        ("completions", "spr", "9:candidate6:spread4:type8:function"),
        (
            "completions",
            "gc.coll",
            "9:candidate10:gc.collect4:type8:function",
        ),
        ("completions", "isinst", "9:candidate10:isinstance"),
        // A keyword may begin a name.
        ("completions", "gc.is", "9:candidate12:gc.isenabled"),
        ("eldoc", "spread", "5:eldocll5:first13:second=(1, 2)ee"),
        ("lookup", "spread", "3:doc8:Spreads."),
        ("lookup", "spread", "4:linei2e"),
        ("info", "gc.collect", "3:doc25:Run a garbage collection."),
        ("info", "speed", "3:doc3:int"),
        ("info", "nowhere", "7:no-info"),
    ];
    for (operation, name, expected) in table {
        let request = [
            ("op", operation),
            ("id", "2"),
            ("prefix", name),
            ("sym", name),
        ];
        let replies = desk.ask(&request).await;
        assert!(replies.contains(expected), "{operation} {name}: {replies}");
    }
    // While a program runs the board cannot be asked: files and programs answer at once.
    let endless = "print('ready')\nwhile True: pass";
    desk.send(&[("op", "eval"), ("id", "3"), ("code", endless)])
        .await;
    desk.see("ready").await;
    let eldoc = desk.ask(&[("op", "eldoc"), ("id", "4"), ("sym", "spread")]);
    assert!(eldoc.await.contains("5:first"));
}

#[tokio::test]
async fn a_program_that_catches_every_ctrl_c_ends_with_a_reset_that_every_client_is_told_of() {
    let mut desk = Desk::start().await;
    desk.send(&[("op", "eval"), ("id", "1"), ("code", "x = 1\n")])
        .await;
    answered(&mut desk.link, 1).await;
    let mut other = desk.another_link().await;
    let code = bencode(&[("op", "eval"), ("id", "1"), ("code", "x")]);
    other.write_all(&code).await.unwrap();
    answered(&mut other, 1).await;
    // More than are sent one by one, and fewer than are sent then.
    desk.send(&[("op", "eval"), ("id", "2"), ("code", &catching(7))])
        .await;
    desk.see("ready").await;
    for caught in 1..=3 {
        desk.send(&[("op", "interrupt"), ("id", "3")]).await;
        desk.see(&format!("caught {caught}")).await;
    }
    desk.send(&[("op", "interrupt"), ("id", "4")]).await;
    let end = desk.see("11:interrupted").await;
    assert!(end.contains("the board was soft-reset"), "{end}");
    let gone = bencode(&[("op", "eval"), ("id", "5"), ("code", "x")]);
    other.write_all(&gone).await.unwrap();
    let replies = answered(&mut other, 1).await;
    assert!(replies.contains("The board has restarted"), "{replies}");
    assert!(replies.contains("2:ex9:NameError"), "{replies}");
}

#[tokio::test]
async fn a_program_that_restarts_the_board_by_itself_is_told_to_every_client() {
    let mut desk = Desk::start().await;
    desk.ask(&[("op", "eval"), ("id", "1"), ("code", "x = 1")])
        .await;
    let mut other = desk.another_link().await;
    let code = bencode(&[("op", "eval"), ("id", "1"), ("code", "x")]);
    other.write_all(&code).await.unwrap();
    answered(&mut other, 1).await;
    let exit = [("op", "eval"), ("id", "2"), ("code", "raise SystemExit")];
    let replies = desk.ask(&exit).await;
    // MicroPython itself ends there on unix, which its board answers by starting it again.
    assert!(replies.contains("the board restarted"), "{replies}");
    let gone = bencode(&[("op", "eval"), ("id", "3"), ("code", "x")]);
    other.write_all(&gone).await.unwrap();
    let replies = answered(&mut other, 1).await;
    assert!(replies.contains("The board has restarted"), "{replies}");
    let replies = desk
        .ask(&[("op", "eval"), ("id", "4"), ("code", "1")])
        .await;
    assert!(!replies.contains("has restarted"), "told once: {replies}");
    desk.link = desk.another_link().await;
    let replies = desk
        .ask(&[("op", "eval"), ("id", "5"), ("code", "1")])
        .await;
    assert!(!replies.contains("has restarted"), "{replies}");
}

#[tokio::test]
async fn a_board_that_is_plugged_in_again_is_used_again() {
    let mut desk = Desk::start().await;
    let code = [("op", "eval"), ("id", "2"), ("code", "6 * 7")];
    desk.ask(&code).await;
    desk.plug_in_again();
    let replies = desk.ask(&code).await;
    assert!(replies.contains("The board has restarted"), "{replies}");
    assert!(replies.contains("5:value2:42"), "{replies}");
    // Its cable is pulled while a program runs.
    let endless = "print('ready')\nwhile True: pass";
    desk.send(&[("op", "eval"), ("id", "3"), ("code", endless)])
        .await;
    desk.see("ready").await;
    desk.plug_in_again();
    let replies = desk.see("4:done").await;
    assert!(replies.contains("the board"), "{replies}");
    let reads = [("op", "eval"), ("id", "4"), ("code", "input()")];
    desk.send(&reads).await;
    desk.see("10:need-input").await;
    desk.send(&[("op", "stdin"), ("id", "5"), ("stdin", "Ada\n")])
        .await;
    desk.see("5:value5:'Ada'").await;
}

#[tokio::test]
async fn a_program_that_outlives_its_time_is_interrupted_until_it_ends() {
    let mut desk = Desk::limited("2").await;
    desk.send(&[("op", "eval"), ("id", "1"), ("code", &catching(7))])
        .await;
    let end = desk.see("4:done").await;
    assert!(end.contains("took longer than 2 s"), "{end}");
    assert!(end.contains("the board was soft-reset"), "{end}");
    let value = desk.ask(&[("op", "eval"), ("id", "2"), ("code", "6 * 7")]);
    assert!(value.await.contains("5:value2:42"));
}

#[tokio::test]
async fn code_that_is_on_the_board_asks_for_its_input_and_pieces_of_a_line_answer_one_read() {
    let mut desk = Desk::start().await;
    let module = "board = {}\nexec(\"def ask(): return in\" + \"put('name? ')\", board)";
    let replies = desk
        .ask(&[("op", "eval"), ("id", "1"), ("code", module)])
        .await;
    assert!(!replies.contains("eval-error"), "{replies}");
    let asked = [("op", "eval"), ("id", "2"), ("code", "board['ask']()")];
    desk.send(&asked).await;
    desk.see("10:need-input").await;
    desk.send(&[("op", "stdin"), ("id", "3"), ("stdin", "A")])
        .await;
    desk.send(&[("op", "stdin"), ("id", "4"), ("stdin", "da\n")])
        .await;
    desk.see("5:value5:'Ada'").await;
}

#[tokio::test]
async fn a_server_that_ends_interrupts_its_program_and_leaves_the_board_at_its_prompt() {
    let mut desk = Desk::start().await;
    desk.send(&[("op", "eval"), ("id", "1"), ("code", &catching(1))])
        .await;
    desk.see("ready").await;
    let board = desk.stop().await;
    let checked = "import builtins\nprint(type(builtins.input) is type(print))";
    let mut exec = Command::new(env!("CARGO_BIN_EXE_flylead"));
    exec.args(["exec", "--port"])
        .arg(board.0.path())
        .arg(checked);
    exec.stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .stdin(Stdio::null());
    let (code, stdout, stderr) = ended(exec.spawn().unwrap()).await;
    assert_eq!((code, stdout.as_str()), (0, "True\n"), "{stderr}");
}

#[tokio::test]
async fn a_long_value_is_cut_where_the_editor_asks_and_a_value_keeps_its_lines() {
    let mut desk = Desk::start().await;
    let quota = ("nrepl.middleware.print/quota", "5");
    let cut = [("op", "eval"), ("id", "1"), ("code", "'a' * 10"), quota];
    let replies = desk.ask(&cut).await;
    assert!(replies.contains("5:value5:'aaaa"), "{replies}");
    assert!(replies.contains("print/truncated"), "{replies}");
    let lines = "class Lines:\n  def __repr__(self): return 'a\\nb'\nLines()";
    let replies = desk
        .ask(&[("op", "eval"), ("id", "2"), ("code", lines)])
        .await;
    assert!(replies.contains("5:value3:a\nb"), "{replies}");
}

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
    desk.ask(&[("op", "eval"), ("id", "1"), ("code", "shared = 'board'")])
        .await;

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
        .arg(tests.join("../tests/clients/nrepl/node_modules"))
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

#[tokio::test]
async fn editors_evaluate_on_a_board_see_values_and_interrupt_it() {
    let mut desk = Desk::start().await;
    let table: &[(&str, &[&str])] = &[
        ("6 * 7", &["5:value2:42"]),
        ("x = [1, 'a']", &["5:value4:None"]),
        ("x", &["5:value8:[1, 'a']"]),
        ("print('out') or 3", &["3:out", "5:value1:3"]),
        ("# nothing", &["5:value4:None"]),
        ("def f(n):\n  return n + 1\n", &["5:value4:None"]),
        ("f(1)", &["5:value1:2"]),
        ("y = 20\nprint('shown')\ny + 1", &["shown", "5:value2:21"]),
        ("  z = 5\n  z", &["5:value1:5"]),
        ("1/0", &["2:ex17:ZeroDivisionError", "eval-error"]),
        ("1 +", &["2:ex11:SyntaxError"]),
    ];
    for (code, expected) in table {
        let replies = desk
            .ask(&[("op", "eval"), ("id", "1"), ("code", code)])
            .await;
        for part in *expected {
            assert!(replies.contains(part), "{code}: {part} is not in {replies}");
        }
    }
    let endless = "print('ready')\nwhile True: pass";
    desk.send(&[("op", "eval"), ("id", "2"), ("code", endless)])
        .await;
    desk.see("ready").await;
    desk.send(&[("op", "interrupt"), ("id", "3")]).await;
    let replies = answered(&mut desk.link, 2).await;
    assert!(replies.contains("11:interrupted"), "{replies}");

    interrupt(&desk.server);
    assert_eq!(ended(desk.server).await.0, 0);
    assert!(!desk.folder.path().join(".nrepl-port").exists());
}

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

//! `flylead exec`, `run`, `eval`: what a person or a script sees of a program on a board.

mod input;
mod left;
mod limits;
mod logs;
mod reset;
pub(super) mod terminal;
mod testing;
mod testing_boards;

use std::{
    fs::{self, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use flylead_core::trace::{self, Record};
use flylead_tests::boards::{Faults, Microbit, UnixBoard, Wire, venv};

use crate::common::{done, flylead, piped, press_ctrl_c, run, started, told_of, wait_until};

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
    let endless = ["--timeout", "3", "exec", "while True: pass"];
    let (code, _, stderr) = run(flylead(board.path(), &endless));
    assert_eq!(code, 4);
    assert!(stderr.contains("exceeded its time limit"), "{stderr}");
    assert_eq!(
        run(flylead(board.path(), &["exec", "print(2)"])),
        done("2\n")
    );
}

#[test]
fn an_expression_past_its_time_is_given_up_and_the_board_freed() {
    let board = UnixBoard::start();
    let endless = ["--timeout", "3", "eval", "__import__('time').sleep(1000)"];
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
    keys.write_all(b"kept = 41\rwhile True: open('/flash/busy', 'w').close()\r\r\r")
        .unwrap();
    let busy = board.flash().join("busy");
    wait_until("the board is busy", || busy.exists());
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
    assert_eq!(code, 5);
    assert!(stderr.contains("has no machine.bootloader()"), "{stderr}");
}

/// A board's user may have named something of theirs like a built-in function.
#[test]
fn commands_do_not_call_what_the_user_has_named() {
    let board = UnixBoard::start();
    let commands = [
        &["info"][..],
        &["fs", "ls"],
        &["fs", "df"],
        &["check", "/"],
        &["completions", "--board", "/"],
    ];
    let before = commands.map(|words| run(flylead(board.path(), words)));
    let names = "__import__=exec=getattr=hasattr=tuple=str=bytes=sorted=len=open=dir=globals=8";
    assert_eq!(run(flylead(board.path(), &["exec", names])), done(""));
    for (words, before) in commands.iter().zip(before) {
        let after = run(flylead(board.path(), words));
        let lines = |text: &str| text.lines().count();
        assert_eq!((after.0, &after.2), (before.0, &before.2), "{words:?}");
        assert_eq!(lines(&after.1), lines(&before.1), "{words:?}: {}", after.1);
    }
}

//! Tests the inputs of a program: stdin, `sys.argv`.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Child, Stdio},
};

use flylead_tests::boards::{Microbit, UnixBoard};

use crate::common::{done, flylead, folder, must, piped, run, told_of, write};

/// Runs a program with this on its stdin, which then ends.
fn run_with(board: &Path, program: &str, stdin: &[u8]) -> (i32, String, String) {
    let here = folder();
    let file = write(&here, "ask.py", program);
    let mut child = started(board, &["run", &file]);
    let mut pipe = child.stdin.take().expect("it is piped");
    pipe.write_all(stdin).expect("it is read");
    drop(pipe);
    told_of(child)
}

fn started(board: &Path, words: &[&str]) -> Child {
    let mut command = flylead(board, words);
    command.stdin(Stdio::piped());
    piped(command)
}

/// Asks until there is nothing more.
const ASK: &str = "
names = []
while True:
    try:
        names.append(input('name? '))
    except EOFError:
        break
print('hello', names)
";

#[test]
fn a_program_reads_stdin_and_sees_its_end() {
    let (unix, microbit) = (UnixBoard::start(), Microbit::start());
    for board in [unix.path(), microbit.path()] {
        let (code, stdout, stderr) = run_with(board, ASK, b"bob\ncarol\nlast");
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let told = stdout
            .trim_end()
            .ends_with("hello ['bob', 'carol', 'last']");
        assert!(told, "{stdout:?}");
    }
}

#[test]
fn a_program_from_stdin_is_at_the_end_of_it() {
    let board = UnixBoard::start();
    let mut child = started(board.path(), &["run", "-"]);
    let mut pipe = child.stdin.take().expect("it is piped");
    pipe.write_all(ASK.as_bytes()).expect("it is read");
    drop(pipe);
    let (code, stdout, stderr) = told_of(child);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.trim_end().ends_with("hello []"), "{stdout:?}");
}

#[test]
fn a_program_reads_lines_of_sys_stdin() {
    let board = UnixBoard::start();
    let program = "import sys\nprint('ready')\nprint('got', repr(sys.stdin.readline()))\n";
    let (code, stdout, _) = run_with(board.path(), program, b"bob\n");
    assert_eq!(code, 0);
    assert!(stdout.ends_with("got 'bob\\n'\n"), "{stdout:?}");
}

#[test]
fn a_program_that_waits_for_input_without_any_is_told_of_its_end() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "ask.py", "print('ready')\ninput()");
    let (code, _, stderr) = run(flylead(board.path(), &["run", &file]));
    assert_eq!(code, 1);
    assert!(stderr.trim_end().ends_with("EOFError:"), "{stderr}");
}

#[test]
fn what_a_program_does_not_read_is_not_run() {
    let unread = b"open('ran','w').close()\nimport machine\n\nprint('''\n#";
    let unix = UnixBoard::start();
    // It lives long enough to get all of it.
    let program = "import time\nfor i in range(30):\n    print(i)\n    time.sleep(0.1)\nkept = 1\n";
    let (code, stdout, stderr) = run_with(unix.path(), program, unread);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(!unix.flash().join("ran").exists());
    assert_eq!(run(flylead(unix.path(), &["eval", "kept"])), done("1\n"));

    let microbit = Microbit::start();
    let program =
        "import microbit\nfor i in range(30):\n    print(i)\n    microbit.sleep(100)\nkept = 1\n";
    let (code, stdout, stderr) = run_with(microbit.path(), program, unread);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert_eq!(must(microbit.path(), &["fs", "ls"]), "");
    assert_eq!(
        run(flylead(microbit.path(), &["eval", "kept"])),
        done("1\n")
    );
}

#[test]
fn a_byte_that_is_a_command_to_the_board_is_refused() {
    let board = UnixBoard::start();
    let program = "import time\nprint('ready')\nwhile True: time.sleep(0.01)\n";
    let (code, _, stderr) = run_with(board.path(), program, b"x\n\x04\n");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("0x04"), "{stderr}");
}

#[test]
fn ctrl_c_in_a_pipe_interrupts_the_program() {
    let (unix, microbit) = (UnixBoard::start(), Microbit::start());
    for board in [unix.path(), microbit.path()] {
        let endless = "while True:\n    pass\n";
        let (code, _, stderr) = run_with(board, endless, b"not read\n\x03");
        assert_eq!(code, 130, "{stderr}");
        assert!(stderr.contains("KeyboardInterrupt"), "{stderr}");
        assert_eq!(run_with(board, "print(1)\n", b"").0, 0);
    }
}

#[test]
fn words_after_the_file_are_sys_argv() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "show.py", "import sys\nprint(sys.argv)\n");
    let words = ["run", &file, "a b", "-x", "--json", "it's\n\u{e9}\"\\"];
    let argv = format!("['{file}', 'a b', '-x', '--json', 'it\\'s\\n\\xe9\"\\\\']\n");
    assert_eq!(run(flylead(board.path(), &words)), done(&argv));
    // The words of one program are not the next one's.
    let argv = format!("['{file}']\n");
    assert_eq!(run(flylead(board.path(), &["run", &file])), done(&argv));
    assert_eq!(
        run(flylead(board.path(), &["run", "--reset", &file])),
        done(&argv)
    );
}

#[test]
fn a_board_without_sys_argv_says_so_when_there_are_words() {
    let board = Microbit::start();
    let here = folder();
    let file = write(&here, "show.py", "print(1)\n");
    assert_eq!(run(flylead(board.path(), &["run", &file])), done("1\r\n"));
    let (code, _, stderr) = run(flylead(board.path(), &["run", &file, "word"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("sys.argv"), "{stderr}");
}

#[test]
fn keys_at_a_terminal_go_to_the_program_and_the_terminal_is_given_back() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "ask.py", "print('hello', input('name? '))\n");
    let program = env!("CARGO_BIN_EXE_flylead");
    let line = format!(
        "'{program}' -p '{}' run '{file}'; echo left $?; stty -a",
        board.path().display()
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let screen = runtime.block_on(super::terminal::type_at(
        &line,
        "name? ",
        &["bpb\x7f\x7fob\r"],
    ));
    assert!(
        screen.contains("hello bob") && screen.contains("left 0"),
        "{screen}"
    );
    assert!(
        screen.contains(" icanon") && screen.contains(" echo "),
        "{screen}"
    );
    assert!(fs::read(board.flash().join("none")).is_err());
}

#[test]
fn a_module_that_lies_beside_the_program_is_pointed_out() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "helper.py", "WORD = 'hi'\n");
    let file = write(&here, "main.py", "import helper\n");
    let (code, _, stderr) = run(flylead(board.path(), &["run", &file]));
    assert_eq!(code, 1);
    let advice =
        "helper.py is on this computer and not on the board: `flylead mount FOLDER -- run FILE`";
    assert!(stderr.contains(advice), "{stderr}");
    assert!(stderr.contains("no module named 'helper'"), "{stderr}");

    let (_, stdout, _) = run(flylead(board.path(), &["--json", "run", &file]));
    let last = stdout.lines().last().expect("it tells the end");
    let told: serde_json::Value = serde_json::from_str(last).expect("it is JSON");
    let message = told["error"]["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with("ImportError: no module named 'helper'\n"),
        "{message}"
    );

    // A module that is nowhere has no such way.
    let file = write(&here, "other.py", "import nowhere\n");
    let (_, _, stderr) = run(flylead(board.path(), &["run", &file]));
    assert!(!stderr.contains("mount"), "{stderr}");
}

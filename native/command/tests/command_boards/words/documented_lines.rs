//! The command lines of the README, the terminal's page and the tutorial, run on the README's own boards.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use flylead_tests::boards::{Microbit, UnixBoard};
use tempfile::TempDir;

use crate::common::{flylead, folder, piped, press_ctrl_c, told_of, write};

/// A line of a page, and how it ended on a board.
struct Ended {
    line: String,
    code: i32,
    stderr: String,
}

fn text_of(page: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(page)).unwrap_or_else(|fault| panic!("{page}: {fault}"))
}

/// Lines of a page's shell blocks that begin with `flylead`, as words, up to their comments.
fn lines_of(page: &str) -> Vec<String> {
    let text = text_of(page);
    let mut is_shell = false;
    let lines = text.lines().filter(|line| {
        if line.starts_with("```") {
            is_shell = *line == "```sh";
        }
        is_shell && line.starts_with("flylead ")
    });
    let without_comment = |line: &str| line.split(" #").next().unwrap_or(line).trim().to_owned();
    lines.map(without_comment).collect()
}

/// A person's folder, with all that the lines name.
fn home() -> TempDir {
    let home = folder();
    for (name, content) in [
        ("blink.py", "print('ready')\n"),
        ("main.py", "print('main')\n"),
        ("src/app.py", "value = 42\n"),
        ("lib/helper.py", "value = 7\n"),
        ("test_board.py", "def test_sum():\n    assert 1 + 1 == 2\n"),
        (
            "my-package/package.json",
            "{\"urls\": [[\"p.py\", \"p.py\"]], \"version\": \"1\"}",
        ),
        ("my-package/p.py", "p = 1\n"),
    ] {
        write(&home, name, content);
    }
    home
}

/// Words as a shell parts them; these lines quote by apostrophes alone.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn command(board: &Path, line: &str, home: &TempDir) -> Command {
    let words = words(line.trim_start_matches("flylead "));
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut command = flylead(board, &words);
    command
        .current_dir(home.path())
        .env("VISUAL", "true")
        .env("XDG_RUNTIME_DIR", home.path())
        .env("XDG_STATE_HOME", home.path());
    command
}

/// Runs a line to its end; a server until it says where it is.
fn ended(board: &Path, line: String, home: &TempDir) -> Ended {
    let mut command = command(board, &line, home);
    let (code, stderr) = match line.contains(" serve") {
        true => {
            command.args(["--json", "--listen", "127.0.0.1:0"]);
            served(command)
        }
        false => {
            let mut child = piped({
                command.stdin(Stdio::piped());
                command
            });
            let mut stdin = child.stdin.take().expect("it is piped");
            // The debugger's command to leave, and a line for a prompt. A command that reads nothing may have ended.
            let typed = if line.contains(" debug ") {
                "q\n"
            } else {
                "6*7\n"
            };
            let _ = stdin.write_all(typed.as_bytes());
            drop(stdin);
            let (code, _, stderr) = told_of(child);
            (code, stderr)
        }
    };
    Ended { line, code, stderr }
}

fn served(command: Command) -> (i32, String) {
    let mut child = piped(command);
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("it is piped");
    let read = BufReader::new(stdout).read_line(&mut line);
    read.expect("it says where it is");
    assert!(line.contains("127.0.0.1"), "{line}");
    press_ctrl_c(&child);
    let mut stderr = String::new();
    let said = child.stderr.as_mut().expect("it is piped");
    said.read_to_string(&mut stderr).expect("it is text");
    let code = child.wait().expect("it is our child").code();
    // Ctrl-C is how a server ends.
    let code = code.filter(|code| *code != 130).unwrap_or(0);
    (code, stderr)
}

/// Lines that this board refuses, for it lacks what they need; each with a part of what is said.
const UNIX: [(&str, &str); 3] = [
    ("flylead reset --hard", "has no machine.reset()"),
    ("flylead rtc --set", "has no machine.RTC"),
    ("flylead romfs deploy", "has no ROM partition"),
];

/// Lines that a micro:bit refuses: it lacks directories, ROM partitions and a clock.
const MICROBIT: [(&str, &str); 7] = [
    ("flylead sync", "this board has no directories"),
    ("flylead fs sync", "this board has no directories"),
    ("flylead fs cp -r", "this board has no directories"),
    ("flylead mount", "has no file systems to mount"),
    ("flylead install", "this board has no sys.path"),
    ("flylead rtc --set", "this board has no machine.RTC"),
    ("flylead romfs deploy", "the board has no ROM partition"),
];

#[test]
fn the_readmes_lines_run_on_its_unix_board() {
    let lines = lines_of("README.md");
    assert_eq!(lines.len(), 5, "{lines:?}");
    let board = UnixBoard::start();
    let home = home();
    for line in lines {
        let Ended { line, code, stderr } = ended(board.path(), line, &home);
        assert_eq!(code, 0, "{line}: {stderr}");
    }
    assert!(board.flash().join("lib/app.py").is_file());
}

#[test]
fn the_terminals_lines_run_on_the_readmes_unix_board() {
    let lines = lines_of("docs/use/terminal.md");
    assert!(lines.len() >= 16, "{lines:?}");
    let board = UnixBoard::start();
    fs::write(board.flash().join("main.py"), "print('main')\n").unwrap();
    let home = home();
    run_on_unix(lines, &board, &home);
}

/// Runs lines, of which the board refuses those of [`UNIX`].
fn run_on_unix(lines: Vec<String>, board: &UnixBoard, home: &TempDir) {
    for line in lines {
        let Ended { line, code, stderr } = ended(board.path(), line, home);
        match UNIX.iter().find(|(begin, _)| line.starts_with(begin)) {
            Some((_, said)) => assert!(code != 0 && stderr.contains(said), "{line}: {stderr}"),
            None => assert_eq!(code, 0, "{line}: {stderr}"),
        }
    }
}

/// Saves the files that a page tells to save: each is a Python block after a line that names it.
fn save_files_of(page: &str, home: &TempDir) -> usize {
    let text = text_of(page);
    let parts = text.split("\nSave this as `").skip(1);
    let saved = parts.map(|part| {
        let (name, rest) = part.split_once('`').expect(part);
        let (_, code) = rest.split_once("```python\n").expect(rest);
        let (code, _) = code.split_once("```").expect(code);
        write(home, name, code);
    });
    saved.count()
}

#[test]
fn the_tutorial_runs_from_its_first_line_to_its_last() {
    let page = "docs/start/tutorial.md";
    let lines = lines_of(page);
    assert!(lines.len() >= 13, "{lines:?}");
    let board = UnixBoard::start();
    let home = folder();
    assert_eq!(save_files_of(page, &home), 2);
    let logger = include_str!("../../../../examples/sd_logger.py");
    write(&home, "sd_logger.py", logger);
    run_on_unix(lines, &board, &home);
    assert!(board.flash().join("main.py").is_file());
}

#[test]
fn the_documented_lines_run_on_the_readmes_microbit_or_say_what_it_lacks() {
    let board = Microbit::start();
    let home = home();
    let mut refused = 0;
    for line in [lines_of("README.md"), lines_of("docs/use/terminal.md")].concat() {
        let Ended { line, code, stderr } = ended(board.path(), line, &home);
        if code == 0 {
            continue;
        }
        refused += 1;
        let is_lack =
            |(begin, said): &(&str, &str)| line.starts_with(begin) && stderr.contains(said);
        assert!(MICROBIT.iter().any(is_lack), "{line}: {code} {stderr}");
    }
    assert!(refused >= MICROBIT.len(), "{refused}");
}

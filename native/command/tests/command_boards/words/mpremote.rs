//! Tests features known to users of mpremote: chains, short forms, shortcuts, and the options of
//! `run` and `repl`.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use flylead_tests::boards::UnixBoard;
use tempfile::TempDir;

use crate::{
    common::{done, flylead, folder, must, piped, run, told_of, wait_until, write},
    programs::terminal::type_at,
};

/// `flylead` of a person who has shortcuts.
fn with_shortcuts(board: &Path, settings: &TempDir, shortcuts: &str, words: &[&str]) -> Command {
    write(settings, "flylead/config.toml", shortcuts);
    let mut command = flylead(board, words);
    command.env("XDG_CONFIG_HOME", settings.path());
    command
}

#[test]
fn the_commands_of_a_chain_have_one_connection() {
    let board = UnixBoard::start();
    let here = folder();
    let program = write(&here, "program.py", "print('it ran')\nkept = 6\n");
    let words = [
        "--verbose",
        "cp",
        &program,
        ":",
        "+",
        "run",
        &program,
        "+",
        "exec",
        "print(kept * 7)",
        "+",
        "ls",
    ];
    let (code, stdout, stderr) = run(flylead(board.path(), &words));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("it ran\n42\n"), "{stdout}");
    assert!(stdout.ends_with("program.py\n"), "{stdout}");
    assert_eq!(stderr.matches("opening").count(), 1, "{stderr}");
    // Afterwards it is at its prompt, and nobody's.
    assert_eq!(must(board.path(), &["exec", "print(1)"]), "1\n");
}

#[test]
fn a_chain_can_end_at_the_prompt_with_what_came_before() {
    let board = UnixBoard::start();
    let here = folder();
    let program = write(&here, "program.py", "kept = 6\n");
    let words = [
        "cp",
        &program,
        ":",
        "+",
        "run",
        &program,
        "+",
        "exec",
        "kept += 1",
        "+",
        "repl",
    ];
    let mut chain = flylead(board.path(), &words);
    chain.stdin(Stdio::piped());
    let mut chain = piped(chain);
    let mut keys = chain.stdin.take().unwrap();
    keys.write_all(b"import program\nprint('at the', 'prompt', kept * program.kept)\n")
        .unwrap();
    drop(keys);
    let (code, stdout, stderr) = told_of(chain);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("\nat the prompt 42"), "{stdout}");
    assert_eq!(must(board.path(), &["exec", "print(1)"]), "1\n");
}

#[test]
fn a_chain_ends_at_the_first_command_that_fails() {
    let board = UnixBoard::start();
    let words = [
        "exec", "print(1)", "+", "exec", "1/0", "+", "exec", "print(2)",
    ];
    let (code, stdout, stderr) = run(flylead(board.path(), &words));
    assert_eq!((code, stdout.as_str()), (1, "1\n"), "{stderr}");
    assert!(stderr.contains("ZeroDivisionError"), "{stderr}");
    // A mistake in any of them is told before the first one runs.
    for last in [
        &["exec"][..],
        &["serve"],
        &["exec", "1", "--port", "/dev/other"],
    ] {
        let words = [&["exec", "open('ran', 'w')", "+"], last].concat();
        let (code, stdout, stderr) = run(flylead(board.path(), &words));
        assert_eq!((code, stdout.as_str()), (2, ""), "{last:?}: {stderr}");
    }
    assert!(!board.flash().join("ran").exists());
}

#[test]
fn a_trace_has_the_conversation_of_the_whole_chain() {
    let board = UnixBoard::start();
    let here = folder();
    let trace = here.path().join("trace");
    let option = format!("--trace={}", trace.display());
    let words = [
        &*option,
        "exec",
        "print('first')",
        "+",
        "exec",
        "print('second')",
    ];
    assert_eq!(run(flylead(board.path(), &words)), done("first\nsecond\n"));
    let trace = fs::read_to_string(trace).unwrap();
    assert!(
        trace.contains("first") && trace.contains("second"),
        "{trace}"
    );
}

#[test]
fn files_have_short_forms_and_a_port_by_its_letter_is_that_port() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "file", "content");
    assert_eq!(must(board.path(), &["mkdir", ":d"]), "");
    must(board.path(), &["cp", &file, ":d/file"]);
    assert_eq!(must(board.path(), &["cat", ":d/file"]), "content");
    assert_eq!(
        must(board.path(), &["ls", ":d"]),
        must(board.path(), &["fs", "ls", ":d"])
    );
    assert_eq!(must(board.path(), &["rm", "-r", ":d"]), "");
    assert_eq!(must(board.path(), &["ls"]), "");
    for (word, port) in [("a97", "/dev/ttyACM97"), ("u98", "/dev/ttyUSB98")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args([word, "ls"]);
        let (code, _, stderr) = run(command);
        assert_eq!(code, 3, "{stderr}");
        assert!(stderr.contains(port), "{stderr}");
    }
    let package = write(&here, "module.py", "value = 1\n");
    must(
        board.path(),
        &["mip", "install", &package, "--target", "lib"],
    );
    assert!(board.flash().join("lib/module.py").exists());
}

#[test]
fn a_persons_shortcuts_stand_for_words_and_for_chains() {
    let board = UnixBoard::start();
    let settings = folder();
    let shortcuts = "[shortcuts]\nsay = \"exec 'print(6 * 7)'\"\ntwice = [\"say\", \"+\", \"say\"]\nrun-it = \"run\"\nround = \"round\"\n";
    let program = write(&settings, "program.py", "import sys\nprint(sys.argv[1:])\n");
    for (words, printed) in [
        (&["say"][..], "42\n"),
        (&["twice"], "42\n42\n"),
        (&["say", "+", "exec", "print(1)", "+", "say"], "42\n1\n42\n"),
        (&["run-it", &program, "a", "+", "b"], "['a', '+', 'b']\n"),
    ] {
        let command = with_shortcuts(board.path(), &settings, shortcuts, words);
        assert_eq!(run(command), done(printed), "{words:?}");
    }
    for (shortcuts, words, wanted) in [
        (shortcuts, &["round"][..], "refers to itself"),
        (shortcuts, &["nothing"], "unrecognized subcommand 'nothing'"),
        (
            "[shortcuts]\nls = 'exec 1'\n",
            &["mine"],
            "`ls` already has a meaning",
        ),
        (
            "[shortcuts]\nmine = \"exec 'x\"\n",
            &["mine"],
            "an unclosed quote",
        ),
        ("[shortcut]\n", &["mine"], "config.toml: "),
    ] {
        let (code, _, stderr) = run(with_shortcuts(board.path(), &settings, shortcuts, words));
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(wanted), "{stderr}");
    }
    // What is no shortcut does not depend on the file.
    let exec = with_shortcuts(board.path(), &settings, "not TOML", &["exec", "print(1)"]);
    assert_eq!(run(exec), done("1\n"));
}

const TICKS: &str = "import time
n = 0
while True:
 n += 1
 with open('ticks', 'w') as f:
  f.write(str(n))
 time.sleep_ms(10)
";

#[test]
fn a_program_that_is_not_followed_runs_on_until_the_board_is_needed() {
    let board = UnixBoard::start();
    let here = folder();
    let program = write(&here, "ticks.py", TICKS);
    let ticks = || -> u64 {
        let text = fs::read_to_string(board.flash().join("ticks")).unwrap_or_default();
        text.parse().unwrap_or(0)
    };
    for words in [
        &["run", "--no-follow", &program][..],
        &["exec", "--no-follow", TICKS],
    ] {
        assert_eq!(run(flylead(board.path(), words)), done(""));
        let before = ticks();
        wait_until("it runs on", || ticks() > before + 5);
        assert_eq!(must(board.path(), &["exec", "print(1)"]), "1\n");
    }
    let (code, stdout, stderr) = run(flylead(board.path(), &["exec", "--no-follow", "1 +"]));
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("SyntaxError"), "{stderr}");
    assert_eq!(must(board.path(), &["exec", "print(2)"]), "2\n");
}

/// A clock for a board that has none: an object in the place of the module, which keeps what it was set to.
const CLOCK: &str = "import sys
class RTC:
 now = (2000, 1, 1, 5, 0, 0, 0, 0)
 def datetime(self, to=None):
  if to is None: return RTC.now
  RTC.now = to
class machine: pass
machine.RTC = RTC
sys.modules['machine'] = machine
";

#[test]
fn the_clock_is_shown_and_set() {
    let board = UnixBoard::start();
    let shown = must(board.path(), &["rtc"]);
    assert_eq!(shown.trim().len(), "2026-01-31 23:59:59".len(), "{shown}");
    let (code, _, stderr) = run(flylead(board.path(), &["rtc", "--set"]));
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("no machine.RTC"), "{stderr}");

    must(board.path(), &["exec", CLOCK]);
    assert_eq!(must(board.path(), &["rtc"]), "2000-01-01 00:00:00\n");
    let date = || {
        let date = Command::new("date")
            .args(["-u", "+%Y-%m-%d"])
            .output()
            .unwrap();
        String::from_utf8(date.stdout).unwrap().trim().to_owned()
    };
    let before = date();
    let set = must(board.path(), &["rtc", "--set", "--utc"]);
    // Midnight may have been between the two.
    assert!(
        set.starts_with(&before) || set.starts_with(&date()),
        "{set}"
    );
    let weekday = must(
        board.path(),
        &["eval", "__import__('machine').RTC.now[3] in range(7)"],
    );
    assert_eq!(weekday, "True\n");
}

#[test]
fn a_chain_can_wait() {
    let board = UnixBoard::start();
    let now = "import time\nprint(time.ticks_ms())";
    let words = ["exec", now, "+", "sleep", "0.3", "+", "exec", now];
    let (code, stdout, stderr) = run(flylead(board.path(), &words));
    assert_eq!(code, 0, "{stderr}");
    let times: Vec<u64> = stdout.lines().map(|line| line.parse().unwrap()).collect();
    assert!(times[1] - times[0] >= 290, "{stdout}");
}

#[test]
fn the_prompt_has_keys_that_type_code_run_a_file_and_leave_and_a_file_has_what_was_shown() {
    let board = UnixBoard::start();
    let here = folder();
    let capture = here.path().join("shown");
    let program = write(
        &here,
        "program.py",
        "for i in range(3):\n    print('line', i)\n",
    );
    let shell = format!(
        "'{}' -p '{}' repl --capture '{}' --inject-code 'print(6 * 7)\\n' --inject-file '{program}'; echo left $?",
        env!("CARGO_BIN_EXE_flylead"),
        board.path().display(),
        capture.display(),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let keys = ["\r", "\x0a", "\x0b", "\x1d"];
    let screen = runtime.block_on(type_at(&shell, ">>> ", &keys));
    assert!(screen.contains("42"), "{screen}");
    assert!(screen.contains("line 0\r\nline 1\r\nline 2"), "{screen}");
    assert!(screen.contains("left 0"), "{screen}");
    let captured = fs::read_to_string(capture).unwrap();
    assert!(
        captured.contains("42") && captured.contains("line 2"),
        "{captured}"
    );
    assert!(!captured.contains("Ctrl-X leaves"), "{captured}");
    assert_eq!(must(board.path(), &["exec", "print(1)"]), "1\n");
}

#[test]
fn several_files_are_edited_one_after_the_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let board = UnixBoard::start();
    let here = folder();
    let editor = write(&here, "editor", "#!/bin/sh\necho edited >> \"$1\"\n");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut edit = flylead(board.path(), &["edit", ":a.py", ":b.py"]);
    edit.env("VISUAL", &editor);
    assert_eq!(run(edit), done(""));
    for name in ["a.py", "b.py"] {
        let content = fs::read_to_string(board.flash().join(name)).unwrap();
        assert_eq!(content, "edited\n", "{name}");
    }
}

#[test]
fn bash_takes_the_completions_and_completes_commands_by_them() {
    let here = folder();
    let mut print = Command::new(env!("CARGO_BIN_EXE_flylead"));
    print.args(["completions", "bash"]);
    let (code, script, stderr) = run(print);
    assert_eq!(code, 0, "{stderr}");
    let script = write(&here, "completions", script);
    let ask = format!(
        "source '{script}' && COMP_WORDS=(flylead exp) COMP_CWORD=1 && _flylead flylead exp flylead && echo \"${{COMPREPLY[@]}}\""
    );
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-c", &ask]);
    assert_eq!(run(bash), done("export\n"));
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let mut print = Command::new(env!("CARGO_BIN_EXE_flylead"));
        print.args(["completions", shell]);
        let (code, script, stderr) = run(print);
        assert_eq!(code, 0, "{stderr}");
        assert!(script.contains("repl-server"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page_that_renders() {
    let here = folder();
    let mut man = Command::new(env!("CARGO_BIN_EXE_flylead"));
    man.arg("man").arg(here.path().join("pages"));
    assert_eq!(run(man).0, 0);
    let pages = fs::read_dir(here.path().join("pages")).unwrap();
    let pages: Vec<_> = pages.map(|page| page.unwrap().path()).collect();
    let named = |name: &str| pages.iter().find(|page| page.ends_with(name));
    for name in [
        "flylead.1",
        "flylead-run.1",
        "flylead-fs-cp.1",
        "flylead-ports-name.1",
    ] {
        assert!(named(name).is_some(), "{name}: {pages:?}");
    }
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let title = text.lines().find(|line| line.starts_with(".TH "));
        let name = page.file_stem().unwrap().to_str().unwrap();
        let title = title.unwrap_or_else(|| panic!("{name} has no title"));
        assert!(title.contains(&format!("{name} 1")), "{title}");
        assert!(text.contains("\n.SH SYNOPSIS"), "{name}");
    }
    // Where there is a program that renders them, it finds no fault, and the words are there.
    let page = named("flylead-run.1").unwrap();
    let render = Command::new("groff")
        .args(["-Kutf8", "-man", "-Tutf8", "-P-cbou", "-ww"])
        .arg(page)
        .output();
    if let Ok(rendered) = render {
        let text = String::from_utf8_lossy(&rendered.stdout).into_owned();
        assert!(
            rendered.status.success() && rendered.stderr.is_empty(),
            "{rendered:?}"
        );
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("Start the program and leave it running"),
            "{text}"
        );
    }
}

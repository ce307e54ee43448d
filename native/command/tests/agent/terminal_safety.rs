//! Third-party text (of a device, a server, an LLM, names of files) reaches the person's terminal
//! visibly: none of it is obeyed, and none hides. Every command is fed such text here; a pipe gets
//! it unchanged.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    session::{flylead as agent, ran, session},
    terminal::{Kept, Terminal, wait_for},
};

/// Writes the clipboard, clears the screen, hides what follows, and turns, splits and smuggles text.
const HOSTILE: &str = "\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{1b}[8m\u{9b}5m\u{202e}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}\u{e0041}\r\u{8}";

/// Hostile text for places that control characters do not reach, and its form on a terminal.
const UNSEEN: &str = "\u{202e}\u{200f}\u{61c}\u{200b}\u{e0041}";
const SHOWN: &str = "\\u{202e}\\u{200f}\\u{61c}\\u{200b}\\u{e0041}";

/// Parts of it that would do harm or stay invisible. Programs of ours send none of these.
const HARMFUL: [&str; 12] = [
    "\u{1b}]",
    "\u{1b}[2J",
    "\u{1b}[8m",
    "\u{9b}",
    "\u{202e}",
    "\u{200f}",
    "\u{61c}",
    "\u{200b}",
    "\u{2060}",
    "\u{feff}",
    "\u{e0041}",
    "\u{8}",
];

#[track_caller]
fn assert_harmless(screen: &str, what: &str) {
    for harmful in HARMFUL {
        assert!(
            !screen.contains(harmful),
            "{what}: {harmful:?} in {screen:?}"
        );
    }
}

/// Runs a command on a terminal to its end, and checks what it showed. Hostile text came through, and was seen.
#[track_caller]
fn shows(command: impl FnOnce() -> Command, visible: &str, what: &str) -> String {
    let mut terminal = Terminal::of(command);
    terminal.child.exit_code();
    let screen = terminal.all();
    assert_harmless(&screen, what);
    assert!(
        screen.contains(visible),
        "{what}: no {visible:?} in {screen:?}"
    );
    screen
}

fn flylead(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command.args(arguments).env("TERM", "xterm-256color");
    command
}

#[test]
fn a_device_that_says_such_text_to_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join("program.py");
    fs::write(&local, "print(1)\n").unwrap();
    let local = local.to_str().unwrap();
    let device = device(folder.path(), RAW_REPL);
    let commands: [&[&str]; 21] = [
        &["exec", "print(1)"],
        &["eval", "1"],
        &["run", local],
        &["info"],
        &["reset"],
        &["edit", ":main.py"],
        &["install", local],
        &["fs", "ls"],
        &["fs", "tree"],
        &["fs", "cat", ":a"],
        &["fs", "stat", ":a"],
        &["fs", "df"],
        &["fs", "sha256", ":a"],
        &["fs", "cp", local, ":a"],
        &["fs", "cp", ":a", local],
        &["fs", "sync", folder.path().to_str().unwrap(), ":a"],
        &["fs", "mv", ":a", ":b"],
        &["fs", "rm", ":a"],
        &["fs", "mkdir", ":a"],
        &["fs", "touch", ":a"],
        &["ports"],
    ];
    for arguments in commands {
        // A board that answers nothing about itself is told about without its words.
        let visible = match arguments[0] {
            "ports" | "info" | "reset" => "",
            _ => SHOWN,
        };
        let asked = || {
            let mut command = flylead(&["--timeout", "20", "--port", &device]);
            command.args(arguments).env("EDITOR", "true");
            command
        };
        shows(asked, visible, &arguments.join(" "));
    }
    let noise = self::device(
        folder.path(),
        "while :; do cat \"$0.said\"; sleep 0.1; done",
    );
    let asked = || flylead(&["--timeout", "1", "--port", &noise, "exec", "print(1)"]);
    shows(asked, SHOWN, "a device that never stops");
}

/// A device with a raw REPL on which every program raises.
const RAW_REPL: &str = r#"
stty raw -echo
while :; do
  keys=$(dd bs=4096 count=1 2>/dev/null | tr -cd '\001\004')
  case $keys in
    *"$(printf '\004')"*)
      printf 'OK\004Traceback (most recent call last):\r\n  File "<stdin>", line 1, in <module>\r\nOSError: '
      tr -d '\r' <"$0.said"
      printf '\r\n\004>' ;;
    *"$(printf '\001')"*) printf 'raw REPL; CTRL-B to exit\r\n>' ;;
  esac
done
"#;

#[test]
fn a_device_that_answers_exports_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = device(
        folder.path(),
        "while read line; do printf 'ERROR: '; cat \"$0.said\"; done",
    );
    let size = device(
        folder.path(),
        "while read line; do printf 'SIZE=-5'; tr -d ' \\r' < \"$0.said\"; done",
    );
    let said = device(folder.path(), "while read line; do cat \"$0.said\"; done");
    let artifacts = folder.path().join("artifacts");
    let artifacts = artifacts.to_str().unwrap();
    for (device, action) in [
        (&error, &["fetch", "run1"][..]),
        (&size, &["fetch", "run1"]),
        (&error, &["start", "run1"]),
        (&said, &["start", "run1"]),
        (&said, &["stop"]),
        (&said, &["run", "run1", "--for", "1s"]),
    ] {
        let export = || {
            let mut command = flylead(&["--timeout", "2", "--port", device, "export"]);
            command.args(action).args(["--artifacts", artifacts]);
            // Questions of other tests are not this device's.
            command.env("XDG_STATE_HOME", folder.path());
            command
        };
        shows(export, SHOWN, &action.join(" "));
    }
}

/// The address of a device that is this script. What it says is in a file beside it.
fn device(folder: &Path, script: &str) -> String {
    let name = format!("device{}", fs::read_dir(folder).unwrap().count());
    let path = folder.join(name);
    fs::write(&path, script).unwrap();
    let said = format!(" {HOSTILE}{UNSEEN}\n");
    fs::write(format!("{}.said", path.display()), said).unwrap();
    format!("process:exec sh {}", path.display())
}

/// A session with such names, such text, and a reply that holds more of it.
fn hostile_session() -> tempfile::TempDir {
    let folder = session(&format!("task {HOSTILE}{UNSEEN}"));
    let work = folder.path().join("work");
    let name = HOSTILE.replace('\u{8}', "");
    fs::write(
        work.join(format!("{name}{UNSEEN}.txt")),
        format!("{HOSTILE}{UNSEEN}\n"),
    )
    .unwrap();
    fs::write(work.join("a.txt"), format!("old {HOSTILE}{UNSEEN}\n")).unwrap();
    let body = format!("{HOSTILE}{UNSEEN}");
    let reply = format!(
        "[MESSAGE]\n{body}\n[/MESSAGE]\n[CREATE_FILE path=\"a.txt\"]\n{body}\n[/CREATE_FILE]\n[READ_FILE path=\"a.txt\"]\n\
         [READ_FILE path=\"{UNSEEN}\"]\n[RUN_COMMAND]\necho '{body}'\n[/RUN_COMMAND]\n[{UNSEEN} a=\"b\"]\n"
    );
    fs::write(folder.path().join("reply"), reply).unwrap();
    folder
}

#[test]
fn an_llm_whose_reply_holds_such_text() {
    let folder = hostile_session();
    let folder = folder.path();
    let shows =
        |arguments: &[&str]| shows(|| agent(folder, arguments), SHOWN, &arguments.join(" "));
    shows(&["next"]);
    shows(&["status"]);
    shows(&["list"]);
    shows(&["check", "reply"]);
    shows(&["apply", "reply", "--dry-run"]);
    let applied = shows(&["apply", "reply", "--yes"]);
    // Not a line of it passes for one of ours.
    assert!(
        applied.contains(
            &format!("\r\n  ␛]52;c;aGk=␇␛[2J␛[8m\\u{{9b}}5m{SHOWN}").replace(SHOWN, "\\u{202e}")
        ),
        "{applied:?}"
    );
    shows(&["next"]);
    shows(&["status"]);
}

#[test]
fn a_watched_reply_with_such_a_name_and_text() {
    let folder = hostile_session();
    let folder = folder.path();
    let mut watch = Terminal::of(|| agent(folder, &["watch"]));
    watch.until("save the reply in");
    let inbox = folder.join("work/.flylead/inbox");
    fs::copy(folder.join("reply"), inbox.join(format!("{UNSEEN}.txt"))).unwrap();
    watch.until("Apply? [y/n]");
    watch.press("y");
    watch.until("Run it?");
    watch.press("\x03");
    assert_eq!(watch.child.exit_code(), Some(130));
    let screen = watch.all();
    assert_harmless(&screen, "watch");
    assert!(screen.contains(SHOWN));
}

#[test]
fn into_a_pipe_an_outbox_goes_byte_for_byte() {
    let folder = hostile_session();
    let folder = folder.path();
    fs::write(folder.join("reply"), "[READ_FILE path=\"a.txt\"]\n").unwrap();
    let applied = ran(folder, &["apply", "reply", "--yes"]);
    let applied = String::from_utf8(applied.stdout).unwrap();
    let path = applied
        .lines()
        .find_map(|line| line.strip_prefix("outbox "));
    let path = path.unwrap();
    let piped = ran(folder, &["next"]).stdout;
    assert!(piped == fs::read(path).unwrap());
    let text = String::from_utf8(piped).unwrap();
    assert!(text.contains(&format!("old {HOSTILE}{UNSEEN}")), "{text:?}");
}

#[test]
fn a_zylisp_server_whose_values_and_errors_are_such_text() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let address = socket.to_str().unwrap();
    let mut server = flylead(&["zylisp", "serve", address]);
    let _server = Kept(
        server
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    wait_for("the server", || socket.exists().then_some(()));
    let text = format!("{HOSTILE}{UNSEEN}").replace(['\r', '\u{8}'], "");
    for (program, visible) in [
        (format!("(println \"{text}\")"), SHOWN),
        // The language's own way to write a text.
        (format!("\"{text}\""), r"\u202e\u200f\u061c\u200b\U000e0041"),
    ] {
        let asked = || flylead(&["zylisp", "eval", address, &program]);
        shows(asked, visible, &program);
    }
}

#[test]
fn a_log_with_such_columns() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run1/sd");
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("log.csv"), format!("t,h{UNSEEN}\n1,2\n2,3\n3,5\n")).unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let plot = || flylead(&["export", "plot", "run1", "--artifacts", artifacts]);
    shows(plot, SHOWN, "plot");
}

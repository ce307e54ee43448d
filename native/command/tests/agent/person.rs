//! The agent's loop with a person at it: an inbox that is watched, a clipboard, a terminal with keys.
#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    session::{home, outbox, ran, said, session, session_with},
    terminal::{Kept, Terminal, flylead, wait_for},
};

fn names(folder: PathBuf) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_watched_inbox_is_worked_through_until_the_task_is_done() {
    let folder = session("watch");
    let folder = folder.path();
    let inbox = folder.join("work/.flylead/inbox");
    fs::create_dir_all(&inbox).unwrap();
    // There before anybody watches, and of equal age: the names decide.
    let first = "[RUN_COMMAND]\necho one >> log\n[/RUN_COMMAND]\n";
    fs::write(inbox.join("a.txt"), first).unwrap();
    fs::write(inbox.join("b.txt"), first).unwrap();
    fs::write(inbox.join("c.txt"), "only prose").unwrap();
    fs::write(inbox.join(".hidden.txt"), first).unwrap();
    let now = std::time::SystemTime::now();
    for (name, age) in [("a.txt", 30), ("b.txt", 30), ("c.txt", 20)] {
        let file = File::options().write(true).open(inbox.join(name)).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    let mut watch = Kept(flylead(folder, &["watch", "--yes"]).spawn().unwrap());
    wait_for("the third reply", || {
        inbox.join("rejected/c.txt").exists().then_some(())
    });
    fs::write(
        inbox.join("c.txt"),
        "Sequence: 2\n[DONE]\nAll done.\n[/DONE]\n",
    )
    .unwrap();
    assert_eq!(watch.exit_code(), Some(0));
    let mut printed = String::new();
    watch
        .0
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut printed)
        .unwrap();
    assert!(printed.contains("All done."), "{printed}");
    let mut noted = String::new();
    let stderr = watch.0.stderr.take();
    stderr.unwrap().read_to_string(&mut noted).unwrap();
    assert!(
        noted.contains("a.txt: saved before outbox 1 existed"),
        "{noted}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("work/log")).unwrap(),
        "one\n"
    );
    let kept = names(home(folder).join("processed"));
    let kept: Vec<_> = kept
        .iter()
        .map(|name| name.split_once('_').unwrap().1)
        .collect();
    assert_eq!(kept, ["seq0001_a.txt", "seq0001_b.txt", "seq0002_c.txt"]);
    assert_eq!(names(inbox), [".hidden.txt", "rejected"]);
}

#[test]
fn a_second_agent_says_who_works_there() {
    let folder = session("two");
    let mut watch = Kept(flylead(folder.path(), &["watch", "--yes"]).spawn().unwrap());
    let pid = watch.0.id().to_string();
    // Nobody else may ask for the lock before it is taken.
    wait_for("the lock", || {
        let holder = fs::read_to_string(home(folder.path()).join("lock.pid")).ok()?;
        (holder == pid).then_some(())
    });
    let status = ran(folder.path(), &["status"]);
    let told = format!("another agent is working here (process {pid})");
    assert!(
        !status.status.success() && said(&status).contains(&told),
        "{}",
        said(&status)
    );
    watch.0.kill().unwrap();
    watch.0.wait().unwrap();
    assert!(ran(folder.path(), &["status"]).status.success());
}

/// Tools that keep a clipboard in a file, as `xclip` keeps it in X11.
fn clipboard(folder: &Path) -> (PathBuf, String) {
    let tools = folder.join("tools");
    fs::create_dir(&tools).unwrap();
    let kept = folder.join("clipboard");
    let script = format!(
        "#!/bin/sh\ncase \"$3\" in -in) cat > '{0}';; *) cat '{0}';; esac\n",
        kept.display()
    );
    let xclip = tools.join("xclip");
    fs::write(&xclip, script).unwrap();
    fs::set_permissions(&xclip, fs::Permissions::from_mode(0o755)).unwrap();
    (kept, format!("{}:/usr/bin:/bin", tools.display()))
}

#[test]
fn the_clipboard_carries_both_ways() {
    let folder = session("clip");
    let folder = folder.path();
    let (kept, path) = clipboard(folder);
    let with_clipboard = |arguments: &[&str]| {
        let mut command = flylead(folder, arguments);
        command
            .env("PATH", &path)
            .env("DISPLAY", ":0")
            .env_remove("WAYLAND_DISPLAY");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
    };
    with_clipboard(&["next", "--clipboard"]);
    assert_eq!(fs::read_to_string(&kept).unwrap(), outbox(folder));
    fs::write(
        &kept,
        "“Héllo”\n[CREATE_FILE path=“a.txt”]\nhé\n[/CREATE_FILE]\n",
    )
    .unwrap();
    with_clipboard(&["apply", "--clipboard", "--yes"]);
    assert_eq!(
        fs::read_to_string(folder.join("work/a.txt")).unwrap(),
        "hé\n"
    );
    let copied = fs::read_to_string(&kept).unwrap();
    assert!(
        copied.contains("Sequence: 2\n") && copied.contains("[OK] CREATE_FILE"),
        "{copied}"
    );
}

#[test]
fn without_a_clipboard_it_is_said_what_to_install() {
    let folder = session("clip");
    let mut command = flylead(folder.path(), &["apply", "--clipboard"]);
    let done = command.env("PATH", "/nowhere").output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(
        said(&done).contains("install wl-clipboard, xclip or xsel"),
        "{}",
        said(&done)
    );
}

const REPLY: &str = "[CREATE_FILE path=\"a.txt\"]\none\n2\nthree\n[/CREATE_FILE]\n[RUN_COMMAND]\necho first >> log\n[/RUN_COMMAND]\n[RUN_COMMAND]\necho second >> log\n[/RUN_COMMAND]\n[RUN_COMMAND]\necho first >> log\n[/RUN_COMMAND]\n[RUN_COMMAND]\necho third >> log\n[/RUN_COMMAND]\n";

#[test]
fn a_colored_diff_is_shown_and_one_key_decides() {
    let folder = session("terminal");
    let folder = folder.path();
    fs::write(folder.join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    fs::write(folder.join("reply"), REPLY).unwrap();

    let mut refused = Terminal::start(folder, &["apply", "reply"]);
    let shown = refused.until("Apply? [y/n]");
    for wanted in [
        "\x1b[31m-two\x1b[0m",
        "\x1b[32m+2\x1b[0m",
        "\x1b[33m$ echo first >> log\x1b[0m",
        "commands ",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
    refused.press("n");
    assert_eq!(refused.child.exit_code(), Some(130));
    assert_eq!(
        fs::read_to_string(folder.join("work/a.txt")).unwrap(),
        "one\ntwo\nthree\n"
    );

    let mut accepted = Terminal::start(folder, &["apply", "reply"]);
    accepted.until("Apply? [y/n]");
    accepted.press("y");
    accepted.until("$ echo first >> log\r\nRun it?");
    accepted.press("a");
    let question = "Accept? [y]es to all";
    let accept = |accepted: &mut Terminal, times: usize| {
        wait_for(question, || {
            (accepted.count(question) == times).then_some(())
        });
        accepted.press("y");
    };
    accept(&mut accepted, 1);
    assert!(accepted.until("--- new log").contains("+first"));
    accepted.until("$ echo second >> log\r\nRun it?");
    accepted.press("n");
    accept(&mut accepted, 2);
    accepted.until("$ echo third >> log\r\nRun it?");
    accepted.press("e");
    accepted.until("instead: ");
    accepted.press("echo other >> log\n");
    accept(&mut accepted, 3);
    assert_eq!(accepted.child.exit_code(), Some(1));
    assert_eq!(
        fs::read_to_string(folder.join("work/a.txt")).unwrap(),
        "one\n2\nthree\n"
    );
    assert_eq!(
        fs::read_to_string(folder.join("work/log")).unwrap(),
        "first\nfirst\nother\n"
    );
    let text = outbox(folder);
    assert!(
        text.contains("'echo second >> log' was not run: the person refused"),
        "{text}"
    );
    assert!(
        text.contains("Note: the person ran this instead of 'echo third >> log'"),
        "{text}"
    );
}

/// A link that a command left gives a folder that an editor obeys another name.
#[cfg(unix)]
#[test]
fn a_file_is_marked_by_where_it_is_and_not_by_how_it_is_called() {
    let folder = session("mark");
    let work = folder.path().join("work");
    fs::create_dir(work.join(".vscode")).unwrap();
    std::os::unix::fs::symlink(".vscode", work.join("conf")).unwrap();
    for (path, mark) in [
        ("conf/tasks.json", true),
        ("conf/new/tasks.json", true),
        ("plain/tasks.json", false),
    ] {
        let reply = format!("[CREATE_FILE path=\"{path}\"]\n{{}}\n[/CREATE_FILE]\n");
        fs::write(folder.path().join("reply"), reply).unwrap();
        let shown = said(&ran(folder.path(), &["apply", "reply", "--yes"]));
        assert!(shown.contains(path), "{shown}");
        assert_eq!(
            shown.contains("an editor obeys it"),
            mark,
            "{path}: {shown}"
        );
    }
}

#[test]
fn a_pasted_chat_is_shown_to_the_person_who_decides_about_what_follows_the_copy() {
    let folder = session("chat");
    let folder = folder.path();
    let long = "line\n".repeat(20);
    fs::write(folder.join("work/a.txt"), &long).unwrap();
    let chat = outbox(folder) + "[CREATE_FILE path=\"a.txt\"]\nother\n[/CREATE_FILE]\n";
    fs::write(folder.join("chat"), chat).unwrap();
    let mut apply = Terminal::start(folder, &["apply", "chat"]);
    let shown = apply.until("Apply? [y/n]");
    assert!(
        shown.contains("contains a copy of an outbox; only what follows"),
        "{shown}"
    );
    assert!(
        shown.contains("more than half of this file is removed: is that intended?"),
        "{shown}"
    );
    apply.press("\x03");
    assert_eq!(apply.child.exit_code(), Some(130));
    assert_eq!(fs::read_to_string(folder.join("work/a.txt")).unwrap(), long);
}

#[test]
fn a_reply_on_the_standard_input_changes_nothing_unless_somebody_says_yes() {
    let folder = session("pipe");
    let file = folder.path().join("work/a");
    let apply = |arguments: &[&str]| {
        let mut apply = flylead(folder.path(), &[&["apply", "-"], arguments].concat())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let reply = b"[CREATE_FILE path=\"a\"]\nx\n[/CREATE_FILE]\n";
        apply.stdin.take().unwrap().write_all(reply).unwrap();
        apply.wait_with_output().unwrap()
    };
    let refused = apply(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("+x"), "{}", said(&refused));
    assert!(
        said(&refused).contains("nothing was done, because there is no terminal to ask on"),
        "{}",
        said(&refused)
    );
    assert!(!file.exists());
    assert!(apply(&["--yes=files"]).status.success());
    assert_eq!(fs::read_to_string(file).unwrap(), "x\n");
}

#[test]
fn line_numbers_are_those_of_the_file_as_it_was_shown_or_at_each_command() {
    let folder = session_with("t", &["--edit-numbering", "sequential"]);
    assert!(
        outbox(folder.path())
            .contains("## Line Numbers\nIn this session, unlike in the rules above")
    );
    let folder = session_with("t", &[]);
    let folder = folder.path();
    fs::write(folder.join("work/a"), "1\n2\n3\n").unwrap();
    fs::write(folder.join("first"), "[READ_FILE path=\"a\"]\n").unwrap();
    assert!(
        ran(folder, &["apply", "first", "--yes=files"])
            .status
            .success()
    );
    assert!(!outbox(folder).contains("## Line Numbers"));
    let reply = "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\nx\ny\n[/EDIT_FILE]\n[EDIT_FILE path=\"a\" start_line=\"3\" end_line=\"3\"]\nz\n[/EDIT_FILE]\n[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"2\"]\n[/EDIT_FILE]\n";
    fs::write(folder.join("reply"), reply).unwrap();
    let done = ran(folder, &["apply", "reply", "--yes=files"]);
    assert!(
        said(&done).contains("lines 1-2 of 'a' overlap an earlier edit"),
        "{}",
        said(&done)
    );
    assert_eq!(
        fs::read_to_string(folder.join("work/a")).unwrap(),
        "x\ny\n2\nz\n"
    );
}

#[test]
fn line_ends_and_what_is_kept_of_an_output_are_the_persons_choice() {
    let folder = session_with("t", &["--eol", "crlf", "--truncate", "head"]);
    let folder = folder.path();
    fs::write(folder.join("work/unix"), "old\n").unwrap();
    let reply = "[CREATE_FILE path=\"new\"]\na\nb\n[/CREATE_FILE]\n[CREATE_FILE path=\"unix\"]\na\n[/CREATE_FILE]\n[RUN_COMMAND]\nseq 3000\n[/RUN_COMMAND]\n";
    fs::write(folder.join("reply"), reply).unwrap();
    ran(folder, &["apply", "--yes", "reply"]);
    assert_eq!(fs::read(folder.join("work/new")).unwrap(), b"a\r\nb\r\n");
    assert_eq!(fs::read(folder.join("work/unix")).unwrap(), b"a\n");
    let told = outbox(folder);
    assert!(
        told.contains("Output: 1\n") && !told.contains("omitted"),
        "{told}"
    );
    assert!(
        told.contains("\n  1021\n") && !told.contains("\n  1023\n"),
        "{told}"
    );
}

#[test]
fn a_file_whose_name_looks_the_same_is_told() {
    let folder = session("letters");
    let folder = folder.path();
    fs::write(folder.join("work/cafe\u{301}"), "x").unwrap();
    let reply =
        "[READ_FILE path=\"caf\u{e9}\"]\n[CREATE_FILE path=\"caf\u{e9}\"]\ny\n[/CREATE_FILE]\n";
    fs::write(folder.join("reply"), reply).unwrap();
    let done = said(&ran(folder, &["apply", "reply", "--yes=files"]));
    assert_eq!(done.matches("looks the same").count(), 2, "{done}");
    assert_eq!(
        fs::read_to_string(folder.join("work/cafe\u{301}")).unwrap(),
        "x"
    );
}

/// Simulates SSH: no tool, but a terminal that owns the clipboard of the computer at which the
/// person sits.
#[test]
fn without_a_tool_the_terminal_is_asked_to_copy() {
    use std::os::unix::process::CommandExt as _;
    let folder = session("clip");
    let folder = folder.path();
    // `setsid -c` makes the terminal the one that the program is controlled by.
    let program = env!("CARGO_BIN_EXE_flylead");
    let script = format!("PATH=/nowhere exec '{program}' agent next --clipboard");
    let terminal = Terminal::of(|| {
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", "/bin/sh", "-c", &script]);
        command
            .current_dir(folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DISPLAY");
        command.process_group(0);
        command
    });
    let shown = terminal.until("copied with the terminal (OSC 52)");
    let (_, copied) = shown.split_once("\x1b]52;c;").expect("it is asked");
    let (copied, _) = copied.split_once('\x07').expect("the request has an end");
    let copied = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, copied);
    assert_eq!(String::from_utf8(copied.unwrap()).unwrap(), outbox(folder));
}

#[test]
fn ctrl_c_ends_the_command_and_the_rest_of_the_reply() {
    let folder = session("stop");
    let mark = format!("32{:07}", std::process::id());
    let reply = format!(
        "[RUN_COMMAND]\ntouch started; setsid sleep {mark} & sleep {mark}\n[/RUN_COMMAND]\n[RUN_COMMAND]\ntouch second\n[/RUN_COMMAND]\n[CREATE_FILE path=\"third\"]\n[/CREATE_FILE]\n[DELETE_FILE path=\"started\"]\n"
    );
    fs::write(folder.path().join("reply"), reply).unwrap();
    let mut apply = Kept(
        flylead(folder.path(), &["apply", "reply", "--yes"])
            .spawn()
            .unwrap(),
    );
    let homes = folder.path().join("state/flylead/agent");
    let has_started = |home: fs::DirEntry| home.path().join("view/upper/started").exists();
    wait_for("the command", || {
        let mut homes = fs::read_dir(&homes).ok()?.flatten();
        homes.any(has_started).then_some(())
    });
    kill_process(Pid::from_child(&apply.0), Signal::INT).unwrap();
    assert_eq!(apply.exit_code(), Some(130));
    let text = outbox(folder.path());
    assert!(
        text.contains("[FAILED] RUN_COMMAND: The person stopped the command:"),
        "{text}"
    );
    assert!(
        text.contains("'touch second' was not run: the person stopped the reply"),
        "{text}"
    );
    for kept in ["third", "started"] {
        let told = format!("'{kept}' was not changed: the person stopped the reply");
        assert!(text.contains(&told), "{text}");
    }
    let work = folder.path().join("work");
    assert!(!work.join("second").exists() && !work.join("third").exists());
    assert!(work.join("started").exists());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let left = lines
        .filter(|line| String::from_utf8_lossy(line).contains(&mark))
        .count();
    assert_eq!(left, 0);
}

#[test]
fn a_long_outbox_is_cut_into_parts_that_make_it_up() {
    let folder = session(&"a long task, ".repeat(400));
    let folder = folder.path();
    let whole = outbox(folder);
    let all = String::from_utf8(ran(folder, &["next", "--split", "3000"]).stdout).unwrap();
    let count = all.matches("\n(end of part ").count();
    assert!(count >= 4 && whole.chars().count() > 10_000);
    let mut joined = String::new();
    for part in 1..=count {
        let text = ran(
            folder,
            &["next", "--split", "3000", "--part", &part.to_string()],
        )
        .stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.chars().count() <= 3000);
        let (_, inner) = text.split_once('\n').unwrap();
        joined += inner.rsplit_once("\n(end of part ").unwrap().0;
    }
    assert_eq!(joined, whole);
    let none = ran(folder, &["next", "--split", "3000", "--part", "99"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn a_session_that_was_done_goes_on_when_it_is_reopened() {
    let folder = session("again");
    fs::write(folder.path().join("reply"), "[DONE]\nok\n[/DONE]\n").unwrap();
    assert!(
        ran(folder.path(), &["apply", "reply", "--yes=files"])
            .status
            .success()
    );
    fs::write(folder.path().join("reply"), "[MESSAGE]\nmore\n[/MESSAGE]\n").unwrap();
    let refused = ran(folder.path(), &["apply", "reply", "--yes=files"]);
    assert!(
        said(&refused).contains("the session is complete"),
        "{}",
        said(&refused)
    );
    assert!(ran(folder.path(), &["reopen"]).status.success());
    assert!(outbox(folder.path()).contains("Sequence: 2\n"));
    assert!(
        ran(folder.path(), &["apply", "reply", "--yes=files"])
            .status
            .success()
    );
    assert!(outbox(folder.path()).contains("Sequence: 3\n"));
}

//! Questions and keys: what was typed before a question answers nothing, an arrow is one key, and nobody says *always* by
//! accident.
#![cfg(target_os = "linux")]

use std::{fs, path::Path, process::Command};

use crate::{
    session::{home, outbox, session},
    terminal::{Terminal, wait_for},
};

/// A reply that waits in its first command until the file `go` is in the cache that commands keep, and writes into `log` in
/// the two others. The first one leaves a file.
const WAITING: &str = "[RUN_COMMAND]\ntouch left ~/.cache/began; until [ -e ~/.cache/go ]; do sleep 0.05; done\n[/RUN_COMMAND]\n[RUN_COMMAND]\necho again >> log\n[/RUN_COMMAND]\n[CREATE_FILE path=\"between\"]\n[/CREATE_FILE]\n[RUN_COMMAND]\necho again >> log\n[/RUN_COMMAND]\n";

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("work/log")).unwrap_or_default()
}

/// Accepts the reply and allows its first command, which ends once `go` exists. The question about its change follows.
fn begun(folder: &Path) -> Terminal {
    fs::write(folder.join("reply"), WAITING).unwrap();
    let mut apply = Terminal::start(folder, &["apply", "reply"]);
    apply.until("Apply? [y/n]");
    apply.press("y");
    apply.until("Run it?");
    apply.press("y");
    wait_for("the first command", || {
        home(folder).join("cache/began").exists().then_some(())
    });
    apply
}

fn go(folder: &Path, apply: &Terminal) {
    fs::write(home(folder).join("cache/go"), "").unwrap();
    apply.until(ACCEPT);
}

const ACCEPT: &str = "Accept? [y]es to all, [n]one, [l]ist to choose ";
const ACCEPT_LOG: &str = "+again\x1b[0m\r\nAccept? ";
const QUESTION: &str = "$ echo again >> log\r\nRun it? [y]es, [n]o, [a]lways, [e]dit ";

#[test]
fn keys_that_were_typed_while_a_command_ran_answer_no_question() {
    let folder = session("ahead");
    let folder = folder.path();
    let mut apply = begun(folder);
    apply.press("aay\nyes\n");
    go(folder, &apply);
    apply.press("n");
    apply.until(QUESTION);
    apply.press("n");
    wait_for("the second question", || {
        (apply.count(QUESTION) == 2).then_some(())
    });
    apply.press("n");
    assert_eq!(apply.child.exit_code(), Some(1));
    assert!(!folder.join("work/left").exists());
    assert_eq!(log(folder), "");
    let told = outbox(folder);
    assert_eq!(told.matches("was not run: the person refused").count(), 2);
}

#[test]
fn an_arrow_is_one_key_and_means_nothing_whole_or_in_pieces() {
    let folder = session("arrows");
    let folder = folder.path();
    let mut apply = begun(folder);
    go(folder, &apply);
    apply.press("y");
    apply.until(QUESTION);
    for keys in [
        &["\x1b[A"][..],
        &["\x1b", "[A"],
        &["\x1bOA"],
        &["\x1b[1;5A"],
        &["A"],
    ] {
        let before = hints(&apply);
        keys.iter().for_each(|piece| apply.press(piece));
        wait_for("the next question", || {
            (hints(&apply) > before).then_some(())
        });
    }
    assert_eq!(log(folder), "");
    let asked = apply.count(QUESTION);
    apply.press("n");
    wait_for("the other question", || {
        (apply.count(QUESTION) > asked).then_some(())
    });
    apply.press("y");
    apply.until(ACCEPT_LOG);
    assert_eq!(log(folder), "");
    apply.press("y");
    assert_eq!(apply.child.exit_code(), Some(1));
    assert_eq!(log(folder), "again\n");
}

fn hints(apply: &Terminal) -> usize {
    apply.count("press one of y, n, a, e")
}

#[test]
fn a_text_that_is_pasted_is_no_answer() {
    let folder = session("paste");
    let folder = folder.path();
    fs::write(
        folder.join("reply"),
        "[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]\n",
    )
    .unwrap();
    let mut apply = Terminal::start(folder, &["apply", "reply"]);
    apply.until("Apply? [y/n]");
    apply.press("yes, do it\n");
    apply.until("press one of y, n");
    assert!(!folder.join("work/a").exists());
    apply.press("n");
    assert_eq!(apply.child.exit_code(), Some(130));
    assert!(!folder.join("work/a").exists());
}

#[test]
fn ctrl_c_at_a_question_ends_the_reply_and_the_llm_is_told_what_was_not_done() {
    for is_at_changes in [false, true] {
        let folder = session("stop");
        let folder = folder.path();
        let mut apply = begun(folder);
        go(folder, &apply);
        if !is_at_changes {
            apply.press("y");
            apply.until(QUESTION);
        }
        apply.press("\x03");
        assert_eq!(apply.child.exit_code(), Some(130));
        assert!(!folder.join("work/between").exists());
        assert_eq!(folder.join("work/left").exists(), !is_at_changes);
        let told = outbox(folder);
        assert_eq!(
            told.contains("the person did not accept: new left"),
            is_at_changes,
            "{told}"
        );
        let stopped = "the person stopped the reply";
        assert!(
            told.contains(&format!("'between' was not changed: {stopped}")),
            "{told}"
        );
        let refused = format!("'echo again >> log' was not run: {stopped}");
        assert_eq!(told.matches(&refused).count(), 2, "{told}");
    }
}

#[test]
fn the_same_text_for_a_later_outbox_is_asked_about() {
    let folder = session("twice");
    let folder = folder.path();
    fs::write(
        folder.join("reply"),
        "[RUN_COMMAND]\necho again >> log\n[/RUN_COMMAND]\n",
    )
    .unwrap();
    let first = crate::session::ran(folder, &["apply", "reply", "--yes"]);
    assert!(first.status.success());
    let again = crate::session::ran(folder, &["apply", "reply", "--yes"]);
    assert_eq!(again.status.code(), Some(2));
    let mut apply = Terminal::start(folder, &["apply", "reply"]);
    apply.until("the same text was processed as the reply to outbox 1\r\nIs it the reply to outbox 2 too? [y/n]");
    apply.press("y");
    apply.until("Apply? [y/n]");
    apply.press("y");
    apply.until("Run it?");
    apply.press("y");
    apply.until(ACCEPT_LOG);
    apply.press("y");
    assert_eq!(apply.child.exit_code(), Some(0));
    let third = crate::session::ran(folder, &["apply", "reply", "--yes", "--again"]);
    assert!(third.status.success());
    assert_eq!(log(folder), "again\nagain\nagain\n");
}

/// With the reply on the standard input, the keyboard is the terminal's own.
#[test]
fn a_piped_reply_is_asked_about_on_the_terminal() {
    let folder = session("piped");
    let folder = folder.path();
    fs::write(
        folder.join("reply"),
        "[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]\n",
    )
    .unwrap();
    let program = env!("CARGO_BIN_EXE_flylead");
    let script = format!("cat reply | '{program}' agent apply -");
    let mut apply = Terminal::of(|| {
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", "/bin/sh", "-c", &script]);
        command
            .current_dir(folder)
            .env("XDG_STATE_HOME", folder.join("state"));
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    });
    apply.until("Apply? [y/n]");
    assert!(!folder.join("work/a").exists());
    apply.press("y");
    assert_eq!(apply.child.exit_code(), Some(0));
    assert!(folder.join("work/a").exists());
}

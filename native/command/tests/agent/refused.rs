//! Without a sandbox, commands are refused, and the person knows before the first one.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::{
    session::{flylead, outbox, said, session},
    terminal::Terminal,
};

/// Returns the message that the person sees before a question, at a terminal and without one. The
/// command has to be refused, and the LLM told why.
fn refused(change: impl Fn(Command) -> Command) -> String {
    let folder = session("refused");
    reply(folder.path());
    let at_a_terminal = || change(crate::terminal::flylead(folder.path(), &["apply", "reply"]));
    let shown = Terminal::of(at_a_terminal).until("Apply?");
    assert!(shown.contains("commands are refused"), "{shown}");
    let folder = session("refused");
    reply(folder.path());
    let done = change(flylead(folder.path(), &["apply", "reply", "--yes"]));
    let done = output(done);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(!folder.path().join("work/ran").exists());
    let told = outbox(folder.path());
    assert!(told.contains("commands are refused"), "{told}");
    String::from_utf8(done.stderr).unwrap()
}

fn reply(folder: &Path) {
    let reply = "[RUN_COMMAND]\ntouch ran\n[/RUN_COMMAND]\n";
    fs::write(folder.join("reply"), reply).unwrap();
}

fn output(mut command: Command) -> Output {
    command.output().unwrap()
}

fn with_path(mut command: Command, path: &Path) -> Command {
    command.env("PATH", path);
    command
}

/// A folder with a program `bwrap` that does as this script says.
fn bwrap(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // By another process: a file that some process of this one holds open for writing cannot be started.
    let written = Command::new("sh")
        .args([
            "-c",
            "printf '#!/bin/sh\n%s\n' \"$1\" > bwrap && chmod 755 bwrap",
            "sh",
            script,
        ])
        .current_dir(folder.path())
        .status();
    assert!(written.unwrap().success());
    folder
}

#[test]
fn a_command_that_fails_because_of_the_sandbox_says_so_to_the_person_and_to_the_llm() {
    let folder = session("refused");
    let reply = "[RUN_COMMAND]\ntouch /usr/here\n[/RUN_COMMAND]\n";
    fs::write(folder.path().join("reply"), reply).unwrap();
    let done = output(flylead(folder.path(), &["apply", "reply", "--yes"]));
    let why = "lets commands write only in the workspace";
    assert!(said(&done).contains(why), "{}", said(&done));
    let told = outbox(folder.path());
    assert!(told.contains(why), "{told}");
}

#[test]
fn without_bubblewrap_it_is_said_what_to_install() {
    let empty = tempfile::tempdir().unwrap();
    let told = refused(|command| with_path(command, empty.path()));
    for part in [
        "no sandbox is available: bubblewrap is not installed; install the package bubblewrap",
        "--sandbox landlock runs them in a weaker one, --sandbox none without any",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn a_bubblewrap_that_is_too_old_says_so() {
    let old = bwrap("echo bubblewrap 0.4.1");
    let told = refused(|command| with_path(command, old.path()));
    assert!(
        told.contains("'bubblewrap 0.4.1' is too old; 0.6 or later is needed"),
        "{told}"
    );
}

/// Simulates a container, or Debian's `kernel.unprivileged_userns_clone=0`: real bubblewrap, in a
/// place where the kernel creates no user namespace.
#[test]
fn where_the_kernel_makes_no_user_namespace_the_reason_is_told() {
    let told = refused(|command| {
        let mut outer = Command::new("bwrap");
        outer.args(["--unshare-user", "--disable-userns", "--die-with-parent"]);
        outer.args(["--dev-bind", "/", "/"]);
        outer.arg(command.get_program()).args(command.get_args());
        outer.current_dir(command.get_current_dir().unwrap());
        for (name, value) in command.get_envs() {
            outer.env(name, value.unwrap());
        }
        outer
    });
    assert!(
        told.contains(
            "bubblewrap cannot create a sandbox here (bwrap: Creating new namespace failed"
        ),
        "{told}"
    );
    assert!(told.contains("user namespaces"), "{told}");
}

/// The words of bubblewrap 0.8.0 (bubblewrap.c, `raw_clone` with `EPERM`) reach the person, who can look them up.
#[test]
fn what_bubblewrap_says_when_it_fails_is_passed_on() {
    let words = "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.";
    let failing = bwrap(&format!(
        "[ \"$1\" = --version ] && echo bubblewrap 0.8.0 && exit; echo '{words}' >&2; exit 1"
    ));
    let told = refused(|command| with_path(command, failing.path()));
    assert!(told.contains(words), "{told}");
}

#[test]
fn what_a_weaker_sandbox_lacks_is_said_before_a_command_runs_in_it() {
    let empty = tempfile::tempdir().unwrap();
    for (sandbox, lacks) in [
        ("landlock", "they write only to a copy of"),
        ("none", "WITHOUT a sandbox: they can do whatever you can"),
    ] {
        let folder = session("weaker");
        reply(folder.path());
        let words = ["apply", "reply", "--sandbox", sandbox];
        let at_a_terminal = || {
            with_path(
                crate::terminal::flylead(folder.path(), &words),
                empty.path(),
            )
        };
        let shown = Terminal::of(at_a_terminal).until("Apply?");
        assert!(shown.contains(lacks), "{shown}");
        let passed = "commands get these variables of your environment";
        assert!(shown.contains(passed), "{shown}");
        let words = [&words[..], &["--yes"]].concat();
        let done = output(flylead(folder.path(), &words));
        assert!(done.status.success(), "{}", said(&done));
        assert!(folder.path().join("work/ran").exists());
    }
}

//! The agent's loop as a person runs it: the real program, real files, real processes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::Duration,
};

use crate::session::{flylead, home, outbox, ran, said, session};

fn apply(folder: &Path, reply: &str, arguments: &[&str]) -> Output {
    fs::write(folder.join("reply.txt"), reply).unwrap();
    ran(folder, &[&["apply", "reply.txt"], arguments].concat())
}

#[test]
fn a_whole_session_ends_with_a_program_that_was_built_and_runs() {
    let folder = session("Write a calculator in Rust that adds its arguments.");
    let folder = folder.path();
    let first = outbox(folder);
    assert!(
        first.contains("(empty workspace)") && first.contains("Sequence: 1\n"),
        "{first}"
    );

    let reply = "I start with the program. Here it is:\n\n```\n[CREATE_FILE path=\"src/main.rs\"]\nfn main() {\n    let sum: i64 = std::env::args().skip(1).map(|n| n.parse::<i64>()).sum();\n    println!(\"{sum}\");\n}\n[/CREATE_FILE]\n```\n\nThen I build it:\n\n[RUN_COMMAND]\nrustc --edition 2021 -o calc src/main.rs\n[/RUN_COMMAND]\n";
    let done = apply(folder, reply, &["--yes"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    let second = outbox(folder);
    assert!(
        second.contains("[OK] CREATE_FILE: Created 'src/main.rs'"),
        "{second}"
    );
    assert!(second.contains("[FAILED] RUN_COMMAND: Ran 'rustc --edition 2021 -o calc src/main.rs' (exit code 1)\n  Output: error"), "{second}");

    let reply = "Session: and so on\n<think>\n[DELETE_FILE path=\"src/main.rs\"]\n</think>\nThe sum needs the values. [EDIT_FILE] will do:\n\n[EDIT_FILE path=\"src/main.rs\" start_line=\"2\"]\n    let sum: i64 = 0;\n[/EDIT_FILE]\n[READ_FILE path=\"src/main.rs\"]\n".replace("Session: and so on\n", "");
    apply(folder, &reply, &["--yes"]);
    let third = outbox(folder);
    assert!(
        third.contains("[FAILED] EDIT_FILE: line 6: the attribute 'end_line' is missing"),
        "{third}"
    );
    assert!(
        third.contains("--- src/main.rs ---\nfn main() {\n") && third.contains("Sequence: 3\n"),
        "{third}"
    );

    let reply = "Session: ID\nSequence: 3\n\nSorry, corrected:\n[EDIT_FILE path=\"src/main.rs\" start_line=\"2\" end_line=\"2\" expect=\"let sum: i64 = std::env::args().skip(1).map(|n| n.parse::<i64>()).sum();\"]\n    let sum: i64 = std::env::args().skip(1).map(|n| n.parse::<i64>().expect(\"a number\")).sum();\n[/EDIT_FILE]\n[RUN_COMMAND]\nrustc --edition 2021 -o calc src/main.rs && ./calc 40 2\n[/RUN_COMMAND]\n";
    let id = third
        .lines()
        .nth(1)
        .unwrap()
        .strip_prefix("Session: ")
        .unwrap();
    let done = apply(folder, &reply.replace("ID", id), &["--yes"]);
    assert!(done.status.success(), "{}", said(&done));
    assert!(
        outbox(folder).contains("(exit code 0)\n  Output: 42\n"),
        "{}",
        outbox(folder)
    );

    let done = apply(
        folder,
        "It works.\n\n[DONE]\nA calculator that adds.\n[/DONE]\n",
        &["--yes=files"],
    );
    assert!(
        done.status.success() && said(&done).contains("A calculator that adds."),
        "{}",
        said(&done)
    );
    let run = Command::new(folder.join("work/calc"))
        .args(["1", "2", "3"])
        .output()
        .unwrap();
    assert_eq!(run.stdout, b"6\n");
}

#[test]
fn the_same_reply_twice_runs_once() {
    let folder = session("count");
    let reply = "[RUN_COMMAND]\necho x >> log\n[/RUN_COMMAND]\n";
    for number in 0..5 {
        let done = apply(folder.path(), reply, &["--yes"]);
        assert_eq!(done.status.success(), number == 0, "{}", said(&done));
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("work/log")).unwrap(),
        "x\n"
    );
}

/// A disk that has no more room, as far as a process can have one of its own: no file grows beyond `kilobytes`.
fn apply_on_a_full_disk(folder: &Path, reply: &str, kilobytes: u32) -> Output {
    fs::write(folder.join("reply.txt"), reply).unwrap();
    let program = env!("CARGO_BIN_EXE_flylead");
    // Ignored, the signal becomes an error of the write.
    let script = format!(
        "trap '' XFSZ; ulimit -f {}; exec '{program}' agent apply reply.txt --yes=files",
        kilobytes * BLOCKS_IN_A_KILOBYTE
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script]).current_dir(folder);
    command.env("XDG_STATE_HOME", folder.join("state"));
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

/// POSIX counts files in blocks of 512 bytes.
const BLOCKS_IN_A_KILOBYTE: u32 = 2;

#[test]
fn a_disk_that_is_full_in_the_middle_of_a_write_keeps_the_old_file_and_says_so() {
    let folder = session("full");
    let folder = folder.path();
    let line = "x".repeat(99) + "\n";
    let old = line.repeat(900);
    fs::write(folder.join("work/log"), &old).unwrap();
    let more = line.repeat(300);
    let reply = format!(
        "[EDIT_FILE path=\"log\" start_line=\"1\" end_line=\"1\" expect=\"{}\"]\n{more}[/EDIT_FILE]\n[CREATE_FILE path=\"small\"]\nfits\n[/CREATE_FILE]\n",
        line.trim()
    );
    let done = apply_on_a_full_disk(folder, &reply, 100);
    let said = said(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        said.contains("[FAILED] EDIT_FILE: 'log': ") && said.contains("[OK] CREATE_FILE"),
        "{said}"
    );
    assert!(fs::read_to_string(folder.join("work/log")).unwrap() == old);
    assert_eq!(fs::read_dir(folder.join("work")).unwrap().count(), 2);
    assert!(outbox(folder).contains("Sequence: 2\n"));
}

#[test]
fn a_disk_that_is_full_before_anything_is_done_leaves_the_reply_for_later() {
    let folder = session("full");
    let folder = folder.path();
    let reply = format!(
        "[CREATE_FILE path=\"a\"]\n{}\n[/CREATE_FILE]\n",
        "x\n".repeat(20_000)
    );
    let done = apply_on_a_full_disk(folder, &reply, 20);
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(!folder.join("work/a").exists());
    let done = apply(folder, &reply, &["--yes=files"]);
    assert!(done.status.success(), "{}", said(&done));
    assert!(folder.join("work/a").exists() && outbox(folder).contains("Sequence: 2\n"));
}

#[test]
fn without_a_terminal_only_what_the_rules_allow_is_run() {
    let folder = session("rules");
    let reply = "[RUN_COMMAND]\necho yes\n[/RUN_COMMAND]\n[RUN_COMMAND]\necho no; touch made\n[/RUN_COMMAND]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n";
    apply(folder.path(), reply, &["--yes=files", "--allow", "echo"]);
    let text = outbox(folder.path());
    assert!(text.contains("[OK] RUN_COMMAND: Ran 'echo yes'"), "{text}");
    assert_eq!(
        text.matches("was not run: not allowed by policy").count(),
        2,
        "{text}"
    );
    assert!(!folder.path().join("work/made").exists());
}

#[test]
fn a_dry_run_and_a_check_change_nothing_and_undo_puts_back() {
    let folder = session("undo");
    let file = folder.path().join("work/a.txt");
    fs::write(&file, "one\r\ntwo\r\n").unwrap();
    let reply = "[EDIT_FILE path=\"a.txt\" start_line=\"2\" end_line=\"2\" expect=\"two\"]\n2\n[/EDIT_FILE]\n[CREATE_FILE path=\"b/c\"]\nnew\n[/CREATE_FILE]\n";
    let dry = apply(folder.path(), reply, &["--dry-run"]);
    assert!(
        said(&dry).contains("-two") && said(&dry).contains("+2"),
        "{}",
        said(&dry)
    );
    assert!(
        flylead(folder.path(), &["check", "reply.txt"])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(fs::read(&file).unwrap(), b"one\r\ntwo\r\n");
    assert!(
        apply(folder.path(), reply, &["--yes=files"])
            .status
            .success()
    );
    assert_eq!(fs::read(&file).unwrap(), b"one\r\n2\r\n");
    assert!(
        flylead(folder.path(), &["undo"])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(fs::read(&file).unwrap(), b"one\r\ntwo\r\n");
    assert!(!folder.path().join("work/b/c").exists());
}

#[test]
fn a_pasted_chat_is_refused_without_a_person_and_burns_no_number() {
    let folder = session("chat");
    let chat = format!(
        "{}\n[CREATE_FILE path=\"x\"]\n[/CREATE_FILE]\n",
        outbox(folder.path())
    );
    let refused = apply(folder.path(), &chat, &["--yes"]);
    assert!(
        !refused.status.success() && said(&refused).contains("copy of an outbox"),
        "{}",
        said(&refused)
    );
    assert!(
        !apply(folder.path(), "only prose\n", &["--yes"])
            .status
            .success()
    );
    assert!(outbox(folder.path()).contains("Sequence: 1\n"));
    assert!(
        apply(folder.path(), &chat, &["--yes", "--accept-copy"])
            .status
            .success()
    );
    assert!(folder.path().join("work/x").exists());
}

/// Twenty commands whose traces can be counted.
fn twenty_commands() -> String {
    let mut reply = String::new();
    for number in 0..5 {
        reply += &format!("[RUN_COMMAND]\necho run{number} >> log\n[/RUN_COMMAND]\n");
        reply += &format!("[CREATE_FILE path=\"file{number}\"]\none\ntwo\n[/CREATE_FILE]\n");
        reply += &format!(
            "[EDIT_FILE path=\"file{number}\" start_line=\"2\" end_line=\"2\"]\ntwo\nthree\n[/EDIT_FILE]\n"
        );
        reply += &format!("[READ_FILE path=\"file{number}\"]\n");
    }
    reply
}

/// `FLYLEAD_KILL_POINTS=220` takes a minute and tries as many points of the reply.
#[test]
fn a_reply_that_is_killed_at_any_point_is_continued_exactly_once() {
    let points: u64 = std::env::var("FLYLEAD_KILL_POINTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(25);
    let span = time_of_a_whole_run();
    let (mut interrupted, mut unknown) = (0, 0);
    for point in 0..points {
        let folder = session("kill");
        fs::write(folder.path().join("reply.txt"), twenty_commands()).unwrap();
        let mut child = flylead(folder.path(), &["--json", "apply", "reply.txt", "--yes"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(span * u32::try_from(point).unwrap() / u32::try_from(points).unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        thread::sleep(Duration::from_millis(20));
        interrupted += u32::from(outbox_files(folder.path()).len() == 1);
        unknown += check_after_resume(folder.path());
    }
    println!(
        "{points} points over {span:?}: {interrupted} interrupted, {unknown} commands reported as unknown"
    );
}

fn time_of_a_whole_run() -> Duration {
    let folder = session("measure");
    let start = std::time::Instant::now();
    assert!(
        apply(folder.path(), &twenty_commands(), &["--yes"])
            .status
            .success()
    );
    start.elapsed()
}

fn outbox_files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(home(folder).join("outbox"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

/// Resumes, and applies again what was killed before it began. How many commands were reported as unknown.
fn check_after_resume(folder: &Path) -> usize {
    let resumed = flylead(folder, &["resume", "--yes"]).output().unwrap();
    assert!(
        matches!(resumed.status.code(), Some(0 | 1)),
        "{}",
        said(&resumed)
    );
    if outbox(folder).contains("Sequence: 1\n") {
        assert!(
            apply(folder, &twenty_commands(), &["--yes"])
                .status
                .success()
        );
    }
    let text = outbox(folder);
    assert!(text.contains("Sequence: 2\n"), "{text}");
    let log = fs::read_to_string(folder.join("work/log")).unwrap_or_default();
    let mut unknown = 0;
    for number in 0..5 {
        let times = log.matches(&format!("run{number}\n")).count();
        let reported = text.contains(&format!(
            "run{number} >> log' was interrupted, so its outcome is unknown"
        ));
        assert!(
            times == 1 || (times == 0 && reported),
            "run{number} {times} times\n{text}"
        );
        unknown += usize::from(reported);
        let file = fs::read_to_string(folder.join(format!("work/file{number}"))).unwrap();
        assert_eq!(file, "one\ntwo\nthree\n");
        assert!(
            text.contains(&format!(
                "--- file{number} ---\none\ntwo\nthree\n--- end file{number} ---"
            )),
            "{text}"
        );
    }
    let left: Vec<_> = fs::read_dir(folder.join("work"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    let temporary = left
        .iter()
        .filter(|name| name.to_string_lossy().ends_with(".tmp"))
        .count();
    assert_eq!(temporary, 0, "{left:?}");
    unknown
}

#[test]
fn undo_brings_back_a_program_that_can_be_run_and_a_link_that_leads_where_it_led() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = session("undo");
    let folder = folder.path();
    let work = folder.join("work");
    fs::write(work.join("tool.sh"), "#!/bin/sh\necho hi\n").unwrap();
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(work.join("tool.sh"), mode(0o750)).unwrap();
    fs::write(work.join("secret"), "s\n").unwrap();
    fs::set_permissions(work.join("secret"), mode(0o600)).unwrap();
    symlink("tool.sh", work.join("inside")).unwrap();
    symlink("/nowhere/at/all", work.join("outside")).unwrap();
    let reply = "[DELETE_FILE path=\"inside\"]\n[DELETE_FILE path=\"outside\"]\n[DELETE_FILE path=\"tool.sh\"]\n[CREATE_FILE path=\"secret\"]\nx\n[/CREATE_FILE]\n";
    let done = apply(folder, reply, &["--yes=files"]);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(fs::read_dir(&work).unwrap().count(), 1);

    let undone = said(&ran(folder, &["undo"]));
    assert_eq!(undone.matches(": as before").count(), 4, "{undone}");
    let is = |name: &str| fs::metadata(work.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((is("tool.sh"), is("secret")), (0o750, 0o600));
    assert_eq!(
        fs::read_to_string(work.join("inside")).unwrap(),
        "#!/bin/sh\necho hi\n"
    );
    let target = fs::read_link(work.join("outside")).unwrap();
    assert_eq!(target, Path::new("/nowhere/at/all"));
}

#[test]
fn undo_leaves_what_was_made_in_the_place_of_a_deleted_file() {
    let folder = session("undo");
    let folder = folder.path();
    fs::write(folder.join("work/a"), "old\n").unwrap();
    apply(folder, "[DELETE_FILE path=\"a\"]\n", &["--yes=files"]);
    std::os::unix::fs::symlink("/nowhere", folder.join("work/a")).unwrap();
    let undone = said(&ran(folder, &["undo"]));
    assert!(undone.contains("a: left as it is"), "{undone}");
    assert!(folder.join("work/a").is_symlink());
}

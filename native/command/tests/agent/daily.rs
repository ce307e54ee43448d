//! Tools for daily work with the agent: files given with the task, a map, a watched clipboard, commits.
#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    session::{flylead, outbox, ran, said, session, session_with},
    terminal::{Kept, wait_for},
};

/// A folder with these files and no session.
fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn new(folder: &Path, workspace: &str, choices: &[&str]) -> std::process::Output {
    let new = ["new", "--task", "t", "--workspace", workspace];
    ran(folder, &[&new, choices].concat())
}

fn apply(folder: &Path, reply: &str, more: &[&str]) -> std::process::Output {
    fs::write(folder.join("reply"), reply).unwrap();
    ran(folder, &[&["apply", "reply", "--yes"], more].concat())
}

fn git(folder: &Path, words: &[&str]) -> String {
    let settings = ["-c", "user.name=p", "-c", "user.email=p@example.org"];
    let done = Command::new("git")
        .args(settings)
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?}: {}", said(&done));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn files_and_patterns_are_in_the_first_message_and_those_for_reading_stay() {
    let files = [
        ("src/a.rs", "fn a() {}\n"),
        ("src/b.rs", "fn b() {}\n"),
        ("src/deep/c.rs", "fn c() {}\n"),
        ("notes.md", "read me\n"),
        (".env", "KEY=1\n"),
    ];
    let folder = folder_with(&files);
    let folder = folder.path();
    let none = new(folder, "work", &["--add", "src/*.py"]);
    assert!(
        said(&none).contains("no file matches 'src/*.py'"),
        "{}",
        said(&none)
    );
    let begun = new(
        folder,
        "work",
        &["--add", "src/*.rs", "--read", "notes.md", "--read", ".env"],
    );
    assert!(begun.status.success(), "{}", said(&begun));
    assert!(said(&begun).contains("may be a secret, and the LLM will see it: .env"));
    let first = outbox(folder);
    for shown in [
        "--- src/a.rs ---\nfn a() {}",
        "--- src/b.rs ---",
        "--- notes.md ---",
    ] {
        assert!(first.contains(shown), "{first}");
    }
    assert!(!first.contains("--- src/deep/c.rs ---"));
    // What was shown has line numbers at once.
    let edit = |path: &str| {
        format!("[EDIT_FILE path=\"{path}\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n")
    };
    let done = apply(folder, &(edit("src/a.rs") + &edit("notes.md")), &[]);
    assert!(
        said(&done).contains("'notes.md' is read-only in this session"),
        "{}",
        said(&done)
    );
    assert_eq!(
        fs::read_to_string(folder.join("work/src/a.rs")).unwrap(),
        "x\n"
    );
    assert_eq!(
        fs::read_to_string(folder.join("work/notes.md")).unwrap(),
        "read me\n"
    );
}

#[test]
fn a_subfolder_obeys_the_rules_of_the_repository_around_and_has_a_map() {
    let files = [
        (".gitignore", "*.log\nout/\n"),
        ("app/a.log", ""),
        ("app/out/x.py", "def hidden(): pass\n"),
        (
            "app/main.py",
            "from core import Core\n\ndef main():\n    Core()\n",
        ),
        ("app/core.py", "class Core:\n    def run(self): pass\n"),
    ];
    let folder = folder_with(&files);
    let folder = folder.path();
    git(&folder.join("work"), &["init", "-q"]);
    assert!(new(folder, "work/app", &[]).status.success());
    let first = outbox(folder);
    assert!(first.contains("  main.py (") && !first.contains("a.log") && !first.contains("hidden"));
    let map = "\n## Map of Definitions\n  core.py: Core, run\n  main.py: main\n";
    assert!(first.contains(map), "{first}");
}

#[test]
fn of_many_files_those_with_names_and_some_of_each_folder_are_listed() {
    let many: Vec<(String, String)> = (0..2_000)
        .map(|number| (format!("data/{}/{number}.txt", number % 20), "x\n".into()))
        .chain([("zz/last.py".into(), "def last(): pass\n".into())])
        .collect();
    let files: Vec<(&str, &str)> = many.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = folder_with(&files);
    assert!(new(folder.path(), "work", &[]).status.success());
    let first = outbox(folder.path());
    assert!(first.contains("  zz/last.py (17 bytes)") && first.contains("  zz/last.py: last\n"));
    assert!(
        first.contains("  data/7/") && first.contains("1800 more files"),
        "{first}"
    );
    assert!(first.len() < 30_000, "{}", first.len());
}

/// A clipboard in a file, and the path with the tool for it. Each look at it is a line of `reads`.
fn clipboard(folder: &Path) -> (PathBuf, String) {
    let tools = folder.join("tools");
    fs::create_dir(&tools).unwrap();
    let kept = folder.join("clipboard");
    let script = format!(
        "#!/bin/sh\ncase \"$3\" in -in) cat > '{0}.new'; mv '{0}.new' '{0}';; *) echo >> '{1}'; cat '{0}';; esac\n",
        kept.display(),
        folder.join("reads").display()
    );
    fs::write(tools.join("xclip"), script).unwrap();
    fs::set_permissions(tools.join("xclip"), fs::Permissions::from_mode(0o755)).unwrap();
    (kept, format!("{}:/usr/bin:/bin", tools.display()))
}

#[test]
fn replies_that_are_copied_are_taken_by_themselves_and_other_texts_are_not() {
    let folder = session("watch");
    let folder = folder.path();
    let (kept, path) = clipboard(folder);
    let mut watch = flylead(folder, &["watch", "--watch-clipboard", "--yes"]);
    watch
        .env("PATH", path)
        .env("DISPLAY", ":0")
        .env_remove("WAYLAND_DISPLAY");
    watch
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut watch = Kept(watch.spawn().unwrap());
    let copied = |wanted: &str| {
        wait_for(wanted, || {
            let text = fs::read_to_string(&kept).unwrap_or_default();
            text.contains(wanted).then_some(())
        });
    };
    let copy = |text: &str| {
        fs::write(folder.join("copied"), text).unwrap();
        fs::rename(folder.join("copied"), &kept).unwrap();
    };
    copied("Sequence: 1\n");
    copy("a text of something else");
    let looks = || {
        fs::read_to_string(folder.join("reads"))
            .unwrap_or_default()
            .len()
    };
    // The second look from here begins when what the first one saw is done with.
    let before = looks();
    wait_for("two looks", || (looks() >= before + 2).then_some(()));
    copy("[CREATE_FILE path=\"a\"]\nx\n[/CREATE_FILE]\n");
    copied("Sequence: 2\n");
    assert_eq!(fs::read_to_string(folder.join("work/a")).unwrap(), "x\n");
    copy("Sequence: 2\n[DONE]\nAll done.\n[/DONE]\n");
    assert_eq!(watch.exit_code(), Some(0));
    let mut told = String::new();
    std::io::Read::read_to_string(&mut watch.0.stderr.take().unwrap(), &mut told).unwrap();
    assert!(
        told.contains(" characters, about ") && told.contains(" tokens\n"),
        "{told}"
    );
    assert!(
        !told.contains("something else") && !told.contains("no command"),
        "{told}"
    );
}

#[test]
fn a_clipboard_that_cannot_be_read_is_said_at_once_and_one_that_hangs_holds_nothing_up() {
    let folder = session("watch");
    let folder = folder.path();
    let (_, path) = clipboard(folder);
    let watch = |display: Option<&str>| {
        let mut watch = flylead(folder, &["watch", "--watch-clipboard", "--yes"]);
        watch.env_remove("WAYLAND_DISPLAY").env_remove("DISPLAY");
        watch.env("PATH", &path);
        watch.envs(display.map(|display| ("DISPLAY", display)));
        watch
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped());
        Kept(watch.spawn().unwrap())
    };
    // This one copies, and reads nothing.
    let copies = folder.join("tools/clip.exe");
    fs::write(&copies, "#!/bin/sh\ncat > /dev/null\n").unwrap();
    fs::set_permissions(&copies, fs::Permissions::from_mode(0o755)).unwrap();
    let mut without = watch(None);
    assert_eq!(without.exit_code(), Some(2));
    let mut told = String::new();
    std::io::Read::read_to_string(&mut without.0.stderr.take().unwrap(), &mut told).unwrap();
    assert!(told.contains("no clipboard tool was found"), "{told}");

    let hangs = "#!/bin/sh\ncase \"$3\" in -in) cat > /dev/null;; *) sleep 1000;; esac\n";
    fs::write(folder.join("tools/xclip"), hangs).unwrap();
    let mut hanging = watch(Some(":0"));
    let inbox = folder.join("work/.flylead/inbox");
    wait_for("the inbox", || inbox.is_dir().then_some(()));
    fs::write(inbox.join("reply.txt"), "[DONE]\nAll done.\n[/DONE]\n").unwrap();
    let code = hanging.exit_code();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut hanging.0.stderr.take().unwrap(), &mut told).unwrap();
    assert_eq!(code, Some(0), "{told}");
}

/// A session in a repository with a commit of these files.
fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = session_with("Count", &[]);
    let work = folder.path().join("work");
    git(&work, &["init", "-q"]);
    git(&work, &["config", "user.name", "p"]);
    git(&work, &["config", "user.email", "p@example.org"]);
    for (name, content) in files {
        fs::write(work.join(name), content).unwrap();
    }
    git(&work, &["add", "-f", "."]);
    git(&work, &["commit", "-q", "-m", "first"]);
    (folder, work)
}

#[test]
fn what_was_not_committed_before_a_reply_is_not_committed_with_it_and_is_named() {
    let files = [
        (".gitignore", "kept\nnone\n"),
        ("hers", "1\n"),
        ("kept", "1\n"),
    ];
    let (folder, work) = repository(&files);
    fs::write(work.join("hers"), "2\n").unwrap();
    for name in ["gone", "moved", "staged"] {
        fs::write(work.join(name), "hers\n").unwrap();
    }
    git(&work, &["add", "staged"]);
    let reply = "[CREATE_FILE path=\"hers\"]\n3\n[/CREATE_FILE]\n[CREATE_FILE path=\"kept\"]\n2\n[/CREATE_FILE]\n\
         [CREATE_FILE path=\"none\"]\nx\n[/CREATE_FILE]\n[DELETE_FILE path=\"gone\"]\n[DELETE_FILE path=\"staged\"]\n\
         [RUN_COMMAND]\nmv moved there\n[/RUN_COMMAND]\n[MESSAGE]\nMore.\n[/MESSAGE]\n";
    let done = apply(folder.path(), reply, &["--commit"]);
    let told = said(&done);
    assert!(done.status.success(), "{told}");
    for name in ["hers", "gone", "moved", "staged"] {
        let note = format!("{name}: left out of the commit, because it had uncommitted changes\n");
        assert!(told.contains(&note), "{name}: {told}");
    }
    let shown = git(&work, &["show", "--name-status", "--format=%s", "HEAD"]);
    assert_eq!(shown, "More.\n\nM\tkept\nA\tthere\n");
    assert_eq!(git(&work, &["show", "HEAD:hers"]), "1\n");
    assert_eq!(git(&work, &["status", "-s"]), " M hers\nAD staged\n");
}

#[test]
fn a_commit_runs_no_filter_and_no_signing_program_and_leaves_files_of_a_filter_out() {
    let files = [("a", "1\n"), (".gitattributes", "*.x filter=own\n")];
    let (folder, work) = repository(&files);
    for (name, program) in [
        ("filter.own.clean", "touch ran; cat"),
        ("filter.own.process", "touch ran"),
        ("filter.own.required", "true"),
        ("gpg.program", "./sign"),
        ("commit.gpgSign", "true"),
        ("core.fsmonitor", "sh ./sign"),
    ] {
        git(&work, &["config", name, program]);
    }
    let reply = "[CREATE_FILE path=\"b.x\"]\nx\n[/CREATE_FILE]\n[CREATE_FILE path=\"a\"]\n2\n[/CREATE_FILE]\n\
         [CREATE_FILE path=\"sign\"]\n#!/bin/sh\ntouch ran\n[/CREATE_FILE]\n";
    let done = apply(folder.path(), reply, &["--commit"]);
    let told = said(&done);
    assert!(
        told.contains("b.x: left out of the commit, because a git filter produces its content\n"),
        "{told}"
    );
    assert!(!work.join("ran").exists(), "{told}");
    let shown = git(&work, &["show", "--name-status", "--format=", "HEAD"]);
    assert_eq!(shown, "M\ta\nA\tsign\n");
}

#[test]
fn a_commit_that_fails_hides_neither_the_report_nor_the_next_message() {
    let (folder, work) = repository(&[("a", "1\n")]);
    fs::write(work.join(".git/index.lock"), "").unwrap();
    let reply = "[CREATE_FILE path=\"b\"]\nx\n[/CREATE_FILE]\n";
    let done = apply(folder.path(), reply, &["--commit"]);
    let told = said(&done);
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(
        told.contains("the reply was carried out, but its changes were not committed: git: "),
        "{told}"
    );
    assert!(told.contains("Created 'b'"), "{told}");
    assert!(outbox(folder.path()).contains("Sequence: 2\n"));
}

#[test]
fn each_reply_is_a_commit_of_its_own_changes_alone_and_git_takes_it_back() {
    let folder = session_with("Count", &[]);
    let folder = folder.path();
    let work = folder.join("work");
    git(&work, &["init", "-q"]);
    git(&work, &["config", "user.name", "p"]);
    git(&work, &["config", "user.email", "p@example.org"]);
    for name in ["a", "hers"] {
        fs::write(work.join(name), "1\n").unwrap();
    }
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "first"]);
    fs::write(work.join("hers"), "2\n").unwrap();
    fs::write(
        work.join(".git/hooks/pre-commit"),
        "#!/bin/sh\ntouch hook-ran\n",
    )
    .unwrap();
    fs::set_permissions(
        work.join(".git/hooks/pre-commit"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let reply = "[CREATE_FILE path=\"b\"]\nx\n[/CREATE_FILE]\n[DELETE_FILE path=\"a\"]\n[RUN_COMMAND]\necho y > 'c d'\n[/RUN_COMMAND]\n[MESSAGE]\nAdd b, drop a.\n[/MESSAGE]\n";
    let done = apply(folder, reply, &["--commit"]);
    assert!(
        said(&done).contains(": 3 files; `git revert"),
        "{}",
        said(&done)
    );
    let shown = git(&work, &["show", "--name-status", "--format=%s", "HEAD"]);
    assert_eq!(shown, "Add b, drop a.\n\nD\ta\nA\tb\nA\tc d\n");
    assert_eq!(git(&work, &["diff", "--name-only"]), "hers\n");
    assert!(!work.join("hook-ran").exists() && !git(&work, &["status", "-s"]).contains("index"));
    git(&work, &["stash", "-q"]);
    git(&work, &["revert", "--no-edit", "HEAD"]);
    assert!(work.join("a").exists() && !work.join("b").exists());
}

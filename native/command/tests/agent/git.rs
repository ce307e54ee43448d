//! The agent and git: commands read repositories, and change them when the person lets them.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{
    session::{outbox, ran, said, session},
    terminal::Terminal,
};

/// A session in a repository with a commit.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let folder = session("git");
    let work = folder.path().join("work");
    git(&work, &["init", "-q", "-b", "main"]);
    git(&work, &["config", "user.name", "Person"]);
    git(&work, &["config", "user.email", "person@example.org"]);
    fs::write(work.join("a"), "1\n").unwrap();
    git(&work, &["add", "a"]);
    git(&work, &["commit", "-qm", "first"]);
    (folder, work)
}

fn git(folder: &Path, words: &[&str]) -> String {
    let done = Command::new("git")
        .current_dir(folder)
        .args(words)
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?}: {}", said(&done));
    String::from_utf8(done.stdout).unwrap()
}

fn write_reply(folder: &Path, script: &str) {
    fs::write(
        folder.join("reply"),
        format!("[RUN_COMMAND]\n{script}\n[/RUN_COMMAND]\n"),
    )
    .unwrap();
}

fn apply(folder: &Path, script: &str, more: &[&str]) -> Output {
    write_reply(folder, script);
    ran(folder, &[&["apply", "reply", "--yes"], more].concat())
}

#[test]
fn status_diff_and_log_are_there_and_a_commit_is_refused_with_the_way_to_it() {
    let (folder, work) = repository();
    fs::write(work.join("a"), "2\n").unwrap();
    let read = apply(
        folder.path(),
        "git status --short && git diff && git log --format=%an",
        &[],
    );
    assert!(read.status.success(), "{}", said(&read));
    let text = outbox(folder.path());
    assert!(
        text.contains(" M a") && text.contains("+2") && text.contains("Person"),
        "{text}"
    );
    let refused = apply(folder.path(), "git commit -qam second", &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        said(&refused).contains("can allow changes with --allow git"),
        "{}",
        said(&refused)
    );
    assert!(outbox(folder.path()).contains("can allow changes with --allow git"));
    assert_eq!(git(&work, &["log", "--format=%s"]), "first\n");
}

#[test]
fn with_the_persons_word_a_commit_stays_and_what_git_would_run_does_not() {
    let (folder, work) = repository();
    let script = "echo 2 > a; git commit -qam second && git config core.pager evil && \
                  mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit && chmod 755 .git/hooks/pre-commit && \
                  git init -q sub && git clone -q . copy";
    let done = apply(folder.path(), script, &["--allow", "git"]);
    let words = said(&done);
    assert!(done.status.success(), "{words}");
    for shown in [
        "+\tpager = evil",
        "--- .git/hooks/pre-commit",
        "the person rejected",
    ] {
        assert!(words.contains(shown), "{shown}: {words}");
    }
    assert!(outbox(folder.path()).contains("the person rejected"));
    assert_eq!(
        git(&work, &["log", "--format=%s %an"]),
        "second Person\nfirst Person\n"
    );
    assert!(!git(&work, &["config", "--list"]).contains("evil"));
    assert!(!work.join(".git/hooks/pre-commit").exists());
    assert!(!work.join("sub/.git").exists() && !work.join("copy/.git").exists());
    assert!(work.join("copy/a").exists());
    git(&work, &["fsck", "--strict"]);
}

#[test]
fn what_the_person_lets_stay_stays() {
    let (folder, work) = repository();
    write_reply(
        folder.path(),
        "git config core.pager harmless && git init -q sub",
    );
    let words = ["apply", "reply", "--yes", "--allow", "git"];
    let mut apply = Terminal::start(folder.path(), &words);
    let shown = apply.until("Let .git/config stay? [y/n]");
    assert!(shown.contains("+\tpager = harmless"), "{shown}");
    apply.press("y");
    apply.until("Let sub/.git stay? [y/n]");
    apply.press("y");
    assert_eq!(apply.child.exit_code(), Some(0));
    assert_eq!(git(&work, &["config", "core.pager"]), "harmless\n");
    assert!(work.join("sub/.git/HEAD").exists());
}

#[test]
fn a_repository_is_made_where_there_was_none() {
    let folder = session("new");
    let work = folder.path().join("work");
    let done = apply(folder.path(), "git init -q . && ls -a", &[]);
    assert!(
        said(&done).contains(
            "not applied: .git (git would obey it; the person can allow it with --allow git)"
        ),
        "{}",
        said(&done)
    );
    assert!(!work.join(".git").exists());
    write_reply(
        folder.path(),
        "git init -q -b main . && git config user.name x && git config user.email y && \
                                git commit -q --allow-empty -m first",
    );
    let words = ["apply", "reply", "--yes", "--allow", "git"];
    let mut apply = Terminal::start(folder.path(), &words);
    apply.until("Let .git/config, .git/info/exclude stay? [y/n]");
    apply.press("y");
    assert_eq!(apply.child.exit_code(), Some(0));
    assert_eq!(git(&work, &["log", "--format=%s"]), "first\n");
}

/// `--allow WORDS` runs commands that begin with the words without asking; with `git` it would be a right of the words
/// alone.
#[test]
fn the_right_to_change_repositories_is_not_the_right_to_run_without_a_yes() {
    let (folder, work) = repository();
    write_reply(folder.path(), "git branch other");
    let arguments = ["apply", "reply", "--yes=files", "--allow", "git"];
    let done = ran(folder.path(), &arguments);
    assert!(
        said(&done).contains("was not run: not allowed by policy"),
        "{}",
        said(&done)
    );
    assert_eq!(
        git(&work, &["branch", "--format=%(refname:short)"]),
        "main\n"
    );
}

/// The project may be one of several working trees, a part of a larger one, or a submodule.
#[test]
fn a_working_tree_a_part_of_one_and_a_submodule_are_read_and_committed_in() {
    let (folder, work) = repository();
    let tree = folder.path().join("tree");
    git(&work, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    fs::create_dir(work.join("part")).unwrap();
    let files = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "add", "-q", "../work", "sub"];
    git(&work, &[&files[..], &add].concat());
    for setting in ["user.name", "user.email"] {
        git(&work.join("sub"), &["config", setting, "person"]);
    }
    for (place, branch) in [
        ("tree", "tree"),
        ("work/sub", "main"),
        ("work/part", "main"),
    ] {
        let new = ran(folder.path(), &["new", "--task", "t", "--workspace", place]);
        assert!(new.status.success(), "{}", said(&new));
        let script = "echo 2 > new && git add new && git commit -qm part && git status --short && git log --format=%s";
        let done = apply(folder.path(), script, &["--allow", "git"]);
        assert!(done.status.success(), "{}", said(&done));
        let last = ["log", "-1", "--format=%s", branch];
        assert_eq!(git(&folder.path().join(place), &last), "part\n");
        assert_eq!(
            git(&folder.path().join(place), &["status", "--short", "."]),
            ""
        );
    }
}

//! Tests the place of the files that the agent trusts: outside of the folder in which commands
//! write, and for that folder alone.

#[cfg(target_os = "linux")]
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use crate::session::{flylead, home, outbox, ran, said, session};

/// A cloned repository or a command may leave forged copies of the agent's old files, and links in
/// their places.
#[test]
fn what_lies_in_the_workspace_is_neither_trusted_nor_followed() {
    let folder = session("links");
    let (work, private) = (folder.path().join("work"), folder.path().join("private"));
    fs::create_dir(&private).unwrap();
    fs::write(private.join("key"), "secret").unwrap();
    fs::write(private.join("bashrc"), "mine\n").unwrap();
    let own = work.join(".flylead");
    for planted in ["sessions", "outbox"] {
        fs::create_dir_all(own.join(planted)).unwrap();
    }
    let forged = fs::read_dir(home(folder.path()).join("sessions")).unwrap();
    let forged = forged
        .map(|file| file.unwrap().path())
        .find(|path| path.is_file())
        .unwrap();
    let forged = fs::read_to_string(forged)
        .unwrap()
        .replace("links", "forged");
    fs::write(own.join("sessions/ffffffff.json"), forged).unwrap();
    for name in [
        "lock",
        "lock.pid",
        "named-last",
        "workspace.json",
        "sessions/lock.pid",
    ] {
        symlink(private.join("bashrc"), own.join(name)).unwrap();
    }
    for number in 1..4 {
        let id = said(&ran(folder.path(), &["status"]));
        let id = id.split([' ', ':']).nth(1).unwrap().to_owned();
        symlink(
            private.join("key"),
            own.join(format!("outbox/outbox_{id}_seq{number:04}.txt")),
        )
        .unwrap();
        fs::write(
            folder.path().join("reply"),
            format!("[RUN_COMMAND]\nseq {number}000\n[/RUN_COMMAND]\n"),
        )
        .unwrap();
        let done = ran(folder.path(), &["apply", "reply", "--yes"]);
        assert!(done.status.success(), "{}", said(&done));
        assert!(!outbox(folder.path()).contains("secret"));
    }
    assert!(!said(&ran(folder.path(), &["list"])).contains("forged"));
    assert_eq!(
        fs::read_to_string(private.join("bashrc")).unwrap(),
        "mine\n"
    );
    assert_eq!(fs::read_dir(&private).unwrap().count(), 2);
}

#[test]
fn an_inbox_that_is_a_link_is_not_watched() {
    let folder = session("inbox");
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, folder.path().join("work/.flylead")).unwrap();
    let watched = ran(folder.path(), &["watch", "--yes"]);
    assert_eq!(watched.status.code(), Some(2));
    assert!(
        said(&watched).contains("must be a folder, not a link"),
        "{}",
        said(&watched)
    );
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn nobody_else_may_read_what_is_kept() {
    let folder = session("modes");
    let mut folders = vec![home(folder.path())];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                files += 1;
            }
        }
    }
    assert!(files >= 4, "{files}");
}

#[test]
fn a_folder_that_was_moved_says_so_and_goes_on_when_it_is_told() {
    let folder = session("moved");
    let there = folder.path().join("there");
    fs::rename(folder.path().join("work"), &there).unwrap();
    let at = |more: &[&str]| {
        ran(
            folder.path(),
            &[&["status", "--workspace", "there"], more].concat(),
        )
    };
    let refused = at(&[]);
    assert_eq!(refused.status.code(), Some(2));
    let words = said(&refused);
    assert!(
        words.contains("were started in /") && words.contains("/work; --here continues"),
        "{words}"
    );
    let here = at(&["--here"]);
    assert!(
        here.status.success() && said(&here).contains("moved"),
        "{}",
        said(&here)
    );
    assert!(at(&[]).status.success());
}

#[test]
fn another_folder_at_the_same_path_says_so_and_a_copy_has_no_sessions() {
    let folder = session("replaced");
    let (work, other) = (folder.path().join("work"), folder.path().join("other"));
    fs::rename(&work, &other).unwrap();
    fs::create_dir(&work).unwrap();
    let refused = ran(folder.path(), &["status"]);
    assert!(
        said(&refused).contains("this is not the folder"),
        "{}",
        said(&refused)
    );
    assert!(ran(folder.path(), &["status", "--here"]).status.success());
    fs::create_dir(folder.path().join("copy")).unwrap();
    let copy = ran(folder.path(), &["status", "--workspace", "copy"]);
    assert!(
        said(&copy).contains("there is no such session"),
        "{}",
        said(&copy)
    );
}

/// At a terminal the person is asked instead, and a "no" leaves everything unchanged.
#[cfg(target_os = "linux")]
#[test]
fn a_project_that_was_copied_to_the_place_of_another_asks() {
    let folder = session("copied");
    let work = folder.path().join("work");
    fs::rename(&work, folder.path().join("other")).unwrap();
    fs::create_dir(&work).unwrap();
    let question = "this is not the folder";
    for (key, code) in [("n", Some(2)), ("y", Some(0))] {
        let mut status = crate::terminal::Terminal::start(folder.path(), &["status"]);
        status.until(question);
        status.until("[y/n]");
        status.press(key);
        assert_eq!(status.child.exit_code(), code, "{key}");
    }
    assert!(ran(folder.path(), &["status"]).status.success());
}

#[test]
fn folders_in_which_commands_would_reach_everything_are_no_workspaces() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("home/me/project")).unwrap();
    symlink("me", folder.join("home/link")).unwrap();
    for settings in [
        ".ssh",
        ".config/tool",
        ".cargo/git/tree/.git",
        ".cache/tool",
        "project/.git/hooks",
        "project/.vscode",
        "project/.github/workflows",
    ] {
        fs::create_dir_all(folder.join("home/me").join(settings)).unwrap();
    }
    let settings = "keys or settings of yours";
    for (workspace, more, why) in [
        ("home/me/.ssh", &[][..], settings),
        ("home/me/.config", &[], settings),
        ("home/me/.config/tool", &[], settings),
        ("home/me/.cargo", &[], settings),
        ("home/me/.cargo/git/tree", &[], settings),
        ("home/me/.cache/tool", &[], settings),
        ("home/me/project/.git", &[], settings),
        ("home/me/project/.git/hooks", &[], settings),
        ("home/me/project/.vscode", &[], settings),
        ("home/me/project/.github/workflows", &[], settings),
        ("home/link", &[][..], "it contains your home folder"),
        ("home/me", &[], "it contains your home folder"),
        ("home", &[], "it contains your home folder"),
        ("/", &[], "it contains your home folder"),
        ("/etc", &[], "belongs to the system"),
        ("/tmp", &[], "cannot be a workspace"),
        (
            "home/me/project",
            &["--home", "home/me/project/.agent"],
            "it contains the agent's own files",
        ),
        (
            "home/me/project",
            &["--home", "home/me/project/../project/a/b"],
            "it contains the agent's own files",
        ),
    ] {
        let new = [&["new", "--task", "t", "--workspace", workspace], more].concat();
        let refused = flylead(folder, &new)
            .env("HOME", folder.join("home/link"))
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(2), "{workspace}");
        let words = said(&refused);
        assert!(
            words.contains("cannot be a workspace") && words.contains(why),
            "{words}"
        );
    }
    assert!(!folder.join("home/me/project/.agent").exists());
    // A working tree that a tool made in a folder of its own is a project.
    let tree = "home/me/.tool/trees/one";
    fs::create_dir_all(folder.join(tree)).unwrap();
    fs::write(folder.join(tree).join(".git"), "gitdir: ../../none").unwrap();
    let new = ["new", "--task", "t", "--workspace", tree, "--home", "other"];
    let made = flylead(folder, &new)
        .env("HOME", folder.join("home/link"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", said(&made));
    let usual = [
        "new",
        "--task",
        "t",
        "--workspace",
        "home/me/project",
        "--home",
        "elsewhere",
    ];
    assert!(ran(folder, &usual).status.success() && folder.join("elsewhere/sessions").is_dir());
    assert!(
        ran(folder, &["status", "--home", "elsewhere"])
            .status
            .success()
    );
}

#[test]
fn sessions_of_an_earlier_version_are_named_and_not_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".flylead/sessions")).unwrap();
    let status = flylead(folder.path(), &["status"])
        .env("XDG_STATE_HOME", "/nonexistent/state")
        .output()
        .unwrap();
    assert_eq!(status.status.code(), Some(2));
    assert!(
        said(&status).contains("of an earlier version are in"),
        "{}",
        said(&status)
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_session_stops_no_other_one_and_is_kept() {
    let folder = session("whole");
    let sessions = home(folder.path()).join("sessions");
    fs::write(sessions.join("00000000.json"), b"{\"sessionId\": \xff").unwrap();
    let listed = ran(folder.path(), &["list"]);
    assert!(
        listed.status.success() && said(&listed).contains("whole"),
        "{}",
        said(&listed)
    );
    assert!(said(&listed).contains("damaged: ") && sessions.join("00000000.json.corrupt").exists());
    assert!(ran(folder.path(), &["status"]).status.success());
}

#[test]
fn what_a_killed_write_left_is_not_shown_and_goes_when_the_session_is_resumed() {
    let folder = session("left");
    let work = folder.path().join("work");
    fs::create_dir(work.join("deep")).unwrap();
    let left = [
        work.join(".flylead-0123456789abcdef.tmp"),
        work.join("deep/.flylead-00000000000000ff.tmp"),
    ];
    left.iter()
        .for_each(|path| fs::write(path, "half").unwrap());
    let others = [work.join(".flylead-x.tmp"), work.join("flylead-1-2.tmp")];
    others
        .iter()
        .for_each(|path| fs::write(path, "whole").unwrap());
    fs::write(folder.path().join("reply"), "[MESSAGE]\nhi\n[/MESSAGE]\n").unwrap();
    ran(folder.path(), &["apply", "reply", "--yes=files"]);
    let text = outbox(folder.path());
    assert!(
        !text.contains("abcdef.tmp") && text.contains(".flylead-x.tmp"),
        "{text}"
    );
    assert!(ran(folder.path(), &["resume"]).status.success());
    assert!(left.iter().all(|path| !path.exists()) && others.iter().all(|path| path.exists()));
}

//! `flylead fs sync`

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use flylead_tests::boards::{Microbit, UnixBoard};
use serde_json::{Value, json};

use crate::common::{entries, flylead, folder, json, run, write};

/// Runs `fs sync`, which must succeed, and returns its report.
fn sync(board: &Path, arguments: &[&str]) -> Value {
    json(board, &[&["fs", "sync"], arguments].concat())
}

#[test]
fn empty_directories_come_and_go_in_both_directions() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "src/d/x", "x");
    fs::create_dir_all(here.path().join("src/empty")).unwrap();
    let src = here.path().join("src").display().to_string();
    let first = sync(board.path(), &[&src, ":app"]);
    assert_eq!(first["copied"], json!(["d/", "empty/", "d/x"]));
    assert!(board.flash().join("app/empty").is_dir());
    let again = sync(board.path(), &["--delete", &src, ":app"]);
    assert_eq!(
        again,
        json!({ "copied": [], "removed": [], "unchanged": 1, "skipped": [] })
    );

    let back = here.path().join("back").display().to_string();
    sync(board.path(), &[":app", &back]);
    assert!(Path::new(&back).join("empty").is_dir());

    fs::remove_dir_all(here.path().join("src/d")).unwrap();
    let third = sync(board.path(), &["--delete", &src, ":app"]);
    assert_eq!(third["removed"], json!(["d/x", "d/"]));
    assert!(!board.flash().join("app/d").exists());
    let down = sync(board.path(), &["--delete", ":app", &back]);
    assert_eq!(down["removed"], json!(["d/x", "d/"]));
    assert!(!Path::new(&back).join("d").exists());
}

#[test]
fn an_empty_source_does_not_empty_the_target_unasked() {
    let board = UnixBoard::start();
    fs::create_dir(board.flash().join("app")).unwrap();
    fs::write(board.flash().join("app/x"), "x").unwrap();
    let here = folder();
    let empty = here.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    let refuse = |arguments: &[&str]| {
        let (code, _, stderr) = run(flylead(
            board.path(),
            &[&["fs", "sync"], arguments].concat(),
        ));
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("nothing was removed"), "{stderr}");
    };
    let (_, _, stderr) = run(flylead(
        board.path(),
        &["fs", "sync", "--delete", empty, ":app"],
    ));
    assert_eq!(
        stderr,
        "flylead: nothing was removed: this would remove everything in :app, as the source is empty; use --force to confirm\n"
    );
    refuse(&["--delete", empty, ":app"]);
    assert!(board.flash().join("app/x").exists());
    let mine = write(&here, "mine/x", "x");
    fs::create_dir(board.flash().join("none")).unwrap();
    let folder = Path::new(&mine).parent().unwrap().to_str().unwrap();
    refuse(&["--delete", ":none", folder]);
    assert!(Path::new(&mine).exists());

    let forced = sync(board.path(), &["--delete", "--force", empty, ":app"]);
    assert_eq!(forced["removed"], json!(["x"]));
    assert!(board.flash().join("app").is_dir());
}

#[test]
fn what_changed_its_kind_is_replaced_with_delete_and_skipped_without() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "src/a", "a file");
    write(&here, "src/b/x", "x");
    fs::create_dir_all(board.flash().join("app/a/old")).unwrap();
    fs::write(board.flash().join("app/b"), "a file").unwrap();
    let src = here.path().join("src").display().to_string();
    let words = ["--json", "fs", "sync", &src, ":app"];
    let (code, stdout, _) = run(flylead(board.path(), &words));
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &said["copied"]), (6, &json!([])), "{said}");
    let done = sync(board.path(), &["--delete", &src, ":app"]);
    assert_eq!(done["removed"], json!(["b", "a/old/", "a/"]));
    assert_eq!(done["copied"], json!(["b/", "a", "b/x"]));
    assert_eq!(
        fs::read_to_string(board.flash().join("app/a")).unwrap(),
        "a file"
    );
}

#[test]
fn a_source_that_cannot_be_read_keeps_its_copy_on_the_board() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "src/good", "new");
    symlink("nowhere", here.path().join("src/lost")).unwrap();
    fs::create_dir(board.flash().join("app")).unwrap();
    fs::write(board.flash().join("app/lost"), "the only copy").unwrap();
    let src = here.path().join("src").display().to_string();
    let words = ["--json", "fs", "sync", "--delete", &src, ":app"];
    let (code, stdout, _) = run(flylead(board.path(), &words));
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 6, "{said}");
    assert_eq!(
        (&said["copied"], &said["removed"]),
        (&json!(["good"]), &json!([]))
    );
    let skipped = said["skipped"][0]["skipped"].as_str().unwrap();
    assert!(skipped.ends_with("src/lost"), "{said}");
    assert!(board.flash().join("app/lost").exists());
}

#[test]
fn what_a_link_leads_to_is_not_removed() {
    let board = UnixBoard::start();
    fs::create_dir_all(board.flash().join("app/shared")).unwrap();
    fs::write(board.flash().join("app/shared/x"), "x").unwrap();
    let here = folder();
    let elsewhere = write(&here, "elsewhere/mine", "mine");
    fs::create_dir(here.path().join("copy")).unwrap();
    symlink("../elsewhere", here.path().join("copy/shared")).unwrap();
    let copy = here.path().join("copy").display().to_string();
    sync(board.path(), &["--delete", ":app", &copy]);
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "mine");
    assert_eq!(entries(&here.path().join("elsewhere")), 2);
}

#[test]
fn a_dry_run_does_nothing() {
    let board = UnixBoard::start();
    let here = folder();
    let src = write(&here, "src/a", "a");
    let src = Path::new(&src).parent().unwrap().to_str().unwrap();
    fs::set_permissions(src, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(board.flash().join("old"), "old").unwrap();
    let said = sync(board.path(), &["--delete", "--dry-run", src, ":"]);
    assert_eq!(
        (&said["copied"], &said["removed"]),
        (&json!(["a"]), &json!(["old"]))
    );
    assert_eq!(said["dry_run"], json!(true));
    assert_eq!(entries(&board.flash()), 1);
    let words = ["fs", "sync", "--delete", "--dry-run", src, ":"];
    let (code, stdout, stderr) = run(flylead(board.path(), &words));
    let plan =
        "would copy a\nwould remove old\nnothing was done; 1 to copy, 1 to remove, 0 unchanged\n";
    assert_eq!((code, stdout.as_str()), (0, plan), "{stderr}");
}

#[test]
fn a_board_without_hashes_is_sent_what_differs_alone() {
    let board = Microbit::start();
    let here = folder();
    write(&here, "src/a", "a");
    write(&here, "src/b", "b");
    let src = here.path().join("src").display().to_string();
    assert_eq!(
        sync(board.path(), &[&src, ":"])["copied"],
        json!(["a", "b"])
    );
    write(&here, "src/b", "c");
    let second = sync(board.path(), &[&src, ":"]);
    assert_eq!(
        (&second["copied"], &second["unchanged"]),
        (&json!(["b"]), &json!(1))
    );
}

/// A folder from somebody else may have a link to a secret of this computer.
#[test]
fn a_link_that_leads_out_of_the_source_is_sent_only_if_asked_for() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "secret/key", "the secret");
    let src = write(&here, "src/good", "good");
    let src = Path::new(&src).parent().unwrap();
    symlink("good", src.join("inside")).unwrap();
    symlink("../secret/key", src.join("key")).unwrap();
    symlink("../secret", src.join("folder")).unwrap();
    let src = src.to_str().unwrap();
    let contents = format!("{src}/");
    for (words, flag) in [
        (&["fs", "sync", src, ":app"][..], "--unsafe-links"),
        (&["fs", "cp", "-r", &contents, ":app"], "--unsafe-links"),
    ] {
        let (code, _, stderr) = run(flylead(board.path(), words));
        assert_eq!(code, 6, "{stderr}");
        for name in ["key", "folder"] {
            let line =
                format!("{name}: it is a link that leads out of the folder; {flag} sends it");
            assert!(stderr.contains(&line), "{stderr}");
            assert!(!board.flash().join("app").join(name).exists(), "{name}");
        }
        assert!(board.flash().join("app/inside").exists());
        let (code, _, stderr) = run(flylead(board.path(), &[words, &[flag]].concat()));
        assert_eq!(code, 0, "{stderr}");
        let sent = fs::read_to_string(board.flash().join("app/folder/key"));
        assert_eq!(sent.unwrap(), "the secret");
        fs::remove_dir_all(board.flash().join("app")).unwrap();
    }
    let image = here.path().join("image").display().to_string();
    let words = ["romfs", "build", src, "-o", &image];
    let (code, _, stderr) = run(flylead(board.path(), &words));
    assert_eq!(code, 2, "{stderr}");
    assert!(!Path::new(&image).exists());
    let (code, _, stderr) = run(flylead(
        board.path(),
        &[&words[..], &["--unsafe-links"]].concat(),
    ));
    assert_eq!(code, 0, "{stderr}");
}

//! `flylead edit`

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use flylead_tests::boards::UnixBoard;
use tempfile::TempDir;

use crate::common::{flylead, folder, run, write};

/// An editor: a script that gets the file's name.
fn editor(folder: &TempDir, script: &str) -> PathBuf {
    let path = PathBuf::from(write(folder, "editor", format!("#!/bin/sh\n{script}\n")));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn edit(board: &UnixBoard, editor: &Path) -> (i32, String, String) {
    let mut command = flylead(board.path(), &["edit", ":main.py"]);
    // One that is set to nothing is none.
    command.env("VISUAL", "").env("EDITOR", editor);
    run(command)
}

#[test]
fn an_edited_file_is_written_back_and_an_unchanged_one_is_not() {
    let board = UnixBoard::start();
    let here = folder();
    let add = editor(&here, "echo 'print(1)' >> \"$1\"");
    for lines in 1..=2 {
        let (code, _, stderr) = edit(&board, &add);
        assert_eq!((code, stderr.as_str()), (0, ""));
        let there = fs::read_to_string(board.flash().join("main.py")).unwrap();
        assert_eq!(there, "print(1)\n".repeat(lines));
    }
    let (code, _, stderr) = edit(&board, &editor(&here, "true"));
    assert_eq!((code, stderr.as_str()), (0, "flylead: nothing changed\n"));
    let (code, _, stderr) = edit(&board, &editor(&here, "echo x >> \"$1\"; exit 3"));
    assert_eq!(code, 2);
    assert!(stderr.contains("your version is "), "{stderr}");
    let there = fs::read_to_string(board.flash().join("main.py")).unwrap();
    assert_eq!(there, "print(1)\n".repeat(2));
}

#[test]
fn an_edit_does_not_overwrite_what_changed_meanwhile() {
    let board = UnixBoard::start();
    let here = folder();
    let theirs = board.flash().join("main.py");
    let script = format!("echo ours > \"$1\"; echo theirs > '{}'", theirs.display());
    let (code, _, stderr) = edit(&board, &editor(&here, &script));
    assert_eq!(code, 2);
    assert_eq!(fs::read_to_string(theirs).unwrap(), "theirs\n");
    let (_, ours) = stderr.trim().rsplit_once("your version is ").expect("said");
    assert_eq!(fs::read_to_string(ours).unwrap(), "ours\n");
    fs::remove_dir_all(Path::new(ours).parent().expect("a folder of its own")).unwrap();
}

#[test]
fn an_editor_that_ctrl_c_ends_costs_no_edit() {
    let board = UnixBoard::start();
    let here = folder();
    // As from a terminal, Ctrl-C goes to both: the editor saves, and ends by it or not.
    let passes_on = editor(&here, "echo ours > \"$1\"; kill -INT $PPID; exit 0");
    let (code, _, stderr) = edit(&board, &passes_on);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let there = board.flash().join("main.py");
    assert_eq!(fs::read_to_string(&there).unwrap(), "ours\n");

    let dies = editor(&here, "echo more >> \"$1\"; kill -INT $PPID; kill -INT $$");
    let (code, _, stderr) = edit(&board, &dies);
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(saved_copy(&stderr), "ours\nmore\n");
    assert_eq!(fs::read_to_string(there).unwrap(), "ours\n");
}

/// The version that was kept, which is removed then.
fn saved_copy(stderr: &str) -> String {
    let (_, copy) = stderr.trim().rsplit_once("your version is ").expect("said");
    let text = fs::read_to_string(copy).unwrap();
    fs::remove_dir_all(Path::new(copy).parent().expect("a folder of its own")).unwrap();
    text
}

#[test]
fn time_spent_in_the_editor_is_nobody_elses() {
    let board = UnixBoard::start();
    let here = folder();
    let slow = editor(&here, "sleep 6; echo ours > \"$1\"");
    let mut command = flylead(board.path(), &["--timeout", "5", "edit", ":main.py"]);
    command.env("VISUAL", slow);
    let (code, _, stderr) = run(command);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        fs::read_to_string(board.flash().join("main.py")).unwrap(),
        "ours\n"
    );
}

#[test]
fn the_board_is_free_while_the_editor_is_open() {
    let board = UnixBoard::start();
    let here = folder();
    let flylead = env!("CARGO_BIN_EXE_flylead");
    let port = board.path().display();
    let uses_it = editor(
        &here,
        &format!("'{flylead}' -p '{port}' exec 'print(1)' > \"$1\""),
    );
    let (code, _, stderr) = edit(&board, &uses_it);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        fs::read_to_string(board.flash().join("main.py")).unwrap(),
        "1\n"
    );
}

#[test]
fn an_editor_may_have_quoted_words_and_blanks_in_its_path() {
    let board = UnixBoard::start();
    let here = folder();
    let plain = editor(&here, "echo \"$1\" > \"$2\"");
    let blank = here.path().join("my editor");
    fs::rename(plain, &blank).unwrap();
    let with_option = format!("'{}' 'two words'", blank.display());
    let (code, _, stderr) = edit(&board, Path::new(&with_option));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let there = board.flash().join("main.py");
    assert_eq!(fs::read_to_string(&there).unwrap(), "two words\n");

    write(&here, "my editor", "#!/bin/sh\necho bare > \"$1\"\n");
    let (code, _, stderr) = edit(&board, &blank);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(there).unwrap(), "bare\n");
}

#[test]
fn a_copy_that_cannot_be_written_back_is_named() {
    let board = UnixBoard::with_small_disk();
    let here = folder();
    let large = editor(&here, "head -c 200000 /dev/zero > \"$1\"");
    let mut command = flylead(board.path(), &["edit", ":/small/main.py"]);
    command.env("VISUAL", large);
    let (code, _, stderr) = run(command);
    assert_eq!(code, 5, "{stderr}");
    assert_eq!(saved_copy(&stderr).len(), 200_000);
}

#[test]
fn without_an_editor_the_board_is_not_asked() {
    let mut command = flylead(Path::new("/no/such/port"), &["edit", ":main.py"]);
    command.env_remove("VISUAL").env_remove("EDITOR");
    let (code, _, stderr) = run(command);
    assert_eq!(code, 2);
    assert!(stderr.contains("set VISUAL or EDITOR"), "{stderr}");
}

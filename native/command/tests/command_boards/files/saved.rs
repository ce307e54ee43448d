//! Tests the effects of a download on the files of this computer.

use std::{
    fs,
    io::Read as _,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink},
    path::Path,
    thread,
};

use flylead_tests::boards::UnixBoard;
use rustix::fs::{CWD, Mode, mkfifoat};

use crate::common::{entries, flylead, folder, must, piped, press_ctrl_c, run, told_of, write};

fn board_with(content: &str) -> UnixBoard {
    let board = UnixBoard::start();
    fs::write(board.flash().join("a"), content).unwrap();
    board
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_download_keeps_the_mode_of_the_file() {
    let board = board_with("new");
    let here = folder();
    let target = write(&here, "target", "old");
    for kept in [0o600, 0o755] {
        fs::set_permissions(&target, fs::Permissions::from_mode(kept)).unwrap();
        must(board.path(), &["fs", "cp", ":a", &target]);
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(mode(Path::new(&target)), kept);
    }
    assert_eq!(entries(here.path()), 1);
}

#[test]
fn a_download_goes_through_a_link_and_leaves_it() {
    let board = board_with("new");
    let here = folder();
    let target = write(&here, "there/target", "old");
    let link = here.path().join("link");
    symlink("there/target", &link).unwrap();
    must(board.path(), &["fs", "cp", ":a", link.to_str().unwrap()]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(target).unwrap(), "new");
}

#[test]
fn a_download_into_a_pipe_is_read_at_its_other_end() {
    let board = board_with("through");
    let here = folder();
    let pipe = here.path().join("pipe");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let reader = thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    must(board.path(), &["fs", "cp", ":a", pipe.to_str().unwrap()]);
    assert_eq!(reader.join().unwrap(), "through");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn a_pipe_that_nobody_reads_can_be_left() {
    let board = board_with("never");
    let here = folder();
    let pipe = here.path().join("pipe");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let trace = here.path().join("trace");
    let words = [
        "--trace",
        trace.to_str().unwrap(),
        "fs",
        "cp",
        ":a",
        pipe.to_str().unwrap(),
    ];
    let child = piped(flylead(board.path(), &words));
    crate::common::wait_until("it has read the file", || {
        fs::read_to_string(&trace).is_ok_and(|text| text.contains("! Answered"))
    });
    press_ctrl_c(&child);
    assert_eq!(told_of(child).0, 130);
}

#[test]
fn the_persons_own_part_files_stay() {
    let board = board_with("new");
    let here = folder();
    let (target, part) = (write(&here, "a", "old"), write(&here, "a.part", "mine"));
    must(board.path(), &["fs", "cp", ":a", &target]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    assert_eq!(fs::read_to_string(part).unwrap(), "mine");
}

#[test]
fn a_device_is_written_through_and_stays_one() {
    let board = board_with("through");
    let here = folder();
    let link = here.path().join("device");
    symlink("/dev/null", &link).unwrap();
    must(board.path(), &["fs", "cp", ":a", link.to_str().unwrap()]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let device = fs::metadata("/dev/null").unwrap().file_type();
    assert!(device.is_char_device());
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        // Root may write everything; the unit tests have the rest.
        return;
    }
    let board = board_with("new");
    let here = folder();
    let target = write(&here, "target", "old");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o400)).unwrap();
    let (code, _, stderr) = run(flylead(board.path(), &["fs", "cp", ":a", &target]));
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(fs::read_to_string(&target).unwrap(), "old");
}

#[test]
fn an_upload_reads_a_pipe() {
    let board = UnixBoard::start();
    let here = folder();
    let pipe = here.path().join("pipe");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let writer = thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, "through").unwrap()
    });
    must(board.path(), &["fs", "cp", pipe.to_str().unwrap(), ":b"]);
    writer.join().unwrap();
    let mut text = String::new();
    let mut there = fs::File::open(board.flash().join("b")).unwrap();
    there.read_to_string(&mut text).unwrap();
    assert_eq!(text, "through");
}

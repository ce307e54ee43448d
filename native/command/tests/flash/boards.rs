use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    process::Child,
    time::Duration,
};

use flylead_core::uf2::Family;
use flylead_tests::boards::{BootChip, BootDrive, Faults, UnixBoard, UsbPort};
use tempfile::TempDir;

use super::{firmware, flash, flash_at, name};
use crate::common::{folder, must, piped, run, told_of, told_whole, wait_until, write};

/// A board that runs MicroPython goes into its boot loader by itself: its port goes, and its drive comes.
#[test]
fn a_board_with_micropython_gets_there_by_itself() {
    let board = UnixBoard::start();
    let waits = "def bootloader():\n while True: pass\n";
    fs::write(board.flash().join("machine.py"), waits).unwrap();
    let faults = Faults {
        leaves_after: b"machine.bootloader()",
        ..Faults::default()
    };
    let port = UsbPort::attach(board.path(), faults, Duration::from_secs(2));
    let home = folder();
    let (file, bytes) = firmware(Family::RP2040, 30_000);
    let file = write(&home, "pico.uf2", file);
    let mounted = home.path().join("RPI-RP2");
    let words = ["--yes", &file, "--drive", name(&mounted)];
    let child = piped(flash_at(port.path(), &words));
    wait_until("the board leaves its port", || !port.path().exists());
    let drive = BootDrive::plug_in_at(BootChip::Rp2040, &mounted);
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("restarting the board in its boot loader"),
        "{stderr}"
    );
    assert!(drive.gone().starts_with(&bytes));
}

/// Updates a board that runs MicroPython to a version, and returns what it says.
fn updated(home: &TempDir, words: &[&str]) -> (String, Vec<u8>) {
    let board = UnixBoard::start();
    let waits = "def bootloader():\n while True: pass\n";
    fs::write(board.flash().join("machine.py"), waits).unwrap();
    let faults = Faults {
        leaves_after: b"machine.bootloader()",
        ..Faults::default()
    };
    let port = UsbPort::attach(board.path(), faults, Duration::from_secs(2));
    let mounted = home.path().join("RPI-RP2");
    let list = home.path().join("list").display().to_string();
    let mut command = flash_at(port.path(), &["--yes", "--firmware", &list]);
    command.args(["--drive", name(&mounted)]).args(words);
    command.env("XDG_STATE_HOME", home.path());
    let child = piped(command);
    wait_until("the board leaves its port", || !port.path().exists());
    let drive = BootDrive::plug_in_at(BootChip::Rp2040, &mounted);
    let (code, _, stderr) = told_whole(child.wait_with_output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    (stderr, drive.gone())
}

#[test]
fn an_update_can_be_taken_back() {
    let home = folder();
    let board = UnixBoard::start();
    let number = "'.'.join(map(str,__import__('sys').implementation.version[:3]))";
    let now = must(board.path(), &["eval", number]);
    let now = now.trim();
    drop(board);
    let (old, old_bytes) = firmware(Family::RP2040, 4000);
    let (new, new_bytes) = firmware(Family::RP2040, 9000);
    write(&home, &format!("list/standard-20250101-v{now}.uf2"), old);
    write(&home, "list/standard-20990101-v9.0.0.uf2", new);
    let mut none = flash(&["--yes", "--back"]);
    none.env("XDG_STATE_HOME", home.path());
    let (code, _, stderr) = run(none);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no earlier firmware is known"), "{stderr}");

    let (said, bytes) = updated(&home, &[]);
    assert!(
        said.contains(&format!("`flylead flash --back` writes {now} again")),
        "{said}"
    );
    assert!(bytes.starts_with(&new_bytes));
    let (_, bytes) = updated(&home, &["--back"]);
    assert!(bytes.starts_with(&old_bytes) && !bytes.starts_with(&new_bytes));
}

/// Another flylead that flashes.
fn flashing(state: &str) -> File {
    let lock = File::open(state).unwrap();
    lock.lock().unwrap();
    lock
}

/// Reads what it says until it waits, and returns the rest.
fn waits(child: &mut Child) -> impl Iterator<Item = io::Result<String>> + use<> {
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let waits =
        |line: io::Result<String>| line.unwrap().contains("another flylead that is flashing");
    assert!(lines.any(waits));
    lines
}

/// A drive may not say at which port its board was, so two boards at once could not be told apart.
#[test]
fn a_board_stays_as_it_is_while_another_one_is_flashed() {
    let board = UnixBoard::start();
    let waits_there = "def bootloader():\n while True: pass\n";
    fs::write(board.flash().join("machine.py"), waits_there).unwrap();
    let faults = Faults {
        leaves_after: b"machine.bootloader()",
        ..Faults::default()
    };
    let port = UsbPort::attach(board.path(), faults, Duration::from_secs(2));
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let lock = flashing(&write(&home, "flylead/flash.lock", ""));
    let mounted = home.path().join("RPI-RP2");
    let mut command = flash_at(port.path(), &["--yes", &file, "--drive", name(&mounted)]);
    command.env("XDG_STATE_HOME", home.path());
    let mut child = piped(command);
    let mut lines = waits(&mut child);
    assert!(port.path().exists());
    lock.unlock().unwrap();
    wait_until("the board leaves its port", || !port.path().exists());
    let drive = BootDrive::plug_in_at(BootChip::Rp2040, &mounted);
    assert!(lines.all(|line| line.is_ok()));
    assert!(child.wait().unwrap().success());
    assert!(!drive.gone().is_empty());
}

#[test]
fn two_never_write_to_one_drive_at_once() {
    let home = folder();
    let (file, bytes) = firmware(Family::RP2040, 5000);
    let file = write(&home, "pico.uf2", file);
    let lock = flashing(&write(&home, "flylead/flash.lock", ""));
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let mut command = flash(&["--yes", &file, "--drive", name(drive.path())]);
    command.env("XDG_STATE_HOME", home.path());
    let mut child = piped(command);
    let mut lines = waits(&mut child);
    assert!(drive.flash().is_empty());
    lock.unlock().unwrap();
    assert!(lines.all(|line| line.is_ok()));
    assert!(child.wait().unwrap().success());
    assert!(drive.gone().starts_with(&bytes));
}

/// A board that ignores the request for its boot loader.
fn stubborn() -> UnixBoard {
    let board = UnixBoard::start();
    let goes_on = "def bootloader(): pass\n";
    fs::write(board.flash().join("machine.py"), goes_on).unwrap();
    board
}

#[test]
fn a_board_that_cannot_get_there_by_itself_is_told_its_buttons_and_its_backup() {
    let board = stubborn();
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let (code, _, stderr) = run(flash_at(board.path(), &["--yes", &file]));
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("no restart was seen"), "{stderr}");
    assert!(stderr.contains("BOOTSEL"), "{stderr}");
    assert!(!stderr.contains("flylead restore"), "{stderr}");

    let mut command = flash_at(board.path(), &["--yes", "--keep-files", &file]);
    command.env("XDG_DATA_HOME", home.path());
    let (code, _, stderr) = run(command);
    assert_eq!(code, 4, "{stderr}");
    let backups = home.path().join("flylead/backups");
    let mut backups = fs::read_dir(backups).unwrap().map(|it| it.unwrap());
    let backup = backups.next().unwrap();
    let advice = format!("`flylead restore {}`", backup.path().display());
    assert!(stderr.contains(&advice), "{advice}: {stderr}");
    // It may have passwords, as a board has.
    let mode = backup.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(backups.next().is_none());
}

/// Its boot loader would not take the file, and the board would stay there.
#[test]
fn a_board_gets_no_file_that_its_boot_loader_would_not_take() {
    let board = stubborn();
    let home = folder();
    let hex = ":0400000001020304F2\n:00000001FF\n";
    let hex = write(&home, "light.hex", hex);
    let mounted = home.path().join("RPI-RP2");
    let words = ["--dry-run", &hex, "--drive", name(&mounted)];
    let (code, stdout, stderr) = run(flash_at(board.path(), &words));
    assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
    assert!(stderr.contains("takes .uf2 files"), "{stderr}");
}

#[test]
fn a_firmware_without_a_way_there_is_told_its_buttons() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("machine.py"), "").unwrap();
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let (code, _, stderr) = run(flash_at(board.path(), &["--yes", &file]));
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("has no machine.bootloader()"), "{stderr}");
    assert!(
        stderr.contains("\nPut the board into its boot loader:"),
        "{stderr}"
    );
}

#[test]
fn without_a_board_the_buttons_are_told() {
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let (code, _, stderr) = run(flash(&["--yes", &file]));
    assert_eq!(code, 3, "{stderr}");
    assert!(
        stderr.contains("BOOTSEL") && stderr.contains("RESET button twice"),
        "{stderr}"
    );
}

use std::{fs, io::Read as _, os::unix::fs::symlink, path::Path, process::Command};

use flylead_core::uf2::Family;
use flylead_tests::boards::{BootChip, BootDrive};
use rustix::{
    fs::{CWD, Mode, OFlags, mkfifoat},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use serde_json::Value;
use tempfile::TempDir;

use super::{firmware, flash, name, state};
use crate::common::{folder, piped, press_ctrl_c, random, run, told_of, wait_until, write};

/// Runs it to the end, without a question.
fn flashed(file: &str, drive: &Path) -> (i32, String, String) {
    run(flash(&["--yes", file, "--drive", name(drive)]))
}

fn refused(file: &str, drive: &Path, exit: i32, signs: &[&str]) {
    let (code, stdout, stderr) = flashed(file, drive);
    assert_eq!((code, stdout.as_str()), (exit, ""), "{stderr}");
    for sign in signs {
        assert!(stderr.contains(sign), "{sign}: {stderr}");
    }
}

#[test]
fn a_board_gets_its_firmware_to_the_byte_and_its_drive_goes() {
    let home = folder();
    let (file, bytes) = firmware(Family::RP2040, 70_000);
    let file = write(&home, "pico.uf2", file);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let (code, stdout, stderr) = flashed(&file, drive.path());
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("140288 bytes written to Raspberry Pi RP2"),
        "{stdout}"
    );
    assert!(
        stderr.contains("pico.uf2: 140288 bytes for RP2040"),
        "{stderr}"
    );
    let taken = drive.gone();
    assert!(taken.starts_with(&bytes) && taken.len() == bytes.len().next_multiple_of(256));

    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = ["--json", "--yes", &file, "--drive", name(drive.path())];
    let (code, stdout, stderr) = run(flash(&words));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let told: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(told["board_id"], "RPI-RP2");
    assert_eq!(told["restarted"], true);
}

/// Plugs a board in whose boot loader shows its firmware, and flashes it.
fn replaced(home: &TempDir, current: &[u8], words: &[&str]) -> (String, BootDrive) {
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    fs::write(drive.path().join("CURRENT.UF2"), current).unwrap();
    let mut command = flash(&[&["--yes", "--drive", name(drive.path())], words].concat());
    command.env("XDG_STATE_HOME", home.path());
    let (code, _, stderr) = run(command);
    assert_eq!(code, 0, "{stderr}");
    (stderr, drive)
}

#[test]
fn firmware_that_a_boot_loader_shows_can_be_written_again() {
    let home = folder();
    let (old, old_bytes) = firmware(Family::RP2040, 4000);
    let (new, new_bytes) = firmware(Family::RP2040, 9000);
    let file = write(&home, "new.uf2", &new);
    let back = "`flylead flash --back` writes the previous content again";
    let (said, drive) = replaced(&home, &old, &[&file]);
    assert!(said.contains(back), "{said}");
    assert!(drive.gone().starts_with(&new_bytes));
    let (_, drive) = replaced(&home, &new, &["--back"]);
    assert!(drive.gone().starts_with(&old_bytes));
    // Firmware that the board would not take again, and firmware that is not to be saved.
    let (other, _) = firmware(Family::RP2350_ARM_S, 4000);
    for (current, words) in [(&other, &[&file[..]][..]), (&old, &["--no-save", &file])] {
        let (said, _drive) = replaced(&home, current, words);
        assert!(!said.contains(back), "{said}");
    }
}

#[test]
fn firmware_for_another_chip_is_refused_and_nothing_is_written() {
    let home = folder();
    for (family, chip, signs) in [
        (
            Family::RP2350_ARM_S,
            BootChip::Rp2040,
            ["is for RP2350,", "takes RP2040"],
        ),
        (
            Family::RP2040,
            BootChip::Rp2350,
            ["is for RP2040,", "takes RP2350"],
        ),
    ] {
        let file = write(&home, "other.uf2", firmware(family, 5000).0);
        let drive = BootDrive::plug_in(chip);
        refused(&file, drive.path(), 5, &signs);
        assert!(drive.path().exists() && drive.flash().is_empty());
    }
    // Both in one file, as a vendor may have it: half of it would be ignored.
    let mut both = firmware(Family::RP2040, 5000).0;
    both.extend(firmware(Family::RP2350_ARM_S, 5000).0);
    let both = write(&home, "both.uf2", both);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    refused(&both, drive.path(), 5, &["is for RP2350,"]);
}

#[test]
fn a_file_that_is_damaged_is_refused_before_the_drive_is_touched() {
    let home = folder();
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let whole = firmware(Family::RP2040, 5000).0;
    let mut damaged = whole.clone();
    damaged[1023] ^= 1;
    for (content, sign) in [
        (&whole[..whole.len() - 512], "has 19 of 20 blocks"),
        (&whole[..1000], "in the middle of a block"),
        (&damaged, "block 1 of the UF2 file is damaged"),
        (b"<!DOCTYPE html><p>Not Found", "it is a web page"),
        (b"print('blink')\n", "it is not firmware"),
    ] {
        let file = write(&home, "damaged.uf2", content);
        refused(&file, drive.path(), 2, &[sign]);
    }
    refused(
        "nothing.uf2",
        drive.path(),
        2,
        &["nothing.uf2", "No such file"],
    );
    assert!(drive.flash().is_empty());
}

#[test]
fn nothing_is_written_without_a_yes_nor_by_a_dry_run() {
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = [file.as_str(), "--drive", name(drive.path())];
    let (code, _, stderr) = run(flash(&words));
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("nothing was written") && stderr.contains("--yes"),
        "{stderr}"
    );
    let (code, stdout, _) = run(flash(&[&words[..], &["--dry-run"]].concat()));
    assert_eq!(code, 0);
    assert!(
        stdout.starts_with("would write pico.uf2: 10240 bytes for RP2040 to "),
        "{stdout}"
    );
    let sum = "0".repeat(64);
    let (code, _, stderr) = run(flash(&[&words[..], &["--yes", "--sha256", &sum]].concat()));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("not the expected one"), "{stderr}");
    assert!(drive.flash().is_empty());
}

#[test]
fn ctrl_c_is_an_answer_to_the_question() {
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let terminal = ptsname(&ours, Vec::new()).unwrap();
    let terminal =
        rustix::fs::open(&*terminal, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut command = flash(&[&file, "--drive", name(drive.path())]);
    command.stdin(terminal);
    let mut child = piped(command);
    let (mut said, mut byte) = (Vec::new(), [0]);
    let stderr = child.stderr.as_mut().unwrap();
    while !said.ends_with(b"Type yes: ") {
        stderr.read_exact(&mut byte).unwrap();
        said.push(byte[0]);
    }
    press_ctrl_c(&child);
    assert_eq!(told_of(child).0, 130);
    assert!(drive.flash().is_empty());
}

/// The drive takes a part and no more: nobody reads the rest from the pipe.
#[test]
fn ctrl_c_in_the_middle_says_what_is_known_of_the_board() {
    let (home, drive) = (folder(), folder());
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 70_000).0);
    let info = "Model: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";
    write(&drive, "INFO_UF2.TXT", info);
    let pipe = drive.path().join("FIRMWARE.UF2");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let taken = fs::File::from(rustix::fs::open(&pipe, flags, Mode::empty()).unwrap());
    let child = piped(flash(&["--yes", &file, "--drive", name(drive.path())]));
    wait_until("it writes", || matches!((&taken).read(&mut [0]), Ok(1)));
    press_ctrl_c(&child);
    let (code, stdout, stderr) = told_of(child);
    assert_eq!((code, stdout.as_str()), (130, ""), "{stderr}");
    for sign in [
        "interrupted after ",
        " of 140288 bytes; the board ",
        "no complete firmware now",
    ] {
        assert!(stderr.contains(sign), "{sign}: {stderr}");
    }
    drop(taken);
}

#[test]
fn a_folder_that_is_no_drive_is_refused_with_the_way_to_one() {
    let home = folder();
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    refused(
        &file,
        home.path(),
        3,
        &["has no INFO_UF2.TXT", "BOOTSEL", "RESET button twice"],
    );
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

/// The file on the drive is a device of the kernel that is always full.
#[test]
fn a_drive_that_is_full_is_told_with_its_next_step() {
    let (home, drive) = (folder(), folder());
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let info = "Model: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";
    write(&drive, "INFO_UF2.TXT", info);
    symlink("/dev/full", drive.path().join("FIRMWARE.UF2")).unwrap();
    refused(
        &file,
        drive.path(),
        5,
        &["enough space for 10240 bytes", "run this command again"],
    );
}

/// Runs `flylead flash` beside a file system of memory that is mounted at the drive, in a namespace of its own; `None` where the
/// system lets nobody do so.
fn in_namespace(file: &str, drive: &Path, options: &str) -> Option<(i32, String, String)> {
    let script = r#"set -e
mount -t tmpfs -o size=64k none "$1"
printf 'Model: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n' > "$1/INFO_UF2.TXT"
mount -o "remount,$2" none "$1" || exit 99
exec "$3" flash --yes "$4" --drive "$1""#;
    let mut command = Command::new("unshare");
    command.env("XDG_STATE_HOME", state());
    command.args([
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        "sh",
    ]);
    command.args([name(drive), options, env!("CARGO_BIN_EXE_flylead"), file]);
    let ended = run(command);
    let is_refused = ended.2.contains("unshare: ") || ended.2.contains("mount: ");
    if is_refused {
        println!("skipped: NOT RUN: no mounts here: {}", ended.2);
    }
    (!is_refused).then_some(ended)
}

#[test]
fn a_file_system_that_is_full_or_read_only_is_told_with_its_next_step() {
    let (home, drive) = (folder(), folder());
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 70_000).0);
    for (options, sign) in [
        ("ro", "the drive is read-only, and nothing was written"),
        ("size=64k", "enough space for 140288 bytes"),
    ] {
        let Some((code, stdout, stderr)) = in_namespace(&file, drive.path(), options) else {
            return;
        };
        assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
        assert!(stderr.contains(sign), "{stderr}");
        assert!(stderr.contains("run this command again"), "{stderr}");
    }
}

/// A drive that takes the file and does not care for it, as one for another board does.
#[test]
fn a_drive_that_stays_has_not_taken_the_firmware() {
    let (home, drive) = (folder(), folder());
    let file = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    write(&drive, "INFO_UF2.TXT", "Model: X\r\nBoard-ID: RPI-RP2\r\n");
    refused(&file, drive.path(), 5, &["is still there"]);
}

/// Cuts at random bytes; `FLYLEAD_WHOLE` makes a thousand of them.
#[test]
fn a_board_that_is_pulled_out_can_be_flashed_again() {
    let home = folder();
    let (file, bytes) = firmware(Family::RP2040, 30_000);
    let length = file.len();
    let file = write(&home, "pico.uf2", file);
    let rounds = if flylead_tests::boards::is_whole() {
        1000
    } else {
        5
    };
    for dice in random(4 * rounds).as_chunks::<4>().0 {
        // Not so late that the pipe has all of it.
        let cut = 1 + u32::from_le_bytes(*dice) as usize % (length - 5000);
        let drive = BootDrive::pulled_after(BootChip::Rp2040, cut);
        refused(
            &file,
            drive.path(),
            4,
            &["vanished after", "can be flashed again"],
        );
        drop(drive);
        let drive = BootDrive::plug_in(BootChip::Rp2040);
        assert_eq!(flashed(&file, drive.path()).0, 0, "after a cut at {cut}");
        assert!(drive.gone().starts_with(&bytes), "after a cut at {cut}");
    }
}

use std::{fs, path::Path, thread::sleep, time::Duration};

use flylead_core::uf2::Family;
use tempfile::TempDir;

use super::{firmware, flash, name};
use crate::common::{folder, piped, run, told_of, wait_until, write};

const LIGHT: &str = ":0400000001020304F2\n:00000001FF\n";
const FAILURE: &str = "error: The hex file is corrupt.\r\ntype: user\r\n";

fn microbit(id: &str) -> TempDir {
    let drive = folder();
    let details = format!("# DAPLink Firmware\r\nUnique ID: {id}360258994e45\r\n");
    write(&drive, "DETAILS.TXT", details);
    drive
}

/// Writes a file, and does as DAPLink does when it has it: its drive goes, and comes back without it and as `answer` makes it.
fn answered(hex: &str, drive: &TempDir, answer: impl FnOnce(&Path)) -> (i32, String, String) {
    let child = piped(flash(&["--yes", hex, "--drive", name(drive.path())]));
    let copied = drive.path().join("FIRMWARE.HEX");
    let length = fs::read(hex).unwrap().len();
    let has_all = || fs::read(&copied).is_ok_and(|bytes| bytes.len() == length);
    wait_until("the file is copied", has_all);
    let away = drive.path().with_extension("away");
    fs::rename(drive.path(), &away).unwrap();
    sleep(Duration::from_millis(500));
    fs::remove_file(away.join("FIRMWARE.HEX")).unwrap();
    answer(&away);
    fs::rename(&away, drive.path()).unwrap();
    told_of(child)
}

#[test]
fn a_failure_of_the_last_time_says_nothing_about_this_one() {
    let home = folder();
    let hex = write(&home, "light.hex", LIGHT);
    let drive = microbit("9904");
    write(&drive, "FAIL.TXT", FAILURE);
    let takes_it = |drive: &Path| fs::remove_file(drive.join("FAIL.TXT")).unwrap();
    let (code, stdout, stderr) = answered(&hex, &drive, takes_it);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("micro:bit V2"), "{stdout}");
}

#[test]
fn a_drive_that_comes_back_with_a_failure_has_not_taken_the_file() {
    let home = folder();
    let hex = write(&home, "light.hex", LIGHT);
    let drive = microbit("9900");
    let refuses = |drive: &Path| fs::write(drive.join("FAIL.TXT"), FAILURE).unwrap();
    // Once more, in the same words.
    for _ in 0..2 {
        let (code, stdout, stderr) = answered(&hex, &drive, refuses);
        assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
        assert!(stderr.contains("The hex file is corrupt"), "{stderr}");
    }
}

#[test]
fn a_microbit_takes_its_own_kind_of_file() {
    let home = folder();
    let drive = microbit("9900");
    let uf2 = write(&home, "pico.uf2", firmware(Family::RP2040, 5000).0);
    let beyond = format!(":020000040800F2\n{LIGHT}");
    let beyond = write(&home, "stm32.hex", beyond);
    let other = format!(":0400000A9903C0DEB8\n{LIGHT}");
    let other = write(&home, "v2.hex", other);
    for (file, sign) in [
        (uf2, "takes .hex files"),
        (beyond, "has data up to 0x8000004"),
        (other, "is for another micro:bit"),
    ] {
        let (code, _, stderr) = run(flash(&["--yes", &file, "--drive", name(drive.path())]));
        assert_eq!(code, 5, "{stderr}");
        assert!(stderr.contains(sign), "{sign}: {stderr}");
    }
    assert_eq!(fs::read_dir(drive.path()).unwrap().count(), 1);
}

/// A micro:bit gets its firmware by its drive, whichever port is named.
#[test]
fn without_a_microbit_the_way_to_its_drive_is_told() {
    let home = folder();
    let hex = write(&home, "light.hex", LIGHT);
    let (code, _, stderr) = run(flash(&["--yes", &hex]));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("its drive MICROBIT"), "{stderr}");
}

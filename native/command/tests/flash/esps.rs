//! ESP chips behind a pty, whose fake counts for as much as stock esptool takes it for a real one.

use std::{
    env, fs, os::unix::fs::PermissionsExt as _, process::Command, thread::sleep, time::Duration,
};

use flylead_tests::{
    boards::{EspKind, EspRom, esp_image, esp_program, venv},
    dice::Dice,
};
use tempfile::TempDir;

use super::{flash, flash_at};
use crate::common::{flylead, folder, piped, random, run, told_of, write};

/// Bytes of the program in an image: they do not deflate.
const PROGRAM: usize = 60_000;

/// The chip's number, its kind, and the address at which its image goes.
const CHIPS: [(u16, EspKind, usize); 3] = [
    (0, EspKind::Esp32, 0x1000),
    (5, EspKind::Esp32C3, 0),
    (9, EspKind::Esp32S3, 0),
];

fn holds(chip: &EspRom, at: usize, image: &[u8]) -> bool {
    chip.flash()[at..].starts_with(image)
}

#[test]
fn an_esp_gets_its_image_to_the_byte() {
    let home = folder();
    for (number, kind, at) in CHIPS {
        let image = esp_image(number, &random(PROGRAM));
        let file = write(&home, "firmware.bin", &image);
        let chip = EspRom::start(kind);
        let (code, stdout, stderr) = run(flash_at(chip.path(), &["--yes", &file]));
        assert_eq!(code, 0, "{kind:?}: {stderr}");
        assert!(stdout.contains("press its RESET button"), "{stdout}");
        assert!(holds(&chip, at, &image), "{kind:?}");
        assert_eq!(chip.stubs(), 1, "{kind:?}");
    }
}

/// Flashes the images by the makers' tool: what it takes for a chip behaves as one.
#[test]
fn esptool_flashes_the_same_chips_to_the_same_bytes() {
    let home = folder();
    for (number, kind, at) in CHIPS {
        let image = esp_image(number, &random(PROGRAM));
        let file = write(&home, "firmware.bin", &image);
        let chip = EspRom::start(kind);
        let mut esptool = Command::new(venv().join("bin/esptool"));
        let port = chip.path().display().to_string();
        esptool.args([
            "--port", &port, "--before", "no-reset", "--after", "no-reset",
        ]);
        esptool.args(["--chip", "auto", "write-flash", "--flash-mode", "keep"]);
        esptool.args(["--flash-freq", "keep", "--flash-size", "keep"]);
        esptool.args([&format!("{at:#x}"), &file]);
        let (code, stdout, stderr) = run(esptool);
        assert_eq!(code, 0, "{kind:?}: {stdout}{stderr}");
        assert!(stdout.contains("Hash of data verified"), "{stdout}");
        assert!(holds(&chip, at, &image), "{kind:?}");
    }
}

/// Reads a chip's flash by the makers' tool: what is saved before an update comes by the same command.
#[test]
fn esptool_reads_the_same_chips() {
    let home = folder();
    let flash = random(flylead_tests::boards::ESP_FLASH);
    let chip = EspRom::start_with(EspKind::Esp32S3, flash.clone());
    let mut esptool = Command::new(venv().join("bin/esptool"));
    let port = chip.path().display().to_string();
    let read = home.path().join("read.bin");
    esptool.args([
        "--port", &port, "--before", "no-reset", "--after", "no-reset",
    ]);
    esptool.args(["read-flash", "0x3000", "0x20100"]).arg(&read);
    let (code, stdout, stderr) = run(esptool);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(fs::read(&read).unwrap() == flash[0x3000..0x2_3100]);
    // Its own network address.
    assert!(stdout.contains("24:62:0a:0b:0c:0d"), "{stdout}");
}

/// Flashes a chip with what a person keeps from one run to the next.
fn kept(home: &TempDir, chip: &EspRom, words: &[&str]) -> (i32, String) {
    let mut command = flash_at(chip.path(), &[&["--yes"], words].concat());
    command.env("XDG_STATE_HOME", home.path());
    let (code, _, stderr) = run(command);
    (code, stderr)
}

const BACK: &str = "`flylead flash --back` writes the previous content again";

#[test]
fn what_an_esp_had_before_can_be_written_again() {
    let home = folder();
    // A small flash, for all of it is read.
    let before = random(512 << 10);
    let chip = EspRom::start_with(EspKind::Esp32S3, before.clone());
    let image = esp_image(9, &random(PROGRAM));
    let file = write(&home, "firmware.bin", &image);
    let (code, stderr) = kept(&home, &chip, &["--no-save", "--back"]);
    assert_eq!(code, 2, "{stderr}");
    let (code, stderr) = kept(&home, &chip, &[&file]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains(BACK), "{stderr}");
    assert!(holds(&chip, 0, &image));
    // It may have passwords of networks.
    for file in fs::read_dir(home.path().join("flylead/flashes")).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let other = EspRom::start(EspKind::Esp32S3).with_address(1);
    let (code, stderr) = kept(&home, &other, &["--back"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("no earlier content of the ESP with the address"),
        "{stderr}"
    );
    assert_eq!(other.written(), 0);

    let (code, stderr) = kept(&home, &chip, &["--back"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(chip.flash() == before);
    // There and back.
    let (code, stderr) = kept(&home, &chip, &["--back"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(holds(&chip, 0, &image));
    let (code, stderr) = kept(&home, &chip, &["--erase", &file]);
    assert_eq!(code, 0, "{stderr}");
    let erased = chip.flash();
    assert!(holds(&chip, 0, &image) && erased.ends_with(&[0xff; 4096]));
    let (code, stderr) = kept(&home, &chip, &["--back"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        chip.flash()
            .ends_with(&before[image.len().next_multiple_of(4096)..])
    );
}

#[test]
fn erased_flash_is_not_saved_nor_is_what_is_not_wanted() {
    let home = folder();
    let chip = EspRom::start(EspKind::Esp32);
    let file = write(&home, "firmware.bin", esp_image(0, &random(PROGRAM)));
    for words in [&[&file[..]][..], &["--no-save", &file]] {
        let (code, stderr) = kept(&home, &chip, words);
        assert_eq!(code, 0, "{stderr}");
        assert!(!stderr.contains(BACK), "{stderr}");
        assert!(!home.path().join("flylead/flashes").exists());
    }
}

/// Cuts an update and runs it again: a half-written flash is not what was there before.
#[test]
fn an_update_that_was_cut_off_can_be_taken_back() {
    let home = folder();
    let before = random(flylead_tests::boards::ESP_FLASH);
    let file = write(&home, "firmware.bin", esp_image(9, &random(PROGRAM)));
    let longer = write(&home, "longer.bin", esp_image(9, &random(3 * PROGRAM)));
    let mut flash = before.clone();
    for _ in 0..3 {
        let chip = EspRom::start_with(EspKind::Esp32S3, flash);
        let mut command = flash_at(chip.path(), &["--yes", &file]);
        command.env("XDG_STATE_HOME", home.path());
        let child = piped(command);
        while chip.written() < PROGRAM / 2 {
            sleep(Duration::from_millis(1));
        }
        flash = chip.unplug();
        let _ = told_of(child);
    }
    assert!(flash != before);
    let chip = EspRom::start_with(EspKind::Esp32S3, flash);
    let (code, stderr) = kept(&home, &chip, &[&longer]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stderr) = kept(&home, &chip, &["--back"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(chip.flash() == before);
}

#[test]
fn an_esp_gets_nothing_that_is_for_another_chip_or_not_whole() {
    let home = folder();
    let chip = EspRom::start(EspKind::Esp32S3);
    let whole = esp_image(9, &random(PROGRAM));
    let mut damaged = whole.clone();
    damaged[0x1_0100] ^= 1;
    for (image, why) in [
        (
            esp_image(0, b"program"),
            "is for the ESP32, but the chip is an ESP32S3",
        ),
        (esp_program(9, &[0; 0x9000]), "for over-the-air updates"),
        (damaged, "is damaged"),
        (whole[..whole.len() - 40].to_vec(), "is damaged"),
        (
            esp_image(9, &random(4 << 20)),
            "bytes of flash, but the chip has only 4194304",
        ),
    ] {
        let file = write(&home, "firmware.bin", image);
        let (code, _, stderr) = run(flash_at(chip.path(), &["--yes", &file]));
        assert_ne!(code, 0, "{why}");
        assert!(
            stderr.contains(why) && stderr.contains("nothing was written"),
            "{why}: {stderr}"
        );
    }
    assert_eq!(chip.written(), 0);
    let file = write(&home, "firmware.bin", whole);
    let (code, stdout, stderr) = run(flash_at(chip.path(), &["--dry-run", &file]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("for ESP32-S3 to the ESP32 at"), "{stdout}");
    let (code, _, stderr) = run(flash(&["--yes", &file]));
    assert_ne!(code, 0);
    assert!(stderr.contains("flylead ports"), "{stderr}");
    assert_eq!(chip.written(), 0);
}

#[test]
fn a_port_without_a_boot_rom_is_told_with_the_buttons() {
    let silent = flylead_tests::boards::Stranger::silent();
    let home = folder();
    let file = write(&home, "firmware.bin", esp_image(9, b"program"));
    let (code, _, stderr) = run(flash_at(silent.path(), &["--yes", &file]));
    assert_ne!(code, 0);
    assert!(stderr.contains("Hold the board's BOOT button"), "{stderr}");
}

#[test]
fn what_was_there_is_erased_if_it_is_said() {
    let home = folder();
    let file = write(&home, "firmware.bin", esp_image(0, b"program"));
    let last = |chip: &EspRom| *chip.flash().last().expect("there is a flash");
    let mut old = vec![0xff; flylead_tests::boards::ESP_FLASH];
    *old.last_mut().unwrap() = 7;
    let chip = EspRom::start_with(EspKind::Esp32, old);
    let (code, _, stderr) = run(flash_at(chip.path(), &["--yes", &file]));
    assert_eq!((code, last(&chip)), (0, 7), "{stderr}");
    let (code, _, stderr) = run(flash_at(chip.path(), &["--yes", "--erase", &file]));
    assert_eq!((code, last(&chip)), (0, 0xff), "{stderr}");
}

/// Names no firmware: the boot ROM says the chip.
#[test]
fn an_esp_in_download_mode_gets_the_newest_firmware_for_its_chip() {
    let home = folder();
    let image = esp_image(9, &random(PROGRAM));
    for (board, image) in [
        ("ESP32_GENERIC", esp_image(0, b"another")),
        ("ESP32_GENERIC_S3", image.clone()),
    ] {
        let name = format!("list/{board}-20260406-v1.28.0.bin");
        write(&home, &name, image);
    }
    let list = home.path().join("list").display().to_string();
    let chip = EspRom::start(EspKind::Esp32S3);
    let words = ["--timeout", "20", "flash", "--yes", "--firmware", &list];
    let mut command = flylead(chip.path(), &words);
    command.env("XDG_STATE_HOME", home.path());
    let (code, stdout, stderr) = run(command);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("bytes written to the ESP32-S3 at"),
        "{stdout}"
    );
    assert!(holds(&chip, 0, &image));
}

/// `FLYLEAD_ESP_CUTS=1000 cargo test -p flylead --test flash cut_off` cuts a thousand times.
#[test]
fn an_esp_that_was_cut_off_is_flashed_again_each_time() {
    let cuts = env::var("FLYLEAD_ESP_CUTS").map_or(5, |count| count.parse().expect("a number"));
    let home = folder();
    let image = esp_image(9, &random(PROGRAM));
    let file = write(&home, "firmware.bin", &image);
    let mut dice = Dice::new(1);
    let mut flash = vec![0xff; flylead_tests::boards::ESP_FLASH];
    for cut in 0..cuts {
        let chip = EspRom::start_with(EspKind::Esp32S3, flash);
        let after = dice.below(PROGRAM);
        let child = piped(flash_at(chip.path(), &["--yes", &file]));
        while chip.written() < after {
            sleep(Duration::from_millis(1));
        }
        flash = chip.unplug();
        let (code, _, stderr) = told_of(child);
        assert!(
            code == 0 || stderr.contains("To flash it again"),
            "cut {cut} after {after}: {stderr}"
        );
        let chip = EspRom::start_with(EspKind::Esp32S3, flash);
        let (code, _, stderr) = run(flash_at(chip.path(), &["--yes", &file]));
        assert_eq!(code, 0, "cut {cut} after {after}: {stderr}");
        assert!(holds(&chip, 0, &image), "cut {cut} after {after}");
        flash = chip.flash();
    }
    println!("{cuts} cuts: flashed again each time");
}

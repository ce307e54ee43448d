use std::{
    fs,
    os::unix::fs::symlink,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use flylead_core::uf2::{Family, Image, build};
use flylead_tests::boards::{BootChip, BootDrive, Faults, Firmware, Pico, Wire, is_whole};
use tempfile::TempDir;

use super::flash;
use crate::common::{flylead, folder, must, random, run, told, write};

/// Starts the emulated Pico from the flash that the drive has taken.
#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_starts_what_was_written() {
    for firmware in Firmware::present() {
        let file = firmware.obtain().expect("it was there a moment ago");
        let drive = BootDrive::plug_in(BootChip::Rp2040);
        let words = [
            "--yes",
            file.to_str().unwrap(),
            "--drive",
            drive.path().to_str().unwrap(),
        ];
        let (code, _, stderr) = run(flash(&words));
        assert_eq!(code, 0, "{stderr}");
        let start = 0x1000_0000;
        let bytes = drive.gone();
        let image = build(&Image { start, bytes }, Family::RP2040);
        let home = folder();
        let image = write(&home, "flash.uf2", image);
        let board = Pico::start(image.as_ref());
        let version = must(board.path(), &["eval", "__import__('sys').version"]);
        let expected = firmware.version.trim_start_matches('v');
        assert!(version.contains(expected), "{version}");
        drop(fs::remove_file(&image));
    }
}

/// A hundred files of up to 891 bytes, or ten in a sample that is quick.
fn many_files(folder: &TempDir) -> Vec<String> {
    let bytes = random(100 * 9);
    let file = |number: usize| {
        let name = format!("files/d{}/f{number}.bin", number % 7);
        write(folder, &name, &bytes[..number * 9]);
        name
    };
    let step = if is_whole() { 1 } else { 10 };
    (0..100).step_by(step).map(file).collect()
}

/// Updates from the first firmware to the second one, with a file system that the update has erased.
#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_keeps_its_files_over_an_update() {
    let images: Vec<_> = Firmware::present().collect();
    let [old, new] = images[..] else {
        println!("skipped: two images are needed");
        return;
    };
    let [old, new] = [old, new].map(|it| it.obtain().expect("it was there a moment ago"));
    let home = folder();
    let names = many_files(&home);
    let [port, mounted, back] = ["port", "RPI-RP2", "back"].map(|name| home.path().join(name));
    let board = Pico::start(&old);
    let wire = Wire::attach(board.path(), leaves());
    symlink(wire.path(), &port).unwrap();
    let from = home.path().join("files").display().to_string();
    done(flylead(
        &port,
        &["--timeout", "900", "cp", "-r", &from, ":"],
    ));
    let (image, drive) = (new.display().to_string(), mounted.display().to_string());
    let keep = ["--timeout", "900", "flash", "--yes", "--keep-files"];
    let words = [&keep[..], &[&image, "--drive", &drive]].concat();
    let mut update = flylead(&port, &words);
    update.env("XDG_DATA_HOME", home.path());
    update.env("XDG_STATE_HOME", home.path());
    let mut update = spawn(update);
    while port.exists() {
        if update.try_wait().unwrap().is_some() {
            let (code, _, stderr) = told(update.wait_with_output().unwrap());
            panic!("it ended with {code}: {stderr}");
        }
        sleep(Duration::from_millis(50));
    }
    let drive = BootDrive::plug_in_at(BootChip::Rp2040, &mounted);
    let bytes = drive.gone();
    drop((wire, board));
    fs::remove_file(&port).unwrap();
    let start = 0x1000_0000;
    let image = build(&Image { start, bytes }, Family::RP2040);
    let image = write(&home, "flash.uf2", image);
    let board = Pico::start(image.as_ref());
    let wire = Wire::attach(board.path(), Faults::default());
    symlink(wire.path(), &port).unwrap();
    let (code, _, stderr) = told(update.wait_with_output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains(&format!("{} files were restored", names.len())),
        "{stderr}"
    );
    let back_name = back.display().to_string();
    let words = ["--timeout", "900", "cp", "-r", ":files", &back_name];
    done(flylead(&port, &words));
    for name in names {
        let there = fs::read(back.join(name.trim_start_matches("files/"))).unwrap();
        assert!(
            there == fs::read(home.path().join(&name)).unwrap(),
            "{name}"
        );
    }
    assert_eq!(
        fs::read_dir(home.path().join("flylead/backups"))
            .unwrap()
            .count(),
        1
    );
}

fn leaves() -> Faults {
    Faults {
        leaves_after: b"machine.bootloader()",
        ..Faults::default()
    }
}

fn done(command: Command) {
    let (code, _, stderr) = told(spawn(command).wait_with_output().unwrap());
    assert_eq!(code, 0, "{stderr}");
}

/// Starts it without the limit of other tests' commands: an emulator takes minutes for a hundred files.
fn spawn(mut command: Command) -> Child {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("flylead starts")
}

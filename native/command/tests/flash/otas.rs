//! Updates over the air with a real MicroPython and a stub of its module `esp32`: partitions are files, and the boot
//! loader's choice follows the documentation of `esp32.Partition` and of esp-idf, "App Rollback".

use std::fs;

use flylead_tests::boards::{UnixBoard, esp_image, esp_program};
use serde_json::Value;
use tempfile::TempDir;

use super::flash_at;
use crate::common::{folder, must, piped, random, run, told_of, wait_until, write};

const ESP32: &str = "
import json, os
SIZE = 0x20000
def load():
    try:
        with open('ota.json') as f: return json.load(f)
    except OSError: return {'running': 0, 'boot': 0, 'states': ['valid', 'undefined']}
def save(state):
    with open('ota.json', 'w') as f: json.dump(state, f)
def start():
    try: os.remove('now')
    except OSError: return
    s = load()
    b = s['boot']
    if s['states'][b] == 'new': s['states'][b] = 'pending'
    elif s['states'][b] == 'pending':
        s['states'][b] = 'aborted'
        b = s['boot'] = 1 - b
    s['running'] = b
    save(s)
start()
class Partition:
    BOOT, RUNNING = 0, 1
    def __init__(self, which):
        s = load()
        self.n = int(which[-1]) if isinstance(which, str) else s['running' if which else 'boot']
        self.file = 'ota_%d.bin' % self.n
    def info(self):
        return (0, 16 + self.n, 0x10000 + SIZE * self.n, SIZE, 'ota_%d' % self.n, False)
    def get_next_update(self):
        if 'single' in os.listdir(): raise OSError(-261)
        return Partition('ota_%d' % (1 - self.n))
    def content(self):
        try:
            with open(self.file, 'rb') as f: return bytearray(f.read())
        except OSError: return bytearray(b'\\xff' * SIZE)
    def readblocks(self, block, buf, offset=0):
        at = block * 4096 + offset
        buf[:] = self.content()[at:at + len(buf)]
    def writeblocks(self, block, buf):
        assert len(buf) % 4096 == 0
        content = self.content()
        content[block * 4096:block * 4096 + len(buf)] = buf
        if 'worn' in os.listdir(): content[5000] = 0
        with open(self.file, 'wb') as f: f.write(content)
    def set_boot(self):
        if self.content()[0] != 0xe9: raise OSError(-5379)
        s = load()
        s['boot'] = self.n
        s['states'][self.n] = 'new'
        save(s)
    @classmethod
    def mark_app_valid_cancel_rollback(cls):
        s = load()
        s['states'][s['running']] = 'valid'
        save(s)
";

/// Its reset waits for the test to pull the plug.
const MACHINE: &str = "
def reset():
    open('now', 'w').close()
    while True: pass
";

fn board() -> UnixBoard {
    let board = UnixBoard::start();
    fs::write(board.flash().join("esp32.py"), ESP32).unwrap();
    fs::write(board.flash().join("machine.py"), MACHINE).unwrap();
    board
}

fn state(board: &UnixBoard) -> Value {
    let text = fs::read_to_string(board.flash().join("ota.json"));
    serde_json::from_str(&text.unwrap_or_else(|_| "{}".to_owned())).unwrap()
}

/// Updates a board and restarts it when it says so.
fn updated(board: &UnixBoard, words: &[&str]) -> (i32, String, String) {
    let child = piped(flash_at(
        board.path(),
        &[&["--yes", "--ota"], words].concat(),
    ));
    wait_until("the board restarts", || board.flash().join("now").exists());
    board.reset();
    told_of(child)
}

/// The program in a file, and the file's name.
fn file(home: &TempDir, name: &str) -> (Vec<u8>, String) {
    let program = esp_program(9, &random(50_000));
    let file = write(home, name, &program);
    (program, file)
}

#[test]
fn a_program_goes_into_the_other_partition_and_is_confirmed_once_it_runs() {
    let (board, home) = (board(), folder());
    let (program, file) = file(&home, "ESP32_GENERIC_S3-OTA.app-bin");
    let (code, stdout, stderr) = updated(&board, &[&file]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("bytes written to ota_1 and verified; the board runs them"),
        "{stdout}"
    );
    assert!(
        fs::read(board.flash().join("ota_1.bin"))
            .unwrap()
            .starts_with(&program)
    );
    let now = state(&board);
    assert_eq!(
        (&now["running"], &now["states"][1]),
        (&1.into(), &"valid".into())
    );
    assert_eq!(
        must(
            board.path(),
            &["exec", "print([n for n in dir() if 'fl' in n])"]
        ),
        "[]\n"
    );

    // The next one is the program in the image of a whole flash, and goes into the first partition.
    let whole = write(&home, "whole.bin", esp_image(9, &random(40_000)));
    let (code, stdout, stderr) = updated(&board, &[&whole]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("written to ota_0"), "{stdout}");
    let (code, stdout, stderr) = updated(&board, &["--back"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("the board runs the program in ota_1"),
        "{stdout}"
    );
    assert_eq!(state(&board)["running"], 1);
}

/// The first restart starts the program, and a second one follows before anything has confirmed it.
#[test]
fn a_program_that_does_not_start_gives_way_to_the_one_before() {
    let (board, home) = (board(), folder());
    let (_, file) = file(&home, "new.app-bin");
    let child = piped(flash_at(board.path(), &["--yes", "--ota", &file]));
    wait_until("the board restarts", || board.flash().join("now").exists());
    // The boot loader starts it, and it crashes.
    let crashed = r#"{"running": 1, "boot": 1, "states": ["valid", "pending"]}"#;
    fs::write(board.flash().join("ota.json"), crashed).unwrap();
    board.reset();
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 5, "{stderr}");
    assert!(
        stderr.contains(
            "the board did not start the program in ota_1 and is back at the one in ota_0"
        ),
        "{stderr}"
    );
    assert_eq!(state(&board)["states"][1], "aborted");
}

#[test]
fn a_board_that_cannot_be_updated_so_stays_as_it_is() {
    let (board, home) = (board(), folder());
    let (_, good) = file(&home, "new.app-bin");
    let large = write(&home, "large.app-bin", esp_program(9, &random(0x2_0000)));
    let text = write(&home, "text.hex", ":0400000001020304F2\n:00000001FF\n");
    let refused = |words: &[&str], why: &str| {
        let (code, _, stderr) = run(flash_at(
            board.path(),
            &[&["--yes", "--ota"], words].concat(),
        ));
        assert_ne!(code, 0, "{why}");
        assert!(stderr.contains(why), "{why}: {stderr}");
        assert!(!board.flash().join("now").exists());
    };
    refused(&[&large], "but ota_1 has only 131072; nothing was written");
    refused(&[&text], "takes the .app-bin file");
    refused(&["--back"], "there is no other program to go back to");
    fs::write(board.flash().join("worn"), "").unwrap();
    refused(
        &[&good],
        "does not hold the data written to it, so the board stays with ota_0",
    );
    fs::write(board.flash().join("single"), "").unwrap();
    refused(&[&good], "no second partition for a program");
    let other = UnixBoard::start();
    let (code, _, stderr) = run(flash_at(other.path(), &["--yes", "--ota", &good]));
    assert_eq!(code, 5, "{stderr}");
    assert!(
        stderr.contains("is only for the ESP32, and this board is not one"),
        "{stderr}"
    );
    let (code, _, stderr) = run(flash_at(other.path(), &["--yes", &good]));
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("`flylead flash --ota`"), "{stderr}");
}

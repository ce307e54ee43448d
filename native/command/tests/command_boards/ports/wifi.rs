//! A board's way into a network, with a radio that is a module in its file system.

use std::fs;

use flylead_tests::boards::UnixBoard;
use serde_json::json;

use crate::common::{flylead, run, run_with_notes};

/// Radio that hears two networks.
const RADIO: &str = r#"
STA_IF = 0
STAT_NO_AP_FOUND = -2
STAT_WRONG_PASSWORD = -3
NETWORKS = {"B\u00fcro 'x'": "pa\"ss'w\\rd\u00e9", "open": None}
class WLAN:
    now = None
    fault = 0
    def __init__(self, kind):
        pass
    def active(self, on):
        pass
    def disconnect(self):
        WLAN.now = None
    def scan(self):
        return [(b"open", b"", 1, -70, 0, False), ("B\u00fcro 'x'".encode(), b"", 6, -40, 3, False), (b"\xff\xfe", b"", 6, -80, 3, True)]
    def connect(self, name, password=None):
        if name not in NETWORKS:
            WLAN.fault = STAT_NO_AP_FOUND
        elif NETWORKS[name] != password:
            WLAN.fault = STAT_WRONG_PASSWORD
        else:
            WLAN.now = name
    def isconnected(self):
        return WLAN.now is not None
    def ifconfig(self):
        return ("192.168.4.7", "", "", "")
    def status(self):
        return WLAN.fault
"#;
const NAME: &str = "Büro 'x'";
const PASSWORD: &str = "pa\"ss'w\\rdé";

fn board() -> UnixBoard {
    let board = UnixBoard::start();
    fs::write(board.flash().join("network.py"), RADIO).unwrap();
    board
}

/// `flylead wifi` with a password, which nothing that it prints may have.
fn wifi(board: &UnixBoard, words: &[&str], password: &str) -> (i32, String, String) {
    let mut command = flylead(board.path(), &[&["wifi"], words].concat());
    command.env("FLYLEAD_WIFI_PASSWORD", password);
    command.env("FLYLEAD_WEBREPL_PASSWORD", "open ses");
    let (code, stdout, stderr) = run(command);
    for secret in [password, "open ses"] {
        let is_told = |text: &str| !secret.is_empty() && text.contains(secret);
        assert!(!is_told(&stdout) && !is_told(&stderr), "{stdout}{stderr}");
    }
    (code, stdout, stderr)
}

fn file(board: &UnixBoard, name: &str) -> Option<String> {
    fs::read_to_string(board.flash().join(name)).ok()
}

#[test]
fn networks_in_reach_are_listed_the_strongest_first() {
    let board = board();
    let (code, stdout, stderr) = wifi(&board, &[], "");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let expected = " -40 dBm  Büro 'x'\n -70 dBm  open  open\n -80 dBm  \u{fffd}\u{fffd}\n";
    assert_eq!(stdout, expected);
    let (_, stdout, _) = wifi(&board, &["--json"], "");
    let all: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        all[0],
        json!({ "ssid": NAME, "signal_dbm": -40, "open": false })
    );
}

#[test]
fn a_board_that_is_connected_once_connects_again_when_it_starts() {
    let board = board();
    fs::write(board.flash().join("boot.py"), "import gc\n").unwrap();
    for _ in 0..2 {
        let (code, stdout, stderr) = wifi(&board, &[NAME], PASSWORD);
        assert_eq!(code, 0, "{stderr}");
        assert!(
            stdout.starts_with("connected to Büro 'x': 192.168.4.7; it connects again"),
            "{stdout}"
        );
    }
    let boot = file(&board, "boot.py").unwrap();
    assert!(
        boot.starts_with("import gc\n# flylead wifi: begin\n"),
        "{boot}"
    );
    assert_eq!(boot.matches("wifi: begin").count(), 1);
    assert!(!boot.contains("webrepl"), "{boot}");
    let start = "import network\nnetwork.WLAN.now = None\nexec(open('boot.py').read())\nprint(network.WLAN.now, '_wifi' in globals())";
    let (code, stdout, stderr) = run(flylead(board.path(), &["exec", start]));
    assert_eq!((code, stdout.trim()), (0, "Büro 'x' False"), "{stderr}");

    let (code, _, stderr) = run_with_notes(flylead(board.path(), &["wifi", "--forget"]));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(file(&board, "boot.py").unwrap(), "import gc\n");
    assert_eq!(file(&board, "wifi_cfg.py"), None);
}

#[test]
fn webrepl_is_switched_on_with_its_password() {
    let board = board();
    let (code, stdout, stderr) = wifi(&board, &["open", "--webrepl"], "");
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(
        file(&board, "webrepl_cfg.py").unwrap(),
        "PASS = \"open ses\"\n"
    );
    assert_eq!(
        file(&board, "wifi_cfg.py").unwrap(),
        "SSID = \"open\"\nPASSWORD = None\n"
    );
    assert!(file(&board, "boot.py").unwrap().contains("webrepl.start()"));
    // It stays on with another network.
    let (code, _, stderr) = wifi(&board, &[NAME], PASSWORD);
    assert_eq!(code, 0, "{stderr}");
    assert!(file(&board, "boot.py").unwrap().contains("webrepl.start()"));
}

#[test]
fn what_does_not_connect_is_kept_nowhere_and_told_with_its_reason() {
    let board = board();
    for (name, password, why) in [
        (NAME, "mistaken", "the password is wrong"),
        ("nowhere", "secret", "no network with this name is in range"),
    ] {
        let (code, _, stderr) = wifi(&board, &[name], password);
        assert_ne!(code, 0);
        assert!(
            stderr.contains(why) && stderr.contains("Nothing was kept"),
            "{stderr}"
        );
    }
    let (code, _, stderr) = wifi(&board, &["open", "--once"], "");
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(
        [file(&board, "wifi_cfg.py"), file(&board, "boot.py")],
        [None, None]
    );

    let without = UnixBoard::start();
    let (code, _, stderr) = wifi(&without, &["open"], "");
    assert_ne!(code, 0);
    assert!(stderr.contains("this board has no Wi-Fi"), "{stderr}");
    let mut unasked = flylead(without.path(), &["wifi", "open"]);
    unasked.env_remove("FLYLEAD_WIFI_PASSWORD");
    let (code, _, stderr) = run(unasked);
    assert_ne!(code, 0);
    assert!(stderr.contains("set FLYLEAD_WIFI_PASSWORD"), "{stderr}");
}

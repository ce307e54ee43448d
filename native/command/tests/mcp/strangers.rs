//! Peers that are no board at its prompt: an assistant is told what they are, and the next step, as a person is.

use std::{fs, path::Path, process::Command, thread};

use flylead_tests::boards::{Stranger, with_folders};
use serde_json::json;

use crate::{FLYLEAD, by_hand::ByHand};

#[test]
fn an_assistant_is_told_what_is_at_the_port_and_the_next_step() {
    thread::scope(|scope| {
        for name in Stranger::NAMES {
            scope.spawn(move || is_told_of(name));
        }
    });
}

fn is_told_of(name: &str) {
    let (stranger, peer) = Stranger::named(name).expect("it is one of them");
    let mut command = Command::new(FLYLEAD);
    command.args(["--timeout", "3", "mcp", "--artifacts", "/nowhere", "--port"]);
    let mut client = ByHand::run(command.arg(stranger.path()), None);
    let port = json!(stranger.path());
    for (tool, arguments) in [
        ("board.exec", json!({ "code": "1", "port": port })),
        ("board.list_files", json!({ "path": "/", "port": port })),
    ] {
        let answer = client.call(tool, &arguments);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let is_next_step = message.contains(&peer.to_string());
        assert!(is_next_step, "{name}, {tool}: {peer}: {answer}");
    }
}

#[test]
fn an_assistant_is_told_of_a_board_in_its_boot_loader() {
    let sys = tempfile::tempdir().unwrap();
    let device = sys.path().join("bus/usb/devices/1-1");
    fs::create_dir_all(&device).unwrap();
    fs::write(device.join("idVendor"), "2e8a\n").unwrap();
    fs::write(device.join("idProduct"), "0003\n").unwrap();
    fs::create_dir_all(sys.path().join("class/tty")).unwrap();
    let folders = [(sys.path(), Path::new("/sys"))];
    let mut command = with_folders(FLYLEAD, &folders);
    command.args(["mcp", "--artifacts", "/nowhere"]);
    let mut client = ByHand::run(command.env_remove("FLYLEAD_PORT"), None);
    let answer = client.call("serial.list_ports", &json!({}));
    let board = answer["boot_loaders"][0].as_str().unwrap_or_default();
    for part in [
        "an RP2040 in BOOTSEL mode",
        "plug it in again without holding the button",
    ] {
        assert!(board.contains(part), "{answer}");
    }
}

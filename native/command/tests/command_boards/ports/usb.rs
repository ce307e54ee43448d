//! A board whose port goes when it resets, and comes back under another name.

use std::{fs, time::Duration};

use flylead_tests::boards::{AnyBoard, Faults, Kind, UnixBoard, UsbPort};

use crate::common::{done, flylead, folder, must, random, run};

/// The unix port, which has no `machine` of its own. It is started again when it has ended.
pub(crate) fn unix() -> AnyBoard {
    let board = UnixBoard::start();
    let machine = "def reset():\n raise SystemExit\n";
    fs::write(board.flash().join("machine.py"), machine).unwrap();
    AnyBoard::Unix(board)
}

/// A port that is gone for a while after a reset, at the far end of a slow hub. An emulator takes longer to get as far as the reset,
/// which a Ctrl-C before it would prevent.
pub(crate) fn port(board: &AnyBoard) -> UsbPort {
    let away = match board {
        AnyBoard::Pico(_) => Duration::from_secs(6),
        _ => Duration::from_millis(700),
    };
    let faults = Faults {
        delay: Duration::from_millis(5),
        leaves_after: b"machine.reset()",
        ..Faults::default()
    };
    UsbPort::attach(board.path(), faults, away)
}

fn is_found_again(board: &AnyBoard) {
    let (port, home) = (port(board), folder());
    let [from, back] = ["data", "back"].map(|name| home.path().join(name));
    fs::write(&from, random(6000)).unwrap();
    let [from_name, back_name] = [&from, &back].map(|path| path.display().to_string());
    must(port.path(), &["cp", &from_name, ":data"]);
    let reset = run(flylead(port.path(), &["reset", "--hard"]));
    assert_eq!(reset, done(""));
    let names = port.names();
    assert!(names.len() == 2 && names[0] != names[1], "{names:?}");
    must(port.path(), &["cp", ":data", &back_name]);
    assert!(fs::read(back).unwrap() == fs::read(from).unwrap());
}

#[test]
fn a_board_that_comes_back_under_another_name_is_found() {
    is_found_again(&unix());
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_that_comes_back_under_another_name_is_found() {
    Kind::picos().for_each(|kind| is_found_again(&kind.start()));
}

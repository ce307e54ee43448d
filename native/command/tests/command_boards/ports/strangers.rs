//! Peers that are no board at its prompt: each is recognized, and its error names the next step.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use flylead_tests::boards::{Faults, Stranger, UnixBoard, Wire, with_folders};

use crate::common::{done, flylead, folder, run, run_with_notes, write};

/// Returns the error of `flylead exec 1`, which waits for three seconds.
fn error_of(stranger: &Stranger) -> String {
    let (code, stdout, stderr) = run(flylead(stranger.path(), &["--timeout", "3", "exec", "1"]));
    assert_eq!((code, stdout.as_str()), (4, ""), "{stderr}");
    stderr
}

/// Returns the report of `flylead doctor`.
fn doctor(stranger: &Stranger) -> String {
    let (code, stdout, _) = run(flylead(stranger.path(), &["doctor"]));
    assert_eq!(code, 3, "{stdout}");
    stdout
}

#[test]
fn each_stranger_is_recognized_with_its_next_step() {
    thread::scope(|scope| {
        for name in Stranger::NAMES {
            scope.spawn(move || {
                let (stranger, peer) = Stranger::named(name).expect("it is one of them");
                for words in [&["exec", "1"][..], &["ls"], &["rollback"], &["info"]] {
                    let words = [&["--timeout", "3"], words].concat();
                    let (code, _, error) = run(flylead(stranger.path(), &words));
                    assert_eq!(code, 4, "{name}, {words:?}: {error}");
                    assert!(
                        error.contains(&peer.to_string()),
                        "{name}, {words:?}: {error}"
                    );
                }
            });
        }
    });
    for (name, signs) in [
        (
            "loopback",
            ["everything sent came back", "Remove the bridge"],
        ),
        (
            "silent",
            [
                "nothing was received",
                "`--baud auto` tries the usual speeds",
            ],
        ),
        ("esp", ["an ESP in download mode", "Release BOOT (GPIO0)"]),
        (
            "esp-without-firmware",
            ["an ESP whose firmware does not start", "`flylead flash`"],
        ),
        (
            "circuitpython",
            ["the board runs CircuitPython", "Press the reset button"],
        ),
        (
            "computer",
            [
                "the login prompt of another computer",
                "Choose another port",
            ],
        ),
        (
            "program",
            ["its program ignores Ctrl-C", "Last output: tick 17"],
        ),
    ] {
        let (stranger, _) = Stranger::named(name).expect("it is one of them");
        let error = error_of(&stranger);
        for sign in signs {
            assert!(error.contains(sign), "{sign}: {error}");
        }
    }
}

#[test]
fn a_board_in_its_boot_loader_is_named_with_its_next_step() {
    let sys = folder();
    write(&sys, "bus/usb/devices/1-1/idVendor", "2e8a\n");
    write(&sys, "bus/usb/devices/1-1/idProduct", "0003\n");
    fs::create_dir_all(sys.path().join("class/tty")).unwrap();
    let folders = [(sys.path(), Path::new("/sys"))];
    for words in [&["exec", "1"][..], &["ls"], &["deploy"]] {
        let mut command = with_folders(env!("CARGO_BIN_EXE_flylead"), &folders);
        command.args(words).env_remove("FLYLEAD_PORT");
        let (code, _, stderr) = run(command);
        assert_eq!(code, 3, "{words:?}: {stderr}");
        for part in [
            "an RP2040 in BOOTSEL mode",
            "plug it in again without holding the button",
        ] {
            assert!(stderr.contains(part), "{words:?}: {stderr}");
        }
    }
}

#[test]
fn a_person_is_told_that_a_board_is_waited_for() {
    let silent = Stranger::silent();
    let words = ["--timeout", "10", "exec", "1"];
    let (code, _, stderr) = run_with_notes(flylead(silent.path(), &words));
    assert_eq!(code, 4, "{stderr}");
    let note = "waiting for the board to stop its program, at most 10 s";
    assert!(stderr.contains(note), "{stderr}");
}

#[test]
fn a_board_at_another_speed_is_recognized_and_found() {
    let board = UnixBoard::start();
    let faults = Faults {
        speed: Some(9600),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let at = |options: &[&str]| {
        run(flylead(
            wire.path(),
            &[options, &["--timeout", "4", "exec", "print(6 * 7)"]].concat(),
        ))
    };
    let (code, stdout, stderr) = at(&[]);
    assert_eq!((code, stdout.as_str()), (4, ""), "{stderr}");
    assert!(stderr.contains("`--baud auto` tries"), "{stderr}");
    let (code, stdout, stderr) = at(&["--baud", "auto"]);
    assert_eq!((code, stdout.as_str()), (0, "42\n"), "{stderr}");
    assert_eq!(
        stderr,
        "flylead: the board answers at 9600 baud; --baud 9600 saves this search\n"
    );
    assert_eq!(at(&["--baud", "9600"]), done("42\n"));
}

#[test]
fn a_program_that_writes_at_another_speed_is_garbage_and_found() {
    let board = UnixBoard::start();
    let program = "import time\nfor i in range(400):\n print('temperature 21.5')\n time.sleep(.05)";
    assert_eq!(
        run(flylead(board.path(), &["exec", "--no-follow", program])).0,
        0
    );
    let faults = Faults {
        speed: Some(57_600),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let (code, report, _) = run(flylead(wire.path(), &["doctor"]));
    assert_eq!(code, 3, "{report}");
    assert!(report.contains("the answer is not text"), "{report}");
    let (code, stdout, stderr) = run(flylead(
        wire.path(),
        &["--baud", "auto", "exec", "print(42)"],
    ));
    assert_eq!((code, stdout.as_str()), (0, "42\n"), "{stderr}");
    assert!(stderr.contains("answers at 57600 baud"), "{stderr}");
}

#[test]
fn a_line_without_a_board_has_no_speed() {
    let silent = Stranger::silent();
    let (code, _, stderr) = run(flylead(
        silent.path(),
        &["--baud", "auto", "--timeout", "30", "exec", "1"],
    ));
    assert_eq!(code, 3, "{stderr}");
    assert!(
        stderr.contains("answered at any of these speeds: 115200, 9600"),
        "{stderr}"
    );
}

/// A peer that says this again and again, and what it is sent.
fn recorded(text: &'static str) -> (Stranger, Arc<Mutex<Vec<u8>>>) {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&sent);
    let stranger = Stranger::start(move |heard| {
        record.lock().unwrap().extend_from_slice(heard);
        match heard {
            [] => text.into(),
            _ => Vec::new(),
        }
    });
    (stranger, sent)
}

#[test]
fn the_doctor_recognizes_strangers_and_sends_them_no_ctrl_c() {
    let (rom, sent) = recorded("waiting for download\r\n");
    let report = doctor(&rom);
    assert!(report.contains("an ESP in download mode"), "{report}");
    drop(rom);
    assert_eq!(*sent.lock().unwrap(), b"");

    let (silent, sent) = recorded("");
    let (_, report, _) = run(flylead(silent.path(), &["doctor"]));
    assert!(report.contains("a program is running"), "{report}");
    drop(silent);
    assert_eq!(*sent.lock().unwrap(), b"\r");
}

#[test]
fn a_search_for_the_speed_tells_a_bridge_and_keeps_its_time() {
    let bridge = Stranger::loopback();
    let (code, _, stderr) = run(flylead(
        bridge.path(),
        &["--baud", "auto", "--timeout", "30", "exec", "1"],
    ));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("TX and RX are bridged"), "{stderr}");
    let silent = Stranger::silent();
    let (code, _, stderr) = run(flylead(
        silent.path(),
        &["--baud", "auto", "--timeout", "1", "exec", "1"],
    ));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("did not answer within 1 s"), "{stderr}");
}

#[test]
fn commands_that_keep_their_ports_want_a_fixed_speed() {
    for words in [&["mcp"][..], &["log", "-"]] {
        let words = [&["--baud", "auto"], words].concat();
        let (code, _, stderr) = run(flylead(Path::new("/dev/null"), &words));
        assert_eq!(code, 2, "{stderr}");
        let said = format!("{} needs a fixed speed", words[2]);
        assert!(stderr.contains(&said), "{stderr}");
    }
}

//! `flylead selftest`, on boards of each kind.

use std::fs;

use flylead_tests::boards::{AnyBoard, Kind, UnixBoard, UsbPort, is_whole};
use serde_json::Value;

use super::usb;
use crate::common::{
    entries, flylead, folder, piped, press_ctrl_c, run, told, told_of, wait_until,
};

/// Runs suites on a board of this kind: all of them, if none is named. Those of these names are skipped, and no others.
fn passes(kind: Kind, suites: &[&str], skipped: &[&str]) {
    let (board, here) = (kind.start(), folder());
    // A Pico's port vanishes at a reset; an emulator's does not, and says nothing.
    let port = matches!(board, AnyBoard::Pico(_)).then(|| usb::port(&board));
    let path = port.as_ref().map_or(board.path(), UsbPort::path);
    let report = here.path().join("report.md");
    let report = report.to_str().expect("its name is text");
    let words = [&["--json", "selftest", "--report", report], suites].concat();
    // Longer than other commands may take: it ends its own ones.
    let output = flylead(path, &words).output();
    let (code, stdout, stderr) = told(output.expect("flylead starts"));
    let report = fs::read_to_string(report).unwrap_or_default();
    assert_eq!(code, 0, "{kind}: {stderr}{report}");
    let result: Value = serde_json::from_str(&stdout).expect("it is JSON");
    let checks = result["checks"].as_array().expect("it has checks");
    let of = |outcome: &str| {
        let checks = checks.iter().filter(|check| check["outcome"] == outcome);
        let names = checks.map(|check| check["name"].as_str().expect("it has a name"));
        names.collect::<Vec<_>>()
    };
    assert_eq!(of("skipped"), skipped, "{kind}");
    assert_eq!(
        of("passed").len() + skipped.len(),
        checks.len(),
        "{kind}: {report}"
    );
    let summary = format!("# flylead selftest: {} passed", of("passed").len());
    assert!(report.starts_with(&summary), "{kind}: {report}");
    assert!(!report.contains("unique_id"), "{kind}: {report}");
    let names = flylead(path, &["ls"]);
    assert!(!run(names).1.contains("flylead_selftest"), "{kind}");
}

const NO_RESET: &str = "a hard reset is seen, and the board answers";
const FOLDERS: [&str; 5] = [
    "a file is renamed",
    "a folder is copied, kept the same, and comes back",
    "a module of this computer is imported",
    "files of this computer are read and written",
    "a package of this computer is installed",
];

#[test]
fn the_unix_port_passes() {
    passes(Kind::Unix, &[], &[NO_RESET]);
}

#[test]
fn a_microbit_passes() {
    // The debugger is left out: its second session on this board ends for want of memory (docs/first-issues.md).
    let suites = [
        "programs",
        "files",
        "mount",
        "install",
        "tests",
        "interrupts",
        "resets",
    ];
    passes(Kind::Microbit, &suites, &FOLDERS);
}

#[test]
fn the_board_of_the_page_passes() {
    passes(Kind::Page, &[], &[NO_RESET]);
}

/// All of it, or two suites that are quick.
#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_passes() {
    let suites: &[_] = if is_whole() {
        &[]
    } else {
        &["programs", "mount"]
    };
    Kind::picos().for_each(|kind| passes(kind, suites, &[]));
}

/// A board on which `print` says something else than what it was asked for.
#[test]
fn a_board_that_is_wrong_fails_and_the_report_says_with_which_command() {
    let (board, here) = (UnixBoard::start(), folder());
    let lies = "import builtins\ndef lie(*a,p=print):p(*[43 if x==42 else x for x in a])\nbuiltins.print=lie";
    assert_eq!(run(flylead(board.path(), &["exec", lies])).0, 0);
    let report = here.path().join("report.md").display().to_string();
    let words = ["selftest", "--report", &report, "programs"];
    let (code, stdout, stderr) = run(flylead(board.path(), &words));
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("FAILED"), "{stdout}");
    let report = fs::read_to_string(report).expect("it was written");
    for part in [
        "## programs: a program prints",
        "flylead exec 'print(6*7)'",
        "stdout is \"43\\n\", expected \"42\\n\"",
        "\n    ! Stdout 43",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn what_a_command_leaves_on_the_board_is_found() {
    let board = UnixBoard::start();
    // Whatever is printed leaves a name, as a helper would.
    let leaves = "import builtins\ndef leave(*a,p=print,g=globals()):\n if a==(42,):g['left']=1\n p(*a)\nbuiltins.print=leave";
    assert_eq!(run(flylead(board.path(), &["exec", leaves])).0, 0);
    let (code, stdout, _) = run(flylead(board.path(), &["selftest", "programs"]));
    assert_eq!(code, 1, "{stdout}");
    assert!(
        stdout.contains("it left something on the board: +name left"),
        "{stdout}"
    );
}

#[test]
fn a_folder_of_an_earlier_run_and_a_suite_that_does_not_exist_are_refused() {
    let board = UnixBoard::start();
    fs::create_dir(board.flash().join("flylead_selftest")).unwrap();
    let (code, _, stderr) = run(flylead(board.path(), &["selftest"]));
    assert_eq!(code, 5, "{stderr}");
    assert!(
        stderr.contains("flylead rm -r :flylead_selftest"),
        "{stderr}"
    );
    assert_eq!(entries(&board.flash()), 1);
    let (code, _, stderr) = run(flylead(board.path(), &["selftest", "nonsense"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("programs, files, mount"), "{stderr}");
    let (code, _, stderr) = run(flylead("/dev/not-there".as_ref(), &["selftest"]));
    assert_eq!(code, 3, "{stderr}");
}

#[test]
fn ctrl_c_ends_it_and_its_files_are_removed() {
    let board = UnixBoard::start();
    let child = piped(flylead(board.path(), &["selftest", "files"]));
    wait_until("it has begun", || {
        board.flash().join("flylead_selftest").exists()
    });
    press_ctrl_c(&child);
    let (code, stdout, stderr) = told_of(child);
    assert_eq!(code, 130, "{stdout}{stderr}");
    assert_eq!(entries(&board.flash()), 0);
}

/// A `main.py` may move something: a hard reset would start it.
#[test]
fn a_board_with_a_main_program_is_not_reset_hard() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("main.py"), "open('moved','w')\n").unwrap();
    fs::write(
        board.flash().join("machine.py"),
        "def reset():open('moved','w')\n",
    )
    .unwrap();
    let (code, stdout, stderr) = run(flylead(board.path(), &["selftest", "resets"]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("the board's main.py would run"), "{stdout}");
    assert!(!board.flash().join("moved").exists());
}

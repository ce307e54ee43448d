//! Signals that end the command while a folder is mounted.

use std::process::{Command, Stdio};

use flylead_tests::boards::UnixBoard;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Lines, exec, folder, mount};

const PROGRAM: &str = "print('running')\nwhile True:pass";
const MOUNTED: &str =
    "import os;print([x[0] for x in os.ilistdir('/') if x[0]=='remote'], os.getcwd())";

#[test]
fn a_polite_signal_unmounts_the_folder() {
    for signal in [Signal::TERM, Signal::HUP] {
        let board = UnixBoard::start();
        let before = exec(board.path(), MOUNTED);
        let here = folder(&[("app.py", "")]);
        let mut command = mount(board.path(), here.path(), &["exec", PROGRAM]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        Lines::of(&mut child).until("running");
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        assert_eq!(exec(board.path(), MOUNTED), before, "{signal:?}");
    }
}

/// `nohup` has a command ignore the end of its terminal.
#[test]
fn a_command_of_nohup_survives_its_terminal() {
    let board = UnixBoard::start();
    let here = folder(&[("app.py", "")]);
    let program = "print('running')\nimport time\ntime.sleep(1)\nprint('whole')";
    let command = mount(board.path(), here.path(), &["exec", program]);
    let mut nohup = Command::new("nohup");
    nohup.arg(command.get_program()).args(command.get_args());
    let mut child = nohup
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Lines::of(&mut child);
    said.until("running");
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    said.until("whole");
    assert!(child.wait().unwrap().success());
}

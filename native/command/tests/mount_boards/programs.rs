//! Programs that run with the folder.

use std::{
    io::Write as _,
    process::{Child, Command, Stdio},
};

use flylead_tests::boards::{Microbit, UnixBoard};

use crate::common::{Lines, exec, folder, mount, run, told, write};

#[test]
fn a_program_is_run_again_when_a_file_is_saved_and_not_when_it_saves_one() {
    let board = UnixBoard::start();
    let here = folder(&[("lib/part.py", "N = 'first'\n")]);
    let program =
        "import lib.part\nf=open('log.txt','w')\nf.write('x')\nf.close()\nprint(lib.part.N)\n";
    write(&here, "main.py", program);
    let main = here.path().join("main.py");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("--port")
        .arg(board.path())
        .arg("mount")
        .arg(here.path());
    command.args(["--watch", "--", "run"]).arg(&main);
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("flylead starts");
    let mut child = Killed(child);
    let mut said = Lines::of(&mut child.0);
    said.until("first");
    write(&here, "lib/part.py", "N = 'second'\n");
    said.until("second");
    // A program that raises does not end it, and one that runs is interrupted.
    write(&here, "lib/part.py", "raise ValueError\n");
    write(&here, "main.py", "print('endless')\nwhile True:pass\n");
    said.until("endless");
    write(&here, "main.py", "print('third')\n");
    said.until("third");
    assert!(!said.seen.contains("third"), "it ran again by itself");
}

/// A child that does not outlive its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_typed_ahead_reaches_a_program_that_imports() {
    let board = UnixBoard::start();
    let here = folder(&[("a.py", "A=1\n"), ("b.py", "B=2\n")]);
    write(
        &here,
        "main.py",
        "import a\nx=input()\nimport b\ny=input()\nprint(a.A,x,b.B,y)\n",
    );
    let main = here.path().join("main.py");
    let mut child = mount(board.path(), here.path(), &["run", main.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"one\ntwo\n")
        .unwrap();
    let (code, stdout, stderr) = told(&child.wait_with_output().unwrap());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.ends_with("1 one 2 two\n"), "{stdout}");
}

#[test]
fn a_board_without_file_systems_is_told_from_one_that_does_not_answer() {
    let board = Microbit::start();
    let here = folder(&[]);
    let output = mount(board.path(), here.path(), &["exec", "print(1)"]).output();
    let (code, stdout, stderr) = told(&output.expect("flylead starts"));
    assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
    assert!(stderr.contains("has no file systems to mount"), "{stderr}");
}

#[test]
fn the_board_has_no_folder_left_when_the_command_has_ended() {
    let board = UnixBoard::start();
    let here = folder(&[]);
    run(board.path(), &here, "print(1)");
    let output = Command::new(env!("CARGO_BIN_EXE_flylead"))
        .arg("--port")
        .arg(board.path())
        .args([
            "exec",
            "import os\nprint('remote' in os.listdir('/'),os.getcwd())",
        ])
        .output();
    let (code, stdout, _) = told(&output.unwrap());
    assert_eq!((code, stdout.as_str()), (0, "False /flash\n"));
}

#[test]
fn a_file_system_of_the_user_stays_where_it_is_mounted() {
    let board = UnixBoard::start();
    let here = folder(&[("app.py", "print('imported')")]);
    exec(board.path(), CARD);
    for at in ["/sd", "/remote"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.arg("--port").arg(board.path()).arg("mount");
        command
            .arg(here.path())
            .args(["--at", at, "--", "exec", "import app"]);
        let (code, stdout, stderr) = told(&command.stdin(Stdio::null()).output().unwrap());
        assert_eq!((code, stdout.as_str()), (5, ""), "{at}: {stderr}");
        let why = format!("another file system is mounted at {at} on the board");
        assert!(stderr.contains(&why), "{stderr}");
        let left = exec(
            board.path(),
            "import os\nprint(os.listdir('/sd'),os.listdir('/remote'),os.getcwd())",
        );
        assert!(
            left.starts_with("['card.txt'] ['card.txt'] /remote"),
            "{left}"
        );
    }
    exec(board.path(), "vfs.umount('/remote')\nos.chdir('/flash')");
    assert_eq!(run(board.path(), &here, "import app"), "imported\n");
}

/// A user's file system, mounted at two paths, one of which is the current directory.
const CARD: &str = "
import vfs
class Card:
    def mount(self, *a): pass
    def umount(self): pass
    def chdir(self, path): pass
    def getcwd(self): return '/'
    def stat(self, path):
        if path.strip('/'): raise OSError(2)
        return (16384,) + (0,) * 9
    def statvfs(self, path): return (512, 512, 9, 9, 9, 0, 0, 0, 0, 255)
    def ilistdir(self, path): return iter([('card.txt', 32768, 0, 3)])
vfs.mount(Card(), '/sd')
vfs.mount(Card(), '/remote')
import os
os.chdir('/remote')
";

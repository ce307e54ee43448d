//! Errors as people see them, in `tests/golden`: real boards and real faults. A change is seen, read and agreed to;
//! `FLYLEAD_GOLDEN=write` writes the file.

use std::{
    env,
    fmt::Write as _,
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flylead_tests::boards::{Microbit, Stranger, UnixBoard};
use tempfile::TempDir;

use crate::common::{folder, run, write};

/// Command lines for a board that runs MicroPython on a computer. `DIR` is this computer's folder.
const UNIX: &[&str] = &[
    // Programs.
    "exec '1 / 0'",
    "exec 'import nothing'",
    "exec 'print('",
    "exec",
    "run --fast a.py",
    "eval x",
    "run nothing.py",
    "run folder",
    "test nothing.py",
    "debug nothing.py",
    "mount nothing",
    "mount a.py",
    // Files.
    "ls :nothing",
    "cat :nothing",
    "cat :lib",
    "cp nothing.py :",
    "cp :nothing.py .",
    "cp a.py b.py :nowhere",
    "cp a.py b.py",
    "cp a.py",
    "cp folder :",
    "cp a.py :nowhere/a.py",
    "cp /dev/zero :zero",
    "mv :nothing :b",
    "mv :lib :lib/sub",
    "mv a.py :b.py",
    "rm :nothing",
    "rm :lib",
    "rm -r :",
    "rmdir :lib",
    "mkdir :main.py",
    "mkdir :a/b/c",
    "touch :a/b",
    "stat :nothing",
    "sha256 :lib",
    "sync nothing :app",
    "sync --delete empty :lib",
    // Packages and whole programs.
    "install ./nothing",
    "mip install",
    "romfs deploy folder",
    "romfs build nothing",
    "deploy folder",
    "rollback",
    "restore a.py",
    "restore nothing.zip",
    // Command lines.
    "exce 1",
    "--baud fast exec 1",
    "--timeout soon exec 1",
    "--baud auto mcp",
    "cp a.py : + nothing",
    "completions dos",
    "sleep soon",
    "edit :lib",
    "rtc --set=soon",
    "reset --soft --hard",
    "log nothing/log.csv",
    "ports name two words",
    "each nobody-* -- ls",
    "export fetch two words",
    "zylisp eval 127.0.0.1:1 '(+ 1 2)'",
];

/// Command lines for other ports.
const PORTS: &[&str] = &[
    "-p greenhouse exec 1",
    "-p /dev/nothing exec 1",
    "-p DIR/a.py exec 1",
    "-p tcp://127.0.0.1:1 exec 1",
    "-p tcp://greenhouse exec 1",
    "-p ftp://greenhouse exec 1",
    "-p serial:/dev/ttyS0?baud=fast exec 1",
    "-p ws://127.0.0.1:1 exec 1",
    "-p process:true exec 1",
];

/// Command lines for a board without directories.
const MICROBIT: &[&str] = &[
    "mkdir :lib",
    "cp -r folder :",
    "mount folder",
    "romfs deploy folder",
    "install ./package",
    "df",
    "exec '1 / 0'",
];

/// Peers that are no MicroPython board: titles, and names of the harness's.
const STRANGERS: &[(&str, &str)] = &[
    ("a bridge between TX and RX", "loopback"),
    ("a line at which nothing answers", "silent"),
    ("an ESP in download mode", "esp"),
    ("an ESP without firmware", "esp-without-firmware"),
    ("CircuitPython behind its program", "circuitpython"),
    ("another computer", "computer"),
    ("a program that does not stop", "program"),
    ("a board at another speed", "other-speed"),
];

/// A folder of this computer to work in.
fn home() -> TempDir {
    let home = folder();
    write(&home, "a.py", "print('a')\n");
    write(&home, "b.py", "print('b')\n");
    write(&home, "folder/c.py", "print('c')\n");
    write(&home, "package/package.json", "{\"urls\": []}");
    for name in ["empty", "settings"] {
        fs::create_dir(home.path().join(name)).unwrap();
    }
    home
}

/// Runs a command line there; returns it with its exit code and what stderr says.
fn told(board: &Path, line: &str, home: &TempDir, options: &[&str]) -> String {
    let directory = home.path().to_str().unwrap();
    let words = shell_words(&line.replace("DIR", directory));
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .args([options, &words].concat())
        .stdin(Stdio::null())
        .current_dir(home.path())
        .env("FLYLEAD_PORT", board)
        .env("COLUMNS", "100");
    for name in [
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_CACHE_HOME",
    ] {
        command.env(name, home.path().join("settings"));
    }
    println!("{line}");
    let (code, _, stderr) = run(command);
    let board = board.to_str().unwrap();
    let stderr = stderr.replace(board, "BOARD").replace(directory, "DIR");
    let mut text = format!("$ flylead {line}\n");
    for line in stderr.lines() {
        writeln!(text, "  {}", line.trim_end()).unwrap();
    }
    writeln!(text, "  => {code}\n").unwrap();
    text
}

/// Words as a shell parts them; these lines quote by apostrophes alone.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/errors.txt")
}

#[test]
fn errors_are_as_they_were_read() {
    let home = home();
    let board = UnixBoard::start();
    fs::create_dir_all(board.flash().join("lib/a")).unwrap();
    fs::write(board.flash().join("main.py"), "print('main')\n").unwrap();
    let mut all = String::from("# A board that runs MicroPython's unix port\n\n");
    for line in UNIX {
        all += &told(board.path(), line, &home, &[]);
    }
    all += "# Ports\n\n";
    for line in PORTS {
        all += &told(board.path(), line, &home, &["--timeout", "5"]);
    }
    all += "# A port that another program has\n\n";
    let held = OpenOptions::new().read(true).open(board.path()).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    all += &told(board.path(), "exec 1", &home, &[]);
    drop(held);
    all += "# A board that is busy beyond its time\n\n";
    all += &told(
        board.path(),
        "--timeout 1 exec 'while True: pass'",
        &home,
        &[],
    );
    all += "# A micro:bit\n\n";
    let microbit = Microbit::start();
    for line in MICROBIT {
        all += &told(microbit.path(), line, &home, &[]);
    }
    for (title, name) in STRANGERS {
        writeln!(all, "# {title}\n").unwrap();
        let (stranger, _) = Stranger::named(name).expect("it is one of them");
        all += &told(stranger.path(), "--timeout 2 exec 1", &home, &[]);
    }
    let count = all.matches("\n  => ").count();
    assert!(count >= 60, "{count}");
    assert!(!all.contains("  => 0\n"), "each of them is an error: {all}");
    assert!(!all.contains("panicked"), "{all}");
    if env::var_os("FLYLEAD_GOLDEN").is_some() {
        fs::write(golden(), &all).unwrap();
    }
    let known = fs::read_to_string(golden()).unwrap_or_default();
    let change = known.lines().zip(all.lines()).find(|(old, new)| old != new);
    assert!(
        known == all,
        "{change:?}: run it with FLYLEAD_GOLDEN=write, and read the change"
    );
}

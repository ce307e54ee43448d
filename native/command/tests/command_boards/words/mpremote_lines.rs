//! The lines that mpremote's users know, with `flylead` in place of `mpremote`: each works, or its error names what to write.

use std::{env, fmt::Write as _, fs, path::Path, process::Command, process::Stdio};

use flylead_tests::boards::UnixBoard;

use crate::common::{folder, run, write};

/// Expectation of a line.
enum Is {
    /// It goes well, and prints this.
    Done(&'static str),
    /// It is read as it is meant; this board has no such thing, as it is a program on a computer.
    Read,
    /// It is refused, and the message names what serves.
    Refused(&'static str),
}

use Is::{Done, Read, Refused};

/// `BOARD` is the board's port; a space parts words, and `~` is a space within one.
const LINES: [(&str, Is); 72] = [
    ("connect list", Done("")),
    ("devs", Done("")),
    ("connect BOARD", Done("")),
    ("connect port:BOARD eval 6*7", Done("42")),
    ("connect BOARD repl", Done("")),
    ("connect", Refused("connect auto")),
    ("connect auto eval 1 connect BOARD eval 2", Refused("each")),
    ("disconnect", Done("")),
    ("connect BOARD exec print(1) disconnect", Done("1")),
    ("resume", Done("")),
    ("resume exec print(2)", Done("2")),
    ("soft-reset", Done("")),
    ("soft-reset eval 3", Done("3")),
    (
        "exec a=1 soft-reset exec print('a'~in~globals())",
        Done("False"),
    ),
    ("cp main.py :x + soft-reset repl", Done("")),
    ("reset", Done("")),
    ("bootloader", Read),
    ("version", Done("flylead")),
    ("--version", Done("flylead")),
    ("help", Done("Usage")),
    ("repl --capture log.txt", Done("")),
    ("repl --inject-code print(1)", Done("")),
    ("repl --inject-file main.py", Done("")),
    ("repl --escape-non-printable", Refused("--capture")),
    ("eval 1/2 eval 3/4", Done("0.5\n0.75\n")),
    ("eval 1 + eval 2", Done("1\n2\n")),
    ("exec print('a')", Done("a")),
    ("exec --no-follow a=1", Done("")),
    ("exec a=6 eval a*7", Done("42")),
    ("exec import~micropython;micropython.mem_info()", Done("")),
    ("run main.py", Done("main ran")),
    ("run --no-follow main.py", Done("")),
    ("run main.py + eval 4", Done("main ran\n4\n")),
    ("sleep 1", Done("")),
    ("sleep 0.1 eval 5", Done("5")),
    ("rtc", Read),
    ("rtc --set", Read),
    ("edit boot.py", Done("")),
    ("fs edit :boot.py", Done("")),
    ("ls", Done("boot.py")),
    ("ls :", Done("boot.py")),
    ("fs ls :lib", Done("x.py")),
    ("cat boot.py", Done("booted = 1")),
    ("cat :boot.py", Done("booted = 1")),
    ("cp main.py :", Done("")),
    ("cp main.py :other.py", Done("")),
    ("cp main.py a.py :", Done("")),
    ("cp :boot.py .", Done("")),
    ("cp :boot.py here.py", Done("")),
    ("cp :boot.py -", Done("booted = 1")),
    ("cp :*.py copies", Done("")),
    ("cp :boot.py :copy.py", Done("")),
    ("cp -r dir/ :", Done("")),
    ("cp -r dir :", Done("")),
    ("fs cp -f main.py :", Done("")),
    ("cp -rf dir :", Done("")),
    ("cp -v main.py :", Done("")),
    ("cp main.py : + run main.py", Done("main ran")),
    ("mkdir new", Done("")),
    ("rmdir new", Done("")),
    ("touch made.txt", Done("")),
    ("rm made.txt", Done("")),
    ("rm -r :dir", Done("")),
    ("sha256sum boot.py", Done("boot.py")),
    ("fs sha256sum :boot.py", Done("boot.py")),
    ("tree -s :lib", Done("x.py")),
    ("tree -h", Done("x.py")),
    ("df", Done("")),
    ("mount . exec import~local", Done("local ran")),
    ("mount . run main.py umount", Done("main ran")),
    ("mount -l .", Refused("cp -r --unsafe-links")),
    ("double 5", Done("10")),
];

/// Lines for ROM partitions, packages and arguments of shortcuts.
const MORE: [(&str, Is); 8] = [
    ("double", Done("8")),
    ("double x=6", Done("12")),
    ("romfs query", Read),
    ("romfs -p 0 query", Read),
    ("romfs -o image build --no-mpy dir", Done("image")),
    ("romfs -p 1 deploy dir", Read),
    ("mip install", Refused("mip install NAME")),
    (
        "mip install --target :/flash/lib ./package",
        Done("1 written"),
    ),
];

#[test]
fn each_line_of_mpremotes_works_or_names_what_serves() {
    let board = UnixBoard::start();
    let here = folder();
    write(&here, "main.py", "print('main ran')\n");
    write(&here, "local.py", "print('local ran')\n");
    write(&here, "a.py", "a = 1\n");
    write(&here, "dir/d.py", "d = 1\n");
    write(
        &here,
        "package/package.json",
        "{\"urls\": [[\"p.py\", \"p.py\"]]}",
    );
    write(&here, "package/p.py", "p = 1\n");
    write(&here, "copies/keep", "");
    let shortcuts = "[shortcuts]\n\"double x=4\" = \"eval x*2\"\n";
    write(&here, "settings/flylead/config.toml", shortcuts);
    fs::write(board.flash().join("boot.py"), "booted = 1\n").unwrap();
    fs::create_dir_all(board.flash().join("lib")).unwrap();
    fs::write(board.flash().join("lib/x.py"), "x = 1\n").unwrap();
    let mut wrong = Vec::new();
    for (line, expected) in LINES.iter().chain(&MORE) {
        let port = board.path().display().to_string();
        let words = line.split(' ').map(|word| word.replace('~', " "));
        let words = words.map(|word| word.replace("BOARD", &port));
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command
            .args(words)
            .current_dir(here.path())
            .env("FLYLEAD_PORT", &port)
            .env("XDG_CONFIG_HOME", here.path().join("settings"))
            .env("EDITOR", "true")
            .stdin(Stdio::null());
        let (code, stdout, stderr) = run(command);
        let is_as_expected = match expected {
            Done(text) => code == 0 && stdout.contains(text),
            Read => !stderr.contains("Usage") && !stderr.contains("--help"),
            Refused(instead) => code != 0 && stderr.contains(instead),
        };
        if !is_as_expected {
            wrong.push(format!("{line}: {code}\n{stdout}\n{stderr}"));
        }
    }
    check_table();
    assert!(
        wrong.is_empty(),
        "{} lines:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The table of the documentation is made of these lines; `FLYLEAD_GOLDEN=write` writes it.
fn check_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/mpremote.md");
    let text = fs::read_to_string(&page).expect("the page is there");
    let before = text.split(MARK).next().expect("there is a first part");
    let wanted = format!("{before}{MARK}\n\n{}", table());
    if env::var_os("FLYLEAD_GOLDEN").is_some() {
        fs::write(&page, wanted).expect("the page can be written");
        return;
    }
    assert!(text == wanted, "run this test with FLYLEAD_GOLDEN=write");
}

fn table() -> String {
    let mut table = String::from("| `mpremote` … | `flylead` … |\n|---|---|\n");
    for (line, expected) in LINES.iter().chain(&MORE) {
        let line = line.replace('~', " ").replace("BOARD", "/dev/ttyACM0");
        let outcome = match expected {
            Done(_) => "works".to_owned(),
            Read => "is read as it is meant; the board of the test has no such part".to_owned(),
            Refused(instead) => format!("is refused; its message names `{instead}`"),
        };
        let _ = writeln!(table, "| `{line}` | {outcome} |");
    }
    table
}

const MARK: &str = "<!-- by the test -->";

//! Each command leaves nothing on a board but what it was asked for.

use std::{collections::BTreeSet, fs, path::Path};

use flylead_tests::boards::UnixBoard;
use tempfile::TempDir;

use crate::common::{flylead, folder, must, run, write};

/// A program that uses no name of the board's user and leaves none, with these lines.
fn unseen(lines: &str) -> String {
    let lines = lines.replace('\n', "\n ");
    format!("def __seen__():\n global __seen__\n del __seen__\n {lines}\n__seen__()")
}

/// State of the interpreter, and its free memory in bytes.
fn look(board: &Path) -> (String, i64) {
    let said = must(
        board,
        &[
            "exec",
            &unseen(
                "from builtins import print,sorted,globals,repr,list\nimport sys,os,gc,vfs
print(sorted((k,repr(v)) for k,v in globals().items()))
print(os.getcwd(),sys.path,sorted(sys.modules),vfs.mount())
def deep(n):return n and deep(n-1)\ndeep(60)\ngc.collect()\nprint(gc.mem_free())",
            ),
        ],
    );
    let (state, free) = said.trim_end().rsplit_once('\n').expect("three lines");
    (state.to_owned(), free.parse().expect("a number"))
}

/// Every word of the programs that go to boards, and the built-in functions that they use.
fn names() -> BTreeSet<String> {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src");
    let mut text = String::from("_t sys _b _a _d _w _q _f _p _u _fl _fm _s _z _m vfs machine");
    for folder in ["board/python", "mount/python"] {
        for file in fs::read_dir(core.join(folder)).unwrap() {
            text += &fs::read_to_string(file.unwrap().path()).unwrap();
        }
    }
    for file in ["raw_repl/loading.rs", "board/receiver.rs", "board/query.rs"] {
        text += &fs::read_to_string(core.join(file)).unwrap();
    }
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let is_name = |word: &&str| {
        !word.is_empty() && !word.starts_with("__") && !word.as_bytes()[0].is_ascii_digit()
    };
    let words: BTreeSet<_> = words.filter(is_name).map(str::to_owned).collect();
    for name in [
        "open", "len", "exec", "print", "bytes", "_path", "_say", "rd", "OSError",
    ] {
        assert!(words.contains(name), "{name}");
    }
    words
}

/// Gives the user of the board all of these names.
fn occupy(board: &Path, names: &BTreeSet<String>) {
    for some in names.iter().collect::<Vec<_>>().chunks(100) {
        let list = format!("{some:?}");
        let lines =
            format!("from builtins import globals\ng=globals()\nfor n in {list}:g[n]='mine '+n");
        must(board, &["exec", &unseen(&lines)]);
    }
}

/// The commands, each with its words. What it makes, the next one may use.
fn commands(home: &TempDir) -> Vec<Vec<String>> {
    let small = write(home, "small.py", "print('small')\n".repeat(20));
    let large = write(home, "large.bin", crate::common::random(20_000));
    for number in 0..5 {
        write(
            home,
            &format!("tree/{number}.txt"),
            vec![b'a' + number; 400],
        );
    }
    let tree = home.path().join("tree").display().to_string();
    let back = home.path().join("back").display().to_string();
    let lines = [
        vec!["ls"],
        vec!["fs", "tree"],
        vec!["cp", &small, ":s.py"],
        vec!["cp", &large, ":l.bin"],
        vec!["cp", ":s.py", &back],
        vec!["cp", ":l.bin", &back],
        vec!["cp", ":s.py", ":t.py"],
        vec!["cp", "-r", &tree, ":"],
        vec!["fs", "sync", &tree, ":tree"],
        vec!["fs", "cat", ":s.py"],
        vec!["fs", "stat", ":s.py"],
        vec!["fs", "df"],
        vec!["sha256", ":s.py", ":l.bin"],
        vec!["fs", "mkdir", "--parents", ":a/b"],
        vec!["fs", "touch", ":a/b/c"],
        vec!["fs", "mv", ":t.py", ":u.py"],
        vec!["rm", "-r", ":a", ":u.py"],
        vec!["install", "--target", ":/flash/lib", &small],
        vec!["info"],
        vec!["eval", "6*7"],
        vec!["exec", "6*7"],
        vec!["mount", &tree, "--", "exec", "6*7"],
        vec!["romfs", "query"],
        vec!["rtc"],
    ];
    let owned = |line: &Vec<&str>| line.iter().map(|word| (*word).to_owned()).collect();
    lines.iter().map(owned).collect()
}

/// How much free memory looks differ by that have nothing between them, in bytes.
const NOISE: i64 = 256;

#[test]
fn no_command_leaves_a_name_a_directory_a_mount_or_memory() {
    let board = UnixBoard::start();
    let home = folder();
    must(
        board.path(),
        &["exec", "import os;os.mkdir('d');os.chdir('d')"],
    );
    occupy(board.path(), &names());
    let commands = commands(&home);
    let before = look(board.path()).0;
    for round in 0..2 {
        for words in &commands {
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let free = look(board.path()).1;
            let (code, stdout, stderr) = run(flylead(board.path(), &words));
            assert_eq!(code, 0, "{words:?}: {stdout}{stderr}");
            let (after, mut left) = look(board.path());
            assert_eq!(after, before, "{words:?}");
            // The collector may take what is left on the stack for a pointer, until something else is there.
            for _ in 0..5 {
                left = left.max(look(board.path()).1);
            }
            // The first time, what the board keeps for ever of each new name is in it.
            assert!(
                round == 0 || free - left <= NOISE,
                "{words:?}: {}",
                free - left
            );
        }
    }
}

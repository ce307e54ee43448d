//! The command lines whose traces are looked for.

use std::{io::Write as _, path::Path, process::Stdio};

use flylead_tests::boards::Kind;
use tempfile::TempDir;

use crate::common::{flylead, piped, random, told_of, write};

/// A command line, and what it reads. What it makes, the next one may use.
#[derive(Debug)]
pub(super) struct Line {
    words: Vec<String>,
    stdin: String,
}

/// Commands that ask nothing of a board's Python by themselves, and why.
pub(super) const ELSEWHERE: [(&str, &str); 17] = [
    ("log", "it sends nothing"),
    (
        "flash",
        "it replaces what runs on the board, and suite flash compares the files",
    ),
    (
        "wifi",
        "it needs a radio, and suite wifi looks at what it keeps",
    ),
    ("agent", "it works on this computer"),
    ("ports", "it works on this computer"),
    ("completions", "it works on this computer"),
    ("man", "it works on this computer"),
    ("sleep", "it works on this computer"),
    ("export", "its devices run no Python"),
    ("zylisp", "its servers are no boards"),
    (
        "mcp",
        "its calls are the library's, as the other commands' are",
    ),
    (
        "repl-server",
        "its evaluations are those of exec, as long as it is there",
    ),
    (
        "test",
        "it restarts the interpreter, and selftest looks at it",
    ),
    (
        "debug",
        "it is looked at by selftest, for it calls what its user has replaced",
    ),
    ("serve", "what goes through it are the other commands"),
    (
        "reset",
        "it takes everything away, which is looked at in the end",
    ),
    (
        "selftest",
        "it looks for traces itself, and has tests of its own",
    ),
];

impl Line {
    fn of(words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            words,
            stdin: String::new(),
        }
    }

    fn reads(mut self, stdin: &str) -> Self {
        stdin.clone_into(&mut self.stdin);
        self
    }

    /// Returns true for a line of this command, or of this one of `fs`.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let mut words = self.words.iter().filter(|word| *word != "fs");
        words.next().is_some_and(|word| word == name)
    }

    /// Runs it; an old board may refuse what it cannot do.
    pub(super) fn run(&self, board: &Path, kind: Kind) {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        let mut command = flylead(board, &words);
        command.stdin(Stdio::piped()).env("VISUAL", "true");
        let mut child = piped(command);
        let mut stdin = child.stdin.take().expect("it is piped");
        // A command that reads nothing may have ended.
        let _ = stdin.write_all(self.stdin.as_bytes());
        drop(stdin);
        let (code, stdout, stderr) = told_of(child);
        // The names that are taken here leave little, and doctor says so.
        let is_full = code == 3 && stdout.contains("not enough free memory");
        let is_refused = !kind.is_modern() && ([1, 2, 5, 6].contains(&code) || is_full);
        assert!(
            code == 0 || is_refused,
            "{kind}: {words:?}: {code} {stdout}{stderr}"
        );
        if is_refused {
            println!("{kind}: {words:?} is refused: {stderr}");
        }
    }
}

/// The lines, with files of this computer in `home`.
pub(super) fn lines(home: &TempDir, board: &Path, kind: Kind) -> Vec<Line> {
    let small = &write(home, "small.py", "6*7 # small\n".repeat(20));
    let large = &write(
        home,
        "large.bin",
        random(if kind == Kind::Unix { 20_000 } else { 3_000 }),
    );
    for number in 0..3 {
        write(
            home,
            &format!("tree/{number}.txt"),
            vec![b'a' + number; 400],
        );
    }
    let image = &home.path().join("tree.romfs").display().to_string();
    let tree = &home.path().join("tree").display().to_string();
    let back = &home.path().join("back").display().to_string();
    let backup = &home.path().join("backup.zip").display().to_string();
    let app = &home.path().join("app").display().to_string();
    write(home, "app/main.py", "6*7\n");
    let board = &board.display().to_string();
    let mut lines = vec![
        Line::of(&["exec", "6*7"]),
        Line::of(&["eval", "6*7"]),
        Line::of(&["run", small]),
        Line::of(&["cp", small, ":s.py"]),
        Line::of(&["ls"]),
        Line::of(&["fs", "tree"]),
        Line::of(&["cp", large, ":l.bin"]),
        Line::of(&["cp", ":s.py", back]),
        Line::of(&["cp", ":l.bin", back]),
        Line::of(&["cp", ":s.py", ":t.py"]),
        Line::of(&["fs", "cat", ":s.py"]),
        Line::of(&["fs", "stat", ":s.py"]),
        Line::of(&["fs", "df"]),
        Line::of(&["sha256", ":s.py", ":l.bin"]),
        Line::of(&["fs", "mv", ":t.py", ":u.py"]),
        Line::of(&["rm", ":u.py"]),
        Line::of(&["edit", ":s.py"]),
        Line::of(&["fs", "touch", ":c"]),
        Line::of(&["repl"]).reads("6*7\n"),
        Line::of(&["backup", "--force", backup]),
        Line::of(&["restore", backup]),
        Line::of(&["check"]),
        Line::of(&["info"]),
        Line::of(&["doctor"]),
        Line::of(&["rtc"]),
        Line::of(&["each", board, "--", "exec", "6*7"]),
        Line::of(&["romfs", "build", tree, "-o", image]),
    ];
    if kind.is_modern() {
        lines.extend([
            Line::of(&["cp", "-r", tree, ":"]),
            Line::of(&["fs", "sync", tree, ":tree"]),
            Line::of(&["fs", "mkdir", "--parents", ":a/b"]),
            Line::of(&["rm", "-r", ":a"]),
            Line::of(&["install", "--target", ":lib", small]),
            Line::of(&["mip", "--target", ":lib", small]),
            Line::of(&["mount", tree, "--", "exec", "6*7"]),
            Line::of(&["deploy", app, "--root", "app", "--no-reset"]),
            Line::of(&["rollback", "--root", "app", "--no-reset"]),
        ]);
    }
    // The board of the page has no ROM partition.
    if kind.is_modern() && kind != Kind::Page {
        lines.push(Line::of(&["romfs", "query"]));
    }
    lines
}

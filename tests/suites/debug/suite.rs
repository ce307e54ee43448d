//! The programs of the suite: what they are, and where and how CPython's own tracing sees them stop.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use flylead_tests::boards::venv;
use serde::{Deserialize, de::DeserializeOwned};

/// A program, its modules and what is said of it in its first lines.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// Path and text, `main.py` first.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) stops: Vec<Expected>,
}

/// A stop as CPython sees it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Expected {
    /// `function:line`, the innermost first.
    pub(crate) stack: Vec<String>,
    /// The variables of the innermost frame of which both Pythons write the same.
    pub(crate) values: BTreeMap<String, String>,
}

impl Program {
    /// All of them.
    pub(crate) fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/debug/programs");
        let mut programs: Vec<_> = fs::read_dir(&folder)
            .expect("the programs are there")
            .map(|entry| Self::read(&entry.expect("it is read").path()))
            .chain([long()])
            .collect();
        programs.sort_by(|one, other| one.name.cmp(&other.name));
        watch(&mut programs);
        programs
    }

    fn read(path: &Path) -> Self {
        let name = path.file_stem().expect("it has a name");
        let mut files = Vec::new();
        if path.is_dir() {
            collect(path, path, &mut files);
            files.sort_by_key(|(name, _)| (name != "main.py", name.clone()));
        } else {
            files.push(("main.py".to_owned(), text(path)));
        }
        Self::new(&name.to_string_lossy(), files)
    }

    pub(crate) fn new(name: &str, files: Vec<(String, String)>) -> Self {
        Self {
            name: name.to_owned(),
            files,
            stops: Vec::new(),
        }
    }

    pub(crate) fn main(&self) -> &str {
        &self.files[0].1
    }

    /// The lines to stop at, by the number of the file.
    pub(crate) fn marked(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let files = self.files.iter().enumerate();
        files.flat_map(|(file, (_, text))| {
            let lines = text.lines().zip(1..);
            lines
                .filter(|(line, _)| line.contains("# stop"))
                .map(move |(_, number)| (file, number))
        })
    }

    /// Returns the remark after this word and a colon in the program's first lines.
    fn note(&self, word: &str) -> Option<&str> {
        let notes = self
            .main()
            .lines()
            .take_while(|line| line.starts_with("# "));
        notes
            .filter_map(|line| line[2..].split_once(": "))
            .find_map(|(about, note)| (about == word).then_some(note))
    }

    /// Returns the known end on this board, if nothing more can be predicted.
    pub(crate) fn end_on(&self, board: &str) -> Option<&str> {
        let end = self.note(board)?;
        Some(end.split_once(';').map_or(end, |(end, _reason)| end))
    }

    /// Functions that the stack of a board without room for hooks everywhere does not show, as they mention nothing of
    /// what they call.
    pub(crate) fn hidden(&self) -> BTreeSet<&str> {
        self.note("the stack of a small board lacks")
            .into_iter()
            .collect()
    }

    /// Returns true if the line of a calling frame may be that of the previous statement.
    pub(crate) fn lags(&self) -> bool {
        self.note("a caller's line lags").is_some()
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it is read").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("it is in it");
            files.push((name.display().to_string(), text(&path)));
        }
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("it is text")
}

/// A thousand lines, of which one in the middle and one at the end are stopped at.
fn long() -> Program {
    let function = |n: u32| {
        let mark = if n == 120 || n == 249 { "  # stop" } else { "" };
        format!("def f{n}(a):\n    b = a + {n}\n    return b{mark}\n\n")
    };
    let functions: String = (0..250).map(function).collect();
    let text = format!("# microbit: MemoryError\n{functions}print(f0(1), f120(2), f249(3))\n");
    Program::new("long_file", vec![("main.py".to_owned(), text)])
}

/// Runs a script of this suite in CPython, and returns the value that it prints as JSON for each line of its input.
pub(crate) fn cpython<T: DeserializeOwned>(script: &str, input: String) -> Vec<T> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/debug");
    let mut python = Command::new(venv().join("bin/python"))
        .arg(scripts.join(script))
        .env("PYTHONUTF8", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    let mut stdin = python.stdin.take().expect("it is piped");
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = python.wait_with_output().expect("Python ends");
    let written = writer.join().expect("it writes");
    written.expect("Python reads");
    let printed = String::from_utf8(output.stdout).expect("it is JSON");
    let values = printed.lines().map(serde_json::from_str);
    values.map(|value| value.expect("it is JSON")).collect()
}

/// Has CPython run all programs, each in a folder of its own.
fn watch(programs: &mut [Program]) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let mut folders = String::new();
    for program in &*programs {
        let place = folder.path().join(&program.name);
        for (name, text) in &program.files {
            let path = place.join(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it is ours");
            fs::write(path, text).expect("the folder is ours");
        }
        folders += &format!("{}\n", place.display());
    }
    let seen: Vec<Vec<Expected>> = cpython("expected.py", folders);
    assert_eq!(seen.len(), programs.len(), "CPython ran them all");
    for (program, stops) in programs.iter_mut().zip(seen) {
        assert!(!stops.is_empty(), "{} never stops", program.name);
        program.stops = stops;
    }
}

//! Test files of this computer.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::os::stack::on_deep_stack;

use super::{
    Asserts, Collection, Fixture, NoPython, Owner, Remark, SENT, Test,
    collect::{collect_below, conftest},
    modules,
    rewrite::rewrite,
};

/// Test file of this computer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestFile {
    /// Path as it was given.
    pub path: PathBuf,
    /// Text.
    pub source: String,
    /// Tests, in the order in which they run.
    pub tests: Vec<Test>,
    /// Fixtures that tests may request, the nearest ones first.
    pub fixtures: Vec<Fixture>,
    /// Code that looks like a test and does not run.
    pub remarks: Vec<Remark>,
    /// Source for a board with enough memory: the text, with asserts that report what they compared.
    pub asserts: Asserts,
    /// Local files that the test file imports, by their paths on the board.
    pub modules: std::collections::BTreeMap<String, PathBuf>,
}

/// Reason why a test file cannot be run.
#[derive(Debug)]
pub enum FileError {
    /// The file cannot be read, or is not text.
    Unreadable(io::Error),
    /// The file is not valid Python.
    NoPython(NoPython),
}

impl TestFile {
    /// Reads a file. Its imported modules are searched for beside it, and then below `roots`.
    ///
    /// # Errors
    /// The file cannot be read, or is not valid Python.
    pub fn read(path: &Path, roots: &[PathBuf]) -> Result<Self, FileError> {
        let source = fs::read_to_string(path).map_err(FileError::Unreadable)?;
        let source = match source.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => rest.to_owned(),
            None => source,
        };
        let mut conftests = Vec::new();
        for path in conftests_of(path) {
            let text = fs::read_to_string(&path).map_err(FileError::Unreadable)?;
            conftests.push((path, text));
        }
        let texts = conftests.iter().map(|(_, text)| text.len());
        let longest = texts.chain([source.len()]).max().unwrap_or_default();
        let read = on_deep_stack(longest, || Self::new(path, source, conftests, roots));
        read.unwrap_or_else(|| {
            let why = "not enough memory to read a Python file of this length";
            Err(FileError::Unreadable(io::Error::other(why)))
        })
    }

    /// Reads the source of a file, below those of `conftest.py`s.
    fn new(
        path: &Path,
        source: String,
        conftests: Vec<(PathBuf, String)>,
        roots: &[PathBuf],
    ) -> Result<Self, FileError> {
        let conftests = conftests.into_iter().enumerate();
        let conftests: Vec<_> = conftests
            .map(|(number, (path, text))| (conftest(&text, number), path, text))
            .collect();
        let outer = conftests.iter().flat_map(|(fixtures, ..)| fixtures.clone());
        let Collection {
            tests,
            remarks,
            fixtures,
        } = collect_below(&source, outer.collect()).map_err(FileError::NoPython)?;
        let beside = path.parent().map(Path::to_owned).into_iter();
        let roots: Vec<_> = beside.chain(roots.iter().cloned()).collect();
        let mut all = modules(path, &source, &roots);
        for (number, (fixtures, path, text)) in conftests.into_iter().enumerate() {
            if !fixtures.iter().any(|fixture| is_requested(fixture, &tests)) {
                continue;
            }
            let beside = path.parent().map(Path::to_owned).into_iter();
            let roots: Vec<_> = beside.chain(roots.iter().cloned()).collect();
            all.extend(modules(&path, &text, &roots));
            all.insert(format!("{}.py", Owner::module(number)), path);
        }
        Ok(Self {
            path: path.to_owned(),
            asserts: rewrite(&source),
            source,
            tests,
            fixtures,
            remarks,
            modules: all,
        })
    }

    /// Returns the local file, this one or a module, for a name in a traceback of the board.
    #[must_use]
    pub fn path_of(&self, on_board: &str) -> Option<&Path> {
        match on_board {
            SENT => Some(&self.path),
            name => Some(self.modules.get(name.trim_start_matches('/'))?),
        }
    }
}

/// Returns true if one of the tests needs a fixture of this name.
fn is_requested(fixture: &Fixture, tests: &[Test]) -> bool {
    let mut requests = tests.iter().filter_map(|test| test.request.as_ref());
    requests.any(|request| request.fixtures.contains(&fixture.name))
}

/// Returns the `conftest.py`s that apply to a file, the nearest one first: up to the folder with pytest's configuration
/// or the repository, or else up to the current one.
fn conftests_of(path: &Path) -> Vec<PathBuf> {
    let Ok(path) = std::path::absolute(path) else {
        return Vec::new();
    };
    let folders: Vec<_> = path.ancestors().skip(1).collect();
    let is_root = |folder: &&Path| ROOTS.iter().any(|name| folder.join(name).exists());
    let root = folders.iter().position(is_root).or_else(|| {
        let here = std::env::current_dir().ok()?;
        folders.iter().position(|folder| *folder == here)
    });
    let within = folders.iter().take(root.unwrap_or_default() + 1);
    let files = within.map(|folder| folder.join("conftest.py"));
    files.filter(|file| file.is_file()).collect()
}

/// Files of a folder that is the root of a project's tests.
const ROOTS: [&str; 6] = [
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    ".git",
];

/// Finds the test files below a folder, by name: `test_*.py` and `*_test.py`. Skips files that git ignores, hidden
/// files, virtual environments, and the folders that pytest leaves out.
///
/// # Errors
/// A folder cannot be read.
pub fn find(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut walk = ignore::WalkBuilder::new(folder);
    // Also for a folder outside of any repository.
    walk.require_git(false).sort_by_file_path(|a, b| a.cmp(b));
    // The folder itself was requested.
    walk.filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry.path()));
    for entry in walk.build() {
        let entry = entry.map_err(|error| match error.into_io_error() {
            Some(error) => error,
            None => io::Error::other("the folder cannot be read"),
        })?;
        let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
        if is_file && entry.file_name().to_str().is_some_and(is_test) {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

/// Returns true for a folder without files of the project itself: by pytest's `norecursedirs`, and for a virtual
/// environment by the file that each one has (pytest's documentation, `norecursedirs` and `--collect-in-virtualenv`).
fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_named = NOT_SEARCHED.contains(&&*name) || name.ends_with(".egg");
    let is_environment = ENVIRONMENTS.iter().any(|file| path.join(file).is_file());
    (is_named || is_environment) && path.is_dir()
}

const NOT_SEARCHED: [&str; 6] = ["_darcs", "build", "CVS", "dist", "node_modules", "venv"];
const ENVIRONMENTS: [&str; 2] = ["pyvenv.cfg", "conda-meta/history"];

fn is_test(name: &str) -> bool {
    let stem = name.strip_suffix(".py");
    stem.is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            Self::NoPython(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}

/// Byte order mark with which some editors on Windows begin a file, and which is a syntax error to MicroPython.
const BYTE_ORDER_MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test_deep.py");
        let deep = format!("def test_deep():\n    assert {}1\n", "-".repeat(100_000));
        fs::write(&path, deep).unwrap();
        assert_eq!(TestFile::read(&path, &[]).unwrap().tests.len(), 1);
    }

    #[test]
    fn test_files_are_found_by_name_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "b_test.py",
            "sub/test_c.py",
            "test_a.py",
            "helper.py",
            "test_a.txt",
            ".hidden/test_x.py",
            "left/test_y.py",
            "testing.py",
        ];
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "left\n").unwrap();
        for (folder_of_others, mark) in [
            ("lib3", "pyvenv.cfg"),
            ("conda", "conda-meta/history"),
            ("node_modules", "x"),
        ] {
            let path = folder.path().join(folder_of_others);
            fs::create_dir_all(path.join(mark).parent().unwrap()).unwrap();
            fs::write(path.join(mark), "").unwrap();
            fs::write(path.join("test_theirs.py"), "").unwrap();
        }
        let found = find(folder.path()).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(found, ["b_test.py", "sub/test_c.py", "test_a.py"]);
    }
}

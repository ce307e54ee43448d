//! The tools that an LLM works with, in the sandbox that its commands run in.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

use flylead_native::workspace::{Folder, Rights, Workspace};
use flylead_tests::boards::venv;

/// A project, and what commands in it keep.
struct Project {
    top: tempfile::TempDir,
    folder: Folder,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, Rights::default())
    }

    fn with(files: &[(&str, &str)], rights: Rights) -> Self {
        let top = tempfile::tempdir().unwrap();
        let (work, own) = (top.path().join("work"), top.path().join("own"));
        fs::create_dir_all(&own).unwrap();
        for (name, content) in files {
            let path = work.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let rights = Rights {
            own: Some(own),
            ..rights
        };
        let folder = Folder::open(&work).unwrap().with_rights(rights);
        Self { top, folder }
    }

    fn work(&self) -> PathBuf {
        self.top.path().join("work")
    }

    /// Runs a command that has to succeed, and answers what it printed. On a busy computer the time may be over before
    /// a build is; it goes on with what is built by then, as it would for an LLM that tries again.
    fn run(&self, command: &str) -> String {
        for _ in 0..20 {
            let ran = self
                .folder
                .run(command, &self.top.path().join("undo"))
                .unwrap();
            let output = String::from_utf8_lossy(&ran.output).into_owned();
            if ran.success {
                return output;
            }
            let is_late = ran.summary.contains("timed out");
            assert!(is_late, "{}\n{output}\n{:?}", ran.summary, ran.notes);
        }
        panic!("{command} takes too long");
    }
}

const CARGO: &str = "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\npart = { path = \"part\" }\n[workspace]\n";

#[test]
fn cargo_builds_and_tests() {
    let project = Project::new(&[
        ("Cargo.toml", CARGO),
        (
            "src/main.rs",
            "fn main() { println!(\"{}\", part::sum(40, 2)); }\n",
        ),
        (
            "part/Cargo.toml",
            "[package]\nname = \"part\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "part/build.rs",
            "fn main() { println!(\"cargo:rerun-if-changed=build.rs\"); }\n",
        ),
        (
            "part/src/lib.rs",
            "pub fn sum(a: i32, b: i32) -> i32 { a + b }\n#[test]\nfn it_adds() { assert_eq!(sum(1, 2), 3); }\n",
        ),
    ]);
    project.run("cargo build --quiet");
    assert_eq!(project.run("cargo run --quiet"), "42\n");
    let tested = project.run("cargo test --quiet --workspace");
    assert!(tested.contains("1 passed"), "{tested}");
}

#[test]
fn npm_installs_from_a_folder_and_tests() {
    let test = "const { test } = require('node:test'); const sum = require('part');\n\
                test('adds', () => { if (sum(1, 2) !== 3) throw new Error('no'); });\n";
    let project = Project::new(&[
        (
            "package.json",
            r#"{ "name": "sum", "version": "1.0.0", "dependencies": { "part": "file:./part" }, "scripts": { "test": "node --test test.js" } }"#,
        ),
        ("test.js", test),
        (
            "part/package.json",
            r#"{ "name": "part", "version": "1.0.0", "main": "index.js" }"#,
        ),
        ("part/index.js", "module.exports = (a, b) => a + b;\n"),
    ]);
    project.run("npm install");
    assert!(project.work().join("node_modules/part").exists());
    let tested = project.run("npm test");
    assert!(tested.contains("pass 1"), "{tested}");
}

#[test]
fn go_builds_and_tests() {
    if Command::new("go").arg("version").output().is_err() {
        // Past what the test runner keeps of tests that pass: `cargo xtask test` shows these lines.
        let _ = writeln!(
            io::stderr(),
            "\nskipped: go_builds_and_tests (there is no go on this computer)"
        );
        return;
    }
    let rights = Rights {
        git: Some(|_| true),
        ..Rights::default()
    };
    let files = [
        ("go.mod", "module example.org/sum\n\ngo 1.18\n"),
        (
            "main.go",
            "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(Sum(40, 2)) }\n",
        ),
        (
            "sum.go",
            "package main\n\nfunc Sum(a, b int) int { return a + b }\n",
        ),
        (
            "sum_test.go",
            "package main\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { if Sum(1, 2) != 3 { t.Fatal() } }\n",
        ),
    ];
    for rights in [Rights::default(), rights] {
        let project = Project::with(&files, rights);
        project.run("go build -o sum .");
        assert_eq!(project.run("./sum"), "42\n");
        assert!(project.run("go test ./...").contains("ok"));
    }
}

/// A command that may make a repository sees an empty folder `.git` until it does, which looks like a repository to Go.
/// Others see none.
#[test]
fn go_is_told_where_there_is_no_repository() {
    let told = |project: &Project| project.run("echo $GOFLAGS").contains("-buildvcs=false");
    let reads = Project::new(&[("a", "")]);
    assert!(!told(&reads));
    assert_eq!(reads.run("ls -A"), "a\n");

    let rights = Rights {
        git: Some(|_| true),
        ..Rights::default()
    };
    let project = Project::with(&[("a", "")], rights);
    assert_eq!(project.run("ls -A . .git"), ".:\n.git\na\n\n.git:\n");
    assert!(told(&project));
    project.run("git init -q");
    assert!(project.work().join(".git/HEAD").exists());
    assert!(!told(&project));
}

/// A project with an environment of its own, in which the tools are that the tests' has.
fn python_project(files: &[(&str, &str)]) -> Project {
    let project = Project::new(files);
    let made = Command::new(venv().join("bin/python"))
        .args(["-m", "venv", ".venv"])
        .current_dir(project.work())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    for entry in fs::read_dir(packages(&venv())).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if PACKAGES.iter().any(|package| name.starts_with(package)) {
            let copied = Command::new("cp")
                .arg("-r")
                .arg(&path)
                .arg(packages(&project.work().join(".venv")))
                .status();
            assert!(copied.unwrap().success());
        }
    }
    project
}

fn packages(environment: &Path) -> PathBuf {
    let versions = fs::read_dir(environment.join("lib")).unwrap();
    let version = versions
        .map(|version| version.unwrap().path())
        .find(|path| path.is_dir());
    version.unwrap().join("site-packages")
}

const PACKAGES: [&str; 11] = [
    "setuptools",
    "pkg_resources",
    "_distutils_hack",
    "distutils-precedence",
    "pytest",
    "_pytest",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "py.py",
];

#[test]
fn pip_installs_a_package_that_is_edited() {
    let project = python_project(&[
        (
            "pyproject.toml",
            "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n[project]\nname = \"sum\"\nversion = \"1\"\n[project.scripts]\nsum = \"adder:main\"\n[tool.setuptools]\npy-modules = [\"adder\"]\n",
        ),
        ("adder.py", "def main():\n    print(40 + 2)\n"),
    ]);
    project.run(".venv/bin/pip install --no-build-isolation -e .");
    assert_eq!(project.run(".venv/bin/sum"), "42\n");
    fs::write(
        project.work().join("adder.py"),
        "def main():\n    print(43)\n",
    )
    .unwrap();
    assert_eq!(project.run("cd / && $OLDPWD/.venv/bin/sum"), "43\n");
}

#[test]
fn pytest_runs_tests_with_several_processes() {
    let project = python_project(&[(
        "test_sum.py",
        "import multiprocessing as m\ndef double(x): return 2 * x\n\
         def test_pool():\n    with m.Pool(3) as pool: assert pool.map(double, [1, 2]) == [2, 4]\n\
         def test_spawn():\n    with m.get_context('spawn').Pool(2) as pool: assert pool.map(double, [1]) == [2]\n\
         def test_manager():\n    with m.Manager() as manager:\n        d = manager.dict(a=1); assert d['a'] == 1\n\
         def test_shared(tmp_path):\n    from multiprocessing.shared_memory import SharedMemory\n    s = SharedMemory(create=True, size=9); s.close(); s.unlink()\n",
    )]);
    let tested = project.run(".venv/bin/python -m pytest -q");
    assert!(tested.contains("4 passed"), "{tested}");
}

#[test]
fn a_server_on_localhost_answers_its_client() {
    let project = Project::new(&[("index.html", "hello\n")]);
    let script = "python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 & \
                  python3 -c \"import time, urllib.request as u
for i in range(200):
    try: print(u.urlopen('http://localhost:8000/index.html').read()); break
    except OSError: time.sleep(0.1)\"";
    let ran = project
        .folder
        .run(script, &project.top.path().join("undo"))
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.output), "b'hello\\n'\n");
    assert!(
        ran.summary.ends_with("; 1 background processes stopped"),
        "{}",
        ran.summary
    );
}

#[test]
fn what_a_tool_has_loaded_is_there_for_the_next_command_and_for_nobody_else() {
    let project = Project::new(&[("a", "")]);
    project.run("mkdir -p ~/.cache/tool && echo kept > ~/.cache/tool/x && echo lost > ~/y");
    assert_eq!(
        project.run("cat ~/.cache/tool/x; ls -A ~/y 2>/dev/null || echo none"),
        "kept\nnone\n"
    );
    assert!(project.top.path().join("own/cache/tool/x").exists());
}

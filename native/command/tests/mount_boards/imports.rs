//! Tests the modules that an `import` finds in the folder, and those bundled with them.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use flylead_tests::boards::UnixBoard;
use tokio::io::AsyncWriteExt as _;

use crate::common::{folder, ready, session, told, until, write};

#[test]
fn a_module_comes_whole_in_one_exchange_with_what_it_imports() {
    let long = format!("Y = '{}'\n", "spam ".repeat(3000));
    let here = folder(&[
        (
            "main.py",
            "import pkg.a\nfrom pkg import b\nprint(pkg.a.X, len(b.Y))\n",
        ),
        ("pkg/__init__.py", ""),
        ("pkg/a.py", "X = 1\n"),
        ("pkg/b.py", &long),
    ]);
    assert_exchanges_once(here.path(), "import main", "1 15000\n");
}

#[test]
fn the_modules_that_a_program_imports_come_in_one_exchange() {
    let here = folder(&[
        ("a.py", "X = 1\n"),
        ("b.py", "import c\nX = c.X\n"),
        ("c.py", "X = 3\n"),
    ]);
    let program = "# Siblings\nimport a\nfrom b import X\nimport c, sys\nprint(a.X + X + c.X)\n";
    assert_exchanges_once(here.path(), program, "7\n");
    // This one is long enough to be sent as data.
    let long = format!("{program}\n{}", "# spam\n".repeat(200));
    assert_exchanges_once(here.path(), &long, "7\n");
}

/// A program that fails leaves modules behind that came along for it.
#[tokio::test]
async fn a_program_never_gets_what_came_along_for_the_one_before() {
    let board = UnixBoard::start();
    let here = folder(&[("a.py", "X = 1 / 0\n"), ("b.py", "X = 'old'\n")]);
    let (session, _) = session(board.path(), &here).await;
    let mut link = session.attach_lasting().await.unwrap();
    ready(&mut link).await;
    link.write_all(b"import a, b\r").await.unwrap();
    until(&mut link, "ZeroDivisionError").await;
    write(&here, "a.py", "X = 1\n");
    write(&here, "b.py", "X = 'new'\n");
    link.write_all(b"import a, b; print(b.X)\r").await.unwrap();
    until(&mut link, "new\n>>> ").await;
    session.end().await;
}

fn assert_exchanges_once(here: &Path, program: &str, printed: &str) {
    // A board that the system holds up for a second forgets what came along, and asks for it: then another one is asked.
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let conversation = converse(here, program, printed);
        if conversation.matches("\\x18\\x0fQ").count() == 1 {
            break;
        }
        assert!(Instant::now() < deadline, "{conversation}");
    }
}

/// Runs a program with the folder on a board of its own, and returns what the two said to each other.
fn converse(here: &Path, program: &str, printed: &str) -> String {
    let board = UnixBoard::start();
    let trace = here.join("trace");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("--trace")
        .arg(&trace)
        .arg("--port")
        .arg(board.path());
    command.arg("mount").arg(here).args(["--", "exec", program]);
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("flylead starts");
    assert_eq!(told(&output), (0, printed.into(), String::new()));
    fs::read_to_string(&trace).unwrap()
}

#[tokio::test]
async fn what_came_along_is_not_used_when_the_folder_has_changed_since() {
    let board = UnixBoard::start();
    let here = folder(&[
        (
            "main.py",
            "import one\ntry:\n    import late\nexcept ImportError:\n    print('rea'+'dy')\ninput()\nimport two, late\nprint('two', two.V + late.V)\n",
        ),
        ("one.py", "if 0:\n    import two, three\n"),
        ("two.py", "V = 1\n"),
        ("three.py", "V = 1\n"),
        ("write.py", "import writer, written\n"),
        (
            "writer.py",
            "with open('written.py', 'w') as f: f.write('V = 2')\n",
        ),
        ("written.py", "V = 1\n"),
    ]);
    let (session, _) = session(board.path(), &here).await;
    let mut link = session.attach_lasting().await.unwrap();
    ready(&mut link).await;
    link.write_all(b"import main\r").await.unwrap();
    until(&mut link, "ready").await;
    write(&here, "two.py", "V = 22\n");
    write(&here, "three.py", "V = 33\n");
    write(&here, "late.py", "V = 3\n");
    link.write_all(b"\r").await.unwrap();
    until(&mut link, "two 25").await;
    let rest = "import three, write;print(three.V, write.written.V)\r";
    link.write_all(rest.as_bytes()).await.unwrap();
    until(&mut link, "33 2\n>>> ").await;
    session.end().await;
}

//! The examples do what they say, with real boards and servers.
#![cfg(target_os = "linux")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

use flylead_native::zylisp::{Server, ServerConfig};
use flylead_tests::boards::{Recorder, UnixBoard, exported};

/// Folder of the built examples.
static EXAMPLES: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut cargo = Command::new(env!("CARGO"));
    // By the choice of packages that the tests are built by: with another one, the library has other features, and is built again.
    cargo.args(["build", "--quiet", "--examples", "--workspace"]);
    cargo.args(["--exclude=flylead-wasm", "--exclude=flylead-python"]);
    // A test is told about its crate. Build scripts that read these (ring's) would run again, and all above them be built again.
    let is_of_crate = |name: &str| {
        name == "OUT_DIR" || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    };
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_of_crate) {
            cargo.env_remove(name);
        }
    }
    let built = cargo.status();
    assert!(built.is_ok_and(|status| status.success()), "they build");
    let command = Path::new(env!("CARGO_BIN_EXE_flylead"));
    command.with_file_name("examples")
});

/// Runs an example, which must succeed, and returns its output.
fn run(example: &str, words: &[&str]) -> String {
    let output = Command::new(EXAMPLES.join(example))
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("it was built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{example}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("its name is text")
}

#[test]
fn exec_runs_a_program() {
    let board = UnixBoard::start();
    let words = [path(board.path()), "print(6 * 7)"];
    assert_eq!(run("exec", &words), "42\n");
    assert_eq!(run("exec", &words), "42\n");
}

#[test]
fn by_hand_runs_a_program() {
    let board = UnixBoard::start();
    let words = [path(board.path()), "print(6 * 7)"];
    assert_eq!(run("by_hand", &words), "42\nCompleted\n");
    assert_eq!(run("exec", &words), "42\n");
}

#[test]
fn sync_sends_what_differs() {
    let board = UnixBoard::start();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("lib")).unwrap();
    fs::write(folder.path().join("main.py"), "one").unwrap();
    fs::write(folder.path().join("lib/b.py"), "two").unwrap();
    let words = [path(board.path()), path(folder.path()), "/flash/app"];
    let first = run("sync", &words);
    assert!(
        first.ends_with("6 bytes\n") && first.contains("/flash/app/lib/b.py\n"),
        "{first}"
    );
    fs::write(folder.path().join("main.py"), "other").unwrap();
    assert_eq!(run("sync", &words), "/flash/app/main.py\n5 bytes\n");
    assert_eq!(
        fs::read_to_string(board.flash().join("app/main.py")).unwrap(),
        "other"
    );
}

#[test]
fn export_saves_a_log() {
    let log = b"time,value\n1,2\n".to_vec();
    let sent = log.clone();
    let device = Recorder::start(move |line, answer| {
        if line.starts_with("EXPORT") {
            answer.say(&exported(&sent));
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let words = [path(device.path()), "run001", path(folder.path())];
    let said = run("export", &words);
    assert!(said.ends_with("15 bytes\n"), "{said}");
    assert_eq!(
        fs::read(folder.path().join("run001/sd/log.csv")).unwrap(),
        log
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn zylisp_evaluates() {
    let config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    let server = Server::bind(config).await.unwrap();
    let address = server.addresses()[0].to_string();
    let words = [address, "(+ 1 2)".to_owned()];
    let example = tokio::task::spawn_blocking(move || {
        run("zylisp", &words.each_ref().map(|word| word.as_str()))
    });
    assert_eq!(example.await.unwrap(), "3\n");
    server.stop().await;
}

//! nREPL's clients that others wrote against `flylead zylisp serve nrepl://…`, and what is refused.

use std::{path::Path, process::Stdio};

use flylead_tests::{
    boards::{command, venv},
    editors::{ZYLISP, work_with_cider, work_with_conjure},
};
use tokio::{io::AsyncWriteExt, process::Command};

use crate::common::{PATIENCE, Serving, ended, flylead, run};

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/zylisp");

/// A server, and its port.
async fn serve() -> (Serving, String) {
    let server = Serving::start(&["nrepl://127.0.0.1:0"], &[]).await;
    let port = server.address().rsplit_once(':').unwrap().1.to_owned();
    (server, port)
}

/// Returns the output of a client's program.
async fn printed(mut client: Command) -> String {
    let client = client
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let (code, stdout, stderr) = ended(client.spawn().unwrap()).await;
    assert_eq!(code, 0, "{stdout}{stderr}");
    stdout
}

#[tokio::test]
async fn the_client_of_npm_evaluates_clones_loads_and_interrupts() {
    let (server, port) = serve().await;
    let packages =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/nrepl/node_modules");
    assert!(
        packages.exists(),
        "`cargo xtask setup` installs {}",
        packages.display()
    );
    let mut client = Command::new(command("node"));
    client
        .arg(format!("{TESTS}/nrepl_client.js"))
        .arg(packages)
        .arg(port);
    let expected = "\
ops true true
out héllo
 value nil 3 (3 \"x\")
x 42
unbound unbound-variable
load-file 21
interrupted true
interrupted from another connection done true
unknown there true
sessions true
closed session-closed,done
";
    assert_eq!(printed(client).await, expected);
    server.stop().await;
}

#[tokio::test]
async fn the_client_of_pypi_evaluates_sees_errors_and_gives_input() {
    let (server, port) = serve().await;
    let mut client = Command::new(venv().join("bin/python"));
    client.arg(format!("{TESTS}/nrepl_client.py")).arg(port);
    let expected = "value nil 3 4\nx 42\nex type-error\nread typed\n";
    assert_eq!(printed(client).await, expected);
    server.stop().await;
}

/// Clojure's nREPL of Debian, as a program of Java.
fn clojure() -> Command {
    let jars = ["nrepl", "clojure", "spec.alpha", "core.specs.alpha"];
    let jars = jars.map(|jar| format!("/usr/share/java/{jar}.jar"));
    assert!(
        jars.iter().all(|jar| Path::new(jar).exists()),
        "`cargo xtask setup` installs libnrepl-clojure"
    );
    let mut java = Command::new(command("java"));
    // Whatever the locale: without one, Java writes `?` for what is not ASCII.
    java.args(["-Dstdout.encoding=UTF-8", "-Dfile.encoding=UTF-8"])
        .args([
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            &jars.join(":"),
        ])
        .arg("clojure.main");
    java
}

#[tokio::test]
async fn the_client_of_clojure_evaluates_interrupts_from_elsewhere_gives_input_and_closes() {
    let (server, port) = serve().await;
    let mut client = clojure();
    client.arg(format!("{TESTS}/nrepl_client.clj")).arg(port);
    let expected = r#"describes true
values [40 (1 é)]
combined {:out "out\n", :value ["nil" "42"], :status #{"done"}}
error type-error
interrupted true
read "typed\n"
closed (done session-closed)
"#;
    assert_eq!(printed(client).await, expected);
    server.stop().await;
}

#[tokio::test]
async fn the_repl_of_clojure_connects() {
    let (server, port) = serve().await;
    let mut client = clojure();
    client
        .args(["-m", "nrepl.cmdline", "--connect", "--host", "127.0.0.1"])
        .args(["--port", &port])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut client = client.spawn().unwrap();
    let mut stdin = client.stdin.take().unwrap();
    stdin
        .write_all(b"(define double (lambda (x) (* 2 x)))\n(double 21)\n(println \"hi\")\n")
        .await
        .unwrap();
    drop(stdin);
    let (code, stdout, stderr) = ended(client).await;
    assert_eq!(code, 0, "{stdout}{stderr}");
    let (_, shown) = stdout.split_once("user=> ").unwrap();
    assert_eq!(
        shown.trim_end(),
        "<function>\nuser=> 42\nuser=> hi\nnil\nuser=>"
    );
    server.stop().await;
}

#[tokio::test]
async fn cider_and_conjure_can_use_every_operation_that_they_use() {
    let (server, port) = serve().await;
    let address = format!("127.0.0.1:{port}");
    let work = tokio::task::spawn_blocking(move || {
        work_with_cider(&address, ZYLISP);
        work_with_conjure(&address, ZYLISP);
    });
    work.await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn editors_find_the_port_in_the_folder_as_long_as_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".nrepl-port");
    let mut server = flylead(&["serve", "127.0.0.1:0", "nrepl://127.0.0.1:0"]);
    let child = server.current_dir(folder.path()).spawn().unwrap();
    let until = tokio::time::Instant::now() + PATIENCE;
    while !file.exists() {
        assert!(tokio::time::Instant::now() < until, "it writes its port");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let port = std::fs::read_to_string(&file).unwrap();
    crate::common::signal(&child, rustix::process::Signal::TERM);
    let (code, stdout, stderr) = ended(child).await;
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains(&format!("nrepl://127.0.0.1:{port}\n")),
        "{stdout} {port}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn nrepl_listens_on_this_computer_alone_and_not_behind_a_token() {
    let (code, _, stderr) = run(&["serve", "nrepl://0.0.0.0:0"]).await;
    assert_eq!(code, 3);
    assert!(stderr.contains("neither a token nor TLS"), "{stderr}");
    let (code, _, stderr) = run(&["serve", "nrepl://127.0.0.1:0", "--token", "secret"]).await;
    assert_eq!(code, 3);
    assert!(stderr.contains("cannot present a token"), "{stderr}");
    let (server, port) = serve().await;
    let (code, _, stderr) = run(&["eval", &format!("nrepl://127.0.0.1:{port}"), "1"]).await;
    assert_eq!(code, 3);
    assert!(stderr.contains("does not speak nREPL"), "{stderr}");
    server.stop().await;
}

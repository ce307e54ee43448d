//! `flylead zylisp serve --eval board:…` and `flylead repl-server`: a real MicroPython for everybody who connects.
#![cfg(target_os = "linux")]

mod answers;
mod clients;
mod desk;
mod interrupts;
mod restarts;

use std::{process::Stdio, time::Duration};

use flylead_tests::boards::UnixBoard;
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

fn flylead(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("zylisp")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

pub(crate) async fn ended(child: Child) -> (i32, String, String) {
    let output = timeout(PATIENCE, child.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace('\r', "");
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

pub(crate) fn interrupt(child: &Child) {
    let pid = i32::try_from(child.id().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::INT).unwrap();
}

#[tokio::test]
async fn the_shell_runs_python_on_a_board_that_is_shared() {
    let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
    let what = format!("board:{}", board.path().display());
    let mut server = flylead(&["serve", "127.0.0.1:0", "--eval", &what])
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, stdout.next_line())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let address = line.strip_prefix("listening on ").unwrap();
    let eval = |code: &str| flylead(&["eval", address, code]).spawn().unwrap();

    let (code, stdout, stderr) = ended(eval("print(6 * 7)")).await;
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "42\n", ""));
    assert_eq!(ended(eval("6 * 7")).await.1, "42\n");
    let mut repl = flylead(&["repl", address, "--no-history"]);
    let mut repl = repl.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = repl.stdin.take().unwrap();
    let typed = b"typed = 42\ntyped\nprint('out')\n:doc typed\n:doc\n";
    stdin.write_all(typed).await.unwrap();
    drop(stdin);
    let (code, stdout, stderr) = ended(repl).await;
    assert_eq!((code, stdout.as_str()), (0, "42\nout\n"), "{stderr}");
    assert!(
        stderr.contains("typed") && stderr.contains("int"),
        "{stderr}"
    );
    assert!(
        stderr.contains(" isinstance ") && !stderr.contains("car"),
        "{stderr}"
    );
    let (code, stdout, stderr) = ended(eval("print('before')\n1/0")).await;
    assert_eq!((code, stdout.as_str()), (1, "before\n"));
    assert!(
        stderr.starts_with("ZeroDivisionError: ") && stderr.contains("line 2"),
        "{stderr}"
    );

    let mut child = eval("print('ready')\nwhile True: pass");
    let mut ready = [0; 5];
    let reading = child.stdout.as_mut().unwrap().read_exact(&mut ready);
    timeout(PATIENCE, reading).await.unwrap().unwrap();
    assert_eq!(&ready, b"ready", "output comes while it runs");
    interrupt(&child);
    let (code, _, stderr) = ended(child).await;
    assert_eq!((code, stderr.as_str()), (130, "interrupted\n"));

    interrupt(&server);
    assert_eq!(ended(server).await.0, 0);
}

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

//! `flylead zylisp serve --eval board:…`: a real MicroPython for everybody who connects.
#![cfg(target_os = "linux")]

use std::{process::Stdio, time::Duration};

use flylead_tests::boards::UnixBoard;
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
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

async fn ended(child: Child) -> (i32, String, String) {
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

fn interrupt(child: &Child) {
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
    assert_eq!(
        (code, stdout.as_str(), stderr.as_str()),
        (0, "42\nnil\n", "")
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

/// A request of texts, as nREPL's clients write it.
fn bencode(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| format!("{}:{text}", text.len());
    let fields = fields.iter().map(|(key, value)| text(key) + &text(value));
    format!("d{}e", fields.collect::<String>()).into_bytes()
}

/// What comes until so many requests are done.
async fn answered(link: &mut TcpStream, count: usize) -> String {
    let (mut text, mut chunk) = (String::new(), [0; 4096]);
    while text.matches("4:done").count() < count {
        let length = timeout(PATIENCE, link.read(&mut chunk))
            .await
            .unwrap()
            .unwrap();
        assert!(length > 0, "{text}");
        text += &String::from_utf8_lossy(&chunk[..length]);
    }
    text
}

#[tokio::test]
async fn editors_evaluate_on_a_board_see_values_and_interrupt_it() {
    let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_flylead"))
        .args(["repl-server", "nrepl://127.0.0.1:0", "--port"])
        .arg(board.path())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, stdout.next_line())
        .await
        .unwrap()
        .unwrap();
    let line = line.expect("it says where it listens");
    let address = line.strip_prefix("listening on nrepl://").unwrap();
    let mut link = TcpStream::connect(address).await.unwrap();
    let table: &[(&str, &[&str])] = &[
        ("6 * 7", &["5:value2:42"]),
        ("x = [1, 'a']", &["5:value4:None"]),
        ("x", &["5:value8:[1, 'a']"]),
        ("print('out') or 3", &["3:out", "5:value1:3"]),
        ("# nothing", &["5:value4:None"]),
        ("def f(n):\n  return n + 1\n", &["5:value4:None"]),
        ("f(1)", &["5:value1:2"]),
        ("1/0", &["2:ex17:ZeroDivisionError", "eval-error"]),
        ("1 +", &["2:ex11:SyntaxError"]),
    ];
    for (code, expected) in table {
        let request = bencode(&[("op", "eval"), ("id", "1"), ("code", code)]);
        link.write_all(&request).await.unwrap();
        let replies = answered(&mut link, 1).await;
        for part in *expected {
            assert!(replies.contains(part), "{code}: {part} is not in {replies}");
        }
    }
    let endless = bencode(&[
        ("op", "eval"),
        ("id", "2"),
        ("code", "print('ready')\nwhile True: pass"),
    ]);
    link.write_all(&endless).await.unwrap();
    let mut seen = String::new();
    while !seen.contains("ready") {
        let mut chunk = [0; 256];
        let length = timeout(PATIENCE, link.read(&mut chunk))
            .await
            .unwrap()
            .unwrap();
        assert!(length > 0, "{seen}");
        seen += &String::from_utf8_lossy(&chunk[..length]);
    }
    link.write_all(&bencode(&[("op", "interrupt"), ("id", "3")]))
        .await
        .unwrap();
    let replies = answered(&mut link, 2).await;
    assert!(replies.contains("11:interrupted"), "{replies}");

    interrupt(&server);
    assert_eq!(ended(server).await.0, 0);
    assert!(!folder.path().join(".nrepl-port").exists());
}

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

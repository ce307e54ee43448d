//! A board behind `flylead repl-server`, and requests to it.

use std::{path::Path, process::Stdio};

use flylead_tests::boards::{Faults, UnixBoard, Wire};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::timeout,
};

use super::{PATIENCE, ended, interrupt};

/// A request of texts, as nREPL's clients write it.
pub(crate) fn bencode(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| format!("{}:{text}", text.len());
    let fields = fields.iter().map(|(key, value)| text(key) + &text(value));
    format!("d{}e", fields.collect::<String>()).into_bytes()
}

/// Reads until this number of requests is done.
pub(crate) async fn answered(link: &mut TcpStream, count: usize) -> String {
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

/// Evaluates a program, and reads all replies to it.
pub(crate) async fn eval(link: &mut TcpStream, code: &str) -> String {
    let request = bencode(&[("op", "eval"), ("id", "1"), ("code", code)]);
    link.write_all(&request).await.unwrap();
    answered(link, 1).await
}

/// A board behind `flylead repl-server`, and an editor's connection to it.
pub(crate) struct Desk {
    pub(crate) server: Child,
    pub(crate) link: TcpStream,
    pub(crate) address: String,
    pub(crate) folder: tempfile::TempDir,
    /// Link to the wire, in `port`.
    pub(crate) port: tempfile::TempDir,
    pub(crate) wire: Wire,
    pub(crate) board: UnixBoard,
}

impl Desk {
    pub(crate) async fn start() -> Self {
        Self::limited("0").await
    }

    /// A server that gives each program this many seconds.
    pub(crate) async fn limited(seconds: &str) -> Self {
        let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
        let port = tempfile::tempdir().unwrap();
        let wire = plugged_in(&board, port.path());
        let folder = tempfile::tempdir().unwrap();
        let mut server = Command::new(env!("CARGO_BIN_EXE_flylead"))
            .args(["repl-server", "nrepl://127.0.0.1:0", "--timeout", seconds])
            .arg("--port")
            .arg(port.path().join("port"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(server.stdout.take().unwrap()).lines();
        let line = timeout(PATIENCE, stdout.next_line()).await.unwrap();
        let line = line.unwrap().expect("it says where it listens");
        let address = line.strip_prefix("listening on nrepl://").unwrap();
        Self {
            link: TcpStream::connect(address).await.unwrap(),
            address: address.into(),
            server,
            folder,
            port,
            wire,
            board,
        }
    }

    /// Pulls the board's cable and plugs it in again.
    pub(crate) fn plug_in_again(&mut self) {
        self.wire.unplug();
        std::fs::remove_file(self.port.path().join("port")).unwrap();
        self.wire = plugged_in(&self.board, self.port.path());
    }

    /// Ends the server, and returns the board.
    pub(crate) async fn stop(self) -> (Wire, UnixBoard) {
        interrupt(&self.server);
        let (code, _, stderr) = ended(self.server).await;
        assert_eq!(code, 0, "{stderr}");
        (self.wire, self.board)
    }

    pub(crate) async fn another_link(&self) -> TcpStream {
        TcpStream::connect(&self.address).await.unwrap()
    }

    pub(crate) async fn send(&mut self, fields: &[(&str, &str)]) {
        self.link.write_all(&bencode(fields)).await.unwrap();
    }

    /// Replies to a request, up to the last one.
    pub(crate) async fn ask(&mut self, fields: &[(&str, &str)]) -> String {
        self.send(fields).await;
        answered(&mut self.link, 1).await
    }

    /// Replies to a program, up to the last one.
    pub(crate) async fn eval(&mut self, code: &str) -> String {
        eval(&mut self.link, code).await
    }

    /// Sends a program, and waits until it has printed `ready`.
    pub(crate) async fn begin(&mut self, code: &str) {
        self.send(&[("op", "eval"), ("id", "1"), ("code", code)])
            .await;
        self.see("ready").await;
    }

    /// Replies up to one that contains this.
    pub(crate) async fn see(&mut self, part: &str) -> String {
        let (mut seen, mut chunk) = (String::new(), [0; 4096]);
        while !seen.contains(part) {
            let reading = timeout(PATIENCE, self.link.read(&mut chunk)).await;
            let length = reading.expect(&seen).unwrap();
            assert!(length > 0, "{seen}");
            seen += &String::from_utf8_lossy(&chunk[..length]);
        }
        seen
    }
}

/// Puts a board at `port` in a folder.
pub(crate) fn plugged_in(board: &UnixBoard, folder: &Path) -> Wire {
    // Ctrl-C reaches every program of such a unix board.
    let faults = Faults {
        no_raw_paste: true,
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    std::os::unix::fs::symlink(wire.path(), folder.join("port")).unwrap();
    wire
}

/// Returns the session of the reply to `clone`.
pub(crate) fn new_session(cloned: &str) -> String {
    let (_, session) = cloned.split_once("11:new-session").expect(cloned);
    let (length, rest) = session.split_once(':').unwrap();
    rest[..length.parse().unwrap()].to_owned()
}

pub(crate) const ENDLESS: &str = "print('ready')\nwhile True: pass";

/// Prints `ready`, and `caught` for each Ctrl-C of the first so many, as one text that arrives in one message. The next
/// one is caught as soon as that is printed.
pub(crate) fn catching(count: usize) -> String {
    format!(
        "n = 0\nwhile n < {count}:\n  try:\n    print('caught %d' % n if n else 'ready')\n    while True: pass\n  except KeyboardInterrupt:\n    n += 1\nprint('caught %d' % n)\nwhile True: pass"
    )
}

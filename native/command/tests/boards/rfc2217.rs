//! Boards behind the RFC 2217 servers that people have: ser2net, which labs run, and pyserial's own.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::{UnixBoard, command, venv};
use tempfile::TempDir;

/// A server of somebody else's, ended with its test.
struct Server {
    child: Child,
    port: u16,
    _folder: Option<TempDir>,
}

impl Server {
    fn ser2net(device: &Path) -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        let port = free_port();
        let config = folder.path().join("ser2net.yaml");
        let text = format!(
            "connection: &board\n  accepter: telnet(rfc2217),tcp,127.0.0.1,{port}\n  \
             connector: serialdev,{},115200n81,local\n",
            device.display()
        );
        fs::write(&config, text).unwrap();
        let child = Command::new(command("ser2net"))
            .args(["-n", "-c"])
            .arg(&config)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("ser2net starts");
        let deadline = Instant::now() + Duration::from_secs(30);
        // It opens the device for each client, so it is asked whether it listens by its own table of sockets.
        while !listens(port) {
            assert!(Instant::now() < deadline, "ser2net does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Self {
            child,
            port,
            _folder: Some(folder),
        }
    }

    fn pyserial(device: &Path) -> Self {
        Self::pyserial_noting(device, None)
    }

    /// One that writes into a file how the line is set.
    fn pyserial_noting(device: &Path, notes: Option<&Path>) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/boards/rfc2217.py");
        let mut child = Command::new(venv().join("bin/python"))
            .arg(script)
            .arg(device)
            .args(notes)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is a pipe");
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let port = line.trim().parse().expect("it prints its port");
        Self {
            child,
            port,
            _folder: None,
        }
    }

    fn flylead(&self, arguments: &[&str]) -> (i32, String, String) {
        flylead(&format!("rfc2217://127.0.0.1:{}", self.port), arguments)
    }

    /// Runs a command that must succeed, and returns its output.
    fn must(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.flylead(arguments);
        assert_eq!((code, &*stderr), (0, ""), "{arguments:?}");
        stdout
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn flylead(port: &str, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new("timeout")
        .args(["--signal=KILL", "100", env!("CARGO_BIN_EXE_flylead")])
        .args(["--port", port])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("these tests speak UTF-8");
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
    listener.local_addr().unwrap().port()
}

fn listens(port: u16) -> bool {
    // In hexadecimal; state 0A is LISTEN: proc_net_tcp.txt of the kernel's documentation.
    let tcp = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let wanted = format!(":{port:04X} 00000000:0000 0A");
    tcp.lines().any(|line| line.contains(&wanted))
}

/// Every byte, 255 among them more often than chance would have it.
fn telnets_worst() -> Vec<u8> {
    (0..60_000u32)
        .map(|index| {
            if index % 3 == 0 {
                255
            } else {
                (index * 7 % 256) as u8
            }
        })
        .collect()
}

fn everything_works_through(server: &Server) {
    assert_eq!(server.must(&["exec", "print(6 * 7)"]), "42\n");
    let folder = tempfile::tempdir().unwrap();
    let (up, down) = (folder.path().join("up"), folder.path().join("down"));
    fs::write(&up, telnets_worst()).unwrap();
    server.must(&["fs", "cp", up.to_str().unwrap(), ":worst"]);
    server.must(&["fs", "cp", ":worst", down.to_str().unwrap()]);
    assert!(
        fs::read(&down).unwrap() == telnets_worst(),
        "it came back as another"
    );
    let (code, _, stderr) = server.flylead(&["exec", "1/0"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("ZeroDivisionError"), "{stderr}");
}

#[test]
fn a_board_behind_ser2net_is_a_board_with_every_byte_of_its_files() {
    let board = UnixBoard::start();
    everything_works_through(&Server::ser2net(board.path()));
}

#[test]
fn a_board_behind_pyserials_server_is_a_board_with_every_byte_of_its_files() {
    let board = UnixBoard::start();
    everything_works_through(&Server::pyserial(board.path()));
}

#[test]
fn a_port_that_ser2net_cannot_open_is_told_in_its_words() {
    let server = Server::ser2net(Path::new("/nowhere/tty"));
    let (code, _, stderr) = server.flylead(&["exec", "1"]);
    assert_ne!(code, 0);
    assert!(
        stderr.contains("the server says: Device open failure"),
        "{stderr}"
    );
}

#[test]
fn a_second_client_of_ser2net_learns_that_the_port_is_in_use() {
    let board = UnixBoard::start();
    let server = Server::ser2net(board.path());
    let mut first = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    // ser2net has opened the device when it says the first word of its negotiation.
    first.read_exact(&mut [0]).unwrap();
    let (code, _, stderr) = server.flylead(&["exec", "1"]);
    assert_ne!(code, 0);
    assert!(
        stderr.contains("the server says: Port already in use"),
        "{stderr}"
    );
    drop(first);
}

#[test]
fn a_server_of_another_kind_is_named_as_one_and_never_waited_for_longer_than_said() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let (code, _, stderr) = flylead(&format!("rfc2217://127.0.0.1:{port}"), &["exec", "1"]);
    assert_ne!(code, 0);
    assert!(stderr.contains("did not agree within 5 s"), "{stderr}");
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = refusing.local_addr().unwrap().port();
    let refusal = thread::spawn(move || {
        let (mut client, _) = refusing.accept().unwrap();
        // IAC DONT COM-PORT-OPTION.
        client.write_all(&[255, 254, 44]).unwrap();
        let _ = client.read_to_end(&mut Vec::new());
    });
    let (code, _, stderr) = flylead(&format!("rfc2217://127.0.0.1:{port}"), &["exec", "1"]);
    assert_ne!(code, 0);
    assert!(
        stderr.contains("does not let clients set its port"),
        "{stderr}"
    );
    refusal.join().unwrap();
}

/// Between esptool and the line are our server, our client and pyserial's server, which notes what the line is set to.
#[test]
fn esptool_resets_a_chip_into_its_bootloader_and_the_line_is_set_back_after_it() {
    let board = UnixBoard::start();
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let server = Server::pyserial_noting(board.path(), Some(&notes));
    let address = format!("rfc2217://127.0.0.1:{}", server.port);
    let child = Command::new(env!("CARGO_BIN_EXE_flylead"))
        .args(["serve", "--json", "--listen=127.0.0.1:0", "--rfc2217=0"])
        .args(["--board", &address])
        .env("XDG_RUNTIME_DIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    let mut hub = Server {
        child,
        port: 0,
        _folder: None,
    };
    let mut said = String::new();
    BufReader::new(hub.child.stdout.as_mut().unwrap())
        .read_line(&mut said)
        .unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let exec = |program: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args(["--port", &address, "exec", program]);
        command.env("XDG_RUNTIME_DIR", folder.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(exec("print(1)"), "1\n");
    let lines = || {
        let notes = fs::read_to_string(&notes).unwrap();
        let lines = notes.lines().filter(|line| !line.starts_with("baud"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let opened = lines();
    // Patient with a busy machine, as pyserial is not by itself.
    let port = format!("{}?timeout=30", said["rfc2217"][0].as_str().unwrap());
    let output = Command::new("timeout")
        .args(["--signal=KILL", "100"])
        .arg(venv().join("bin/esptool"))
        .args(["--chip", "esp32", "--connect-attempts", "1", "--port"])
        .args([&port, "read-mac"])
        .stdin(Stdio::null())
        .output()
        .expect("esptool starts");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // What answers is no bootloader.
    assert!(text.contains("Failed to connect to ESP32"), "{text}");
    // RTS was on: esptool's classic reset (esptool 5.6, reset.py), and what sets the line back.
    let reset = ["DTR 0", "DTR 1", "RTS 0", "DTR 0"];
    let expected = [&reset[..], &["DTR 1", "RTS 1"]].concat();
    let deadline = Instant::now() + Duration::from_secs(60);
    while lines().len() < opened.len() + expected.len() {
        assert!(Instant::now() < deadline, "{:?}: {text}", lines());
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(lines()[opened.len()..], expected);
    assert_eq!(exec("print(2)"), "2\n");
}

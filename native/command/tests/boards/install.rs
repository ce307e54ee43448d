//! `flylead install` on a real board, from folders and over HTTP.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use flylead_core::to_hexadecimal;
use flylead_tests::boards::UnixBoard;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Runs `flylead install` with `/flash/lib` as its target: the exit code, stdout, stderr.
fn install(board: &UnixBoard, arguments: &[&str]) -> (i32, String, String) {
    flylead(
        board,
        &[&["install", "--target", ":/flash/lib"], arguments].concat(),
    )
}

fn flylead(board: &UnixBoard, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_flylead"))
        .arg("--port")
        .arg(board.path())
        .args(arguments)
        .env_remove("FLYLEAD_INDEX")
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::null())
        .output()
        .expect("flylead starts");
    let text = |bytes| String::from_utf8(bytes).expect("these tests speak UTF-8");
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

/// A folder laid out as an index is.
struct Index(TempDir);

impl Index {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room for temporary files"))
    }

    fn path(&self) -> &str {
        self.0.path().to_str().expect("its name is ASCII")
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("it is below the index")).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Adds a file, and returns how a package names it.
    fn file(&self, path: &str, content: &str) -> Value {
        let hash = short_hash(content);
        self.write(&format!("file/{}/{hash}", &hash[..2]), content);
        json!([path, hash])
    }

    fn package(&self, flavor: &str, name: &str, hashes: &[Value], deps: &[(&str, &str)]) {
        let json = json!({ "v": 1, "version": "1.0", "hashes": hashes, "deps": deps });
        self.write(
            &format!("package/{flavor}/{name}/latest.json"),
            json.to_string(),
        );
    }
}

fn short_hash(content: &str) -> String {
    to_hexadecimal(&Sha256::digest(content))[..8].to_owned()
}

/// Serves a folder on loopback, and remembers what was asked for.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let (folder, seen) = (folder.to_owned(), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that hangs up in the middle is one of the tests.
                let _ = answer(stream, &folder, &seen);
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, folder: &Path, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    let (status, body) = match fs::read(folder.join(path.trim_start_matches('/'))) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    asked.lock().unwrap().push(path);
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}

#[test]
fn a_package_comes_with_what_it_needs_and_nothing_is_written_twice() {
    let (board, index) = (UnixBoard::start(), Index::new());
    let greet = index.file("greet/__init__.py", "from words import hello\n");
    let words = index.file("words.py", "hello = 'good day'\n");
    index.package("py", "greet", &[greet], &[("words", "latest")]);
    index.package("py", "words", &[words], &[("greet", "latest")]);

    let (code, stdout, stderr) = install(&board, &["--index", index.path(), "greet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines = "+ /flash/lib/greet/__init__.py\n+ /flash/lib/words.py\n2 written, 0 unchanged\n";
    assert_eq!(stdout, lines);
    let program = "import sys; sys.path.append('/flash/lib'); import greet; print(greet.hello)";
    assert_eq!(flylead(&board, &["exec", program]).1, "good day\n");

    // What the board has by its hash is not even read again.
    fs::remove_dir_all(index.0.path().join("file")).unwrap();
    let (code, stdout, _) = install(&board, &["--index", index.path(), "greet"]);
    assert_eq!((code, stdout.as_str()), (0, "0 written, 2 unchanged\n"));
}

#[test]
fn a_wrong_hash_anywhere_leaves_the_board_as_it_is() {
    let (board, index) = (UnixBoard::start(), Index::new());
    let good = index.file("good.py", "good = 1\n");
    let bad = index.file("bad.py", "bad = 1\n");
    let hash = short_hash("bad = 1\n");
    index.write(&format!("file/{}/{hash}", &hash[..2]), "bad = 2\n");
    index.package("py", "both", &[good, bad], &[]);

    let (code, stdout, stderr) = install(&board, &["--index", index.path(), "both"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(
        stderr.contains("is not the file that its package expects"),
        "{stderr}"
    );
    assert!(!board.flash().join("lib").exists());
}

#[test]
fn a_file_that_leads_out_of_the_target_leaves_the_board_as_it_is() {
    let (board, index) = (UnixBoard::start(), Index::new());
    let good = index.file("good.py", "good = 1\n");
    let bad = index.file("../boot.py", "bad = 1\n");
    index.package("py", "both", &[good, bad], &[]);
    let (code, _, stderr) = install(&board, &["--index", index.path(), "both"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("\"../boot.py\" leads out"), "{stderr}");
    assert_eq!(fs::read_dir(board.flash()).unwrap().count(), 0);
}

#[test]
fn over_http_a_board_gets_its_compiled_files_or_sources_if_that_is_wanted() {
    let (board, index) = (UnixBoard::start(), Index::new());
    let compiled = index.file("x.mpy", "M\u{6}compiled");
    let source = index.file("x.py", "x = 1\n");
    index.package("6", "x", &[compiled], &[]);
    index.package("py", "x", &[source], &[]);
    let server = Server::start(index.0.path());

    let (code, stdout, stderr) = install(&board, &["--json", "--index", &server.url, "x@latest"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        report,
        json!({ "written": ["/flash/lib/x.mpy"], "unchanged": [] })
    );
    assert_eq!(server.asked()[0], "/package/6/x/latest.json");

    let arguments = ["--no-mpy", "--index", &server.url, "x"];
    assert_eq!(
        install(&board, &arguments).1,
        "+ /flash/lib/x.py\n1 written, 0 unchanged\n"
    );
    assert_eq!(server.asked()[2], "/package/py/x/latest.json");
}

#[test]
fn folders_files_and_urls_are_installed_without_an_index() {
    let (board, folder) = (UnixBoard::start(), Index::new());
    folder.write("pkg/src/a b.py", "a = 1\n");
    let urls = json!({ "urls": [["pkg/a.py", "src/a b.py"]] });
    let package = folder.write("pkg/package.json", urls.to_string());
    let urls = json!({ "urls": [["pkg/b.py", "src/b.py"]] });
    folder.write("web/package.json", urls.to_string());
    folder.write("web/src/b.py", "b = 1\n");
    folder.write("one.py", "one = 1\n");
    let server = Server::start(folder.0.path());

    let local = package.parent().unwrap().to_str().unwrap();
    let (web, one) = (
        format!("{}/web", server.url),
        format!("{}/one.py", server.url),
    );
    let (code, _, stderr) = install(&board, &[local, &web, &one]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lib = board.flash().join("lib");
    for (path, content) in [
        ("pkg/a.py", "a = 1\n"),
        ("pkg/b.py", "b = 1\n"),
        ("one.py", "one = 1\n"),
    ] {
        assert_eq!(fs::read_to_string(lib.join(path)).unwrap(), content);
    }
    assert_eq!(install(&board, &[&one]).1, "0 written, 1 unchanged\n");
}

#[test]
fn what_is_missing_or_too_long_is_said_with_its_address() {
    let (board, index) = (UnixBoard::start(), Index::new());
    index.write("package/py/long/latest.json", vec![b' '; 2 << 20]);
    let server = Server::start(index.0.path());
    let tls = server.url.replace("http:", "https:") + "/x.py";
    for (arguments, said) in [
        (
            vec!["--index", &server.url, "none"],
            "/package/py/none/latest.json",
        ),
        (
            vec!["--index", &server.url, "long"],
            "/package/py/long/latest.json: longer than 1048576 bytes",
        ),
        (vec![&tls], &tls),
        (
            vec!["some"],
            "some must be looked up in an index; name one with --index",
        ),
    ] {
        let (code, stdout, stderr) = install(&board, &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn libraries_go_where_the_board_imports_them_from() {
    let board = UnixBoard::start();
    let index = Index::new();
    let module = index.write("module.py", "print('imported')\n");
    let module = module.to_str().expect("its name is ASCII");
    assert_eq!(flylead(&board, &["install", module]).0, 0);
    let (code, stdout, stderr) = flylead(&board, &["exec", "import module"]);
    assert_eq!((code, stdout.as_str()), (0, "imported\n"), "{stderr}");
    assert!(board.flash().join("lib/module.py").exists());
}

/// A package from somebody else may have a link to a secret of this computer.
#[test]
fn a_link_that_leads_out_of_a_package_is_sent_only_if_asked_for() {
    let board = UnixBoard::start();
    let folder = Index::new();
    folder.write("secret.py", "secret = 1");
    folder.write("pkg/good.py", "good = 1");
    folder.write(
        "pkg/package.json",
        json!({ "urls": [["good.py", "good.py"], ["l.py", "l.py"]] }).to_string(),
    );
    let pkg = format!("{}/pkg", folder.path());
    std::os::unix::fs::symlink("../secret.py", format!("{pkg}/l.py")).unwrap();
    let (code, _, stderr) = install(&board, &[&pkg]);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("pkg/l.py is a link that leads out of its folder"),
        "{stderr}"
    );
    assert!(!board.flash().join("lib").exists(), "nothing is written");
    let (code, stdout, stderr) = install(&board, &["--unsafe-links", &pkg]);
    assert_eq!((code, stdout.contains("2 written")), (0, true), "{stderr}");
    // An index is a folder as well.
    let hidden = folder.file("x.py", "x = 1");
    folder.package("py", "x", std::slice::from_ref(&hidden), &[]);
    let hash = hidden[1].as_str().unwrap();
    let file = format!("{}/file/{}/{hash}", folder.path(), &hash[..2]);
    let outside = tempfile::tempdir().unwrap();
    let moved = outside.path().join("x");
    fs::rename(&file, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &file).unwrap();
    let (code, _, stderr) = install(&board, &["--index", folder.path(), "x"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("leads out of its folder"), "{stderr}");
}

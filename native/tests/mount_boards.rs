//! A folder of this computer on real boards, through the library and the command.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use flylead::{
    Board,
    link::{self, Address},
    mount::{Folder, News, Options, Session},
};
use flylead_tests::boards::{Blow, Faults, Microbit, Strike, UnixBoard, Wire};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

/// More than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    for (name, content) in files {
        write(&folder, name, content);
    }
    folder
}

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("it is below the folder")).unwrap();
    fs::write(path, content).unwrap();
}

fn mount(board: &Path, folder: &Path, then: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command.arg("--port").arg(board).arg("mount").arg(folder);
    command.arg("--").args(then).stdin(Stdio::null());
    command
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("it ends by itself");
    (code, text(&output.stdout), text(&output.stderr))
}

/// What a program prints that runs with the folder.
fn run(board: &Path, folder: &TempDir, program: &str) -> String {
    let output = mount(board, folder.path(), &["exec", program]).output();
    let (code, stdout, stderr) = told(&output.expect("flylead starts"));
    assert_eq!((code, stderr.as_str()), (0, ""), "{program}: {stdout}");
    stdout
}

fn address(path: &Path) -> Address {
    path.to_str().expect("its name is text").parse().unwrap()
}

#[test]
fn a_module_comes_whole_in_one_exchange_with_what_it_imports() {
    let board = UnixBoard::start();
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
    let trace = here.path().join("trace");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("--trace")
        .arg(&trace)
        .arg("--port")
        .arg(board.path());
    command
        .arg("mount")
        .arg(here.path())
        .args(["--", "exec", "import main"]);
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("flylead starts");
    assert_eq!(told(&output), (0, "1 15000\n".into(), String::new()));
    // main, with pkg, pkg.a and pkg.b.
    let conversation = fs::read_to_string(&trace).unwrap();
    assert_eq!(
        conversation.matches("\\x18\\x0fQ").count(),
        1,
        "{conversation}"
    );
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

const FILES: &str = "
import os
with open('data/lines.txt') as f:
 print(sum(int(l) for l in f), f.read())
f=open('data/big.bin','rb')
h=0
while 1:
 d=f.read(999)
 if not d:break
 for b in d:h=(h*31+b)&0xffffff
f.close()
print(h)
with open('new.txt','w') as f:
 for i in range(2000):f.write('line %d \u{e4}\\n'%i)
with open('new.txt','a') as f:f.write('end')
with open('new.txt') as f:print(len(f.read()))
with open('new.txt','r+') as f:
 f.seek(5)
 f.write('XX')
 f.seek(0)
 print(f.readline(),f.tell())
os.mkdir('d')
os.rename('new.txt','d/o.txt')
print(os.listdir('d'),os.stat('d/o.txt')[6],os.stat('d')[0])
os.chdir('d')
print(os.getcwd(),os.listdir(),len(open('/remote/data/lines.txt').read()))
os.chdir('..')
try:os.rmdir('d')
except OSError as e:print(e.errno)
try:open('d')
except OSError as e:print(e.errno)
try:open('new.txt')
except OSError as e:print(e.errno)
";

#[test]
fn files_are_read_written_listed_renamed_and_removed() {
    let board = UnixBoard::start();
    let here = folder(&[]);
    let big: Vec<u8> = (0..100_000u32)
        .map(|n| (n.wrapping_mul(n) >> 7) as u8)
        .collect();
    let sum = big.iter().fold(0u32, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into()) & 0x00ff_ffff
    });
    write(&here, "data/big.bin", &big);
    let lines: String = (1..=9000).map(|n| format!("{n}\n")).collect();
    write(&here, "data/lines.txt", &lines);
    let new: String = (0..2000)
        .map(|n| format!("line {n} \u{e4}\n"))
        .collect::<String>()
        + "end";
    let expected = format!(
        "40504500 \n{sum}\n{}\nline XX\u{e4}\n 10\n['o.txt'] {} 16384\n/remote/d ['o.txt'] {}\n39\n21\n2\n",
        new.chars().count(),
        new.len(),
        lines.len(),
    );
    let stdout = run(board.path(), &here, FILES);
    assert_eq!(stdout, expected);
    let changed = fs::read_to_string(here.path().join("d/o.txt")).unwrap();
    assert_eq!(changed, new.replacen("line 0 ", "line XX", 1));
}

#[test]
fn nothing_outside_of_the_folder_is_reached() {
    let board = UnixBoard::start();
    let secret = folder(&[
        ("secret.py", "S = 'leaked'\n"),
        ("d/secret.py", "S = 'leaked'\n"),
    ]);
    let here = folder(&[("in/a.py", "A = 1\n")]);
    let outside = secret.path();
    let up = Path::new("..").join(outside.file_name().unwrap());
    for (target, name) in [
        (outside.join("secret.py"), "absolute.py"),
        (up.join("secret.py"), "relative.py"),
        (outside.to_owned(), "folder"),
        (PathBuf::from(".."), "up"),
        (PathBuf::from("/"), "root"),
        (PathBuf::from("folder/secret.py"), "chain.py"),
        (PathBuf::from("in/a.py"), "inside.py"),
    ] {
        symlink(target, here.path().join(name)).unwrap();
    }
    Command::new("mkfifo")
        .arg(here.path().join("pipe"))
        .status()
        .unwrap();
    let name = outside.file_name().unwrap().to_str().unwrap();
    let program = format!(
        "import os
for p in ('absolute.py','relative.py','folder/secret.py','up/{name}/secret.py','root/etc/passwd','chain.py','../{name}/secret.py','in/../../{name}/secret.py','/remote/../{name}/secret.py','pipe'):
 for m in ('r','w','a'):
  try:
   open(p,m).close()
   print('opened',p,m)
  except (OSError,ValueError):pass
 for f in (os.remove,os.rmdir,lambda p:os.rename(p,'moved'),lambda p:os.rename('in/a.py',p),lambda p:os.mkdir(p+'/x')):
  if p!='pipe' and '/' in p:
   try:
    f(p)
    print('done',p)
   except (OSError,ValueError):pass
for m in ('absolute','relative','folder.secret','chain'):
 try:
  __import__(m)
  print('imported',m)
 except ImportError:pass
import inside
print(inside.A,sorted(os.listdir()))"
    );
    let stdout = run(board.path(), &here, &program);
    assert_eq!(stdout, "1 ['in', 'inside.py']\n");
    for file in ["secret.py", "d/secret.py"] {
        let content = fs::read_to_string(outside.join(file)).unwrap();
        assert_eq!(content, "S = 'leaked'\n");
    }
}

#[test]
fn a_folder_that_vanishes_is_an_error_on_the_board_and_can_come_again() {
    let board = UnixBoard::start();
    let outer = folder(&[("src/a.txt", "one")]);
    let src = outer.path().join("src");
    // Input goes to programs of `run`.
    let program = outer.path().join("program.py");
    fs::write(&program, "print(open('a.txt').read())\ninput()\ntry:open('a.txt')\nexcept OSError as e:print(e)\ninput()\nprint(open('a.txt').read())\n").unwrap();
    let mut child = mount(board.path(), &src, &["run", program.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    let mut said = Lines::of(&mut child);
    said.until("one");
    fs::remove_dir_all(&src).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\n").unwrap();
    said.until("[Errno 19] ENODEV");
    fs::create_dir(&src).unwrap();
    fs::write(src.join("a.txt"), "two").unwrap();
    stdin.write_all(b"\n").unwrap();
    said.until("two");
    drop(stdin);
    let (code, _, stderr) = told(&child.wait_with_output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("the folder is gone"), "{stderr}");
}

/// What a child prints, as it comes.
struct Lines {
    said: mpsc::Receiver<Vec<u8>>,
    seen: String,
}

impl Lines {
    fn of(child: &mut Child) -> Self {
        let mut stdout = child.stdout.take().expect("it is piped");
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                if sender.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let seen = String::new();
        Self { said, seen }
    }

    /// Waits for a text, and takes all up to its end.
    fn until(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let piece = self.said.recv_timeout(PATIENCE);
            let piece = piece.unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.seen));
            self.seen += &String::from_utf8_lossy(&piece);
        }
    }
}

#[test]
fn a_program_is_run_again_when_a_file_is_saved_and_not_when_it_saves_one() {
    let board = UnixBoard::start();
    let here = folder(&[("lib/part.py", "N = 'first'\n")]);
    let program =
        "import lib.part\nf=open('log.txt','w')\nf.write('x')\nf.close()\nprint(lib.part.N)\n";
    write(&here, "main.py", program);
    let main = here.path().join("main.py");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("--port")
        .arg(board.path())
        .arg("mount")
        .arg(here.path());
    command.args(["--watch", "--", "run"]).arg(&main);
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("flylead starts");
    let mut child = Killed(child);
    let mut said = Lines::of(&mut child.0);
    said.until("first");
    write(&here, "lib/part.py", "N = 'second'\n");
    said.until("second");
    // A program that raises does not end it, and one that runs is interrupted.
    write(&here, "lib/part.py", "raise ValueError\n");
    write(&here, "main.py", "print('endless')\nwhile True:pass\n");
    said.until("endless");
    write(&here, "main.py", "print('third')\n");
    said.until("third");
    assert!(!said.seen.contains("third"), "it ran again by itself");
}

/// A child that does not outlive its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_typed_ahead_reaches_a_program_that_imports() {
    let board = UnixBoard::start();
    let here = folder(&[("a.py", "A=1\n"), ("b.py", "B=2\n")]);
    write(
        &here,
        "main.py",
        "import a\nx=input()\nimport b\ny=input()\nprint(a.A,x,b.B,y)\n",
    );
    let main = here.path().join("main.py");
    let mut child = mount(board.path(), here.path(), &["run", main.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"one\ntwo\n")
        .unwrap();
    let (code, stdout, stderr) = told(&child.wait_with_output().unwrap());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.ends_with("1 one 2 two\n"), "{stdout}");
}

#[test]
fn a_board_without_file_systems_is_told_from_one_that_does_not_answer() {
    let board = Microbit::start();
    let here = folder(&[]);
    let output = mount(board.path(), here.path(), &["exec", "print(1)"]).output();
    let (code, stdout, stderr) = told(&output.expect("flylead starts"));
    assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
    assert!(stderr.contains("has no file systems to mount"), "{stderr}");
}

#[test]
fn the_board_has_no_folder_left_when_the_command_has_ended() {
    let board = UnixBoard::start();
    let here = folder(&[]);
    run(board.path(), &here, "print(1)");
    let output = Command::new(env!("CARGO_BIN_EXE_flylead"))
        .arg("--port")
        .arg(board.path())
        .args([
            "exec",
            "import os\nprint('remote' in os.listdir('/'),os.getcwd())",
        ])
        .output();
    let (code, stdout, _) = told(&output.unwrap());
    assert_eq!((code, stdout.as_str()), (0, "False /\n"));
}

/// A session that tells its news, which looks for the board again.
async fn session(path: &Path, folder: &TempDir) -> (Session, mpsc::Receiver<News>) {
    let (sender, news) = mpsc::channel();
    let mut options = Options::default();
    options.again = Some(address(path));
    options.news = Some(std::sync::Arc::new(move |told: &News| {
        let _ = sender.send(told.clone());
    }));
    let link = link::open(&address(path)).await.unwrap();
    let folder = Folder::open(folder.path()).unwrap();
    (Session::start(link, folder, options).await.unwrap(), news)
}

async fn until(link: &mut link::Link, text: &str) {
    let mut seen = Vec::new();
    let reading = async {
        while !seen.ends_with(text.as_bytes()) {
            seen.push(link.read_u8().await.expect("the link is open"));
        }
    };
    let read = timeout(PATIENCE, reading).await;
    assert!(
        read.is_ok(),
        "no {text:?} in {:?}",
        String::from_utf8_lossy(&seen)
    );
}

/// Waits for the prompt, and not for one that came before.
async fn ready(link: &mut link::Link) {
    link.write_all(b"print('re'+'ady')\r").await.unwrap();
    until(link, "ready\n>>> ").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_soft_reset_the_folder_is_there_when_the_prompt_is() {
    let board = UnixBoard::booting_in(Duration::from_millis(50));
    let here = folder(&[("a.py", "print('imported', 6*7)\n")]);
    let (session, _news) = session(board.path(), &here).await;
    let mut link = session.attach_lasting().await.unwrap();
    ready(&mut link).await;
    for _ in 0..5 {
        // At a soft reset this port leaves, and is started again.
        link.write_all(b"\x04").await.unwrap();
        until(&mut link, "information.\r\n>>> ").await;
        link.write_all(b"import a\r").await.unwrap();
        until(&mut link, "imported 42\n>>> ").await;
    }
    session.end().await;
}

/// On this port a soft reset ends the interpreter, which is started again a moment later.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_waits_for_the_folder_on_a_board_that_has_just_restarted() {
    let board = UnixBoard::booting_in(Duration::from_millis(50));
    let here = folder(&[("a.py", "print('imported', 6*7)\n")]);
    let (session, _news) = session(board.path(), &here).await;
    for _ in 0..5 {
        let mut typing = session.attach_lasting().await.unwrap();
        ready(&mut typing).await;
        typing.write_all(b"\x04").await.unwrap();
        until(&mut typing, "\r\n").await;
        let link = session.attach().await.unwrap();
        let mut board = Board::attach(link, Default::default(), None);
        let ran = timeout(PATIENCE, board.exec("import a")).await;
        assert_eq!(ran.unwrap().unwrap(), b"imported 42\n");
        board.release().await.unwrap();
    }
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_was_unplugged_has_the_folder_when_it_is_back() {
    let board = UnixBoard::start();
    let here = folder(&[("a.py", "print('imported', 6*7)\n")]);
    let port = here.path().join("port");
    let mut wire = Wire::attach(board.path(), Faults::default());
    symlink(wire.path(), &port).unwrap();
    let (session, _news) = session(&port, &here).await;
    let mut link = session.attach_lasting().await.unwrap();
    ready(&mut link).await;
    for _ in 0..3 {
        // Another terminal of this computer may have its name as soon as it is gone.
        fs::remove_file(&port).unwrap();
        wire.unplug();
        wire = Wire::attach(board.path(), Faults::default());
        symlink(wire.path(), &port).unwrap();
        until(&mut link, "information.\r\n>>> ").await;
        link.write_all(b"import a;import sys;del sys.modules['a']\r")
            .await
            .unwrap();
        until(&mut link, "imported 42\n>>> ").await;
    }
    session.end().await;
}

/// What `strike` does to the wire while a board copies a file of its folder; the copy is whole.
fn copied_through(strike: Strike) {
    // Between two REPLs the unix port gives its terminal back for a moment, in which Ctrl-C ends it (ports/unix/main.c): what
    // is started then has no folder, says nothing, and so is not struck.
    let is_done = (0..5).any(|_| was_copied_through(strike));
    assert!(is_done, "{strike:?} did not hit");
}

/// Whether the board had the folder when the program began.
fn was_copied_through(strike: Strike) -> bool {
    let board = UnixBoard::start();
    // What can be packed is, and then ends before the blow.
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state.wrapping_mul(state >> 16) >> 24) as u8
    };
    let content: Vec<u8> = (0..14_000).map(|_| random()).collect();
    let folder = folder(&[]);
    write(&folder, "data", &content);
    let wire = Wire::attach(board.path(), Faults::default());
    let program = "import os\nif os.getcwd()!='/remote':raise SystemExit\nprint('ready')\nd=open('data','rb').read()\nwith open('copy','wb') as f:f.write(d)\nprint(len(d))";
    // Counted by the wire: whoever read the word here would come at any time of the copying, or after it.
    wire.strike_after(b"ready", strike);
    let output = mount(wire.path(), folder.path(), &["exec", program])
        .output()
        .expect("flylead starts");
    let is_unhit = wire.mend();
    if is_unhit && output.stdout.is_empty() {
        return false;
    }
    assert!(!is_unhit, "{strike:?} did not hit: {output:?}");
    assert_eq!(told(&output).0, 0, "{strike:?}: {output:?}");
    let copy = fs::read(folder.path().join("copy")).unwrap();
    assert!(copy == content, "{strike:?}: {} bytes", copy.len());
    true
}

#[test]
fn bytes_that_a_bad_line_loses_changes_or_repeats_are_asked_for_again() {
    for blow in [Blow::Lose, Blow::Flip(3), Blow::Repeat] {
        for (to_board, after) in [(true, 5), (true, 1_200), (true, 9_000), (false, 40)] {
            copied_through(Strike {
                to_board,
                after,
                blow,
            });
        }
    }
}

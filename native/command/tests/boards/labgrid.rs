//! A lab on this computer: labgrid's own coordinator and exporter, ser2net, and real boards.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::{UnixBoard, command, labgrid_venv};
use tempfile::TempDir;

/// One lab for all of it: every question to labgrid is a Python that starts. The cases have places of their own.
#[test]
fn boards_of_a_lab_are_acquired_used_and_given_back() {
    let mut lab = Lab::start(&["one", "two", "three"]);
    thread::scope(|cases| {
        cases.spawn(|| a_place_is_given_back_however_the_command_ends(&lab, "one"));
        cases.spawn(|| a_place_of_ours_stays_ours_and_others_are_told_whose_it_is(&lab, "two"));
    });
    places_are_listed_and_used_by_their_tags_and_by_names(&lab);
    a_place_whose_exporter_is_gone_has_no_port(&mut lab, "one");
    a_coordinator_that_is_gone_is_told(&mut lab);
}

fn a_place_is_given_back_however_the_command_ends(lab: &Lab, place: &str) {
    let port = format!("labgrid:{place}");
    let with = |words: &[&str]| {
        let words = [&["--port", &port, "--acquire"], words].concat();
        lab.flylead(&words)
    };
    let file = lab.folder.path().join("file");
    fs::write(&file, [7; 20_000]).unwrap();
    let chain = [
        "exec",
        "print(6 * 7)",
        "+",
        "cp",
        file.to_str().unwrap(),
        ":copy",
    ];
    assert_eq!(must(with(&chain)), "42\n");
    assert!(lab.is_free(place));
    let copy = lab.boards[0].flash().join("copy");
    assert_eq!(fs::read(copy).unwrap(), [7; 20_000]);
    let (code, _, stderr) = told(with(&["exec", "1/0"]).output().unwrap());
    assert_eq!(code, 1, "{stderr}");
    assert!(lab.is_free(place));
    let mut killed = with(&["exec", "print('ready')\nwhile 1: pass"]);
    let mut killed = killed.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = [0; 6];
    let stdout = killed.stdout.as_mut().unwrap();
    stdout.read_exact(&mut line).unwrap();
    assert!(!lab.is_free(place));
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until("the place is given back", || lab.is_free(place));
}

fn a_place_of_ours_stays_ours_and_others_are_told_whose_it_is(lab: &Lab, place: &str) {
    let port = format!("labgrid:{place}");
    let exec = ["--port", &port, "exec", "print(1)"];
    let (code, _, stderr) = lab.run(&exec);
    assert_eq!(code, 3, "{stderr}");
    let nobody = format!("the place {place} is not acquired: use --acquire");
    assert!(stderr.contains(&nobody), "{stderr}");
    lab.client(&["-p", place, "acquire"]);
    let (code, stdout, stderr) = lab.run(&[&["--acquire"], &exec[..]].concat());
    assert_eq!((code, stdout.as_str()), (0, "1\n"), "{stderr}");
    assert!(stderr.contains("already yours"), "{stderr}");
    // It was not given back, so it needs no acquiring.
    assert_eq!(must(lab.flylead(&exec)), "1\n");
    for acquire in [&[][..], &["--acquire"]] {
        let mut other = lab.flylead(&[acquire, &exec].concat());
        other.env("LG_USERNAME", "somebody");
        let (code, _, stderr) = told(other.output().unwrap());
        assert_eq!(code, 7, "{stderr}");
        assert!(stderr.contains("tester"), "{stderr}");
    }
    let (code, _, stderr) = lab.run(&["--port", "labgrid:nowhere", "--acquire", "info"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("nowhere"), "{stderr}");
    lab.client(&["-p", place, "release"]);
}

fn places_are_listed_and_used_by_their_tags_and_by_names(lab: &Lab) {
    let listed = must(lab.flylead(&["ports", "--labgrid"]));
    let place = "labgrid:one    free  number=one,room=a";
    assert!(listed.contains(place), "{listed}");
    let selected = ["each", "--acquire", "labgrid:room=a"];
    let each = [&selected[..], &["--", "exec", "print('here')"]].concat();
    let stdout = must(lab.flylead(&each));
    let lines = stdout.lines().map(str::split_whitespace);
    let mut lines: Vec<Vec<_>> = lines.map(Iterator::collect).collect();
    lines.sort();
    let here = ["labgrid:one", "labgrid:two"].map(|place| [place, "here"]);
    assert_eq!(lines, here);
    let (code, _, stderr) = lab.run(&["each", "labgrid:room=c", "--", "info"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("no place has these tags"), "{stderr}");
    must(lab.flylead(&["ports", "name", "labgrid:three", "third"]));
    let exec = ["--port", "third", "--acquire", "exec", "print(3)"];
    assert_eq!(must(lab.flylead(&exec)), "3\n");
    let free = lab.client(&["-v", "places"]);
    assert_eq!(free.matches("acquired: None").count(), 3, "{free}");
}

fn a_place_whose_exporter_is_gone_has_no_port(lab: &mut Lab, place: &str) {
    lab.client(&["-p", place, "acquire"]);
    end(&mut lab.exporter);
    wait_until("the coordinator notices", || {
        lab.client(&["-p", place, "show"]).contains("Orphaned")
    });
    let port = format!("labgrid:{place}");
    let (code, _, stderr) = lab.run(&["--port", &port, "info"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("is its exporter running?"), "{stderr}");
}

fn a_coordinator_that_is_gone_is_told(lab: &mut Lab) {
    end(&mut lab.coordinator);
    let (code, _, stderr) = lab.run(&["--port", "labgrid:one", "--acquire", "info"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("oordinator"), "{stderr}");
}

#[test]
fn what_a_lab_needs_here_is_told() {
    let flylead = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args(words).stdin(Stdio::null());
        command.env("FLYLEAD_LABGRID_CLIENT", "/not/there/labgrid-client");
        told(command.output().unwrap())
    };
    let (code, _, stderr) = flylead(&["--port", "labgrid:one", "--acquire", "info"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("pip install labgrid"), "{stderr}");
    let (code, _, stderr) = flylead(&["--port", "/dev/null", "--acquire", "info"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("labgrid:PLACE"), "{stderr}");
}

/// A coordinator, an exporter with its ser2net, and the boards that it exports.
struct Lab {
    folder: TempDir,
    address: String,
    boards: Vec<UnixBoard>,
    coordinator: Child,
    exporter: Child,
}

impl Lab {
    /// Starts a lab with a board, and a place for it, for each of these names.
    fn start(names: &[&str]) -> Self {
        let _is_installed = command("ser2net");
        let folder = tempfile::tempdir().unwrap();
        let boards: Vec<_> = names.iter().map(|_| UnixBoard::start()).collect();
        // What a coordinator kept when it ended; `labgrid-client create` and three more for each place say the same.
        let places: String = names.iter().enumerate().map(place).collect();
        fs::write(folder.path().join("places.yaml"), places).unwrap();
        let exports: String = names.iter().zip(&boards).map(exported).collect();
        fs::write(folder.path().join("exports.yaml"), exports).unwrap();
        let words = ["-l", "127.0.0.1:0"];
        let coordinator = labgrid("labgrid-coordinator", &words, folder.path());
        let (coordinator, line) = spawn_until(coordinator, "listening on ");
        let (_, address) = line.rsplit_once(' ').unwrap();
        let words = ["-n", "exporter", "--hostname", "127.0.0.1", "exports.yaml"];
        let mut exporter = labgrid("labgrid-exporter", &words, folder.path());
        exporter.env("LG_COORDINATOR", address);
        let (exporter, _) = spawn_until(exporter, "connected to coordinator");
        let address = address.to_owned();
        let lab = Self {
            folder,
            address,
            boards,
            coordinator,
            exporter,
        };
        wait_until("the exporter has told of its boards", || {
            lab.client(&["resources"]).lines().count() == names.len()
        });
        lab
    }

    fn client(&self, words: &[&str]) -> String {
        let mut client = labgrid("labgrid-client", words, self.folder.path());
        must(client.env("LG_COORDINATOR", &self.address))
    }

    fn is_free(&self, place: &str) -> bool {
        self.client(&["-p", place, "show"])
            .contains("acquired: None")
    }

    fn flylead(&self, words: &[&str]) -> Command {
        let client = labgrid_venv().join("bin/labgrid-client");
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command
            .args(words)
            .env("FLYLEAD_LABGRID_CLIENT", client)
            .env("LG_COORDINATOR", &self.address)
            .env("LG_USERNAME", "tester")
            .env("LG_HOSTNAME", "bench")
            .env("XDG_CONFIG_HOME", self.folder.path())
            .env_remove("FLYLEAD_PORT")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> (i32, String, String) {
        told(self.flylead(words).output().unwrap())
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        end(&mut self.exporter);
        end(&mut self.coordinator);
    }
}

/// In the coordinator's own file. The last is in a room of its own.
fn place((number, name): (usize, &&str)) -> String {
    let room = if number < 2 { "a" } else { "b" };
    format!(
        "{name}:\n  matches: [{{exporter: exporter, group: group-{name}, cls: '*'}}]\n  \
         tags: {{number: {name}, room: {room}}}\n"
    )
}

fn exported((name, board): (&&str, &UnixBoard)) -> String {
    let path = fs::canonicalize(board.path()).unwrap();
    let path = path.display();
    format!("group-{name}:\n  RawSerialPort:\n    port: {path}\n    speed: 115200\n")
}

fn labgrid(program: &str, words: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(labgrid_venv().join("bin").join(program));
    command
        .args(words)
        .current_dir(folder)
        .env("LG_USERNAME", "tester")
        .env("LG_HOSTNAME", "bench")
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null());
    command
}

/// Starts a server, and waits for the line that says that it is there.
fn spawn_until(mut command: Command, text: &str) -> (Child, String) {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (tell, told) = mpsc::channel();
    let stdout = lines_of(child.stdout.take().unwrap());
    let stderr = lines_of(child.stderr.take().unwrap());
    for lines in [stdout, stderr] {
        let tell = tell.clone();
        // Read to the end, so that nothing waits for room in a pipe.
        thread::spawn(move || lines.for_each(|line| drop(tell.send(line))));
    }
    drop(tell);
    let deadline = Instant::now() + PATIENCE;
    let mut lines = Vec::new();
    loop {
        match told.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) if line.contains(text) => return (child, line),
            Ok(line) => lines.push(line),
            Err(error) => panic!("{error}: {lines:?}"),
        }
    }
}

fn lines_of(
    stream: impl std::io::Read + Send + 'static,
) -> Box<dyn Iterator<Item = String> + Send> {
    Box::new(BufReader::new(stream).lines().map_while(Result::ok))
}

/// Asks it to end, as the exporter must be asked to end its ser2net, too.
fn end(child: &mut Child) {
    let pid = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Runs a command that must succeed, and returns its output.
fn must(mut command: impl std::borrow::BorrowMut<Command>) -> String {
    let command = command.borrow_mut();
    let (code, stdout, stderr) = told(command.output().unwrap());
    assert_eq!(code, 0, "{command:?}: {stdout}{stderr}");
    stdout
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("it ends by itself");
    (code, text(&output.stdout), text(&output.stderr))
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

const PATIENCE: Duration = Duration::from_secs(90);

//! Tests the view, the permissions and the end of commands in a sandbox. Their attempts to escape
//! are in `attempts/`.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use flylead_native::shell::{Bound, Bounds, End, Limits, Mounts, Options, Ran, Sandbox, run_in};

/// A sandbox of each kind around a folder.
fn sandboxes(folder: &Path, network: bool) -> [Sandbox; 2] {
    let options = Options {
        network,
        ..Options::default()
    };
    [
        Sandbox::bubblewrap(folder, &options).unwrap(),
        Sandbox::landlock(folder, &options).unwrap(),
    ]
}

fn bubblewrap(folder: &Path, network: bool) -> Sandbox {
    let [bubblewrap, _] = sandboxes(folder, network);
    bubblewrap
}

fn run(folder: &Path, script: &str, sandbox: &Sandbox, limits: Limits) -> Ran {
    run_in(script, folder, limits, Some((sandbox, &Mounts::default()))).unwrap()
}

fn ran(folder: &Path, script: &str, sandbox: &Sandbox) -> (bool, String) {
    let Ran { end, output, .. } = run(folder, script, sandbox, Limits::default());
    let success = matches!(end, End::Exited(status) if status.success());
    (success, String::from_utf8_lossy(&output).into_owned())
}

#[test]
fn a_command_writes_in_its_workspace_and_its_own_temporary_folder() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("work");
    fs::create_dir(&folder).unwrap();
    for sandbox in sandboxes(&folder, false) {
        for good in [
            "echo x > a && mkdir -p d/e && mv a d/e/b && cat d/e/b && rm -r d",
            "echo x > \"$TMPDIR/x\" && cat \"$TMPDIR/x\"",
            "cat /etc/passwd > /dev/null && ls /usr/bin > list && head -c 4 /dev/urandom > noise",
            "printf 'echo hi' > script && chmod 755 script && ./script",
            "test $(cat missing || echo 3) = 3 && printf '%s' \"$0 'a' \\$\" > quoted",
        ] {
            let (success, said) = ran(&folder, good, &sandbox);
            assert!(success, "{good}\n{said}\n{}", sandbox.in_words());
        }
        let mark = format!("flylead-mark-{}", std::process::id());
        let script = format!("f=$TMPDIR/{mark}; echo x > $f; printf %s $f");
        let (_, said) = ran(&folder, &script, &sandbox);
        assert!(!Path::new(&said).exists(), "{said}");
    }
}

#[test]
fn a_command_has_its_own_localhost_and_no_other_network() {
    let folder = tempfile::tempdir().unwrap();
    let script = "import socket, threading
server = socket.create_server(('127.0.0.1', 0)); six = socket.create_server(('::1', 0), family=socket.AF_INET6)
threading.Thread(target=lambda: server.accept()[0].sendall(b'hello')).start()
print(socket.create_connection(server.getsockname()).recv(9), socket.getaddrinfo('localhost', 80)[0][4][0])
listener = socket.socket(socket.AF_UNIX); listener.bind('socket'); listener.listen()
socket.socket(socket.AF_UNIX).connect('socket')
try: socket.create_connection(('192.0.2.1', 80), 5)
except OSError as error: print(error.strerror)";
    fs::write(folder.path().join("local.py"), script).unwrap();
    let (_, said) = ran(
        folder.path(),
        "python3 local.py",
        &bubblewrap(folder.path(), false),
    );
    assert!(
        said.starts_with("b'hello' ") && said.ends_with("Network is unreachable\n"),
        "{said}"
    );
}

#[test]
fn with_the_network_there_are_internet_sockets_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let script = format!(
        "import socket
for family in (socket.AF_INET6, socket.AF_UNIX, socket.AF_PACKET, 38, 40):
    try: socket.socket(family, socket.SOCK_DGRAM); print('open', family)
    except OSError: print('refused')
one, other = socket.socketpair(); one.send(b'x'); print('pair', other.recv(1), socket.getaddrinfo('localhost', 1) != [])
socket.create_connection(('127.0.0.1', {port})); print('connected')"
    );
    fs::write(folder.path().join("net.py"), script).unwrap();
    for sandbox in sandboxes(folder.path(), true) {
        assert!(sandbox.in_words().contains("with the network"));
        let (_, said) = ran(folder.path(), "python3 net.py", &sandbox);
        let wanted = "open 10\nrefused\nrefused\nrefused\nrefused\npair b'x' True\nconnected\n";
        assert_eq!(said, wanted);
    }
}

#[test]
fn with_landlock_alone_there_is_no_socket_without_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let [_, landlock] = sandboxes(folder.path(), false);
    let (success, said) = ran(
        folder.path(),
        "python3 -c 'import socket; socket.socket()'",
        &landlock,
    );
    assert!(!success && said.contains("PermissionError"), "{said}");
}

/// The end of a command is reported as outside of a sandbox.
#[test]
fn exit_codes_signals_and_the_order_of_outputs_are_those_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = bubblewrap(folder.path(), false);
    for (script, code, printed) in [
        ("echo out; echo err >&2; exit 3", 3, "out\nerr\n"),
        ("printf '%s' 'a \"b\" \\ $c'", 0, "a \"b\" \\ $c"),
        ("kill -TERM $$", 143, ""),
        ("exec sh -c 'kill -KILL $$'", 137, ""),
        ("cat; echo $?", 0, "0\n"),
        ("no-such-program", 127, "not found"),
    ] {
        let Ran { end, output, .. } = run(folder.path(), script, &sandbox, Limits::default());
        let output = String::from_utf8_lossy(&output).into_owned();
        assert!(
            matches!(end, End::Exited(status) if status.code() == Some(code)),
            "{script}: {end:?} {output}"
        );
        assert!(output.contains(printed), "{script}: {output}");
    }
}

/// Counts the processes with this mark in their command lines, whoever their parents are.
fn survivors(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(mark))
        .count()
}

#[test]
fn processes_that_hide_end_with_the_command_or_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("33{:07}", std::process::id());
    let sleep = format!("sleep {mark}");
    let limits = Limits {
        timeout: Duration::from_millis(700),
        ..Limits::default()
    };
    for sandbox in sandboxes(folder.path(), false) {
        for shape in [
            format!("setsid {sleep} & (({sleep} &) &)"),
            format!("setsid sh -c \"trap '' TERM HUP; {sleep}; {sleep}\" & wait"),
            format!("nohup setsid sh -c 'kill -STOP $$; {sleep}' >/dev/null 2>&1 & {sleep}"),
            format!("trap '' TERM INT HUP; {sleep}; {sleep}"),
        ] {
            let ran = run(folder.path(), &shape, &sandbox, limits);
            assert_eq!((ran.survivors, survivors(&mark)), (0, 0), "{shape}");
        }
        let two = format!("{sleep} & setsid {sleep} & true");
        let ran = run(folder.path(), &two, &sandbox, Limits::default());
        assert!(matches!(ran.end, End::Exited(_)));
        assert_eq!(ran.left_behind, 2, "{}", sandbox.in_words());
    }
}

/// The end of the thread or the program that started it is the end of a command.
#[test]
fn an_agent_that_is_killed_takes_its_command_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("34{:07}", std::process::id());
    let agent = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_flylead"));
        let state = folder.path().join("state");
        command
            .current_dir(folder.path())
            .env("XDG_STATE_HOME", state);
        command
            .arg("agent")
            .args(arguments)
            .stdin(std::process::Stdio::null());
        command
    };
    fs::create_dir(folder.path().join("work")).unwrap();
    let new = agent(&["new", "--task", "t", "--workspace", "work"])
        .output()
        .unwrap();
    assert!(new.status.success());
    let reply = format!(
        "[RUN_COMMAND]\ntrap '' TERM HUP; setsid sleep {mark} & touch on; sleep {mark}\n[/RUN_COMMAND]\n"
    );
    fs::write(folder.path().join("reply"), reply).unwrap();
    let mut apply = agent(&["apply", "reply", "--yes"]).spawn().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !folder.path().join("work/on").exists() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    apply.kill().unwrap();
    apply.wait().unwrap();
    while survivors(&mark) > 0 {
        assert!(Instant::now() < deadline, "the command lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_command_that_takes_too_much_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = bubblewrap(folder.path(), false);
    let limits = Limits {
        bounds: Bounds {
            memory: 256 << 20,
            processes: 60,
            file: 1 << 20,
            ..Bounds::default()
        },
        ..Limits::default()
    };
    let one = "python3 -c 'x = b\"x\" * (400 << 20)'";
    let (_, said) = {
        let ran = run(folder.path(), one, &sandbox, limits);
        (ran.end, String::from_utf8_lossy(&ran.output).into_owned())
    };
    assert!(said.contains("MemoryError"), "{said}");
    let many = "for i in 1 2 3 4 5 6; do python3 -c 'x = b\"x\" * (100 << 20); import time; time.sleep(60)' & done; wait";
    let ran = run(folder.path(), many, &sandbox, limits);
    assert_eq!(ran.end, End::Exceeded(Bound::Memory));
    let bomb = "b() { b | b & sleep 1; }; b; sleep 1";
    let ran = run(folder.path(), bomb, &sandbox, limits);
    let out_of_processes = String::from_utf8_lossy(&ran.output).contains("annot fork");
    assert!(
        ran.end == End::Exceeded(Bound::Processes) || out_of_processes,
        "{:?}",
        ran.end
    );
    let (success, said) = {
        let ran = run(
            folder.path(),
            "head -c 2000000 /dev/zero > big",
            &sandbox,
            limits,
        );
        (ran.end, String::from_utf8_lossy(&ran.output).into_owned())
    };
    assert!(
        matches!(success, End::Exited(status) if !status.success()),
        "{said}"
    );
    assert_eq!(
        fs::metadata(folder.path().join("big")).unwrap().len(),
        1 << 20
    );
}

#[test]
fn a_command_has_no_more_processes_than_it_may_however_quickly_it_starts_them() {
    let folder = tempfile::tempdir().unwrap();
    let script = "import os, time
started = 0
try:
    while os.fork(): started += 1
    time.sleep(10)
except OSError:
    print('stopped at', started)";
    fs::write(folder.path().join("fork.py"), script).unwrap();
    let sandbox = bubblewrap(folder.path(), false);
    let bounds = Bounds {
        processes: 100,
        ..Bounds::default()
    };
    let limits = Limits {
        bounds,
        ..Limits::default()
    };
    let ran = run(folder.path(), "python3 fork.py", &sandbox, limits);
    let said = String::from_utf8_lossy(&ran.output);
    let count = said.trim().strip_prefix("stopped at ");
    match count.and_then(|count| count.parse::<u64>().ok()) {
        Some(count) => assert!(count <= bounds.processes, "{count}"),
        // It is counted where the kernel does not hold it: for the administrator of a container that has no groups.
        None => assert_eq!(ran.end, End::Exceeded(Bound::Processes), "{said}"),
    }
    assert_eq!(ran.survivors, 0);
}

#[test]
fn what_fails_because_of_the_sandbox_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = bubblewrap(folder.path(), false);
    for (script, wanted) in [
        ("touch /usr/x", "lets commands write only in the workspace"),
        (
            "python3 -c 'import urllib.request as u; u.urlopen(\"http://flylead.invalid\")'",
            "--network",
        ),
        ("unshare -U true", "refuses other namespaces"),
    ] {
        let ran = run(folder.path(), script, &sandbox, Limits::default());
        let hint = sandbox.hint(&ran.output).unwrap_or_default();
        assert!(hint.contains(wanted), "{script}: {hint}");
    }
}

const PATIENCE: Duration = Duration::from_secs(60);

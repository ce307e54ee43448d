//! Shell commands that try to get out of their sandbox.
#![cfg(target_os = "linux")]

use std::{fs, path::Path, time::Duration};

use flylead::shell::{End, Limits, Ran, Sandbox, run_in};

/// The sandbox of a folder. A kernel without one has to say so, and nothing else is to be seen there.
fn sandbox(folder: &Path, network: bool) -> Option<Sandbox> {
    match Sandbox::new(folder, network) {
        Ok(sandbox) => Some(sandbox),
        Err(why) => {
            assert!(why.contains("Landlock") || why.contains("seccomp"), "{why}");
            println!("no sandbox here: {why}");
            None
        }
    }
}

fn ran(folder: &Path, script: &str, sandbox: &Sandbox) -> (bool, String) {
    let Ran { end, output, .. } = run_in(script, folder, Limits::default(), Some(sandbox)).unwrap();
    let success = matches!(end, End::Exited(status) if status.success());
    (success, String::from_utf8_lossy(&output).into_owned())
}

#[test]
fn a_command_writes_in_its_workspace_and_its_own_temporary_folder_and_nowhere_else() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("work");
    let outside = top.path().join("outside");
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "kept").unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
    let Some(sandbox) = sandbox(&folder, false) else {
        return;
    };
    assert!(sandbox.in_words().contains("write only below"));
    for good in [
        "echo x > a && mkdir -p d/e && mv a d/e/b && cat d/e/b && rm -r d",
        "echo x > \"$TMPDIR/x\" && cat \"$TMPDIR/x\"",
        "cat /etc/passwd > /dev/null && ls /usr/bin > list && head -c 4 /dev/urandom > noise",
        "printf 'echo hi' > script && chmod +x script && ./script",
    ] {
        let (success, said) = ran(&folder, good, &sandbox);
        assert!(success, "{good}\n{said}");
    }
    let place = outside.display();
    for bad in [
        format!("echo x > {place}/new"),
        format!("echo x > {place}/kept"),
        "echo x > link/new".into(),
        "echo x >> link/kept".into(),
        format!("rm {place}/kept"),
        format!("mv list {place}/list"),
        format!("ln {place}/kept hard && echo x > hard"),
        format!("truncate -s 0 {place}/kept"),
        "echo x > ../new".into(),
        "cd link && echo x > new".into(),
        format!("sh -c 'setsid sh -c \"echo x > {place}/new\"'; test -e {place}/new"),
        "mknod -m 666 null c 1 3 && echo x > null && test -c null && mount -t tmpfs none link"
            .into(),
    ] {
        let (success, said) = ran(&folder, &bad, &sandbox);
        assert!(!success, "{bad}\n{said}");
    }
    let left: Vec<_> = fs::read_dir(&outside)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["kept"]);
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert!(!top.path().join("new").exists());
}

/// One socket, of each kind that could carry something away.
const SOCKETS: &str = "import socket, sys
for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM),
                     (socket.AF_INET6, socket.SOCK_DGRAM), (socket.AF_UNIX, socket.SOCK_STREAM)):
    try: socket.socket(family, kind); print('open', family, kind)
    except PermissionError: print('refused')
one, other = socket.socketpair(); one.send(b'x'); print('pair', other.recv(1))";

#[test]
fn there_is_no_network_unless_the_person_allows_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("python3 -c \"{SOCKETS}\"");
    if let Some(sandbox) = sandbox(folder.path(), false) {
        let (_, said) = ran(folder.path(), &script, &sandbox);
        assert_eq!(said, "refused\nrefused\nrefused\nrefused\npair b'x'\n");
    }
    if let Some(sandbox) = sandbox(folder.path(), true) {
        assert!(sandbox.in_words().contains("with the network"));
        let (_, said) = ran(
            folder.path(),
            "python3 -c 'import socket; socket.socket()' && echo open",
            &sandbox,
        );
        assert_eq!(said, "open\n");
    }
}

#[test]
fn a_command_reads_no_environment_of_the_agent_and_stops_no_other_process() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sandbox) = sandbox(folder.path(), false) else {
        return;
    };
    let agent = std::process::id();
    let (success, said) = ran(
        folder.path(),
        &format!("cat /proc/{agent}/environ"),
        &sandbox,
    );
    assert!(!success && said.contains("denied"), "{said}");
    let (_, said) = ran(
        folder.path(),
        &format!("kill -0 {agent} && echo can"),
        &sandbox,
    );
    // Kernels before 6.12 know no rule for signals; then the sandbox says that it is not whole.
    assert!(
        !said.contains("can") || sandbox.in_words().contains("older kernel"),
        "{said}"
    );
}

#[test]
fn the_folder_of_a_commands_own_is_gone_when_it_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sandbox) = sandbox(folder.path(), false) else {
        return;
    };
    let (_, said) = ran(
        folder.path(),
        "echo x > $TMPDIR/x; printf %s $TMPDIR",
        &sandbox,
    );
    assert!(
        said.contains("flylead-") && !Path::new(&said).exists(),
        "{said}"
    );
}

#[test]
fn processes_that_hide_end_inside_of_it_as_outside() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sandbox) = sandbox(folder.path(), false) else {
        return;
    };
    let mark = format!("33{:07}", std::process::id());
    let sleep = format!("sleep {mark}");
    let limits = Limits {
        timeout: Duration::from_millis(500),
        ..Limits::default()
    };
    for shape in [
        format!("setsid {sleep} & (({sleep} &) &)"),
        format!("setsid sh -c \"trap '' TERM HUP; {sleep}; {sleep}\" & wait"),
        format!("nohup setsid sh -c 'kill -STOP $$; {sleep}' >/dev/null 2>&1 & {sleep}"),
    ] {
        let ran = run_in(&shape, folder.path(), limits, Some(&sandbox)).unwrap();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        let left = lines
            .filter(|line| String::from_utf8_lossy(line).contains(&mark))
            .count();
        assert_eq!((ran.survivors, left), (0, 0), "{shape}");
    }
}

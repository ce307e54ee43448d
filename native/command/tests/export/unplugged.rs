//! A device with a battery that is unplugged again and again, and its log.

use std::{
    env,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use flylead_tests::boards::{Line, Recorder, exported};

use crate::bench::{Bench, finished, signal};
use rustix::process::Signal;

/// FLYLEAD_UNPLUGS=50 is the whole of it, in half a minute.
fn unplugs() -> usize {
    let count = env::var("FLYLEAD_UNPLUGS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(6)
}

/// A device as it is from one plug to the next.
#[derive(Default)]
struct Battery {
    commands: Mutex<Vec<String>>,
    rows: AtomicUsize,
    is_recording: AtomicBool,
    /// Exports that are cut in the middle.
    cuts: AtomicUsize,
    /// Path at which its port is found.
    place: OnceLock<PathBuf>,
}

impl Battery {
    fn plug(self: &Arc<Self>, port: &Path) -> Recorder {
        let it = Arc::clone(self);
        let device = Recorder::start(move |line, port: &mut Line| it.obey(line, port));
        self.place.get_or_init(|| port.to_owned());
        self.hide();
        symlink(device.path(), port).expect("the folder is ours");
        device
    }

    /// Removes its path before its port is gone: the port of another test's board may get that name at once.
    fn hide(&self) {
        if let Some(place) = self.place.get() {
            let _ = std::fs::remove_file(place);
        }
    }

    fn obey(&self, line: &str, port: &mut Line) {
        self.commands.lock().unwrap().push(line.to_owned());
        match line.split_once(" run_id=") {
            Some(("START", _)) => {
                self.is_recording.store(true, Ordering::SeqCst);
                port.say(b"OK: Recording\r\n");
            }
            Some(_) => {
                let log = exported(&self.log());
                if self.cuts.load(Ordering::SeqCst) > 0 {
                    self.cuts.fetch_sub(1, Ordering::SeqCst);
                    port.say(&log[..log.len() / 2]);
                    port.rest(Duration::from_millis(20));
                    self.hide();
                    return port.unplug();
                }
                port.say(&log);
            }
            None => {
                self.is_recording.store(false, Ordering::SeqCst);
                port.say(b"OK: Stopped\r\n");
            }
        }
    }

    fn log(&self) -> Vec<u8> {
        let rows = (0..self.rows.load(Ordering::SeqCst)).map(|row| format!("{row},{}\n", row * 7));
        format!("row,value\n{}", rows.collect::<String>()).into_bytes()
    }
}

/// `flylead export` with these words, at a port that comes and goes.
fn exporting(bench: &Bench, port: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("export")
        .args(words)
        .args(["--retries", "100", "--json", "--port"])
        .arg(port)
        .arg("--artifacts")
        .arg(bench.artifacts.path())
        .env("XDG_STATE_HOME", bench.state.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn a_device_that_is_unplugged_again_and_again_has_its_log_whole_and_the_absences_named() {
    let unplugs = unplugs();
    let folder = tempfile::tempdir().unwrap();
    let port = folder.path().join("port");
    let battery = Arc::new(Battery::default());
    let mut device = battery.plug(&port);
    let bench = Bench::new(Recorder::start(|_, _| ()));
    let mut command = exporting(&bench, &port, &["run", "run001", "--for", "1h"]);
    let child = command.spawn().expect("flylead starts");
    while !battery.is_recording.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(5));
    }
    // While it records: it has a battery, and records on.
    for _ in 0..unplugs / 2 {
        battery.rows.fetch_add(10, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(100));
        battery.hide();
        drop(device);
        thread::sleep(Duration::from_millis(60));
        device = battery.plug(&port);
    }
    thread::sleep(Duration::from_millis(300));
    signal(&child, Signal::INT);
    let (code, stdout, stderr) = finished(child);
    assert_eq!(code, 130, "{stdout} {stderr}");
    assert!(
        !battery.is_recording.load(Ordering::SeqCst),
        "it was told STOP: {stdout} {stderr}"
    );
    assert!(
        stdout.matches("away").count() >= unplugs / 2 - 1,
        "{stdout}"
    );

    // While its log is fetched.
    battery.cuts.store(unplugs / 2, Ordering::SeqCst);
    let mut command = exporting(&bench, &port, &["fetch", "run001"]);
    let child = command.spawn().expect("flylead starts");
    let mut left = unplugs / 2;
    while left > 0 {
        thread::sleep(Duration::from_millis(10));
        let now = battery.cuts.load(Ordering::SeqCst);
        if now < left {
            left = now;
            thread::sleep(Duration::from_millis(80));
            drop(device);
            device = battery.plug(&port);
        }
    }
    let (code, stdout, stderr) = finished(child);
    assert_eq!(code, 0, "{stdout} {stderr}");
    assert_eq!(bench.log().as_bytes(), battery.log());
    let manifest = std::fs::read_to_string(bench.file("sd/manifest.json")).unwrap();
    let named = format!("the device was unplugged {} times", unplugs / 2);
    assert!(
        manifest.contains(&named) && manifest.contains("crc32"),
        "{manifest}"
    );
    println!("{unplugs} times unplugged, the log whole");
}

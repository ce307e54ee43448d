//! Logs collected over a pseudo-terminal: whether a byte is lost, how fast it goes, and how much memory it takes.
//!
//! `cargo xtask bench collect`; `-- 10` does ten transfers instead of a hundred.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio, exit},
    thread,
    time::{Duration, Instant},
};

use flylead_core::export::{Config, RunId};
use flylead_native::{
    export::{Device, Options},
    link::{self, Address},
};
use flylead_tests::{
    bench::{fail, flylead, kilobytes},
    boards::{Recorder, exported},
    dice::Dice,
};

const TRANSFERS: usize = 100;
const LOG: usize = 10_000_000;
const GIBIBYTE: usize = 1 << 30;

fn main() {
    let transfers = env::args().nth(1).and_then(|text| text.parse().ok());
    let transfers = transfers.unwrap_or(TRANSFERS).max(1);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.unwrap_or_else(|fault| fail(&fault.to_string()));
    runtime.block_on(collect(transfers));
    remember();
}

/// Many transfers over one open port, in chunks of 1 to 4096 bytes with rests between them.
async fn collect(transfers: usize) {
    let mut dice = Dice::new(10);
    let logs: Vec<Vec<u8>> = (0..8).map(|_| rows(&mut dice)).collect();
    let sent: Vec<Vec<u8>> = logs.iter().map(|log| exported(log)).collect();
    let mut count = 0;
    let device = Recorder::start(move |_, port| {
        port.say_in_chunks(&sent[count % sent.len()], &mut dice);
        count += 1;
    });
    let artifacts = folder();
    let (mut lost, mut time) = (0, Duration::ZERO);
    let mut collector = attach(device.path()).await;
    let mut options = Options::default();
    options.artifacts = artifacts.path().to_owned();
    options.retries = 0;
    for index in 0..transfers {
        let run_id: RunId = format!("run{index:03}").parse().expect("a good name");
        let start = Instant::now();
        let saved = collector.fetch(&run_id, &options, |_| ()).await;
        let saved = saved.unwrap_or_else(|fault| fail(&format!("transfer {index}: {fault}")));
        time += start.elapsed();
        let log = fs::read(&saved.path).unwrap_or_default();
        lost += differences(&log, &logs[index % logs.len()]);
        let _ = fs::remove_dir_all(artifacts.path().join(run_id.as_str()));
    }
    collector.close().await;
    let rate = (transfers * LOG) as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{transfers} transfers of {LOG} bytes in chunks of 1 to 4096 bytes with rests: {lost} bytes lost or changed, {rate:.0} MB/s"
    );
    if lost > 0 {
        exit(1);
    }
}

async fn attach(port: &Path) -> Device {
    let address = Address::Serial {
        path: port.display().to_string(),
        baud: None,
    };
    match link::open(&address).await {
        Ok(link) => Device::attach(link, Config::default(), None),
        Err(fault) => fail(&fault.to_string()),
    }
}

/// Measures the command's own memory, for a log of a few bytes and for one of a gibibyte.
fn remember() {
    let small = measure(1000);
    let large = measure(GIBIBYTE);
    println!(
        "\n{:<28} {:>14} {:>14} {:>10}",
        "flylead export fetch", "own memory", "all of it", "time"
    );
    for (name, peak) in [("1000 bytes", small), ("1 GiB", large)] {
        println!(
            "{name:<28} {:>11} kB {:>11} kB {:>8.1} s",
            peak.own,
            peak.all,
            peak.time.as_secs_f64()
        );
    }
}

struct Peak {
    /// Memory not shared with the program's file.
    own: u64,
    all: u64,
    time: Duration,
}

fn measure(size: usize) -> Peak {
    let block = b"12345,67890,1\n".repeat(75_000);
    let device = Recorder::start(move |_, port| {
        port.say(format!("SIZE={size}\n").as_bytes());
        let mut left = size;
        while left > 0 {
            let length = left.min(block.len());
            port.say(&block[..length]);
            left -= length;
        }
        port.say(b"\r\nOK\r\n");
    });
    let artifacts = folder();
    let start = Instant::now();
    let mut child = Command::new(flylead())
        .arg("--port")
        .arg(device.path())
        .args(["export", "--limit", "2048", "--artifacts"])
        .arg(artifacts.path())
        .args(["fetch", "run001"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|fault| fail(&fault.to_string()));
    let mut peak = Peak {
        own: 0,
        all: 0,
        time: Duration::ZERO,
    };
    let status = loop {
        peak.own = peak.own.max(kilobytes(child.id(), "RssAnon"));
        peak.all = peak.all.max(kilobytes(child.id(), "VmHWM"));
        if let Ok(Some(status)) = child.try_wait() {
            break status;
        }
        thread::sleep(Duration::from_micros(200));
    };
    peak.time = start.elapsed();
    let length =
        fs::metadata(artifacts.path().join("run001/sd/log.csv")).map_or(0, |log| log.len());
    if !status.success() || length != size as u64 {
        fail("the log did not come whole");
    }
    peak
}

fn rows(dice: &mut Dice) -> Vec<u8> {
    let mut log = b"time,value\n".to_vec();
    while log.len() < LOG {
        log.extend_from_slice(format!("{},{}\n", log.len(), dice.below(1_000_000)).as_bytes());
    }
    log.truncate(LOG);
    log
}

fn differences(one: &[u8], other: &[u8]) -> usize {
    let changed = one
        .iter()
        .zip(other)
        .filter(|(left, right)| left != right)
        .count();
    changed + one.len().abs_diff(other.len())
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap_or_else(|fault| fail(&fault.to_string()))
}

//! The example device, on real MicroPython, collected by the real library over a pty.

use std::{fs, path::Path, time::Duration};

use flylead_core::{
    export::{Config, Failure, Hint, Integrity, RunId},
    raw_repl,
};
use flylead_native::{
    Board,
    export::{Device, Error, Options},
    link::{self, Address, Link},
};
use flylead_tests::boards::UnixBoard;

const SCRIPT: &str = include_str!("../../../native/examples/sd_logger.py");
const LIBRARY: &str = include_str!("../../../native/devices/micropython/flylead_recorder.py");
const POWER_CUTS: &str = include_str!("power_cuts.py");

async fn open(board: &UnixBoard) -> Link {
    let path = board.path().display().to_string();
    let address = Address::Serial { path, baud: None };
    link::open(&address)
        .await
        .expect("the board's pty can be opened")
}

/// Starts the script and leaves it running.
async fn start(board: &UnixBoard, script: &str) {
    let mut repl = Board::attach(open(board).await, raw_repl::Config::default(), None);
    let mut program = repl
        .start(script, None)
        .await
        .expect("the board takes a program");
    let mut said = Vec::new();
    while !said.ends_with(b"ready\n") {
        let output = program.next_output().await.expect("the script runs");
        said.extend(output.expect("the script does not end"));
    }
    repl.close().await;
}

#[tokio::test]
async fn a_micropython_script_records_and_its_log_comes_whole() {
    records(SCRIPT, "sd_logger 3").await;
}

#[tokio::test]
async fn the_library_for_micropython_records_and_its_log_comes_whole() {
    let program = "recorder = Recorder('.', ('ms', 'value'), device='greenhouse 2.1')\n\
        recorder.say('OK: it is ready')\n\
        while True:\n    recorder.poll()\n    if recorder.is_due(10):\n        \
        recorder.row(time.ticks_ms(), 7)\n    time.sleep_ms(1)\n";
    records(&[LIBRARY, program].concat(), "greenhouse 2.1").await;
}

async fn records(script: &str, firmware: &str) {
    let (board, artifacts) = (UnixBoard::start(), tempfile::tempdir().unwrap());
    start(&board, script).await;
    let mut device = Device::attach(open(&board).await, Config::default(), None);
    let mut options = Options::default();
    options.artifacts = artifacts.path().to_owned();
    let run = RunId::new("20260115_2112_run001").unwrap();

    let reply = device.start(&run).await.unwrap();
    assert!(reply.text.starts_with("OK: Recording"), "{reply:?}");
    let rows = board.flash().join("20260115_2112_run001.csv");
    wait_for(|| fs::metadata(&rows).is_ok_and(|rows| rows.len() > SOME_ROWS)).await;
    // Asking too early is answered at once, with what to do.
    let early = device.fetch(&run, &options, |_| ()).await.unwrap_err();
    assert_eq!(hint(&early), Some(Hint::SendStop), "{early}");
    device.stop().await.unwrap();

    let saved = device.fetch(&run, &options, |_| ()).await.unwrap();
    let log = fs::read(&saved.path).unwrap();
    let original = fs::read(board.flash().join("20260115_2112_run001.csv")).unwrap();
    assert_eq!(log, original);
    assert_eq!(saved.manifest.integrity, Integrity::Crc32);
    assert_eq!(saved.manifest.origin.firmware.as_deref(), Some(firmware));
    assert!(
        log.iter().filter(|byte| **byte == b'\n').count() > 5,
        "{} bytes",
        log.len()
    );

    refuses(&mut device, &options, artifacts.path()).await;
    device.close().await;
}

/// Runs the logger on simulated block devices, and cuts its power 200 times.
#[tokio::test]
async fn a_power_cut_loses_the_last_second_at_most_and_never_the_file() {
    let board = UnixBoard::start();
    let logger = SCRIPT
        .strip_suffix("\n\nmain()\n")
        .expect("its last line starts it");
    let program = [logger, POWER_CUTS].concat();
    let mut repl = Board::attach(open(&board).await, raw_repl::Config::default(), None);
    let printed = repl.exec(program).await.expect("no cut loses more");
    let printed = String::from_utf8(printed).unwrap();
    assert_eq!(printed.matches("100 cuts").count(), 2, "{printed}");
    repl.close().await;
}

/// More bytes than a header and five rows have.
const SOME_ROWS: u64 = 200;

/// Waits for what takes less than a second on a quiet machine.
async fn wait_for(condition: impl Fn() -> bool) {
    let wait = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
    waited.expect("the device records");
}

async fn refuses(device: &mut Device, options: &Options, artifacts: &Path) {
    let missing = RunId::new("missing").unwrap();
    let error = device.fetch(&missing, options, |_| ()).await.unwrap_err();
    assert_eq!(hint(&error), Some(Hint::CheckDevice), "{error}");
    assert!(!artifacts.join("missing/sd/log.csv").exists());
    let used = RunId::new("20260115_2112_run001").unwrap();
    let error = device.start(&used).await.unwrap_err();
    assert!(error.to_string().contains("has a log already"), "{error}");
}

fn hint(error: &Error) -> Option<Hint> {
    match error {
        Error::Failed {
            failure: failure @ Failure::DeviceError { .. },
            ..
        } => Some(failure.hint()),
        _ => None,
    }
}

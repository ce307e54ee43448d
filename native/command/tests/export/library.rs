//! Experiments on a device that is played by a few lines here, over a link in memory.

use std::{fs, path::Path, time::Duration};

use flylead_core::export::{Config, Failure, Integrity, RunId};
use flylead_native::{
    export::{Device, Error, Options, Progress},
    link::Link,
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

const LOG: &[u8] = b"t,v\n0,1\n";
const WHOLE: &[u8] =
    b"Received: EXPORT\r\nSIZE=8\r\nt,v\n0,1\n\nCRC32=351a4c1f\nOK: Exported 8 bytes\n";

/// A device that answers each line it gets with the next of these.
fn device(answers: Vec<&'static [u8]>) -> (Device, tokio::task::JoinHandle<Vec<String>>) {
    let (ours, theirs) = tokio::io::duplex(1024);
    let playing = tokio::spawn(play(theirs, answers));
    (
        Device::attach(Link::new(ours), Config::default(), None),
        playing,
    )
}

async fn play(stream: DuplexStream, answers: Vec<&'static [u8]>) -> Vec<String> {
    let mut stream = BufReader::new(stream);
    let mut received = Vec::new();
    for answer in answers {
        let mut line = String::new();
        stream.read_line(&mut line).await.expect("the PC speaks");
        received.push(line);
        stream.write_all(answer).await.expect("the PC listens");
    }
    // Stay until the PC leaves.
    let mut rest = String::new();
    let _ = stream.read_line(&mut rest).await;
    received
}

fn options(artifacts: &Path) -> Options {
    let mut options = Options::default();
    options.artifacts = artifacts.to_owned();
    options
}

fn run() -> RunId {
    RunId::new("run001").expect("a good name")
}

#[tokio::test]
async fn an_experiment_is_started_stopped_and_collected_over_one_open_link() {
    let artifacts = tempfile::tempdir().unwrap();
    let (mut device, playing) = device(vec![b"OK: Recording\r\n", b"OK: Stopped\r\n", WHOLE]);
    assert_eq!(
        device.start(&run()).await.unwrap().text,
        "OK: Recording\r\n"
    );
    assert_eq!(device.stop().await.unwrap().text, "OK: Stopped\r\n");
    let saved = device
        .fetch(&run(), &options(artifacts.path()), |_| ())
        .await
        .unwrap();
    device.close().await;
    assert_eq!(
        playing.await.unwrap(),
        ["START run_id=run001\n", "STOP\n", "EXPORT run_id=run001\n"]
    );
    assert_eq!(saved.path, artifacts.path().join("run001/sd/log.csv"));
    assert_eq!(fs::read(&saved.path).unwrap(), LOG);
    assert_eq!(saved.manifest.integrity, Integrity::Crc32);
    let chatter = fs::read_to_string(artifacts.path().join("run001/serial.log")).unwrap();
    assert_eq!(
        chatter,
        "Received: EXPORT\r\n\nCRC32=351a4c1f\nOK: Exported 8 bytes\n"
    );
}

#[tokio::test]
async fn f20_a_fault_on_the_way_is_asked_again_and_the_devices_own_no_is_not() {
    let artifacts = tempfile::tempdir().unwrap();
    let damaged = b"SIZE=8\nt,v\n0,2\n\nCRC32=351a4c1f\nOK\n";
    let (mut device_one, _playing) = device(vec![damaged, WHOLE]);
    let mut asked = Vec::new();
    let saved = device_one
        .fetch(&run(), &options(artifacts.path()), |progress| {
            if let Progress::Asked { after } = progress {
                asked.push(after.map(|failure| failure.code()));
            }
        })
        .await
        .unwrap();
    assert_eq!(asked, [None, Some("checksum_mismatch")]);
    assert_eq!(fs::read(saved.path).unwrap(), LOG);

    let (mut device_two, _playing) = device(vec![b"ERROR: Log file not found\r\n", WHOLE]);
    let error = device_two
        .fetch(&run(), &options(artifacts.path()), |_| ())
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::Failed {
                failure: Failure::DeviceError { .. },
                kept: None,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(
        fs::read(artifacts.path().join("run001/sd/log.csv")).unwrap(),
        LOG
    );
}

#[tokio::test]
async fn a_fetch_that_is_dropped_leaves_nothing_and_does_not_disturb_the_next() {
    let artifacts = tempfile::tempdir().unwrap();
    let (mut device, _playing) = device(vec![b"SIZE=4782\nhalf a lo", WHOLE]);
    let options = options(artifacts.path());
    let dropped = tokio::time::timeout(
        Duration::from_millis(500),
        device.fetch(&run(), &options, |_| ()),
    )
    .await;
    assert!(dropped.is_err(), "the device sends no more");
    assert_eq!(
        fs::read_dir(artifacts.path().join("run001/sd"))
            .unwrap()
            .count(),
        0
    );
    let saved = device.fetch(&run(), &options, |_| ()).await.unwrap();
    assert_eq!(fs::read(saved.path).unwrap(), LOG);
}

#[tokio::test]
async fn f23_a_device_that_is_unplugged_is_told_at_once() {
    let artifacts = tempfile::tempdir().unwrap();
    let (ours, theirs) = tokio::io::duplex(1024);
    let mut device = Device::attach(Link::new(ours), Config::default(), None);
    tokio::spawn(async move {
        let mut stream = BufReader::new(theirs);
        let mut line = String::new();
        stream.read_line(&mut line).await.expect("the PC speaks");
        stream
            .write_all(b"SIZE=4782\nt,v\n")
            .await
            .expect("the PC listens");
    });
    let error = device
        .fetch(&run(), &options(artifacts.path()), |_| ())
        .await
        .unwrap_err();
    let Error::Failed {
        failure: Failure::PortLost,
        kept: Some(partial),
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(fs::read(partial).unwrap(), b"t,v\n");
}

#[tokio::test]
async fn f15_a_board_that_restarts_when_its_port_is_opened_is_left_alone_for_two_seconds() {
    let (ours, theirs) = tokio::io::duplex(1024);
    let mut device = Device::attach(Link::new(ours), Config::default(), None);
    let mut theirs = BufReader::new(theirs);
    assert!(!device.settle(Duration::ZERO).await.unwrap());
    theirs
        .write_all(b"ets Jul 29 2019 12:21:46\r\n")
        .await
        .unwrap();
    let began = std::time::Instant::now();
    assert!(device.settle(Duration::from_secs(1)).await.unwrap());
    assert!(began.elapsed() >= Duration::from_secs(2));
    device.stop().await.unwrap();
    let mut received = String::new();
    theirs.read_line(&mut received).await.unwrap();
    assert_eq!(received, "STOP\n");
}

#[tokio::test]
async fn f4_a_log_that_the_disk_has_no_room_for_is_refused_at_its_header() {
    let artifacts = tempfile::tempdir().unwrap();
    let (mut device, _playing) = device(vec![b"SIZE=4782\nhalf a lo", WHOLE]);
    let mut greedy = options(artifacts.path());
    greedy.keep_free = u64::MAX / 2;
    let error = device.fetch(&run(), &greedy, |_| ()).await.unwrap_err();
    assert_eq!((error.code(), error.hint()), ("disk", "check_disk"));
    assert!(error.to_string().contains("4782 bytes"), "{error}");
    // The port is free again.
    let options = options(artifacts.path());
    let saved = device.fetch(&run(), &options, |_| ()).await.unwrap();
    assert_eq!(fs::read(saved.path).unwrap(), LOG);
}

#[tokio::test]
async fn an_error_in_answer_to_start_is_an_error() {
    let (mut device, _playing) = device(vec![b"ERROR: no card\r\n"]);
    let error = device.start(&run()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the device answered: ERROR: no card; check the device's output"
    );
}

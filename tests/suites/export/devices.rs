//! The libraries for devices, against the receiver: Arduino's in C++ on this computer, MicroPython's on its unix port.

use std::{fs, path::Path, process::Command};

use flylead_core::export::{Config, Integrity, RunId};
use flylead_native::export::{Device, Options};
use flylead_native::link::{self, Address};

/// Arduino's part of the program, as far as the library uses it.
const MOCK: &str = include_str!("devices/Arduino.h");
const MAIN: &str = include_str!("devices/main.cpp");
const LIBRARY: &str =
    include_str!("../../../native/devices/arduino/FlyleadRecorder/src/FlyleadRecorder.h");

fn compile(folder: &Path) {
    fs::write(folder.join("Arduino.h"), MOCK).unwrap();
    fs::write(folder.join("main.cpp"), MAIN).unwrap();
    fs::write(folder.join("FlyleadRecorder.h"), LIBRARY).unwrap();
    // What Arduino's own compilers are told, and all warnings besides.
    let compiled = Command::new("c++")
        .args(["-std=gnu++11", "-Wall", "-Wextra", "-Werror", "-Os", "-I."])
        .args(["-o", "device", "main.cpp"])
        .current_dir(folder)
        .output()
        .expect("a C++ compiler: install g++");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
}

#[tokio::test]
async fn the_library_for_arduino_records_and_its_log_comes_whole() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path());
    let command = format!("cd '{}' && exec ./device", folder.path().display());
    let link = link::open(&Address::Process(command)).await.unwrap();
    let mut device = Device::attach(link, Config::default(), None);
    let mut options = Options::default();
    options.artifacts = folder.path().join("artifacts");
    let run = RunId::new("run001").unwrap();

    assert!(device.stop().await.is_err(), "nothing is recording");
    let reply = device.start(&run).await.unwrap();
    assert!(reply.text.contains("OK: Recording"), "{reply:?}");
    assert!(
        device.fetch(&run, &options, |_| ()).await.is_err(),
        "it records"
    );
    device.stop().await.unwrap();
    // The first question has no number; the second one has, for the device has said that it reads them.
    for _ in 0..2 {
        let saved = device.fetch(&run, &options, |_| ()).await.unwrap();
        let log = fs::read(&saved.path).unwrap();
        assert_eq!(log, fs::read(folder.path().join("run001.csv")).unwrap());
        assert!(log.starts_with(b"ms,value\n0,0\n"), "{} bytes", log.len());
        assert_eq!(saved.manifest.integrity, Integrity::Crc32);
        assert_eq!(saved.manifest.origin.firmware.as_deref(), Some("mock 1.0"));
    }
    let chatter = fs::read_to_string(options.artifacts.join("run001/serial.log")).unwrap();
    assert!(chatter.contains("RUN=run001 REQ=0"), "{chatter}");
    let numbers = chatter.matches("RUN=run001 REQ=").count();
    assert!(
        numbers >= 3 && chatter.matches("REQ=0").count() < numbers,
        "{chatter}"
    );
    for (run, why) in [
        ("run001", "has a log already"),
        ("run001", "has a log already"),
    ] {
        let refused = device.start(&RunId::new(run).unwrap()).await.unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let missing = RunId::new("missing").unwrap();
    let error = device.fetch(&missing, &options, |_| ()).await.unwrap_err();
    assert!(error.to_string().contains("not found"), "{error}");
    device.close().await;
}

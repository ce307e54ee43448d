//! Tests the example logger on the makers' firmware, on an emulated Pico whose power is cut while it records.
//!
//! `FLYLEAD_PICO_CUTS=10 cargo xtask test pico` cuts ten times; `FLYLEAD_CUT_SEED` begins elsewhere.

use std::{fs, path::Path, time::Duration};

use flylead_core::export::{Config, Event};
use flylead_native::{
    export::Device,
    link::{self, Address},
};
use flylead_tests::boards::{Firmware, Pico};
use flylead_tests::dice::Dice;

use super::number;
use crate::common::{folder, must, write};

/// The logger, and its conversation.
struct Conversation {
    device: Device,
    said: String,
}

impl Conversation {
    async fn open(board: &Path) -> Self {
        let path = board.display().to_string();
        let link = link::open(&Address::Serial { path, baud: None }).await;
        let link = link.expect("the board's pty can be opened");
        Self {
            device: Device::attach(link, Config::default(), None),
            said: String::new(),
        }
    }

    async fn ask(&mut self, line: &str, answer: &str) {
        let sent = self.device.write(format!("{line}\r")).await;
        sent.expect("the board takes a line");
        self.wait(|said| said.contains(answer)).await;
    }

    /// Reads on until what was said so far is enough.
    async fn wait(&mut self, is_enough: impl Fn(&str) -> bool) {
        let read = async {
            while !is_enough(&self.said) {
                match self.device.next_event().await {
                    Some(Event::Chatter(bytes)) => {
                        self.said += &String::from_utf8_lossy(&bytes);
                    }
                    Some(_) => {}
                    None => panic!("the board has gone: {}", self.said),
                }
            }
        };
        if tokio::time::timeout(PATIENCE, read).await.is_err() {
            panic!("the board said only: {}", self.said);
        }
    }

    /// Returns the times in whole lines `LIVE rows: 7, ms: 1203, value: 5`, in milliseconds of the board.
    fn live(said: &str) -> Vec<i64> {
        let lines = said
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let times = lines.filter_map(|line| {
            let (_, rest) = line.strip_prefix("LIVE ")?.split_once("ms: ")?;
            rest.split(',').next()?.parse().ok()
        });
        times.collect()
    }
}

/// Records until the logger has told its progress so often, and a while longer. Returns the last time that it told.
async fn record(board: &Path, times: usize, later: Duration) -> i64 {
    let mut logger = Conversation::open(board).await;
    logger.ask("import sd_logger", "sd_logger is ready").await;
    logger.ask("START run_id=cut", "OK: Recording").await;
    let enough = |said: &str| Conversation::live(said).len() >= times;
    logger.wait(enough).await;
    tokio::time::sleep(later).await;
    // What came meanwhile counts as well.
    let meanwhile = async {
        while let Some(event) = logger.device.next_event().await {
            if let Event::Chatter(bytes) = event {
                logger.said += &String::from_utf8_lossy(&bytes);
            }
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(50), meanwhile).await;
    let last = Conversation::live(&logger.said).pop();
    logger.device.close().await;
    last.expect("it told at least once")
}

/// Returns the time of a log's last row. The log has its header, and no row that is damaged.
fn last_row(log: &str) -> i64 {
    let mut lines: Vec<_> = log.split('\n').collect();
    // The last row may be a part of one.
    lines.pop();
    assert_eq!(lines.first(), Some(&"ms,value"), "{log}");
    let mut rows = lines[1..].iter().map(|line| {
        let (ms, value) = line.split_once(',').unwrap_or_default();
        let [ms, value] = [ms, value].map(|number| number.parse::<i64>().expect(line));
        assert_eq!(value, (ms * 37) % 1009, "{line}");
        ms
    });
    rows.next_back().expect("there is a row")
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_power_cut_costs_a_logger_on_a_pico_a_second_at_most() {
    let Some(firmware) = Firmware::present().last() else {
        return;
    };
    let firmware = firmware.obtain().expect("it was there a moment ago");
    let home = folder();
    let flash = home.path().join("flash.img");
    let board = Pico::start_with(&firmware, &flash);
    let script = write(&home, "sd_logger.py", SCRIPT);
    let copy = ["--timeout", "120", "cp", &script, ":sd_logger.py"];
    must(board.path(), &copy);
    drop(board);

    let (cuts, seed) = (
        number("FLYLEAD_PICO_CUTS", 1),
        number("FLYLEAD_CUT_SEED", 1),
    );
    let mut dice = Dice::new(seed as u64);
    let runtime = tokio::runtime::Runtime::new().expect("there are threads");
    let mut worst = 0;
    for cut in 0..cuts {
        let image = home.path().join("cut.img");
        fs::copy(&flash, &image).expect("the image is there");
        let board = Pico::start_with(&firmware, &image);
        let times = 1 + dice.below(3);
        let later = Duration::from_millis(dice.below(LONGEST_WAIT_MS) as u64);
        let told = runtime.block_on(record(board.path(), times, later));
        drop(board);
        let board = Pico::start_with(&firmware, &image);
        let log = must(board.path(), &["--timeout", "120", "cat", ":cut.csv"]);
        let lost = told - last_row(&log);
        worst = worst.max(lost);
        let place = format!("seed {seed}, cut {cut} after {times} times and {later:?}");
        assert!(
            lost <= A_SECOND_MS,
            "{place}: {lost} ms before the last report are lost"
        );
        println!("{place}: {} bytes, {lost} ms lost", log.len());
    }
    println!("{cuts} cuts: at most {worst} ms before the last report are lost");
}

const SCRIPT: &str = include_str!("../../../../examples/sd_logger.py");
/// The logger's `FLUSH_MS`, and two of its periods, as a row is due before it is written.
const A_SECOND_MS: i64 = 1000 + 2 * 10;
/// Time that is up to two reports of the logger, on the emulator.
const LONGEST_WAIT_MS: usize = 10_000;
/// More than a report takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

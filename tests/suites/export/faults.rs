//! Ten thousand transfers, each with one thing gone wrong, through the real receiver and the real saver. The device is
//! written from the document and shares no code with them.

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::Path,
    thread,
    time::{Duration, SystemTime},
};

use flylead_core::{
    Input, Instant, Pump,
    export::{Collector, Config, Event, RunId},
};
use flylead_native::export::{Manifest, Origin, Saver};
use tempfile::TempDir;

pub(crate) mod device;
mod kinds;

use device::{Device, Random};
use kinds::FAULTS;

const TRANSFERS: u64 = 10_000;

#[test]
fn no_fault_makes_a_wrong_log_pass_for_a_right_one() {
    let parts = [0..TRANSFERS / 2, TRANSFERS / 2..TRANSFERS];
    let tables = thread::scope(|scope| {
        let parts = parts.map(|seeds| scope.spawn(|| transfers(seeds)));
        parts.map(|part| part.join().expect("each log that was accepted is right"))
    });
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    for (name, row) in tables.into_iter().flatten() {
        table.entry(name).or_default().add(&row);
    }
    print(&table);
    assert!(FAULTS.len() >= 20);
    let right: u32 = table.values().map(|row| row.right).sum();
    assert!(
        right > 800,
        "only {right} right logs were accepted: refusing everything proves nothing"
    );
    for name in ["none", "noise before the header", "answer lost"] {
        assert_eq!(table[name].refused, 0, "{name}: a right log was refused");
    }
}

/// Some of the transfers, one after the other to one disk.
fn transfers(seeds: Range<u64>) -> BTreeMap<&'static str, Row> {
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    let mut disk = Disk::new();
    for seed in seeds {
        let mut random = Random(seed);
        let fault = FAULTS[usize::try_from(seed).unwrap_or_default() % FAULTS.len()];
        let device = Device::new(&mut random);
        let stream = (fault.apply)(&device, &mut random);
        let received = disk.receive(&stream, fault.unplugged, &mut random);
        let row = table.entry(fault.name).or_default();
        row.count(&device, received.as_deref());
        if let Some(log) = &received
            && *log != device.log
        {
            let seen = device.has_checksum || (device.sized && fault.moves_the_end);
            assert!(
                !seen,
                "seed {seed}, {}: a wrong log was accepted",
                fault.name
            );
        }
    }
    table
}

/// Result of one kind of fault.
#[derive(Default)]
struct Row {
    refused: u32,
    right: u32,
    wrong_checked: u32,
    wrong_sized: u32,
    wrong_marked: u32,
}

impl Row {
    fn add(&mut self, more: &Self) {
        self.refused += more.refused;
        self.right += more.right;
        self.wrong_checked += more.wrong_checked;
        self.wrong_sized += more.wrong_sized;
        self.wrong_marked += more.wrong_marked;
    }

    fn count(&mut self, device: &Device, received: Option<&[u8]>) {
        let field = match received {
            None => &mut self.refused,
            Some(log) if log == device.log => &mut self.right,
            Some(_) if device.has_checksum => &mut self.wrong_checked,
            Some(_) if device.sized => &mut self.wrong_sized,
            Some(_) => &mut self.wrong_marked,
        };
        *field += 1;
    }
}

fn print(table: &BTreeMap<&str, Row>) {
    println!("{TRANSFERS} transfers, {} kinds of fault", table.len());
    println!(
        "{:32} {:>8} {:>8} | wrong, accepted: {:>8} {:>8} {:>8}",
        "fault", "refused", "right", "checksum", "SIZE", "BEGIN"
    );
    for (name, row) in table {
        println!(
            "{name:32} {:8} {:8} | {:>25} {:8} {:8}",
            row.refused, row.right, row.wrong_checked, row.wrong_sized, row.wrong_marked
        );
    }
    let sum = |field: fn(&Row) -> u32| table.values().map(field).sum::<u32>();
    println!(
        "{:32} {:8} {:8} | {:>25} {:8} {:8}",
        "sum",
        sum(|row| row.refused),
        sum(|row| row.right),
        sum(|row| row.wrong_checked),
        sum(|row| row.wrong_sized),
        sum(|row| row.wrong_marked)
    );
}

/// A folder of runs with a good log in it, which nothing but another good one may replace.
struct Disk {
    artifacts: TempDir,
    run_id: RunId,
    /// The log that was accepted last.
    log: Option<Vec<u8>>,
}

impl Disk {
    /// In memory where that can be had: ten thousand logs need not wait for a real disk.
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let artifacts = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir());
        Self {
            artifacts: artifacts.expect("a folder can be made"),
            run_id: RunId::new("run001").expect("a good name"),
            log: None,
        }
    }

    /// One export, saved; the log that is on the disk if it was accepted.
    fn receive(&mut self, stream: &[u8], unplugged: bool, random: &mut Random) -> Option<Vec<u8>> {
        let mut pump = converse(&self.run_id, stream, unplugged, random);
        let accepted = self.save(&mut pump, random);
        let log = fs::read(self.artifacts.path().join("run001/sd/log.csv")).ok();
        if accepted {
            self.log.clone_from(&log);
            return log;
        }
        assert!(log == self.log, "a refused log has changed the good one");
        None
    }

    fn save(&self, pump: &mut Pump<Collector>, random: &mut Random) -> bool {
        let mut saver =
            Some(Saver::begin(self.artifacts.path(), &self.run_id).expect("there is room"));
        let mut outcome = None;
        while let Some(event) = pump.poll_event() {
            match event {
                Event::Body(bytes) => {
                    let saver = saver.as_mut().expect("no byte comes after the end");
                    saver.write(&bytes).expect("there is room");
                }
                Event::Finished(receipt) => {
                    let saver = saver.take().expect("one answer");
                    let manifest = Manifest::new(
                        &self.run_id,
                        &receipt,
                        SystemTime::UNIX_EPOCH,
                        Origin::default(),
                    );
                    let saved = saver.publish(manifest).expect("there is room");
                    let length = fs::metadata(saved.path).expect("it is there").len();
                    assert_eq!(length, receipt.bytes);
                    outcome = Some(true);
                }
                Event::Failed { .. } => {
                    let saver = saver.take().expect("one answer");
                    if random.below(2) == 0 {
                        saver.keep_partial().expect("there is room");
                    }
                    outcome = Some(false);
                }
                _ => {}
            }
        }
        outcome.expect("every export ends")
    }
}

/// Asks for the log, hands the stream on in random pieces, and lets time pass until there is an answer.
fn converse(
    run_id: &RunId,
    stream: &[u8],
    unplugged: bool,
    random: &mut Random,
) -> Pump<Collector> {
    let mut pump = Pump::new(Collector::new(Config::default()));
    let mut now = Instant::START;
    pump.command(|machine| machine.export(now, run_id))
        .expect("nothing else is under way");
    now = pump
        .deadline()
        .expect("the silence before the command ends");
    pump.handle_input(now, Input::Timeout);
    assert_eq!(pump.take_transmit(), b"EXPORT run_id=run001\n");
    let mut rest = stream;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(random.between(1, 600).min(rest.len()));
        now += Duration::from_micros(500);
        pump.handle_input(now, Input::Bytes(chunk));
        rest = after;
    }
    if unplugged {
        pump.handle_input(now, Input::Closed);
    }
    while let Some(deadline) = pump.deadline() {
        pump.handle_input(deadline, Input::Timeout);
    }
    pump
}

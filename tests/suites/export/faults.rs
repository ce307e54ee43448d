//! Ten thousand transfers, each with one thing gone wrong, through the real receiver and the real saver. The device is
//! written from the document and shares no code with them.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use flylead::export::{Manifest, Saver};
use flylead_core::{
    Input, Instant, Pump,
    export::{Collector, Config, Event, RunId},
};
use tempfile::TempDir;

const TRANSFERS: u64 = 10_000;

#[test]
fn no_fault_makes_a_wrong_log_pass_for_a_right_one() {
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    let mut disk = Disk::new();
    for seed in 0..TRANSFERS {
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

/// What became of one kind of fault.
#[derive(Default)]
struct Row {
    refused: u32,
    right: u32,
    wrong_checked: u32,
    wrong_sized: u32,
    wrong_marked: u32,
}

impl Row {
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
                    let manifest = Manifest::new(&self.run_id, &receipt, SystemTime::UNIX_EPOCH);
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

/// A device and one log, as it would send it.
struct Device {
    log: Vec<u8>,
    sized: bool,
    has_checksum: bool,
    before: Vec<u8>,
    header: Vec<u8>,
    end: Vec<u8>,
    answer: Vec<u8>,
}

impl Device {
    fn new(random: &mut Random) -> Self {
        let line_end = random.one_of(&[&b"\n"[..], b"\r\n"]);
        let sized = random.below(10) < 7;
        let mut log = rows(random, line_end);
        if sized && random.below(4) == 0 {
            log.truncate(log.len() - line_end.len());
        }
        let checksum = random.below(2) == 0;
        let mut answer = Vec::new();
        if checksum {
            answer.extend_from_slice(format!("\nCRC32={:08x}\n", crc32(&log)).as_bytes());
        }
        let ok = format!("OK: Exported {} bytes from /sd/run001.csv\r\n", log.len());
        match random.below(3) {
            0 => {}
            1 if checksum => answer.extend_from_slice(ok.as_bytes()),
            _ => answer.extend_from_slice(format!("\r\n{ok}").as_bytes()),
        }
        Self {
            sized,
            has_checksum: checksum,
            before: random
                .one_of(&[&b""[..], b"Received: EXPORT run_id=run001\r\n"])
                .to_vec(),
            header: if sized {
                size_line(log.len())
            } else {
                b"BEGIN\n".to_vec()
            },
            end: if sized { Vec::new() } else { b"END\n".to_vec() },
            log,
            answer,
        }
    }

    fn send(&self) -> Vec<u8> {
        self.send_body(&self.log)
    }

    fn send_body(&self, body: &[u8]) -> Vec<u8> {
        [
            &self.before[..],
            &self.header,
            body,
            &self.end,
            &self.answer,
        ]
        .concat()
    }

    fn send_with_header(&self, header: &[u8]) -> Vec<u8> {
        [&self.before[..], header, &self.log, &self.end, &self.answer].concat()
    }

    /// Where in the stream the body begins.
    fn start(&self) -> usize {
        self.before.len() + self.header.len()
    }
}

/// One kind of thing that goes wrong.
#[derive(Clone, Copy)]
struct Fault {
    name: &'static str,
    /// Whether it changes how many bytes of the body come, or what follows them.
    moves_the_end: bool,
    /// Whether the link closes after the stream.
    unplugged: bool,
    /// The stream with the fault in it.
    apply: fn(&Device, &mut Random) -> Vec<u8>,
}

const FAULTS: &[Fault] = &[
    fault("none", true, |device, _| device.send()),
    fault("noise before the header", true, |device, random| {
        let line = b"I (3211) sd: SIZE=999 at 0x3f\r\n".repeat(random.between(1, 300));
        [line, device.send()].concat()
    }),
    fault("answer lost", true, |device, _| {
        let mut sent = device.send();
        if !device.has_checksum {
            sent.truncate(sent.len() - device.answer.len());
        }
        sent
    }),
    fault("one byte lost", true, |device, random| {
        let at = random.below(device.log.len());
        device.send_body(&[&device.log[..at], &device.log[at + 1..]].concat())
    }),
    fault("a run of bytes lost", true, |device, random| {
        let (from, to) = random.range(device.log.len());
        device.send_body(&[&device.log[..from], &device.log[to..]].concat())
    }),
    fault("120 bytes lost, as ESP32 does", true, |device, random| {
        let from = random.below(device.log.len().saturating_sub(120).max(1));
        device.send_body(
            &[
                &device.log[..from],
                &device.log[(from + 120).min(device.log.len())..],
            ]
            .concat(),
        )
    }),
    fault("bytes lost anywhere", true, |device, random| {
        let sent = device.send();
        let (from, to) = random.range(sent.len() - device.start());
        [&sent[..device.start() + from], &sent[device.start() + to..]].concat()
    }),
    fault("every line end lost", true, |device, _| {
        let log = device
            .log
            .iter()
            .copied()
            .filter(|byte| *byte != b'\n')
            .collect::<Vec<_>>();
        device.send_body(&log)
    }),
    fault("one byte doubled", true, |device, random| {
        let at = random.below(device.log.len());
        device.send_body(&[&device.log[..=at], &device.log[at..]].concat())
    }),
    fault("a run of bytes doubled", true, |device, random| {
        let (from, to) = random.range(device.log.len());
        device.send_body(&[&device.log[..to], &device.log[from..]].concat())
    }),
    fault("line ends translated", true, |device, _| {
        let log: Vec<u8> = device
            .log
            .iter()
            .flat_map(|byte| {
                if *byte == b'\n' {
                    vec![b'\r', b'\n']
                } else {
                    vec![*byte]
                }
            })
            .collect();
        device.send_body(&log)
    }),
    fault("a log line in the body", true, |device, random| {
        insert(device, random, b"W (9182) wifi: beacon lost\r\n")
    }),
    fault("an echo in the body", true, |device, random| {
        insert(device, random, b"EXPORT run_id=run001\r\n")
    }),
    fault("bytes added", true, |device, random| {
        let noise: Vec<u8> = (0..random.between(1, 40)).map(|_| random.byte()).collect();
        insert(device, random, &noise)
    }),
    fault("silence in the body", true, |device, random| {
        device.send()[..device.start() + random.below(device.log.len())].to_vec()
    }),
    fault("a reboot in the body", true, |device, random| {
        reboot(device, random, b"ready\r\n")
    }),
    fault(
        "a reboot and a talkative program",
        true,
        |device, random| {
            let program = b"t=12.5 h=40.1\r\n".repeat(random.between(1, 120));
            reboot(device, random, &program)
        },
    ),
    fault(
        "the card stops, the answer follows",
        true,
        |device, random| device.send_body(&device.log[..random.below(device.log.len())]),
    ),
    fault("the card stops with an error", true, |device, random| {
        let mut sent = device.send()[..device.start() + random.below(device.log.len())].to_vec();
        sent.extend_from_slice(b"\r\nERROR: SD read failed\r\n");
        sent
    }),
    Fault {
        unplugged: true,
        ..fault("unplugged", true, |device, random| {
            device.send()[..random.below(device.start() + device.log.len())].to_vec()
        })
    },
    fault("the size is too small", true, |device, random| {
        device.send_with_header(&size_line(random.below(device.log.len())))
    }),
    fault("the size misses whole rows", true, |device, random| {
        let ends: Vec<usize> = device
            .log
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at)
            .collect();
        let end = random.one_of(&ends[..ends.len() - 1]);
        device.send_with_header(&size_line(end + random.below(2)))
    }),
    fault("the size is too large", true, |device, random| {
        device.send_with_header(&size_line(device.log.len() + random.between(1, 200)))
    }),
    fault("the size counts the answer in", true, |device, _| {
        device.send_with_header(&size_line(device.log.len() + device.answer.len().max(1)))
    }),
    fault("a size bomb", true, |device, _| {
        device.send_with_header(b"SIZE=999999999999\n")
    }),
    fault("a negative size", true, |device, _| {
        device.send_with_header(b"SIZE=-5\n")
    }),
    fault("the header is lost", true, |device, _| {
        device.send_with_header(b"")
    }),
    fault("the header comes twice", true, |device, _| {
        device.send_with_header(&[&device.header[..], &device.header].concat())
    }),
    fault("both framings at once", true, |device, _| {
        device.send_body(&[b"BEGIN\n", &device.log[..], b"END\n"].concat())
    }),
    fault("an error instead of a log", true, |_, _| {
        b"ERROR: Log file not found\r\n".to_vec()
    }),
    fault("a row END", true, |device, _| {
        let middle = device
            .log
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        device.send_body(&[&device.log[..middle], b"END\n", &device.log[middle..]].concat())
    }),
    fault("one bit flipped in the body", false, |device, random| {
        let mut log = device.log.clone();
        let at = random.below(log.len());
        log[at] ^= 1 << random.below(8);
        device.send_body(&log)
    }),
    fault("one bit flipped anywhere", false, |device, random| {
        let mut sent = device.send();
        let at = random.below(sent.len());
        sent[at] ^= 1 << random.below(8);
        sent
    }),
    fault("two rows swapped", false, |device, random| {
        let mut rows: Vec<&[u8]> = device.log.split_inclusive(|byte| *byte == b'\n').collect();
        let at = random.below(rows.len() - 2);
        rows.swap(at, at + 1);
        device.send_body(&rows.concat())
    }),
    fault("bytes overwritten", false, |device, random| {
        let mut log = device.log.clone();
        let (from, to) = random.range(log.len());
        log[from..to.min(from + 30)].fill(b'#');
        device.send_body(&log)
    }),
];

const fn fault(
    name: &'static str,
    moves_the_end: bool,
    apply: fn(&Device, &mut Random) -> Vec<u8>,
) -> Fault {
    Fault {
        name,
        moves_the_end,
        unplugged: false,
        apply,
    }
}

fn insert(device: &Device, random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let at = random.below(device.log.len());
    device.send_body(&[&device.log[..at], bytes, &device.log[at..]].concat())
}

fn reboot(device: &Device, random: &mut Random, program: &[u8]) -> Vec<u8> {
    let sent = device.send();
    let banner = random.one_of(&[
        &b"ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"[..],
        b"\r\nGuru Meditation Error: Core  1 panic'ed (LoadProhibited)\r\nRebooting...\r\n",
        b"ESP-ROM:esp32c3-api1-20210207\r\nrst:0x3 (RTC_SW_SYS_RST),boot:0xc\r\n",
        b"MPY: soft reboot\r\nMicroPython v1.26.0 on 2025-08-09; Raspberry Pi Pico with RP2040\r\n>>> ",
    ]);
    [
        &sent[..device.start() + random.below(device.log.len())],
        banner,
        program,
    ]
    .concat()
}

fn size_line(size: usize) -> Vec<u8> {
    format!("SIZE={size}\n").into_bytes()
}

/// A log of 4 to 200 rows.
fn rows(random: &mut Random, line_end: &[u8]) -> Vec<u8> {
    let mut log = [b"time,value,state", line_end].concat();
    for time in 0..random.between(4, 200) {
        let state = random.one_of(&["ok", "OK", "ERR", ""]);
        let row = format!(
            "{}.{:03},{},{state}",
            time / 10,
            random.below(1000),
            random.below(100_000)
        );
        log.extend_from_slice(row.as_bytes());
        log.extend_from_slice(line_end);
    }
    log
}

/// CRC-32, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
    !bytes
        .iter()
        .fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

/// SplitMix64: the same numbers for the same seed, for ever.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("less than a usize")
    }

    fn between(&mut self, first: usize, end: usize) -> usize {
        first + self.below(end - first)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// A range of at least one and at most 200 in `0..length`.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.below(length);
        (from, (from + self.between(1, 201)).min(length))
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

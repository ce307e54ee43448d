//! Kinds of faults.

use super::device::{Device, Random, size_line};

/// One kind of thing that goes wrong.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// True if it changes the number of received bytes of the body, or the data after them.
    pub(super) moves_the_end: bool,
    /// True if the link closes after the stream.
    pub(super) unplugged: bool,
    /// The stream with the fault in it.
    pub(super) apply: fn(&Device, &mut Random) -> Vec<u8>,
}

pub(super) const FAULTS: &[Fault] = &[
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

pub(super) const fn fault(
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

pub(super) fn insert(device: &Device, random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let at = random.below(device.log.len());
    device.send_body(&[&device.log[..at], bytes, &device.log[at..]].concat())
}

pub(super) fn reboot(device: &Device, random: &mut Random, program: &[u8]) -> Vec<u8> {
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

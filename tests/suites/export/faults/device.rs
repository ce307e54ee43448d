//! A device and one log, written from the document.

/// A device and one log, as it would send it.
pub(crate) struct Device {
    pub(crate) log: Vec<u8>,
    pub(crate) sized: bool,
    pub(crate) has_checksum: bool,
    pub(crate) before: Vec<u8>,
    pub(crate) header: Vec<u8>,
    pub(crate) end: Vec<u8>,
    pub(crate) answer: Vec<u8>,
}

impl Device {
    pub(crate) fn new(random: &mut Random) -> Self {
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

    pub(crate) fn send(&self) -> Vec<u8> {
        self.send_body(&self.log)
    }

    pub(crate) fn send_body(&self, body: &[u8]) -> Vec<u8> {
        [
            &self.before[..],
            &self.header,
            body,
            &self.end,
            &self.answer,
        ]
        .concat()
    }

    pub(crate) fn send_with_header(&self, header: &[u8]) -> Vec<u8> {
        [&self.before[..], header, &self.log, &self.end, &self.answer].concat()
    }

    /// Start of the body in the stream.
    pub(crate) fn start(&self) -> usize {
        self.before.len() + self.header.len()
    }
}

pub(crate) fn size_line(size: usize) -> Vec<u8> {
    format!("SIZE={size}\n").into_bytes()
}

/// A log of 4 to 200 rows.
pub(crate) fn rows(random: &mut Random, line_end: &[u8]) -> Vec<u8> {
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
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
    !bytes
        .iter()
        .fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

/// SplitMix64: the same numbers for the same seed, forever.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("less than a usize")
    }

    pub(crate) fn between(&mut self, first: usize, end: usize) -> usize {
        first + self.below(end - first)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// A range of at least one and at most 200 in `0..length`.
    pub(crate) fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.below(length);
        (from, (from + self.between(1, 201)).min(length))
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

//! A device that records experiments, on a pseudo-terminal. It is written from the protocol's document and shares no
//! code with the receiver.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use super::line::{
    tty::Tty,
    worker::{End, Worker},
};
use crate::dice::Dice;

/// A device that answers each line with what it was told to, for as long as this is not dropped.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    received: Arc<Mutex<Vec<String>>>,
    _worker: Worker,
}

/// The device's end of the line.
#[derive(Debug)]
pub struct Line {
    tty: Option<Tty>,
    end: End,
}

impl Recorder {
    /// Plugs a device in; `answer` is called with each line that it receives.
    ///
    /// # Panics
    /// When the system has no more pseudo-terminals.
    pub fn start(answer: impl FnMut(&str, &mut Line) + Send + 'static) -> Self {
        let (tty, path) = Tty::pair().expect("the system has a pseudo-terminal");
        // Held, so that the line stays as it is between two clients, as a device's does.
        let other = Tty::open(&path).expect("the line has another end");
        let received = Arc::default();
        let lines = Arc::clone(&received);
        let worker = Worker::start(move |end| {
            let line = Line {
                tty: Some(tty),
                end,
            };
            serve(line, &lines, answer);
            drop(other);
        });
        Self {
            path,
            received,
            _worker: worker,
        }
    }

    /// A device that has these logs, each sent with its size and its checksum, and records nothing.
    #[must_use]
    pub fn with_log(log: impl Into<Vec<u8>>) -> Self {
        let log = log.into();
        Self::start(move |line, port| match line.split_once(" run_id=") {
            Some(("EXPORT", _)) => port.say(&exported(&log)),
            Some(("START", _)) => port.say(b"OK: Recording\r\n"),
            _ if line == "STOP" => port.say(b"OK: Stopped\r\n"),
            _ => port.say(b"ERROR: unknown command\r\n"),
        })
    }

    /// The port's name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lines it has received so far.
    #[must_use]
    pub fn received(&self) -> Vec<String> {
        self.received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Line {
    /// Sends these bytes, as fast as the line takes them. A client that has gone misses the rest.
    pub fn say(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_over() {
            let Some(tty) = &mut self.tty else { return };
            let end = bytes.len().min(4096);
            match tty.write(&bytes[..end]) {
                0 => thread::sleep(Duration::from_micros(200)),
                count => bytes = &bytes[count..],
            }
        }
    }

    /// Sends these bytes in chunks of 1 to 4096, resting now and then.
    pub fn say_in_chunks(&mut self, mut bytes: &[u8], dice: &mut Dice) {
        while !bytes.is_empty() && !self.is_over() {
            let (chunk, rest) = bytes.split_at((1 + dice.below(4096)).min(bytes.len()));
            self.say(chunk);
            bytes = rest;
            if dice.once_in(50) {
                self.rest(Duration::from_micros(dice.below(2000) as u64));
            }
        }
    }

    /// Says nothing for a while.
    pub fn rest(&self, time: Duration) {
        thread::sleep(time);
    }

    /// Pulls the cable: whoever has the port open loses it.
    pub fn unplug(&mut self) {
        self.tty = None;
    }

    fn is_over(&self) -> bool {
        self.end.is_over()
    }
}

/// A log as a device with a checksum sends it.
#[must_use]
pub fn exported(log: &[u8]) -> Vec<u8> {
    let trailer = format!(
        "\nCRC32={:08x}\nOK: Exported {} bytes\r\n",
        crc32(log),
        log.len()
    );
    [
        format!("SIZE={}\n", log.len()).as_bytes(),
        log,
        trailer.as_bytes(),
    ]
    .concat()
}

/// CRC-32, with a table of 256 entries.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
    let table: Vec<u32> = (0..256).map(|byte| (0..8).fold(byte, bit)).collect();
    !bytes.iter().fold(!0, |crc, byte| {
        table[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8)
    })
}

fn serve(mut line: Line, received: &Mutex<Vec<String>>, mut answer: impl FnMut(&str, &mut Line)) {
    let mut unfinished = Vec::new();
    while !line.is_over() {
        let Some(tty) = &mut line.tty else { return };
        unfinished.extend(tty.read(Duration::from_millis(50)).unwrap_or_default());
        while let Some(end) = unfinished.iter().position(|byte| *byte == b'\n') {
            let command: Vec<u8> = unfinished.drain(..=end).collect();
            let command = String::from_utf8_lossy(&command).trim_end().to_owned();
            received
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(command.clone());
            answer(&command, &mut line);
        }
    }
}

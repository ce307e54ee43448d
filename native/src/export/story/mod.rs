//! History of every line sent and received over a port, with its time, on disk.

pub(crate) mod lines;
pub(crate) mod serial_log;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use flylead_core::export::Event;

use super::place::Place;
use crate::link::Address;
use lines::Lines;

/// History of one port: a file to which every program appends lines, and which survives the programs, restarts of the
/// device and unplugging.
///
/// ```text
/// 2026-11-24T17:00:00.123Z > START run_id=run001
/// 2026-11-24T17:00:00.131Z < OK: Recording
/// 2026-11-24T17:00:05.002Z ! closed
/// ```
///
/// Clones share it. It works on a best-effort basis: a disk that rejects a line stops nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Story(Arc<Mutex<Option<Book>>>);

#[derive(Debug)]
struct Book {
    file: PathBuf,
    incoming: Lines,
}

/// Returns the path of the file with every line sent and received over a port, in the person's folder for state; `None`
/// if there is no such folder, or for an address that may lead to any port. An older part of the history has the same
/// name with `.1` appended.
#[must_use]
pub fn history_of(address: &Address) -> Option<PathBuf> {
    Some(Place::of(address)?.file("history", "log"))
}

impl Story {
    /// Begins to write, if the address has a history.
    pub(super) fn open(&self, address: &Address) {
        *self.book() = history_of(address).map(|file| Book {
            file,
            incoming: Lines::default(),
        });
    }

    /// Records bytes that are being sent.
    pub(super) fn sent(&self, bytes: &[u8]) {
        if let Some(book) = &mut *self.book() {
            let text = String::from_utf8_lossy(bytes);
            text.lines().for_each(|line| book.write('>', line));
        }
    }

    /// Records an event of the device. Bodies of logs are not recorded again.
    pub(super) fn happened(&self, event: &Event) {
        let Some(book) = &mut *self.book() else {
            return;
        };
        match event {
            Event::Chatter(bytes) => book.received(bytes),
            Event::Body(_) => {}
            Event::Asked
            | Event::Reset
            | Event::Begun(_)
            | Event::Finished(_)
            | Event::Failed { .. }
            | Event::Closed => book.write('!', &event.to_string()),
        }
    }

    /// Adds a note to the history.
    pub(super) fn note(&self, text: &str) {
        if let Some(book) = &mut *self.book() {
            book.write('!', text);
        }
    }

    fn book(&self) -> MutexGuard<'_, Option<Book>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn received(&mut self, bytes: &[u8]) {
        let mut lines = Vec::new();
        self.incoming
            .feed(bytes, |line| lines.push(line.to_owned()));
        lines.iter().for_each(|line| self.write('<', line));
    }

    fn write(&mut self, way: char, line: &str) {
        // A line that cannot be written is not worth stopping an experiment for.
        let _ = self.append(way, line);
    }

    fn append(&self, way: char, line: &str) -> io::Result<()> {
        let folder = self.file.parent().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(folder)?;
        if fs::metadata(&self.file).is_ok_and(|file| file.len() > LONGEST) {
            fs::rename(&self.file, self.file.with_extension("log.1"))?;
        }
        let time = humantime::format_rfc3339_millis(SystemTime::now());
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)?;
        // One write, so that lines of several programs do not mix.
        file.write_all(format!("{time} {way} {line}\n").as_bytes())
    }
}

/// Length in bytes at which a new file is begun.
const LONGEST: u64 = 1024 * 1024;

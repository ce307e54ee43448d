//! Captures a command's output in bounded memory: its beginning and its end.

use std::{
    collections::VecDeque,
    io::{PipeReader, Read},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Reads the outputs of a command on a thread, into one buffer.
pub(super) struct Capture {
    kept: Arc<Mutex<Kept>>,
    reader: JoinHandle<()>,
}

#[derive(Default)]
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Capture {
    pub(super) fn of(output: PipeReader) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let reader = read(output, Arc::clone(&kept));
        Self { kept, reader }
    }

    pub(super) fn total(&self) -> u64 {
        lock(&self.kept).total
    }

    /// Waits for the end of the pipe, for at most `patience`: another process may hold it open.
    pub(super) fn finish(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while !self.reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the captured output, and the number of bytes missing from its middle.
    pub(super) fn take(&self) -> (Vec<u8>, u64) {
        let mut kept = lock(&self.kept);
        let mut output = std::mem::take(&mut kept.head);
        output.extend(std::mem::take(&mut kept.tail));
        let dropped = kept.total - output.len() as u64;
        (output, dropped)
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = KEPT - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
    }
}

fn read(mut pipe: PipeReader, kept: Arc<Mutex<Kept>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            lock(&kept).push(&buffer[..length]);
        }
    })
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Number of bytes kept of the beginning, and of the end.
const KEPT: usize = 256 * 1024;

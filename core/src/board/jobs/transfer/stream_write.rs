//! The board's receiver: any number of files and directories, as [records](super::records) in blocks.
//!
//! A block is a [frame](crate::channel), plain or packed. A credit of the host's before it tells the board a new window.
//!
//! As in raw-paste mode, at most two windows of a block are in flight at a time; the board grants credit for another
//! window for each one read. A board that restarts grants no credit, so almost no data arrives at its prompt, where it
//! would be taken for typed input. A block is read completely before it is processed, and the next one is sent once it
//! has been accepted: a board without flow control receives no data while its flash keeps it busy.

use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::mem;

use miniz_oxide::deflate::compress_to_vec;

use super::{block_for, is_slow, of_entry, records::Records};
use crate::{
    Instant,
    board::{
        Answer, Error, NewEntry, Progress, TransferMethod, Written,
        jobs::{
            Job, JobContext, Step,
            receiver::{DEFLATE_LEVEL, Part},
        },
    },
    channel::{Kind, encode},
    raw_repl::Outcome,
};

/// Byte with which the receiver grants credit. Text does not contain this byte, so output of a thread is ignored.
const CREDIT: u8 = 0x01;
const IN_PLACE: u8 = 0x02;
const TAKEN: u8 = 0x06;

/// Size of a frame's header in bytes. A header of zeros cancels the transfer.
const HEADER: usize = 7;
/// The board's window for deflate, in bytes.
const DEFLATE_LIMIT: usize = 16 * 1024;
/// Number of windows that the link carries in a second: two of them take four hundredths.
const WINDOWS_PER_SECOND: u32 = 50;
/// Smallest and largest window, in bytes. Smaller ones would keep a slow board busy with granting credit.
const WINDOWS: (usize, usize) = (256, 8192);
/// Largest factor by which a window may exceed what the rate requires. It limits the data in flight to what the link
/// carries in sixteen hundredths of a second.
const MOST_WINDOWS: usize = 4;

/// Writes files and makes directories.
#[derive(Debug)]
pub(in crate::board) struct StreamWrite {
    records: Records,
    /// Bytes per second, as measured so far.
    rate: Option<u32>,
    window: usize,
    /// Window that the board knows.
    told_window: usize,
    /// Rate before the window was doubled, until the next block shows the effect.
    rate_before: Option<u32>,
    /// True once a larger window no longer makes transfers faster.
    is_wide_enough: bool,
    deflates: bool,
    block: Option<Block>,
    largest_block: usize,
    acknowledged: u64,
    /// Number of entries in place, and their bytes of content.
    in_place: usize,
    bytes_in_place: u64,
    written: Written,
    ready: bool,
    cancelled: bool,
    names_entry: bool,
    then: Option<String>,
}

/// A block in transfer.
#[derive(Debug)]
struct Block {
    bytes: Vec<u8>,
    sent: usize,
    begun: Instant,
    /// True if credit arrived faster than it was used: the windows then limit the rate.
    has_excess: bool,
}

impl StreamWrite {
    /// Writes one file, then runs `then`, if given.
    pub(in crate::board) fn file(entry: NewEntry, then: Option<String>) -> Self {
        Self {
            then,
            names_entry: false,
            ..Self::tree([entry].into())
        }
    }

    /// Writes all of these entries, in their order.
    pub(in crate::board) fn tree(entries: Vec<NewEntry>) -> Self {
        let records = Records::new(entries);
        Self {
            written: Written {
                bytes: records.total,
                on_wire: 0,
                method: TransferMethod::Stream,
            },
            records,
            rate: None,
            window: WINDOWS.0,
            told_window: WINDOWS.0,
            rate_before: None,
            is_wide_enough: false,
            deflates: false,
            block: None,
            largest_block: 0,
            acknowledged: 0,
            in_place: 0,
            bytes_in_place: 0,
            ready: false,
            cancelled: false,
            names_entry: true,
            then: None,
        }
    }

    fn count_in_place(&mut self) {
        if let Some(entry) = self.records.entries.get(self.in_place) {
            self.in_place += 1;
            self.bytes_in_place += entry.data().len() as u64;
        }
    }

    /// Begins the next block: the board has read one, and waits for another.
    fn begin_block(&mut self, context: &JobContext<'_>) -> Vec<u8> {
        self.ready = true;
        self.acknowledged = self.records.sent;
        self.measure(context);
        if self.records.ended {
            return Vec::new();
        }
        if self.cancelled {
            return [0; HEADER].into();
        }
        let (mut bytes, frame) = (self.next_window(), self.next_block(context));
        let head = bytes.len() + HEADER;
        bytes.extend(frame);
        self.largest_block = self.largest_block.max(bytes.len());
        self.written.on_wire += bytes.len() as u64;
        self.block = Some(Block {
            bytes,
            sent: 0,
            begun: context.now,
            has_excess: false,
        });
        self.send(head + 2 * self.window)
    }

    /// Sends the next bytes of the block, at most `count`.
    fn send(&mut self, count: usize) -> Vec<u8> {
        let Some(block) = &mut self.block else {
            return Vec::new();
        };
        let end = block.bytes.len().min(block.sent + count);
        let bytes = block.bytes[block.sent..end].to_vec();
        block.sent = end;
        bytes
    }

    /// Measures the link's rate by the duration of a block: deflate pays off only on a slow link.
    fn measure(&mut self, context: &JobContext<'_>) {
        let Some(block) = self.block.take() else {
            return;
        };
        let micros = (context.now - block.begun).as_micros().max(1);
        let rate = block.bytes.len() as u128 * 1_000_000 / micros;
        let rate = u32::try_from(rate).unwrap_or(u32::MAX);
        self.rate = self.rate.max(Some(rate));
        self.deflates = is_slow(Some(rate)) && context.capabilities.inflate;
        self.adapt_window(rate, block.has_excess);
    }

    /// Doubles the window if credit arrives faster than it is used, and goes back if the next block is no faster: then
    /// a busy computer had received several credits at once, and the line limits the rate.
    fn adapt_window(&mut self, rate: u32, has_excess: bool) {
        let least = window_for(self.rate);
        let most = WINDOWS.1.min(MOST_WINDOWS * least);
        let is_faster = |before: u32| rate >= before.saturating_add(before / 4);
        if self
            .rate_before
            .take()
            .is_some_and(|before| !is_faster(before))
        {
            self.is_wide_enough = true;
            self.window /= 2;
        } else if has_excess && !self.is_wide_enough && 2 * self.window <= most {
            self.rate_before = Some(rate);
            self.window *= 2;
        }
        self.window = self.window.max(least);
    }

    fn next_block(&mut self, context: &JobContext<'_>) -> Vec<u8> {
        let limit = block_for(context.capabilities, self.rate);
        let raw = match self.deflates {
            true => self.records.take(limit.min(DEFLATE_LIMIT)),
            false => self.records.take(limit),
        };
        let packed = match self.deflates {
            true => compress_to_vec(&raw, DEFLATE_LEVEL),
            false => Vec::new(),
        };
        let is_packed = !packed.is_empty() && packed.len() < raw.len();
        if is_packed {
            self.written.method = TransferMethod::StreamDeflate;
        }
        match is_packed {
            true => encode(Kind::Packed, &packed),
            false => encode(Kind::Plain, &raw),
        }
    }

    /// Returns the frame that tells the board the window, if it does not know it.
    fn next_window(&mut self) -> Vec<u8> {
        if mem::replace(&mut self.told_window, self.window) == self.window {
            return Vec::new();
        }
        encode(Kind::Credit, &(self.window as u16).to_le_bytes())
    }
}

impl Job for StreamWrite {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.rate = context.link_rate;
        self.window = window_for(self.rate);
        self.told_window = self.window;
        self.deflates = context.capabilities.inflate && is_slow(self.rate);
        Step::Stream {
            parts: &[Part::Write],
            call: format!("__fl__['put']({})", self.window),
        }
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, context: &JobContext<'_>) -> Step {
        let (mut to_send, mut credits, mut is_noise) = (Vec::new(), 0, true);
        for byte in bytes {
            match byte {
                CREDIT => {
                    credits += 1;
                    to_send.extend(self.send(self.window));
                }
                IN_PLACE => self.count_in_place(),
                TAKEN => to_send.extend(self.begin_block(context)),
                // Output of a thread or a timer, or of a restarting board, which no longer grants credit.
                _ => continue,
            }
            is_noise = false;
        }
        if let Some(block) = &mut self.block {
            block.has_excess |= credits > 1;
        }
        match to_send.is_empty() {
            true if is_noise => Step::Ignore,
            true => Step::Wait,
            false => Step::Send(to_send),
        }
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        if let Some(error) = Error::from_outcome(&outcome) {
            return Step::Done(Err(error));
        }
        if !self.records.ended {
            return Step::Done(Err(Error::Damaged));
        }
        match self.then.take() {
            Some(program) => Step::Run(program),
            None => Step::Done(Ok(Answer::Written(self.written))),
        }
    }

    /// The next block is empty: the receiver then raises, and removes what it has written.
    fn cancel(&mut self) -> bool {
        self.cancelled = true;
        false
    }

    /// Adds the entry and the state of its old file to an error, unless the application ended the
    /// request.
    fn explain(&self, error: Error) -> Error {
        let Some(entry) = self.records.entries.get(self.in_place) else {
            return error;
        };
        let error = of_entry(entry, error);
        match self.names_entry && error != Error::Cancelled {
            true => Error::Entry {
                path: entry.path().into(),
                error: Box::new(error),
            },
            false => error,
        }
    }

    fn filler(&self) -> usize {
        self.largest_block + HEADER
    }

    fn progress(&self) -> Option<Progress> {
        self.ready.then_some(Progress {
            done: self.acknowledged.max(self.bytes_in_place),
            total: Some(self.records.total),
            entries: self.in_place,
        })
    }
}

/// Returns the window for a link of this many bytes per second.
fn window_for(rate: Option<u32>) -> usize {
    let window = rate.map_or(0, |rate| (rate / WINDOWS_PER_SECOND) as usize);
    window.clamp(WINDOWS.0, WINDOWS.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the successive windows at these rates, in bytes per second, if credit always comes early.
    fn windows(rates: impl IntoIterator<Item = u32>) -> Vec<usize> {
        let mut write = StreamWrite::tree(Vec::new());
        let window_at = |rate| {
            write.rate = write.rate.max(Some(rate));
            write.adapt_window(rate, true);
            write.window
        };
        rates.into_iter().map(window_at).collect()
    }

    #[test]
    fn a_busy_computer_puts_no_more_on_a_slow_line() {
        assert_eq!(windows([11_500; 6]), [512, 256, 256, 256, 256, 256]);
    }

    #[test]
    fn a_window_grows_while_it_makes_the_transfer_faster() {
        let rates = [20_000, 40_000, 80_000, 160_000, 320_000, 320_000];
        assert_eq!(windows(rates), [512, 1024, 2048, 4096, 8192, 6400]);
    }
}

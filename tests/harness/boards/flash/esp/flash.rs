//! Flash memory, and the write that is under way.

use std::io::Write as _;

use flate2::write::ZlibDecoder;
use md5::{Digest as _, Md5};

/// Number of bytes that are erased at once.
const SECTOR: usize = 4096;

/// Flash memory: a write can only clear bits, and erasing sets them.
#[derive(Debug)]
pub(super) struct Flash {
    bytes: Vec<u8>,
    at: usize,
    inflater: Option<ZlibDecoder<Vec<u8>>>,
    pub(super) written: usize,
}

impl Flash {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            at: 0,
            inflater: None,
            written: 0,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins a write of `size` bytes at an offset, and erases the place.
    pub(super) fn begin(&mut self, offset: usize, size: usize, is_deflated: bool) -> bool {
        self.at = offset;
        self.inflater = is_deflated.then(|| ZlibDecoder::new(Vec::new()));
        self.erase(offset, size.next_multiple_of(SECTOR))
    }

    pub(super) fn erase(&mut self, offset: usize, size: usize) -> bool {
        let place = self.bytes.get_mut(offset..offset + size);
        place.map(|place| place.fill(0xff)).is_some()
    }

    pub(super) fn erase_all(&mut self) {
        self.bytes.fill(0xff);
    }

    /// Writes the next block.
    pub(super) fn write(&mut self, block: &[u8]) -> bool {
        self.written += block.len();
        let Some(inflater) = &mut self.inflater else {
            return self.program(block);
        };
        if inflater.write_all(block).is_err() || inflater.flush().is_err() {
            return false;
        }
        let bytes = std::mem::take(inflater.get_mut());
        self.program(&bytes)
    }

    fn program(&mut self, bytes: &[u8]) -> bool {
        // The last block is filled up, and the memory may end before it does.
        let end = (self.at + bytes.len()).min(self.bytes.len());
        let Some(place) = self.bytes.get_mut(self.at..end) else {
            return false;
        };
        for (cell, byte) in place.iter_mut().zip(bytes) {
            *cell &= byte;
        }
        self.at = end;
        true
    }

    pub(super) fn md5(&self, offset: usize, size: usize) -> Option<[u8; 16]> {
        self.part(offset, size).map(|part| Md5::digest(part).into())
    }

    pub(super) fn part(&self, offset: usize, size: usize) -> Option<&[u8]> {
        self.bytes.get(offset..offset.checked_add(size)?)
    }
}

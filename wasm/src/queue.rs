//! Bytes on their way from the machine to whoever reads them in JavaScript.

use std::collections::VecDeque;

use crate::mailbox::{Mailbox, Shelf};

/// A bounded queue of bytes. What nobody reads is dropped, oldest first, and counted: a reader that sleeps must
/// neither fill the memory nor stop the conversation.
pub(crate) type Queue = Mailbox<Chunks>;

#[derive(Debug)]
pub(crate) struct Chunks {
    chunks: VecDeque<Vec<u8>>,
    len: usize,
    limit: usize,
    dropped: usize,
}

impl Queue {
    pub(crate) fn new(limit: usize) -> Self {
        Self::with(Chunks {
            chunks: VecDeque::new(),
            len: 0,
            limit,
            dropped: 0,
        })
    }

    pub(crate) fn push(&self, bytes: Vec<u8>) {
        self.put(|chunks| chunks.push(bytes));
    }

    /// Bytes that wait to be read.
    pub(crate) fn len(&self) -> usize {
        self.look(|chunks| chunks.len)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.look(|chunks| chunks.dropped)
    }
}

impl Shelf for Chunks {
    type Item = Vec<u8>;

    /// Everything that has come since, in one piece.
    fn take(&mut self) -> Option<Vec<u8>> {
        let mut chunks = self.chunks.drain(..);
        let mut all = chunks.next()?;
        chunks.for_each(|chunk| all.extend(chunk));
        self.len = 0;
        Some(all)
    }
}

impl Chunks {
    fn push(&mut self, bytes: Vec<u8>) {
        self.len += bytes.len();
        self.chunks.push_back(bytes);
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        while self.len > self.limit
            && let Some(oldest) = self.chunks.front_mut()
        {
            let excess = oldest.len().min(self.len - self.limit);
            oldest.drain(..excess);
            self.len -= excess;
            self.dropped += excess;
            if oldest.is_empty() {
                self.chunks.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn past_the_limit_the_oldest_bytes_go_and_are_counted() {
        let queue = Queue::new(4);
        queue.push(b"ab".to_vec());
        queue.push(b"cdefg".to_vec());
        queue.put(|chunks| assert_eq!(chunks.take().as_deref(), Some(&b"defg"[..])));
        assert_eq!(queue.dropped(), 3);
    }
}

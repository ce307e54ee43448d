//! A channel whose sender never waits: a [`Buffer`] merges or drops items that the reader has not taken yet.

use std::{
    cell::RefCell,
    collections::VecDeque,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use futures::{Stream, StreamExt, channel::mpsc};

/// Buffer of a channel whose reader may be slow. It has to limit its own size.
pub(crate) trait Buffer {
    /// Type of the items written and read.
    type Item;

    /// Takes an item.
    fn push(&mut self, item: Self::Item);

    /// Returns the next item for the reader. Called whenever the reader looks, even if nothing waits.
    fn pop(&mut self) -> Option<Self::Item>;

    /// Returns the number of unread bytes that were dropped.
    fn dropped(&self) -> usize {
        0
    }
}

/// Sending half. Once it is dropped, the reader gets the remaining items, and then the end.
#[derive(Debug)]
pub(crate) struct Sender<B> {
    buffer: Rc<RefCell<B>>,
    wakeups: mpsc::Sender<()>,
}

/// Receiving half, a stream of items.
#[derive(Debug)]
pub(crate) struct Receiver<B> {
    buffer: Rc<RefCell<B>>,
    wakeups: mpsc::Receiver<()>,
}

/// Creates a channel with this buffer.
pub(crate) fn channel<B: Buffer>(buffer: B) -> (Sender<B>, Receiver<B>) {
    let buffer = Rc::new(RefCell::new(buffer));
    let (sender, receiver) = mpsc::channel(0);
    let sender = Sender {
        buffer: Rc::clone(&buffer),
        wakeups: sender,
    };
    let receiver = Receiver {
        buffer,
        wakeups: receiver,
    };
    (sender, receiver)
}

impl<B: Buffer> Sender<B> {
    /// Puts an item into the buffer, and wakes the reader.
    pub(crate) fn send(&mut self, item: B::Item) {
        self.buffer.borrow_mut().push(item);
        // Full: the reader is awake already.
        let _ = self.wakeups.try_send(());
    }
}

impl<B: Buffer> Receiver<B> {
    pub(crate) fn buffer(&self) -> Rc<RefCell<B>> {
        Rc::clone(&self.buffer)
    }
}

impl<B: Buffer> Stream for Receiver<B> {
    type Item = B::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<B::Item>> {
        loop {
            if let Some(item) = self.buffer.borrow_mut().pop() {
                return Poll::Ready(Some(item));
            }
            if ready!(self.wakeups.poll_next_unpin(context)).is_none() {
                return Poll::Ready(None);
            }
        }
    }
}

/// Buffer of bytes, which are read in one piece. Beyond the limit the oldest are dropped and counted: an idle reader
/// must neither fill the memory nor stop the conversation.
#[derive(Debug)]
pub(crate) struct Bytes {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: usize,
}

impl Bytes {
    /// Creates a buffer of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            limit,
            dropped: 0,
        }
    }
}

impl Buffer for Bytes {
    type Item = Vec<u8>;

    fn push(&mut self, bytes: Vec<u8>) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(self.limit);
        self.bytes.drain(..excess);
        self.dropped += excess;
    }

    fn pop(&mut self) -> Option<Vec<u8>> {
        let bytes = std::mem::take(&mut self.bytes);
        (!bytes.is_empty()).then(|| bytes.into())
    }

    fn dropped(&self) -> usize {
        self.dropped
    }
}

/// Buffer of only the latest item: older unread ones are worthless.
#[derive(Debug)]
pub(crate) struct Latest<T>(Option<T>);

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Buffer for Latest<T> {
    type Item = T;

    fn push(&mut self, item: T) {
        self.0 = Some(item);
    }

    fn pop(&mut self) -> Option<T> {
        self.0.take()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn next<B: Buffer>(receiver: &mut Receiver<B>) -> Option<Option<B::Item>> {
        receiver.next().now_or_never()
    }

    #[test]
    fn past_the_limit_the_oldest_bytes_go_and_are_counted() {
        let (mut sender, mut receiver) = channel(Bytes::new(4));
        sender.send(b"ab".to_vec());
        sender.send(b"cdefg".to_vec());
        assert_eq!(next(&mut receiver), Some(Some(b"defg".to_vec())));
        assert_eq!(receiver.buffer().borrow().dropped(), 3);
    }

    #[test]
    fn a_reader_waits_for_the_next_item_and_gets_what_is_left_before_the_end() {
        let (mut sender, mut receiver) = channel(Latest::default());
        assert_eq!(next(&mut receiver), None);
        sender.send(1);
        sender.send(2);
        drop(sender);
        assert_eq!(next(&mut receiver), Some(Some(2)));
        assert_eq!(next(&mut receiver), Some(None));
    }
}

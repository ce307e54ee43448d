//! Queues between a driver's task and its users, which take next to no memory while they are empty.
//!
//! A tokio channel takes a kilobyte before anything is sent, and a server needs two for each client.

use std::{
    collections::VecDeque,
    fmt,
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker, ready},
};

use tokio::task::coop::poll_proceed;

/// Creates a queue for at most `limit` items.
pub(super) fn queue<T>(limit: usize) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Shared(Mutex::new(Queue {
        items: VecDeque::new(),
        limit,
        receiver: None,
        waiting: Vec::new(),
        is_closed: false,
    })));
    let sender = Sender(Arc::new(Sending(Arc::clone(&shared))));
    (sender, Receiver(shared))
}

/// Puts items into a queue, which ends when its last sender is dropped.
pub(super) struct Sender<T>(Arc<Sending<T>>);

/// A sender that does not keep its queue from ending.
pub(super) struct WeakSender<T>(Weak<Sending<T>>);

/// Takes items out of a queue. Once it is dropped, nothing can be sent.
pub(super) struct Receiver<T>(Arc<Shared<T>>);

/// Right to send, shared by all senders of a queue.
struct Sending<T>(Arc<Shared<T>>);

struct Shared<T>(Mutex<Queue<T>>);

struct Queue<T> {
    items: VecDeque<T>,
    limit: usize,
    /// Task that waits for an item.
    receiver: Option<Waker>,
    /// Tasks that wait for space.
    waiting: Vec<Waker>,
    /// True once either side is gone.
    is_closed: bool,
}

impl<T> Sender<T> {
    /// Sends an item as soon as the queue has space for it.
    ///
    /// # Errors
    /// The receiver is gone.
    pub(super) async fn send(&self, item: T) -> Result<(), T> {
        let mut item = Some(item);
        poll_fn(|context| {
            let coop = ready!(poll_proceed(context));
            let mut queue = self.0.0.lock();
            ready!(queue.poll_room(context));
            coop.made_progress();
            Poll::Ready(item.take().map_or(Ok(()), |item| Queue::push(queue, item)))
        })
        .await
    }

    /// Sends an item if the queue has space for it now.
    ///
    /// # Errors
    /// The queue is full, or the receiver is gone.
    pub(super) fn try_send(&self, item: T) -> Result<(), T> {
        let queue = self.0.0.lock();
        match queue.is_full() {
            true => Err(item),
            false => Queue::push(queue, item),
        }
    }

    /// Waits for space, which is guaranteed afterwards if the queue has only one sender. Returns false if the receiver
    /// is gone.
    pub(super) async fn room(&self) -> bool {
        poll_fn(|context| {
            let mut queue = self.0.0.lock();
            ready!(queue.poll_room(context));
            Poll::Ready(!queue.is_closed)
        })
        .await
    }

    pub(super) fn downgrade(&self) -> WeakSender<T> {
        WeakSender(Arc::downgrade(&self.0))
    }
}

impl<T> WeakSender<T> {
    /// Returns a sender, if one still exists.
    pub(super) fn upgrade(&self) -> Option<Sender<T>> {
        self.0.upgrade().map(Sender)
    }
}

impl<T> Receiver<T> {
    /// Returns the next item, or `None` when all senders are gone and nothing is left. Cancel safe.
    pub(super) async fn recv(&mut self) -> Option<T> {
        poll_fn(|context| {
            let coop = ready!(poll_proceed(context));
            let mut queue = self.0.lock();
            if let Some(item) = queue.items.pop_front() {
                queue.give_back_room();
                wake_all(mem::take(&mut queue.waiting), queue);
                coop.made_progress();
                return Poll::Ready(Some(item));
            }
            if queue.is_closed {
                return Poll::Ready(None);
            }
            queue.receiver = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Queue<T>> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Queue<T> {
    fn is_full(&self) -> bool {
        self.items.len() >= self.limit
    }

    /// Waits until the queue has space, or is closed.
    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.is_full() || self.is_closed {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
        Poll::Pending
    }

    fn push(mut queue: MutexGuard<'_, Self>, item: T) -> Result<(), T> {
        if queue.is_closed {
            return Err(item);
        }
        queue.items.push_back(item);
        let receiver = queue.receiver.take();
        wake_all(receiver, queue);
        Ok(())
    }

    /// Frees the memory of an empty queue, except for a few items.
    fn give_back_room(&mut self) {
        if self.items.is_empty() && self.items.capacity() > KEPT {
            self.items = VecDeque::new();
        }
    }

    /// Ends the queue for both sides.
    fn close(mut queue: MutexGuard<'_, Self>) {
        queue.is_closed = true;
        let waiting = mem::take(&mut queue.waiting);
        let receiver = queue.receiver.take();
        wake_all(waiting.into_iter().chain(receiver), queue);
    }
}

/// Wakes tasks, which may come back to the queue at once. A waiting task may have been cancelled, so all are woken.
fn wake_all<T>(tasks: impl IntoIterator<Item = Waker>, queue: MutexGuard<'_, Queue<T>>) {
    drop(queue);
    tasks.into_iter().for_each(Waker::wake);
}

impl<T> Drop for Sending<T> {
    fn drop(&mut self) {
        Queue::close(self.0.lock());
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        Queue::close(self.0.lock());
        let items = mem::take(&mut self.0.lock().items);
        // Dropping them may use the queue, which is no longer locked.
        drop(items);
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        Self(Weak::clone(&self.0))
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakSender")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}

/// Number of items for which an empty queue keeps memory.
const KEPT: usize = 4;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_queue_keeps_its_order_and_its_limit() {
        let (sender, mut receiver) = queue(2);
        sender.send(1).await.unwrap();
        sender.try_send(2).unwrap();
        assert_eq!(sender.try_send(3), Err(3));
        let waiting = tokio::spawn({
            let sender = sender.clone();
            async move { sender.send(3).await }
        });
        tokio::task::yield_now().await;
        for expected in 1..=3 {
            assert_eq!(receiver.recv().await, Some(expected));
        }
        waiting.await.unwrap().unwrap();
        drop(sender);
        assert_eq!(receiver.recv().await, None);
    }

    #[tokio::test]
    async fn what_was_sent_before_the_last_sender_went_still_comes() {
        let (sender, mut receiver) = queue(8);
        let weak = sender.downgrade();
        weak.upgrade().unwrap().send("last").await.unwrap();
        drop(sender);
        assert!(weak.upgrade().is_none());
        assert_eq!(receiver.recv().await, Some("last"));
        assert_eq!(receiver.recv().await, None);
    }

    #[tokio::test]
    async fn senders_that_wait_are_told_that_the_receiver_is_gone() {
        let (sender, receiver) = queue(1);
        sender.send(1).await.unwrap();
        let waiting = tokio::spawn({
            let sender = sender.clone();
            async move { (sender.room().await, sender.send(2).await) }
        });
        tokio::task::yield_now().await;
        drop(receiver);
        let told = timeout(PATIENCE, waiting).await.expect("it is woken");
        assert_eq!(told.unwrap(), (false, Err(2)));
        assert_eq!(sender.try_send(3), Err(3));
    }

    #[tokio::test]
    async fn a_sender_that_stops_waiting_keeps_nobody_from_the_room() {
        let (sender, mut receiver) = queue(1);
        sender.send(1).await.unwrap();
        let given_up = timeout(Duration::ZERO, sender.send(2)).await;
        assert!(given_up.is_err());
        let waiting = tokio::spawn({
            let sender = sender.clone();
            async move { sender.send(3).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(receiver.recv().await, Some(1));
        let sent = timeout(PATIENCE, waiting).await.expect("it is woken");
        sent.unwrap().unwrap();
        assert_eq!(receiver.recv().await, Some(3));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_lost_between_threads() {
        let (sender, mut receiver) = queue(3);
        for part in 0..4 {
            let sender = sender.clone();
            tokio::spawn(async move {
                for number in 0..2_500 {
                    sender.send(part * 2_500 + number).await.unwrap();
                }
            });
        }
        drop(sender);
        let mut sum = 0_u64;
        while let Some(number) = timeout(PATIENCE, receiver.recv()).await.expect("it comes") {
            sum += number;
        }
        assert_eq!(sum, 9_999 * 10_000 / 2);
    }

    /// Time limit longer than any step takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);
}

//! Pending work, as the application sees it.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use futures::{
    FutureExt, Stream, StreamExt, TryFutureExt,
    channel::oneshot,
    future::{LocalBoxFuture, ready},
    stream::{self, LocalBoxStream},
};

use crate::{
    binding::channel::{Buffer, Receiver},
    binding::error::Error,
};

/// Future result: in Rust a future, in JavaScript a promise. The work completes even if nobody awaits it.
pub struct Reply<T>(pub(crate) LocalBoxFuture<'static, Result<T, Error>>);

/// Pending work. Await it for its result; until then, read its [`events`](Self::events) or
/// [`cancel`](Self::cancel) it. Dropping it does not stop the work.
///
/// ```no_run
/// # async fn example(board: flylead_wasm::Board) -> Result<(), flylead_wasm::Error> {
/// use futures::StreamExt;
///
/// let mut run = board.run("for i in range(3): print(i)".into(), None)?;
/// while let Some(bytes) = run.events().next().await {
///     print!("{}", String::from_utf8_lossy(&bytes));
/// }
/// let outcome = run.await?;
/// # Ok(()) }
/// ```
pub struct Task<T, E> {
    pub(crate) result: Reply<T>,
    pub(crate) events: LocalBoxStream<'static, E>,
    pub(crate) cancel: Rc<dyn Fn()>,
    pub(crate) dropped: Rc<dyn Fn() -> usize>,
}

impl<T: 'static> Reply<T> {
    pub(crate) fn new(future: impl Future<Output = Result<T, Error>> + 'static) -> Self {
        Self(future.boxed_local())
    }

    /// Creates a reply and the sender that settles it. A dropped sender reports that the
    /// conversation was closed.
    pub(crate) fn channel() -> (oneshot::Sender<Result<T, Error>>, Self) {
        let (sender, receiver) = oneshot::channel();
        let sent = receiver.map(|sent| sent.unwrap_or_else(|_| Err(Error::closed())));
        (sender, Self::new(sent))
    }

    pub(crate) fn map<U: 'static>(self, map: impl FnOnce(T) -> U + 'static) -> Reply<U> {
        Reply::new(self.map_ok(map))
    }
}

impl<T: 'static, E: 'static> Task<T, E> {
    pub(crate) fn new<B: Buffer<Item = E> + 'static>(
        result: Reply<T>,
        events: Receiver<B>,
        cancel: impl Fn() + 'static,
    ) -> Self {
        let buffer = events.buffer();
        Self {
            result,
            events: events.boxed_local(),
            cancel: Rc::new(cancel),
            dropped: Rc::new(move || buffer.borrow().dropped()),
        }
    }

    /// Creates a reply that has already failed.
    pub(crate) fn failed(error: Error) -> Self {
        Self {
            result: Reply::new(ready(Err(error))),
            events: stream::empty().boxed_local(),
            cancel: Rc::new(|| {}),
            dropped: Rc::new(|| 0),
        }
    }

    pub(crate) fn map_events<F: 'static, S: Stream<Item = F> + 'static>(
        self,
        map: impl FnOnce(LocalBoxStream<'static, E>) -> S,
    ) -> Task<T, F> {
        Task {
            result: self.result,
            events: map(self.events).boxed_local(),
            cancel: self.cancel,
            dropped: self.dropped,
        }
    }

    /// Returns the events until the result arrives.
    pub fn events(&mut self) -> &mut LocalBoxStream<'static, E> {
        &mut self.events
    }

    /// Cancels the work as soon as the peer can. After its end this has no effect.
    pub fn cancel(&self) {
        (self.cancel)();
    }

    /// Returns the number of bytes of its events that were dropped, oldest first, because nobody read them.
    #[must_use]
    pub fn dropped(&self) -> usize {
        (self.dropped)()
    }
}

impl<T> Future for Reply<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_unpin(context)
    }
}

impl<T, E> Future for Task<T, E> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.result.poll_unpin(context)
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl<T, E> fmt::Debug for Task<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Task")
    }
}

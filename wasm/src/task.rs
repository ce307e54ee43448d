//! Pending work: futures and streams in Rust, promises and async iterators in JavaScript.

use std::{
    cell::OnceCell,
    fmt,
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use futures::{
    FutureExt, Stream, StreamExt, TryFutureExt, TryStreamExt,
    channel::oneshot,
    future::{LocalBoxFuture, ready},
    lock::Mutex,
    stream::{self, LocalBoxStream},
};
use js_sys::{
    Promise, Uint8Array,
    futures::{JsFuture, spawn_local},
};
use serde::Serialize;
use wasm_bindgen::{
    JsCast, JsValue, convert::IntoWasmAbi, describe::WasmDescribe, prelude::wasm_bindgen,
};
use wasm_streams::ReadableStream;

use crate::{
    binding::channel::{Buffer, Receiver},
    binding::error::Error,
    binding::promise::promise,
    binding::values::{object, to_js},
    text,
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

/// Creates a web stream of bytes, which takes none before they are wanted.
pub(crate) fn readable(
    chunks: impl Stream<Item = Result<Vec<u8>, JsValue>> + 'static,
) -> web_sys::ReadableStream {
    let chunks = chunks.map(|chunk| Ok(Uint8Array::from(&*chunk?).into()));
    ReadableStream::from_stream(chunks.boxed_local()).into_raw()
}

/// Returns the further output of a conversation, until it is lost.
pub(crate) fn output(
    bytes: Option<LocalBoxStream<'static, Vec<u8>>>,
    lost: Reply<Option<Error>>,
) -> web_sys::ReadableStream {
    let bytes = stream::iter(bytes).flatten().map(Ok);
    let lost = lost.0.map(|lost| lost.ok().flatten());
    let end = stream::once(lost).filter_map(|error| ready(error.map(|error| Err(error.into()))));
    readable(bytes.chain(end))
}

impl<T, E> WasmDescribe for Task<T, E> {
    fn describe() {
        JsValue::describe();
    }
}

impl<T: Serialize + 'static, E: Event> IntoWasmAbi for Task<T, E> {
    type Abi = <JsValue as IntoWasmAbi>::Abi;

    fn into_abi(self) -> Self::Abi {
        JsValue::from(JsTask::from(self)).into_abi()
    }
}

/// Event before the end of a task, and its iteration in JavaScript.
pub trait Event: Serialize + Sized + 'static {
    /// Converts each event to a value; for output, also provides the bytes.
    fn show(events: LocalBoxStream<'static, Self>) -> (LocalBoxStream<'static, JsValue>, Output) {
        (events.map(|event| to_js(&event)).boxed_local(), None)
    }
}

type Output = Option<Shared<Vec<u8>>>;

impl Event for String {}
#[cfg(feature = "board")]
impl Event for crate::Progress {}
#[cfg(feature = "debug")]
impl Event for crate::DebugEvent {}
#[cfg(feature = "export")]
impl Event for crate::ExportEvent {}

/// Output of a program, as text whose characters are never cut in two.
impl Event for Vec<u8> {
    fn show(events: LocalBoxStream<'static, Self>) -> (LocalBoxStream<'static, JsValue>, Output) {
        let bytes = Shared::new(events);
        let texts = text::decode(bytes.stream()).map(JsValue::from);
        (texts.boxed_local(), Some(bytes))
    }
}

/// Pending work.
#[wasm_bindgen(js_name = Task, skip_typescript)]
pub struct JsTask {
    done: Promise,
    items: Items,
    cancel: Rc<dyn Fn()>,
    dropped: Rc<dyn Fn() -> usize>,
    output: Output,
    readable: OnceCell<web_sys::ReadableStream>,
}

impl<T: Serialize + 'static, E: Event> From<Task<T, E>> for JsTask {
    fn from(task: Task<T, E>) -> Self {
        let done = Promise::from(task.result);
        let (items, output) = E::show(task.events);
        if output.is_some() {
            // The end of a program also shows in its output.
            unwatch(&done);
        }
        Self {
            items: Items(Shared::new(until(items, done.clone()))),
            done,
            cancel: task.cancel,
            dropped: task.dropped,
            output,
            readable: OnceCell::new(),
        }
    }
}

#[wasm_bindgen(js_class = Task)]
impl JsTask {
    /// Returns the result of the work.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> Promise {
        self.done.clone()
    }

    /// Makes `await task` work.
    pub fn then(&self, fulfilled: &JsValue, rejected: &JsValue) -> JsValue {
        self.done
            .unchecked_ref::<Thenable>()
            .then(fulfilled, rejected)
    }

    /// Cancels the work as soon as the peer can. After its end this has no effect.
    pub fn cancel(&self) {
        unwatch(&self.done);
        (self.cancel)();
    }

    /// Returns the number of bytes dropped because they were not read in time.
    #[wasm_bindgen(getter)]
    pub fn dropped(&self) -> f64 {
        (self.dropped)() as f64
    }

    /// Returns the output of a program as a stream of bytes.
    #[wasm_bindgen(getter)]
    pub fn readable(&self) -> Option<web_sys::ReadableStream> {
        let output = self.output.as_ref()?;
        let make = || readable(until(output.stream(), self.done.clone()));
        Some(self.readable.get_or_init(make).clone())
    }

    /// Iterates over the events until the result arrives. The iteration throws a failure.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Items {
        unwatch(&self.done);
        self.items.clone()
    }
}

/// Async iterator.
#[wasm_bindgen(skip_typescript)]
#[derive(Clone)]
pub struct Items(Shared<Result<JsValue, JsValue>>);

#[wasm_bindgen]
impl Items {
    /// Returns the next item.
    pub fn next(&self) -> Promise {
        let mut items = self.0.stream().boxed_local();
        promise(async move { Ok(step(items.try_next().await?)) }.boxed_local())
    }

    /// Handles a `for await` that was left early; the remaining items can be iterated again.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        Promise::resolve(&step(None))
    }

    /// Returns the iterator itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> Self {
        self.clone()
    }
}

/// Stream with several readers, each of which gets the next item in its turn.
pub struct Shared<T>(Rc<Mutex<LocalBoxStream<'static, T>>>);

impl<T: 'static> Shared<T> {
    fn new(stream: impl Stream<Item = T> + 'static) -> Self {
        Self(Rc::new(Mutex::new(stream.boxed_local())))
    }

    fn stream(&self) -> impl Stream<Item = T> + use<T> {
        stream::unfold(Rc::clone(&self.0), async |shared| {
            let item = shared.lock().await.next().await?;
            Some((item, shared))
        })
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

/// Yields the items, and then the promise's rejection, if any.
fn until<T: 'static>(
    items: impl Stream<Item = T> + 'static,
    done: Promise,
) -> impl Stream<Item = Result<T, JsValue>> {
    let failure = stream::once(async { JsFuture::from(done).await.err() });
    let failure = failure.filter_map(|error| ready(error.map(Err)));
    items.map(Ok).chain(failure)
}

/// Creates a result of an async iterator; `None` at its end.
fn step(value: Option<JsValue>) -> JsValue {
    object(&[
        ("done", value.is_none().into()),
        ("value", value.unwrap_or_default()),
    ])
}

/// Marks a promise's failure as handled.
fn unwatch(promise: &Promise) {
    let watched = JsFuture::from(promise.clone());
    spawn_local(async move { drop(watched.await) });
}

#[wasm_bindgen]
extern "C" {
    type Thenable;
    #[wasm_bindgen(method)]
    fn then(this: &Thenable, fulfilled: &JsValue, rejected: &JsValue) -> JsValue;
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

impl fmt::Debug for JsTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Task")
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}

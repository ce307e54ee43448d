//! Links: the bytes to and from a device, as a pair of web streams.
//!
//! [`serial`] opens Web Serial ports, [`websocket`] opens WebSockets and answers WebREPL's password prompt; any other
//! object with a `readable` and a `writable` is a link as well.

#[cfg(feature = "links")]
pub mod serial;
#[cfg(any(feature = "links", feature = "zylisp"))]
pub mod websocket;

use futures::Stream;
use js_sys::{TypeError, Uint8Array, futures::JsFuture};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    ReadableStream, ReadableStreamDefaultReader, ReadableStreamReadResult, WritableStream,
    WritableStreamDefaultWriter,
};

use crate::{binding::arguments::Streams, binding::error::Error, binding::values::property};

/// Reader and writer of a link, which keep its streams locked. Dropping it unlocks both at once and leaves them open.
#[derive(Debug)]
pub struct Link {
    reader: ReadableStreamDefaultReader,
    writer: WritableStreamDefaultWriter,
    /// True if the link carries only text, as WebREPL does.
    pub(crate) is_text_only: bool,
}

impl Link {
    /// Locks the streams of anything that has a `readable` and a `writable`: an open port, a socket, Node's streams.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) if a stream is missing, invalid or locked; then this call
    /// locks neither.
    pub fn lock(streams: &Streams) -> Result<Self, Error> {
        let readable = stream(streams, "readable")?;
        let writable = stream(streams, "writable")?;
        Self::new(
            &readable,
            &writable,
            property(streams, "textOnly").is_truthy(),
        )
    }

    pub(crate) fn new(
        readable: &ReadableStream,
        writable: &WritableStream,
        is_text_only: bool,
    ) -> Result<Self, Error> {
        // web-sys's `get_reader` does not catch the exception that a locked stream throws.
        if readable.locked() {
            return Err(Error::argument(
                "the link's readable is locked by another reader",
            ));
        }
        let writer = writable.get_writer();
        let writer = writer
            .map_err(|_| Error::argument("the link's writable is locked by another writer"))?;
        let reader = readable.get_reader().unchecked_into();
        Ok(Self {
            reader,
            writer,
            is_text_only,
        })
    }

    /// Returns the peer's data until the stream ends or fails. It yields a `TypeError` for anything
    /// but bytes.
    pub fn chunks(&self) -> impl Stream<Item = Result<Vec<u8>, JsValue>> + use<> {
        futures::stream::try_unfold(self.reader.clone(), async |reader| {
            let result = JsFuture::from(reader.read()).await?;
            let result: ReadableStreamReadResult = result.unchecked_into();
            if result.get_done().unwrap_or_default() {
                return Ok(None);
            }
            let bytes = result.get_value().dyn_into::<Uint8Array>();
            let bytes = bytes.map_err(|_| TypeError::new(NO_BYTES))?.to_vec();
            Ok(Some((bytes, reader)))
        })
    }

    /// Writes bytes to the stream; resolves once it wants more.
    pub fn write(&self, bytes: &[u8]) -> JsFuture {
        let chunk = Uint8Array::from(bytes);
        self.writer.write_with_chunk(&chunk).into()
    }

    /// Unlocks both streams. Pending [`chunks`](Self::chunks) and [`write`](Self::write) fail.
    pub(crate) fn release(&self) {
        self.reader.release_lock();
        self.writer.release_lock();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.release();
    }
}

/// Returns a stream of a link by its name.
pub(crate) fn stream<T: JsCast>(streams: &Streams, name: &str) -> Result<T, Error> {
    let stream = property(streams, name);
    if stream.is_object() {
        // Duck-typed, so that polyfills and Node's streams fit.
        return Ok(stream.unchecked_into());
    }
    Err(Error::argument(format_args!(
        "the link has no {name} stream: is it open?"
    )))
}

const NO_BYTES: &str = "the link's readable produced something other than a Uint8Array";

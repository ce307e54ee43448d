//! A pair of JavaScript streams, locked for as long as this end holds them.

use js_sys::{Promise, Reflect, TypeError, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

/// The reader and the writer of a link. Dropping it releases both locks at once and leaves the streams open.
#[derive(Debug)]
pub struct Link {
    reader: Reader,
    writer: Writer,
}

/// What came of a read.
#[derive(Debug)]
pub enum Chunk {
    /// The peer sent these bytes.
    Bytes(Vec<u8>),
    /// The stream has ended.
    End,
}

impl Link {
    /// Locks both streams.
    ///
    /// # Errors
    /// A `TypeError` when a stream is missing, is no stream, or is locked; then neither is locked by this.
    pub fn lock(link: &JsValue) -> Result<Self, JsValue> {
        let readable = stream(link, "readable")?.unchecked_into::<Readable>();
        let writable = stream(link, "writable")?.unchecked_into::<Writable>();
        let reader = readable.get_reader()?;
        match writable.get_writer() {
            Ok(writer) => Ok(Self { reader, writer }),
            Err(error) => {
                reader.release_lock();
                Err(error)
            }
        }
    }

    /// Asks for the next chunk; [`Chunk::from_result`] reads the answer. One at a time.
    pub fn read(&self) -> Promise {
        self.reader.read()
    }

    /// Hands bytes to the stream; resolves when it wants more.
    pub fn write(&self, bytes: &[u8]) -> Promise {
        self.writer.write(&Uint8Array::from(bytes))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.reader.release_lock();
        self.writer.release_lock();
    }
}

impl Chunk {
    /// Reads what a promise of [`Link::read`] resolved to.
    ///
    /// # Errors
    /// A `TypeError` when the stream gave anything but bytes.
    pub fn from_result(result: JsValue) -> Result<Self, JsValue> {
        let result = result.unchecked_into::<ReadResult>();
        if result.done() {
            return Ok(Self::End);
        }
        match result.value().dyn_into::<Uint8Array>() {
            Ok(bytes) => Ok(Self::Bytes(bytes.to_vec())),
            Err(_) => Err(TypeError::new(
                "the link's readable gave something other than a Uint8Array",
            )
            .into()),
        }
    }
}

/// Whether the link says that it carries text alone, as WebREPL does.
pub(crate) fn is_text_only(link: &JsValue) -> bool {
    Reflect::get(link, &"textOnly".into()).is_ok_and(|value| value.is_truthy())
}

fn stream(link: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    let stream = Reflect::get(link, &name.into()).unwrap_or(JsValue::NULL);
    if stream.is_object() {
        return Ok(stream);
    }
    Err(TypeError::new(&format!("the link has no {name} stream: is it open?")).into())
}

// Duck-typed, so that polyfills and Node's streams fit, and `SerialPort` needs no unstable bindings.
#[wasm_bindgen]
extern "C" {
    type Readable;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn get_reader(this: &Readable) -> Result<Reader, JsValue>;

    #[derive(Debug)]
    type Reader;
    #[wasm_bindgen(method)]
    fn read(this: &Reader) -> Promise;
    #[wasm_bindgen(method, js_name = releaseLock)]
    fn release_lock(this: &Reader);

    type ReadResult;
    #[wasm_bindgen(method, getter)]
    fn done(this: &ReadResult) -> bool;
    #[wasm_bindgen(method, getter)]
    fn value(this: &ReadResult) -> JsValue;

    type Writable;
    #[wasm_bindgen(method, catch, js_name = getWriter)]
    fn get_writer(this: &Writable) -> Result<Writer, JsValue>;

    #[derive(Debug)]
    type Writer;
    #[wasm_bindgen(method)]
    fn write(this: &Writer, chunk: &Uint8Array) -> Promise;
    #[wasm_bindgen(method, js_name = releaseLock)]
    fn release_lock(this: &Writer);
}

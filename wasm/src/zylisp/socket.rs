//! A WebSocket with a message in each frame, as a pair of streams.

use std::{rc::Rc, time::Duration};

use flylead_core::zylisp::Encoding;
use js_sys::{ArrayBuffer, Function, Reflect, Uint8Array, futures::JsFuture};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};

use crate::{
    deferred::Deferred,
    error,
    queue::Queue,
    streams::{object, readable, writable},
    timer::{sleep, within},
};

/// An open WebSocket.
#[derive(Debug, Clone)]
pub(super) struct Socket(WebSocket);

impl Socket {
    /// Connects, and answers with the link.
    pub(super) async fn open(
        url: &str,
        encoding: Encoding,
        timeout: Duration,
    ) -> Result<(Self, JsValue), JsValue> {
        if Reflect::get(&js_sys::global(), &"WebSocket".into())?.is_undefined() {
            let message = "there is no WebSocket here; Node has one from version 22 on";
            return Err(error::unsupported(message));
        }
        let socket = WebSocket::new(url).map_err(|cause| {
            let message = format!("{url} is no address of a WebSocket that this page may open");
            error::unreachable(&message, cause)
        })?;
        let socket = Self(socket);
        let replies = Queue::new(usize::MAX);
        let opened = socket.listen(url, &replies, encoding);
        match within(timeout, JsFuture::from(opened.promise.clone())).await {
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error),
            None => {
                socket.end();
                let millis = timeout.as_millis();
                let message = format!("{url} did not answer within {millis} ms");
                return Err(error::slow(&message));
            }
        }
        let requests = writable({
            let socket = socket.clone();
            move |bytes| socket.clone().send(encoding, bytes)
        });
        let link = object(&[("readable", readable(replies)), ("writable", requests)]);
        Ok((socket, link.into()))
    }

    pub(super) fn end(&self) {
        self.0.close();
    }

    /// What arrives goes into the queue; the answer is settled when the socket is open, or will not be.
    fn listen(&self, url: &str, replies: &Queue, encoding: Encoding) -> Rc<Deferred> {
        let opened = Rc::new(Deferred::unwatched());
        self.0.set_binary_type("arraybuffer");
        let open = Rc::clone(&opened);
        self.0.set_onopen(&listener(move |_| {
            open.settle(Ok(JsValue::UNDEFINED));
        }));
        let (socket, queue) = (self.clone(), replies.clone());
        self.0.set_onmessage(&listener(move |event| {
            queue.push(frame(&event, encoding));
            if queue.len() > UNREAD_LIMIT {
                socket.end();
            }
        }));
        // What goes wrong closes the socket too; in Node, errors that nobody listens to end the process.
        self.0.set_onerror(&listener(|_| {}));
        let (unreachable, queue) = (format!("{url} could not be reached"), replies.clone());
        let closed = Rc::clone(&opened);
        self.0.set_onclose(&listener(move |_| {
            queue.end(Ok(()));
            closed.settle(Err(error::unreachable(&unreachable, JsValue::UNDEFINED)));
        }));
        opened
    }

    async fn send(self, encoding: Encoding, bytes: Vec<u8>) -> Result<(), JsValue> {
        for message in encoding.messages(&bytes) {
            match std::str::from_utf8(message) {
                Ok(text) if encoding.is_text() => self.0.send(&text.into())?,
                _ => self.0.send(&Uint8Array::from(message))?,
            }
        }
        // Sockets do not say when they have room again.
        while self.0.ready_state() == OPEN && self.0.buffered_amount() > HIGH_WATER {
            sleep(LOOK_AGAIN).await;
        }
        Ok(())
    }
}

/// A frame's bytes. A frame is a message: whatever is cut short in it ends with it.
fn frame(event: &JsValue, encoding: Encoding) -> Vec<u8> {
    let data = Reflect::get(event, &"data".into()).unwrap_or(JsValue::UNDEFINED);
    let mut bytes = match data.dyn_into::<ArrayBuffer>() {
        Ok(buffer) => Uint8Array::new(&buffer).to_vec(),
        Err(text) => text.as_string().unwrap_or_default().into_bytes(),
    };
    if encoding.is_text() {
        bytes.push(b'\n');
    }
    bytes
}

fn listener(call: impl Fn(JsValue) + 'static) -> Function {
    Closure::<dyn Fn(JsValue)>::new(call)
        .into_js_value()
        .unchecked_into()
}

const OPEN: u16 = 1;
/// What may wait in the socket before a writer is held back, in bytes.
const HIGH_WATER: f64 = 65_536.0;
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// What may wait for a page that does not read, in bytes.
const UNREAD_LIMIT: usize = 64 << 20;

#[wasm_bindgen]
extern "C" {
    #[derive(Debug, Clone)]
    type WebSocket;
    #[wasm_bindgen(constructor, catch)]
    fn new(url: &str) -> Result<WebSocket, JsValue>;
    #[wasm_bindgen(method, setter, js_name = binaryType)]
    fn set_binary_type(this: &WebSocket, kind: &str);
    #[wasm_bindgen(method, setter)]
    fn set_onopen(this: &WebSocket, listener: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onmessage(this: &WebSocket, listener: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onerror(this: &WebSocket, listener: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onclose(this: &WebSocket, listener: &Function);
    #[wasm_bindgen(method, catch)]
    fn send(this: &WebSocket, data: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, getter, js_name = readyState)]
    fn ready_state(this: &WebSocket) -> u16;
    #[wasm_bindgen(method, getter, js_name = bufferedAmount)]
    fn buffered_amount(this: &WebSocket) -> f64;
    #[wasm_bindgen(method)]
    fn close(this: &WebSocket);
}

//! Parts of a board only for JavaScript: its prompt as a pair of web streams, its listeners.

use std::rc::Rc;

use futures::sink;
use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_streams::WritableStream;

use super::{Board, session::Conversation};
use crate::{
    binding::arguments::Data,
    binding::error::ErrorKind,
    binding::values::{object, to_js},
    task::output,
};

#[wasm_bindgen]
impl Board {
    /// Calls `listener` with each new mode; the returned function stops that.
    #[wasm_bindgen(js_name = onMode, unchecked_return_type = "() => void")]
    pub fn call_on_mode(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(mode: Mode) => void")] listener: Function,
    ) -> JsValue {
        let listening = self.on_mode(move |mode| {
            if let Err(error) = listener.call1(&JsValue::UNDEFINED, &to_js(&mode)) {
                // A listener's own error is reported like any other uncaught one, and stops nothing here.
                drop(Promise::reject(&error));
            }
        });
        Closure::once_into_js(move || drop(listening))
    }

    /// Returns the board's files, always as the same object.
    #[wasm_bindgen(getter, js_name = files, unchecked_return_type = "Files")]
    pub fn same_files(&self) -> JsValue {
        self.files.get_or_init(|| self.files().into()).clone()
    }

    /// Returns the board's own prompt as a stream pair, for a terminal: its output while no program of ours runs, and
    /// its input. While a program runs, input goes to the program; input that nothing reads is lost. Unread output is
    /// kept up to `outputLimit`. Always the same two streams.
    #[wasm_bindgen(getter, unchecked_return_type = "Terminal")]
    pub fn terminal(&self) -> JsValue {
        let open = || {
            let screen = output(self.output(), self.lost());
            let keyboard = keyboard(Rc::clone(&self.conversation));
            object(&[("readable", screen.into()), ("writable", keyboard.into())])
        };
        self.terminal.get_or_init(open).clone()
    }
}

/// Creates the stream of input to the board. Input that nothing reads is lost, as on any keyboard: failing instead
/// would make the stream unusable for good.
fn keyboard(conversation: Rc<Conversation>) -> web_sys::WritableStream {
    let typed = sink::unfold(conversation, async |conversation, chunk: JsValue| {
        let bytes = chunk.unchecked_into::<Data>().bytes()?;
        match conversation.command(|board, _| board.send(&bytes)) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotRunning | ErrorKind::Busy) => {
                Err(JsValue::from(error))
            }
            Ok(()) | Err(_) => Ok(conversation),
        }
    });
    WritableStream::from_sink(typed).into_raw()
}

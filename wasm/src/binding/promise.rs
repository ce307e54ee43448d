//! Converts a reply to a promise.

use futures::{FutureExt, future::LocalBoxFuture};
use js_sys::{Promise, futures::future_to_promise};
use serde::Serialize;
use wasm_bindgen::{JsValue, convert::IntoWasmAbi, describe::WasmDescribe};

use crate::{binding::values::to_js, task::Reply};

/// Creates a promise that settles with this future's result. The future is boxed, so that the code of a promise is
/// compiled only once.
pub(crate) fn promise(future: LocalBoxFuture<'static, Result<JsValue, JsValue>>) -> Promise {
    future_to_promise(future)
}

impl<T: Serialize + 'static> From<Reply<T>> for Promise {
    fn from(reply: Reply<T>) -> Self {
        promise(reply.0.map(|result| Ok(to_js(&result?))).boxed_local())
    }
}

// The way in which wasm-bindgen lets a method return such a type. Its version is pinned.
impl<T> WasmDescribe for Reply<T> {
    fn describe() {
        JsValue::describe();
    }
}

impl<T: Serialize + 'static> IntoWasmAbi for Reply<T> {
    type Abi = <JsValue as IntoWasmAbi>::Abi;

    fn into_abi(self) -> Self::Abi {
        JsValue::from(Promise::from(self)).into_abi()
    }
}

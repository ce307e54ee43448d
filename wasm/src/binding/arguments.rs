//! Arguments from JavaScript: text and bytes, links, options.

use std::{cell::RefCell, iter, rc::Rc, time::Duration};

use js_sys::{Array, Object, Uint8Array};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, value::MapDeserializer},
};
use tsify::{Ts, Tsify};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen::{
    convert::{FromWasmAbi, OptionFromWasmAbi},
    describe::WasmDescribe,
};

use crate::binding::error::Error;

#[wasm_bindgen]
extern "C" {
    /// Text, which is sent as UTF-8, or bytes; both convert with `into`.
    #[wasm_bindgen(typescript_type = "string | Uint8Array")]
    pub type Data;

    /// A text, such as a path; `"text".into()`.
    #[wasm_bindgen(typescript_type = "string")]
    pub type Text;

    /// An address; `"ws://…".into()`.
    #[wasm_bindgen(typescript_type = "string | URL")]
    pub type Url;

    /// Object with a `readable` and a `writable`: an open port, a socket, Node's streams.
    #[wasm_bindgen(typescript_type = "Link")]
    pub type Streams;
}

impl Data {
    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Error> {
        if let Some(text) = self.as_string() {
            return Ok(text.into_bytes());
        }
        match self.dyn_ref::<Uint8Array>() {
            Some(bytes) => Ok(bytes.to_vec()),
            None => Err(Error::argument("expected a string or a Uint8Array")),
        }
    }
}

impl Text {
    pub(crate) fn get(&self) -> Result<String, Error> {
        self.as_string()
            .ok_or_else(|| Error::argument("expected a string"))
    }
}

impl Url {
    pub(crate) fn get(&self) -> String {
        let object: &Object = self.unchecked_ref();
        object.to_string().into()
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Self {
        JsValue::from(text).unchecked_into()
    }
}

impl From<&[u8]> for Data {
    fn from(bytes: &[u8]) -> Self {
        JsValue::from(Uint8Array::from(bytes)).unchecked_into()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        JsValue::from(text).unchecked_into()
    }
}

impl From<&str> for Url {
    fn from(text: &str) -> Self {
        JsValue::from(text).unchecked_into()
    }
}

/// Options of a command: in Rust a struct, which converts with `into`; in JavaScript an object, which is parsed.
#[derive(Debug)]
pub struct Options<T>(Result<T, Error>);

impl<T: Default> Options<T> {
    /// Returns the options, or the error in them; without options, the defaults.
    pub(crate) fn get(options: Option<Self>) -> Result<T, Error> {
        options.map_or_else(|| Ok(T::default()), |options| options.0)
    }
}

impl<T> Options<T> {
    /// Returns the value, or the reason why it is missing or invalid.
    #[cfg(feature = "agent")]
    pub(crate) fn required(self) -> Result<T, Error> {
        self.0
    }
}

impl<T> From<T> for Options<T> {
    fn from(options: T) -> Self {
        Self(Ok(options))
    }
}

impl<T: Tsify<JsType: WasmDescribe>> WasmDescribe for Options<T> {
    fn describe() {
        Ts::<T>::describe();
    }
}

impl<T> FromWasmAbi for Options<T>
where
    T: Tsify<JsType: FromWasmAbi> + DeserializeOwned,
{
    type Abi = <Ts<T> as FromWasmAbi>::Abi;

    #[allow(unsafe_code, reason = "wasm-bindgen's trait for arguments wants it so")]
    unsafe fn from_abi(abi: Self::Abi) -> Self {
        // SAFETY: as for a `Ts`, which this was on the other side.
        Self(read(&unsafe { Ts::<T>::from_abi(abi) }.js_value()))
    }
}

impl<T> OptionFromWasmAbi for Options<T>
where
    T: Tsify<JsType: OptionFromWasmAbi> + DeserializeOwned,
{
    fn is_none(abi: &Self::Abi) -> bool {
        Ts::<T>::is_none(abi)
    }
}

/// Parses options; errors name the option.
fn read<T: DeserializeOwned>(options: &JsValue) -> Result<T, Error> {
    let option = Rc::default();
    let given = given(options, Rc::clone(&option))?;
    T::deserialize(MapDeserializer::new(given)).map_err(|error| wrong(&option.borrow(), &error))
}

/// Returns an object's options. Each is noted in `option` while it is read, for error messages. Not generic, so that
/// the code is compiled only once.
fn given(options: &JsValue, option: Rc<RefCell<String>>) -> Result<Given, Error> {
    if !options.is_object() {
        return Err(Error::argument("expected an object"));
    }
    let mut entries = Object::entries(options.unchecked_ref()).into_iter();
    Ok(Box::new(iter::from_fn(move || {
        loop {
            let Some(entry) = entries.next() else {
                option.borrow_mut().clear();
                return None;
            };
            let entry: Array = entry.unchecked_into();
            let value = entry.get(1);
            if !value.is_undefined() {
                let name = entry.get(0).as_string().unwrap_or_default();
                option.borrow_mut().clone_from(&name);
                return Some((name, value.into()));
            }
        }
    })))
}

type Given = Box<dyn Iterator<Item = (String, serde_wasm_bindgen::Deserializer)>>;

fn wrong(option: &str, error: &serde_wasm_bindgen::Error) -> Error {
    let why = error.to_string();
    let why = why.trim_start_matches("Error: ");
    match option {
        "" => Error::argument(why),
        option => Error::argument(format_args!("{option}: {why}")),
    }
}

/// Deserializes a time in milliseconds, which may be `Infinity`.
pub(crate) fn millis<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let Some(millis) = Option::<f64>::deserialize(value)? else {
        return Ok(None);
    };
    if millis.is_nan() || millis < 0.0 {
        return Err(D::Error::custom(
            "expected a time in milliseconds, 0 or more",
        ));
    }
    let time = Duration::try_from_secs_f64(millis / 1000.0);
    Ok(Some(time.unwrap_or(Duration::MAX)))
}

/// Deserializes a browser object unchanged, without checking its class.
pub(crate) fn instance<'de, D: Deserializer<'de>, T: JsCast>(
    value: D,
) -> Result<Option<T>, D::Error> {
    let object: JsValue = serde_wasm_bindgen::preserve::deserialize(value)?;
    match object.is_object() {
        true => Ok(Some(object.unchecked_into())),
        false if object.is_null() => Ok(None),
        false => Err(D::Error::custom("expected an object")),
    }
}

/// Deserializes a function.
#[cfg(feature = "agent")]
pub(crate) fn function<'de, D: Deserializer<'de>>(
    value: D,
) -> Result<Option<js_sys::Function>, D::Error> {
    let function: JsValue = serde_wasm_bindgen::preserve::deserialize(value)?;
    let function = function.dyn_into().map(Some);
    function.map_err(|_| D::Error::custom("give a function"))
}

//! Values of JavaScript: converted from Rust, and inspected.

use js_sys::{JSON, Object, Reflect};
use serde::{Serialize, Serializer};
use wasm_bindgen::JsValue;

/// Converts a value to plain JavaScript objects.
pub(crate) fn to_js(value: &(impl Serialize + ?Sized)) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_maps_as_objects(true);
    // A value that JavaScript cannot represent is replaced by its error.
    value.serialize(&serializer).unwrap_or_else(JsValue::from)
}

/// Returns a property of an object; `undefined` of anything else.
pub(crate) fn property(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or_default()
}

/// Creates a plain object.
pub(crate) fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new().into();
    extend(&object, entries);
    object
}

/// Adds properties to a plain object of ours.
pub(crate) fn extend(object: &JsValue, entries: &[(&str, JsValue)]) {
    for (name, value) in entries {
        // A plain object refuses no property.
        let _ = Reflect::set(object, &(*name).into(), value);
    }
}

/// Serializes a `Uint8Array`.
pub(crate) fn byte_array<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// Serializes a number of bytes. No file is too large to be counted by a JavaScript number, but a board may lie about
/// its size.
pub(crate) fn count<S: Serializer>(count: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*count as f64)
}

/// Serializes a JSON value. Long integers lose digits, which serde-wasm-bindgen would refuse.
pub(crate) fn json<S: Serializer>(
    value: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = serde_json::to_string(value).unwrap_or_default();
    let value = JSON::parse(&text).unwrap_or(JsValue::NULL);
    serde_wasm_bindgen::preserve::serialize(&value, serializer)
}

/// Defines an enum of the core as a JavaScript string, `WaitingHeader` as `"waitingHeader"`, and as a TypeScript type.
/// The variants' data is left out.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident of $core:path { $($variants:tt)+ }) => {
        words! { $(#[$meta])* $name of $core as "camelCase" { $($variants)+ } }
    };
    ($(#[$meta:meta])* $name:ident of $core:path as $case:literal {
        $($(#[$about:meta])* $variant:ident,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, tsify::Tsify)]
        #[serde(rename_all = $case)]
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        const _: () = {
            use tsify::Tsify;
            use wasm_bindgen::{JsValue, convert::IntoWasmAbi, describe::WasmDescribe};

            impl WasmDescribe for $name {
                fn describe() {
                    <Self as Tsify>::JsType::describe();
                }
            }

            impl IntoWasmAbi for $name {
                type Abi = <JsValue as IntoWasmAbi>::Abi;

                fn into_abi(self) -> Self::Abi {
                    crate::binding::values::to_js(&self).into_abi()
                }
            }
        };

        impl From<&$core> for $name {
            fn from(value: &$core) -> Self {
                use $core as Core;
                match value {
                    $(Core::$variant { .. } => Self::$variant,)+
                }
            }
        }
    };
}
pub(crate) use words;

//! Web Serial: chooses and opens ports, and reports their loss. DTR and RTS are never touched, because they reset many
//! boards.
//!
//! The bindings are written here because web-sys has Web Serial only behind `--cfg web_sys_unstable_apis`, which every
//! application would have to set, and declares `readable` and `writable` as never null, which they are after a loss.

use futures::FutureExt;
use gloo_events::EventListener;
use js_sys::{Array, Promise, futures::JsFuture};
use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::{EventTarget, ReadableStream, WritableStream};

use crate::{
    binding::arguments::{self, Options, Streams},
    binding::error::{Error, ErrorKind},
    binding::values::{property, to_js},
    task::Reply,
};

#[wasm_bindgen]
extern "C" {
    /// A serial port, open or not (Web Serial API, section "SerialPort interface").
    #[wasm_bindgen(extends = EventTarget, typescript_type = "SerialDevice")]
    #[derive(Debug, Clone)]
    pub type SerialPort;

    /// Returns the stream of data from the device; `None` while the port is closed, and after it is lost.
    #[wasm_bindgen(method, getter)]
    pub fn readable(this: &SerialPort) -> Option<ReadableStream>;

    /// Returns the stream of data to the device; `None` while the port is closed, and after it is lost.
    #[wasm_bindgen(method, getter)]
    pub fn writable(this: &SerialPort) -> Option<WritableStream>;

    #[wasm_bindgen(method, js_name = getInfo)]
    fn get_info(this: &SerialPort) -> JsValue;
    #[wasm_bindgen(method)]
    fn open(this: &SerialPort, options: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    fn close(this: &SerialPort) -> Promise;

    #[wasm_bindgen(extends = EventTarget)]
    type Serial;
    #[wasm_bindgen(method, js_name = requestPort)]
    fn request_port(this: &Serial, options: &JsValue) -> Promise;
    #[wasm_bindgen(method, js_name = getPorts)]
    fn get_ports(this: &Serial) -> Promise;
}

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str =
    r#"import type { SerialDevice, SerialLink, SocketLink } from "../../types/index.js";"#;

/// USB ids of a port. In a filter, omitted ones match anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct UsbIds {
    /// Vendor's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    pub usb_vendor_id: Option<u16>,
    /// Product's id, assigned by the vendor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    pub usb_product_id: Option<u16>,
}

/// Open port, as a pair of streams. They are looked up again each time: the browser replaces them after an error, and
/// removes them after a loss. Dropping the link does not close the port.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug, Clone)]
pub struct SerialLink(SerialPort);

#[wasm_bindgen]
impl SerialLink {
    /// Returns the browser's own object.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn port(&self) -> SerialPort {
        self.0.clone()
    }

    /// Returns a name for lists: `Web Serial 2e8a:0005`.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn label(&self) -> String {
        let ids = usb_ids(&self.0);
        let product = ids.usb_product_id.unwrap_or_default();
        match ids.usb_vendor_id {
            Some(vendor) => format!("Web Serial {vendor:04x}:{product:04x}"),
            None => String::from("Web Serial"),
        }
    }

    /// Returns the stream of data from the device.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn readable(&self) -> JsValue {
        self.0.readable().map_or(JsValue::NULL, JsValue::from)
    }

    /// Returns the stream of data to the device.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn writable(&self) -> JsValue {
        self.0.writable().map_or(JsValue::NULL, JsValue::from)
    }

    /// Closes the port. A board on it has to be closed first: a port cannot close while its streams are locked.
    pub fn close(&self) -> Reply<()> {
        let closed = JsFuture::from(self.0.close());
        // A port that was unplugged is already closed, and refuses.
        Reply::new(closed.map(|_| Ok(())))
    }
}

impl From<SerialPort> for Streams {
    fn from(port: SerialPort) -> Self {
        port.unchecked_into()
    }
}

impl From<&SerialLink> for Streams {
    fn from(link: &SerialLink) -> Self {
        link.port().into()
    }
}

/// Returns true if this browser supports Web Serial on this page, which needs `https:` or localhost.
#[wasm_bindgen(js_name = hasSerial)]
#[must_use]
pub fn is_supported() -> bool {
    serial().is_some()
}

/// Options for choosing and opening a port. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SerialOptions {
    /// Port to open; without it, the browser asks the user to choose, which needs a click or a key press.
    #[serde(deserialize_with = "arguments::instance")]
    #[tsify(type = "SerialDevice")]
    pub port: Option<SerialPort>,
    /// Devices that the browser offers. Default: all.
    pub filters: Vec<UsbIds>,
    /// Bits per second. Default 115200; USB boards ignore it.
    #[tsify(type = "number")]
    pub baud_rate: Option<u32>,
    /// Size of the browser's buffer, in bytes. Default 65536; its own default of 255 makes a download ten times slower.
    #[tsify(type = "number")]
    pub buffer_size: Option<u32>,
}

/// Opens a Web Serial port. DTR and RTS do not change, so a board does not reset. Fails with `UnsupportedError`,
/// `CancelledError` if the user chooses none, `LinkError`.
///
/// # Errors
/// See above.
#[wasm_bindgen(js_name = openSerial)]
pub async fn open(options: Option<Options<SerialOptions>>) -> Result<SerialLink, Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct How {
        baud_rate: u32,
        buffer_size: u32,
    }
    let options = Options::get(options)?;
    let port = match options.port {
        Some(port) => port,
        None => request_port(&options.filters).await?,
    };
    let how = How {
        baud_rate: options.baud_rate.unwrap_or(BAUD_RATE),
        buffer_size: options.buffer_size.unwrap_or(BUFFER_SIZE),
    };
    let opened = JsFuture::from(port.open(&to_js(&how))).await;
    opened.map_err(not_opened)?;
    Ok(SerialLink(port))
}

/// Lets the user choose a port, which needs a click or a key press.
///
/// # Errors
/// [`ErrorKind::Unsupported`], [`ErrorKind::Cancelled`] if none is chosen, [`ErrorKind::Link`].
pub async fn request_port(filters: &[UsbIds]) -> Result<SerialPort, Error> {
    #[derive(Serialize)]
    struct Wanted<'a> {
        filters: &'a [UsbIds],
    }
    let serial = serial().ok_or_else(|| Error::new(ErrorKind::Unsupported, UNSUPPORTED))?;
    let chosen = serial.request_port(&to_js(&Wanted { filters }));
    let port = JsFuture::from(chosen).await.map_err(not_chosen)?;
    Ok(port.unchecked_into())
}

/// Returns the ports that this page may open without asking, in no stable order.
pub async fn ports(filters: &[UsbIds]) -> Vec<SerialPort> {
    let Some(serial) = serial() else {
        return Vec::new();
    };
    let ports = JsFuture::from(serial.get_ports()).await;
    let ports: Array = ports.map_or_else(|_| Array::new(), JsCast::unchecked_into);
    let ports = ports.iter().map(JsCast::unchecked_into::<SerialPort>);
    ports.filter(|port| fits(port, filters)).collect()
}

/// Calls `listener` whenever a port that this page may use is plugged in (`"connect"`) or unplugged (`"disconnect"`),
/// until the returned value is dropped.
pub fn listen(
    event: &'static str,
    mut listener: impl FnMut(SerialPort) + 'static,
) -> Option<EventListener> {
    // The event's target is the port, and it bubbles up to `navigator.serial`.
    let tell = move |event: &web_sys::Event| {
        if let Some(port) = event.target() {
            listener(port.unchecked_into());
        }
    };
    let target: EventTarget = serial()?.into();
    Some(EventListener::new(&target, event, tell))
}

/// Returns the USB ids of a port; none if it is not on USB.
#[must_use]
pub fn usb_ids(port: &SerialPort) -> UsbIds {
    serde_wasm_bindgen::from_value(port.get_info()).unwrap_or_default()
}

/// Functions only for JavaScript.
pub mod js {
    use js_sys::{Function, Promise};
    use wasm_bindgen::{JsValue, closure::Closure, prelude::wasm_bindgen};

    use crate::binding::error::Error;

    /// Returns the ports that this page may open without asking, in no stable order.
    ///
    /// # Errors
    /// A `TypeError` for an invalid filter.
    #[wasm_bindgen(js_name = serialPorts, unchecked_return_type = "SerialDevice[]")]
    pub async fn ports(
        #[wasm_bindgen(unchecked_optional_param_type = "UsbIds[]")] filters: JsValue,
    ) -> Result<Vec<super::SerialPort>, Error> {
        let filters: Option<Vec<super::UsbIds>> = serde_wasm_bindgen::from_value(filters)
            .map_err(|error| Error::argument(format_args!("filters: {error}")))?;
        Ok(super::ports(&filters.unwrap_or_default()).await)
    }

    /// Calls `listener` whenever a board that this page may use is plugged in; the returned function stops that.
    #[wasm_bindgen(js_name = onSerialConnect, unchecked_return_type = "() => void")]
    pub fn on_connect(
        #[wasm_bindgen(unchecked_param_type = "(port: SerialDevice) => void")] listener: Function,
    ) -> JsValue {
        listen("connect", listener)
    }

    /// Calls `listener` whenever a board that this page may use is unplugged; the returned function stops that.
    #[wasm_bindgen(js_name = onSerialDisconnect, unchecked_return_type = "() => void")]
    pub fn on_disconnect(
        #[wasm_bindgen(unchecked_param_type = "(port: SerialDevice) => void")] listener: Function,
    ) -> JsValue {
        listen("disconnect", listener)
    }

    fn listen(event: &'static str, listener: Function) -> JsValue {
        let listening = super::listen(event, move |port| {
            if let Err(error) = listener.call1(&JsValue::UNDEFINED, &port) {
                // A listener's own error is reported like any other uncaught one.
                drop(Promise::reject(&error));
            }
        });
        Closure::once_into_js(move || drop(listening))
    }
}

/// Returns `navigator.serial`, in a page or a worker.
fn serial() -> Option<Serial> {
    let serial = property(&property(&js_sys::global(), "navigator"), "serial");
    serial.is_object().then(|| serial.unchecked_into())
}

fn fits(port: &SerialPort, filters: &[UsbIds]) -> bool {
    let ids = usb_ids(port);
    let is = |wanted: Option<u16>, id| wanted.is_none() || wanted == id;
    let fits = |filter: &UsbIds| {
        is(filter.usb_vendor_id, ids.usb_vendor_id) && is(filter.usb_product_id, ids.usb_product_id)
    };
    filters.is_empty() || filters.iter().any(fits)
}

fn not_chosen(cause: JsValue) -> Error {
    if property(&cause, "name") == "NotFoundError" {
        return Error::new(ErrorKind::Cancelled, "no port was chosen");
    }
    Error::link(
        "the browser did not allow this page to request a port",
        cause,
    )
}

fn not_opened(cause: JsValue) -> Error {
    let why = match property(&cause, "name") == "InvalidStateError" {
        true => "the port is already open",
        false => "the port could not be opened; another program or page may be using it",
    };
    Error::link(why, cause)
}

const BAUD_RATE: u32 = 115_200;
/// Default size of the browser's buffer, in bytes.
const BUFFER_SIZE: u32 = 64 * 1024;
const UNSUPPORTED: &str = "Web Serial is not available here; use Chrome, Edge, or Firefox 151 or later, on a computer, over https \
                           or on localhost";

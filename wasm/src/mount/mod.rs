//! Mounts a folder that the user has opened on a board, whose programs import from it, read and write it.
//!
//! ```text
//!   board ◄──link──► Relay ◄──MountedLink──► a `Board`, a `Debugger`, …
//!                      │
//!                    Folder
//! ```

mod folder;
mod handles;
mod relay;

use std::{fmt, rc::Rc, time::Duration};

use flylead_core::mount::{self as core, Config};
use futures::{StreamExt, sink};
use js_sys::Function;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_streams::WritableStream;
use web_sys::FileSystemDirectoryHandle;

use crate::{
    binding::arguments::{Data, Options, Streams},
    binding::channel::{Bytes, channel},
    binding::clock::{sleep, within},
    binding::error::{Error, ErrorKind},
    binding::values::{object, property, to_js},
    driver::Driver,
    link::Link,
    task::Reply,
    task::output,
};
use folder::Folder;
use relay::Relay;

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { Link } from "../../types/index.js";
import type { MountedLink } from "../../types/mount.js";"#;

/// Options of a mounted folder. Omitted ones have their defaults.
#[derive(Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MountOptions {
    /// Mount point on the board. Default `/remote`.
    #[tsify(type = "string")]
    pub at: Option<String>,
    /// Receiver of news about the folder.
    #[serde(deserialize_with = "listener")]
    #[tsify(type = "(news: MountNews) => void")]
    pub on_news: Option<NewsListener>,
}

/// Receiver of news about a mounted folder.
pub type NewsListener = Box<dyn Fn(MountNews)>;

/// News about a mounted folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum MountNews {
    /// The board restarted, and the folder is mounted again.
    Mounted,
    /// The board restarted, and the folder cannot be mounted.
    Failed {
        /// Reason, for the user.
        why: String,
    },
    /// The folder was removed, or the browser denies access: programs get `OSError: [Errno 19] ENODEV`.
    FolderGone,
}

/// Board with a mounted folder, as a link. Closing it unmounts the folder and unlocks the underlying link.
#[wasm_bindgen(js_name = MountedLink, skip_typescript)]
#[derive(Debug)]
pub struct MountedLink {
    relay: Rc<Relay>,
    driver: Rc<Driver<core::Mount>>,
    readable: web_sys::ReadableStream,
    writable: web_sys::WritableStream,
    at: String,
}

/// Mounts a folder on a board, and locks the board's link meanwhile. It interrupts whatever runs there; then the board
/// is at its normal prompt, with the folder as its current directory. After each reset the folder is remounted before
/// the prompt appears.
///
/// Fails with `MountError` if the board cannot mount it, and `LostError`.
///
/// # Errors
/// See above; [`ErrorKind::Argument`] for the link, the folder or an option.
#[wasm_bindgen(js_name = mountFolder)]
pub async fn mount(
    link: Streams,
    folder: FileSystemDirectoryHandle,
    options: Option<Options<MountOptions>>,
) -> Result<MountedLink, Error> {
    let options = Options::get(options)?;
    if property(&folder, "kind").as_string().as_deref() != Some("directory") {
        return Err(Error::argument(
            "expected the folder as a FileSystemDirectoryHandle",
        ));
    }
    let at = options.at.unwrap_or_else(|| AT.into());
    let config = Config::new(&at).map_err(Error::argument)?;
    let link = Link::lock(&link)?;
    if link.is_text_only {
        return Err(Error::new(ErrorKind::Mount, TEXT_ONLY));
    }
    let (sender, receiver) = channel(Bytes::new(UNREAD_LIMIT));
    let (relay, begun) = Relay::new(Folder::new(folder), sender, options.on_news);
    let driver = Driver::spawn(link, core::Mount::new(config), Rc::clone(&relay));
    relay.join(&driver);
    // A machine that has done nothing is not busy.
    let _ = driver.command(core::Mount::mount);
    if let Err(error) = begun.await {
        driver.close();
        return Err(error);
    }
    let readable = output(Some(receiver.boxed_local()), relay.lost());
    let writable = writable(&relay, &driver);
    Ok(MountedLink {
        relay,
        driver,
        readable,
        writable,
        at,
    })
}

#[wasm_bindgen]
impl MountedLink {
    /// Returns the mount point on the board.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn label(&self) -> String {
        self.at.clone()
    }

    /// Returns the stream of data from the board.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn readable(&self) -> web_sys::ReadableStream {
        self.readable.clone()
    }

    /// Returns the stream of data to the board.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn writable(&self) -> web_sys::WritableStream {
        self.writable.clone()
    }

    /// Unmounts the folder, if the board still answers, and unlocks the link.
    pub fn close(&self) -> Reply<()> {
        let (relay, driver) = (Rc::clone(&self.relay), Rc::clone(&self.driver));
        Reply::new(async move {
            if let Some(done) = relay.unmount(&driver) {
                within(END_TIMEOUT, done).await;
            }
            driver.close();
            relay.end(None);
            Ok(())
        })
    }
}

impl From<&MountedLink> for Streams {
    fn from(link: &MountedLink) -> Self {
        let streams = object(&[
            ("readable", link.readable().into()),
            ("writable", link.writable().into()),
        ]);
        streams.unchecked_into()
    }
}

/// Creates the stream of client data to the board; it waits while an answer of the folder is being sent.
fn writable(relay: &Rc<Relay>, driver: &Rc<Driver<core::Mount>>) -> web_sys::WritableStream {
    let state = (Rc::clone(relay), Rc::clone(driver));
    let sink = sink::unfold(state, async |(relay, driver), chunk: JsValue| {
        let bytes = chunk.unchecked_into::<Data>().bytes()?;
        relay.typed(&bytes);
        loop {
            relay.check()?;
            if driver.command(|mount, now| mount.send(now, &bytes)) {
                return Ok::<_, JsValue>((relay, driver));
            }
            sleep(LOOK_AGAIN).await;
        }
    });
    WritableStream::from_sink(sink).into_raw()
}

/// Deserializes a function.
fn listener<'de, D: Deserializer<'de>>(value: D) -> Result<Option<NewsListener>, D::Error> {
    let given: JsValue = serde_wasm_bindgen::preserve::deserialize(value)?;
    let tell: Function = given
        .dyn_into()
        .map_err(|_| D::Error::custom("give a function"))?;
    Ok(Some(Box::new(move |news| {
        // An exception of the listener is its own concern.
        let _ = tell.call1(&JsValue::UNDEFINED, &to_js(&news));
    })))
}

impl fmt::Debug for MountOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MountOptions")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

const AT: &str = "/remote";
/// Limit of the board's unread output, in bytes.
const UNREAD_LIMIT: usize = 16 * 1024 * 1024;
/// Time limit of unmounting.
const END_TIMEOUT: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(5);
const TEXT_ONLY: &str =
    "this link carries only text, as WebREPL does; mount folders over a serial port";

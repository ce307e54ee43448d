//! What a page may say with a command, read from plain objects.

use std::time::Duration;

use flylead_core::{export, raw_repl::Config};
use js_sys::{RangeError, Reflect, TypeError};
use wasm_bindgen::JsValue;

/// `AttachOptions` of the declarations.
#[derive(Debug)]
pub(crate) struct AttachOptions {
    pub(crate) config: Config,
    pub(crate) output_limit: usize,
}

impl AttachOptions {
    pub(crate) fn read(options: &JsValue) -> Result<Self, JsValue> {
        let mut config = Config::default();
        if let Some(timeout) = duration(options, "enterTimeout")? {
            config.enter_timeout = timeout;
        }
        if let Some(timeout) = duration(options, "replyTimeout")? {
            config.reply_timeout = timeout;
        }
        config.raw_paste = get(options, "rawPaste").as_bool().unwrap_or(true);
        let output_limit = bytes(options, "outputLimit")?.unwrap_or(OUTPUT_LIMIT);
        Ok(Self {
            config,
            output_limit,
        })
    }
}

/// `RecorderOptions` of the declarations.
#[derive(Debug)]
pub(crate) struct RecorderOptions {
    pub(crate) config: export::Config,
    pub(crate) output_limit: usize,
}

impl RecorderOptions {
    pub(crate) fn read(options: &JsValue) -> Result<Self, JsValue> {
        let mut config = export::Config::default();
        if let Some(baud) = number(options, "baudRate")? {
            config.baud = baud as u32;
        }
        if let Some(timeout) = duration(options, "timeout")? {
            config.timeout = timeout;
        }
        if let Some(timeout) = duration(options, "idleTimeout")? {
            config.idle_timeout = timeout;
        }
        config.size_limit = number(options, "sizeLimit")?.map_or(LOG_LIMIT, |limit| limit as u64);
        config.require_checksum = flag(options, "requireChecksum");
        let output_limit =
            number(options, "outputLimit")?.map_or(CHATTER_LIMIT, |limit| limit as usize);
        Ok(Self {
            config,
            output_limit,
        })
    }
}

/// A time in milliseconds; `None` for none and for `Infinity`.
pub(crate) fn duration(options: &JsValue, name: &str) -> Result<Option<Duration>, JsValue> {
    let seconds = number(options, name)?.map(|millis| millis / 1000.0);
    Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
}

/// Whether something is asked for.
pub(crate) fn flag(options: &JsValue, name: &str) -> bool {
    get(options, name).is_truthy()
}

/// A text; `None` for none.
pub(crate) fn text(options: &JsValue, name: &str) -> Result<Option<String>, JsValue> {
    let value = get(options, name);
    match value.as_string() {
        None if value.is_undefined() || value.is_null() => Ok(None),
        None => Err(TypeError::new(&format!("{name} must be a string")).into()),
        text => Ok(text),
    }
}

/// A number of bytes.
pub(crate) fn bytes(options: &JsValue, name: &str) -> Result<Option<usize>, JsValue> {
    Ok(number(options, name)?.map(|number| number as usize))
}

fn number(options: &JsValue, name: &str) -> Result<Option<f64>, JsValue> {
    let value = get(options, name);
    match value.as_f64() {
        None if value.is_undefined() || value.is_null() => Ok(None),
        Some(number) if number >= 0.0 => Ok(Some(number)),
        _ => Err(RangeError::new(&format!("{name} must be a number that is not negative")).into()),
    }
}

fn get(options: &JsValue, name: &str) -> JsValue {
    // Only an object can be asked; no options are none.
    Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

const OUTPUT_LIMIT: usize = 16 * 1024 * 1024;
/// A log is whole in a page's memory.
const LOG_LIMIT: u64 = 64 * 1024 * 1024;
const CHATTER_LIMIT: usize = 1024 * 1024;

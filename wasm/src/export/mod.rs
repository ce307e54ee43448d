//! Logs collected from a device that records to its SD card.
//!
//! ```text
//!   Recorder ── fetch() ──► Task ──► await: the log
//!      │                      └────► events: what happens until then
//!      └── chatter: everything the device says besides
//! ```

mod events;
mod recorder;
mod types;

use wasm_bindgen::prelude::wasm_bindgen;

pub use recorder::{Recorder, RecorderOptions, UnansweredRequest};
pub use types::{ExportEvent, ExportPhase, ExportWarning, ExportedLog, Integrity};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { Fetch, Link, LostError } from "../../types/export.js";"#;

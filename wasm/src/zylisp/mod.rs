//! Zylisp REPLs: on a server behind a WebSocket, or at the other end of any link.
//!
//! ```text
//!   Zylisp ─► Driver (ZylispClient) ─► link ─► a WebSocket, or `open_server` in the page ─► a server
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), flylead_wasm::Error> {
//! use flylead_wasm::Zylisp;
//!
//! let zylisp = Zylisp::connect("ws://127.0.0.1:5556".into(), None).await?;
//! let result = zylisp.eval("(+ 1 2)", None)?.await?;
//! # Ok(()) }
//! ```

mod answer;
mod client;
mod session;

use flylead_core::zylisp::lang;
use wasm_bindgen::prelude::wasm_bindgen;

pub use answer::{Completions, Description, Ended, EvalResult, NameInfo, TraceEntry};
pub use client::{Codec, Zylisp, ZylispAttachOptions, ZylispConnectOptions, ZylispEvalOptions};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { Link } from "../../types/index.js";
import type { Completion, EvalResult, Evaluation, Json, LostError, NameInfo, ZylispDescription } from "../../types/zylisp.js";"#;

/// Returns true if more input can complete a Zylisp source: a list or a string is open at its end.
#[wasm_bindgen(js_name = isUnfinished)]
#[must_use]
pub fn is_unfinished(source: &str) -> bool {
    lang::is_unfinished(source)
}

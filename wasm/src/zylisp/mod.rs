//! Zylisp REPLs: on a server behind a WebSocket, or in the page itself.
//!
//! ```text
//!   Zylisp ─► Driver (ZylispClient) ─► link ─┬─► WebSocket ─► a server
//!                                            └─► Local (Session, the language), in slices of a few milliseconds
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), flylead_wasm::Error> {
//! use flylead_wasm::Zylisp;
//!
//! let zylisp = Zylisp::local(None)?;
//! let result = zylisp.eval("(+ 1 2)", None)?.await?;
//! # Ok(()) }
//! ```

mod answer;
mod client;
mod local;
mod session;

use flylead_core::zylisp::lang;
use wasm_bindgen::prelude::wasm_bindgen;

pub use answer::{Completions, Description, Ended, EvalResult, NameInfo, TraceEntry};
pub use client::{Codec, Zylisp, ZylispConnectOptions, ZylispEvalOptions, ZylispLocalOptions};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { Completion, EvalResult, Evaluation, Json, LostError, NameInfo, ZylispDescription } from "../../types/zylisp.js";"#;

/// Whether a source of Zylisp can still become whole by typing on: a list or a string is open at its end.
#[wasm_bindgen(js_name = isUnfinished)]
#[must_use]
pub fn is_unfinished(source: &str) -> bool {
    lang::is_unfinished(source)
}

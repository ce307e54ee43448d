//! Debugs programs on MicroPython boards. The board needs no special firmware.
//!
//! ```text
//!   Debugger ── run() ──► Task ──► await: how the program ended
//!      │                    └────► events: output, stops, texts of log breakpoints
//!      └── setBreakpoints, setExceptions, resume, pause, variables, evaluate, setVariable
//! ```

mod conversation;
mod debugger;
mod events;
mod types;

use wasm_bindgen::prelude::wasm_bindgen;

pub use debugger::{Debugger, DebuggerOptions};
pub use types::{
    DebugBreakpoint, DebugBreakpointStatus, DebugContainer, DebugEnd, DebugErrorCode, DebugEvent,
    DebugExceptions, DebugFrame, DebugPart, DebugReason, DebugStep, DebugValue, DebugVariable,
};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { Debugging, Link } from "../../types/debug.js";"#;

//! Flylead for JavaScript: the core's machines, driven by promises over `{ readable, writable }`.
//!
//! ```text
//!   link.readable ──►┌────────┐  events   ┌───────┐──► promises, async iterables, streams
//!                    │ Driver ├──────────►│ Board │
//!   link.writable ◄──│ (Pump) │◄──────────┤       │◄── exec, run, files, interrupt, …
//!                    └────────┘  commands └───────┘
//! ```
//!
//! A `Zylisp` is the same with another machine, over a WebSocket or a session that runs in the page.
//!
//! No rule of any protocol is in here: [`driver`] moves bytes and time, the exported classes translate events. What
//! a browser must ask its user for (ports, passwords) is JavaScript, in `js/`. The public API is `types.d.ts`.
//!
//! Each protocol is a feature, and each feature a module of WebAssembly in the package.
//!
//! The machine is never borrowed while JavaScript runs, so a listener may issue the next command at once.

// One part alone does not use what only the others need.
#![cfg_attr(
    not(all(
        feature = "board",
        feature = "export",
        feature = "agent",
        feature = "zylisp"
    )),
    allow(dead_code, unused_imports)
)]

#[cfg(feature = "agent")]
pub mod agent;
#[cfg(feature = "board")]
mod answers;
#[cfg(feature = "board")]
mod board;
#[cfg(feature = "board")]
mod conversation;
mod deferred;
#[cfg(feature = "board")]
mod desk;
pub mod driver;
mod error;
mod events;
#[cfg(feature = "export")]
mod export;
#[cfg(feature = "board")]
mod files;
mod items;
pub mod link;
mod mailbox;
mod options;
mod output;
#[cfg(feature = "board")]
mod program;
#[cfg(feature = "board")]
mod progress;
mod queue;
#[cfg(feature = "board")]
mod request;
#[cfg(feature = "board")]
mod run;
mod streams;
#[cfg(feature = "board")]
mod terminal;
mod timer;
#[cfg(feature = "board")]
mod transfer;
mod utf8;
#[cfg(feature = "zylisp")]
mod zylisp;

#[cfg(feature = "board")]
pub use board::Board;
#[cfg(feature = "export")]
pub use export::{Fetch, Recorder};
#[cfg(feature = "board")]
pub use files::Files;
#[cfg(feature = "board")]
pub use run::Run;
#[cfg(feature = "board")]
pub use transfer::Transfer;
#[cfg(feature = "zylisp")]
pub use zylisp::{Evaluation, Zylisp, is_unfinished};

#[cfg(all(test, target_arch = "wasm32"))]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

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
//! The machine is never borrowed while JavaScript runs, so a listener may issue the next command at once.

pub mod agent;
mod answers;
mod board;
mod conversation;
mod deferred;
mod desk;
pub mod driver;
mod error;
mod events;
mod export;
mod files;
pub mod link;
mod options;
mod program;
mod progress;
mod queue;
mod request;
mod run;
mod streams;
mod terminal;
mod timer;
mod transfer;
mod turn;
mod utf8;
mod zylisp;

pub use board::Board;
pub use export::{Fetch, FetchEvents, Recorder};
pub use files::Files;
pub use run::{Run, RunOutput};
pub use transfer::{Transfer, TransferProgress};
pub use turn::AgentTurn;
pub use zylisp::{Evaluation, Zylisp};

#[cfg(all(test, target_arch = "wasm32"))]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

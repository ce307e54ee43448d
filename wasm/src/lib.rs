//! Flylead in the browser: the core's machines as futures and streams, over any pair of web streams.
//!
//! ```text
//!   link.readable ──►┌────────┐  events   ┌─────────┐──► task: futures and streams, promises and async iterables
//!                    │ Driver ├──────────►│ Session │
//!   link.writable ◄──│ (Pump) │◄──────────┤         │◄── exec, run, files, interrupt, …
//!                    └────────┘  commands └─────────┘
//! ```
//!
//! An application in Rust (Leptos, Yew, Dioxus, egui) uses this crate with `default-features = false` and the features
//! of the protocols it wants:
//!
//! | feature | provides |
//! |---|---|
//! | `board` | [`Board`]: MicroPython boards, their programs and files |
//! | `debug` | [`Debugger`]: debugging of programs on those boards |
//! | `export` | [`Recorder`]: logs of devices that record |
//! | `flash` | [`check_uf2`], [`check_esp`]: files of firmware |
//! | `mount` | [`mount`](mod@mount): a folder of this computer on a board |
//! | `zylisp` | [`Zylisp`]: REPLs on a server |
//! | `zylisp-server` | [`open_server`]: such a server in the page |
//!
//! [`link`] opens the links: Web Serial ports and WebSockets, WebREPL's password included.
//!
//! This crate implements no protocol itself. A machine is never borrowed while JavaScript runs, so a listener may issue
//! the next command at once.

// A part of the package does not use everything, but other parts do.
#![cfg_attr(
    not(all(
        feature = "board",
        feature = "debug",
        feature = "export",
        feature = "flash",
        feature = "mount",
        feature = "zylisp",
        feature = "zylisp-server"
    )),
    allow(dead_code)
)]

#[cfg(feature = "agent")]
pub mod agent;
mod binding;
#[cfg(feature = "board")]
mod board;
#[cfg(feature = "debug")]
mod debug;
pub mod driver;
#[cfg(feature = "export")]
mod export;
#[cfg(feature = "flash")]
mod flash;
pub mod link;
#[cfg(feature = "mount")]
pub mod mount;
pub mod task;
pub mod text;
pub mod types;
#[cfg(feature = "zylisp")]
mod zylisp;
#[cfg(feature = "zylisp-server")]
mod zylisp_server;

pub use binding::arguments::{Data, Options, Streams, Text, Url};
pub use binding::error::{Error, ErrorKind};
#[cfg(feature = "board")]
pub use board::*;
#[cfg(feature = "debug")]
pub use debug::*;
#[cfg(feature = "export")]
pub use export::*;
#[cfg(feature = "flash")]
pub use flash::*;
pub use flylead_core as core;
pub use link::Link;
pub use task::{Reply, Task};
#[cfg(feature = "zylisp")]
pub use zylisp::*;
#[cfg(feature = "zylisp-server")]
pub use zylisp_server::*;

#[cfg(all(test, target_arch = "wasm32"))]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

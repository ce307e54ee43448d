//! Debugs a program on a board: loads its files, and serves an editor.
//!
//! ```text
//!   files ──load──► Project ──► Session ──► Debugger on a Driver: a program of yours drives it
//!                                   ├────► dap::serve: an editor starts it and drives it
//!                                   └────► host::run: editors join it and leave it
//! ```

mod conversation;
pub mod dap;
mod files;
mod flash;
pub mod host;

pub use files::{LoadError, load};
pub use flash::load_boot;

use crate::os::random::random_hex;

/// Returns a token that marks the debugger's own lines, and that no program can guess:
/// [`Launch::token`](flylead_core::debug::Launch::token).
#[must_use]
pub fn token() -> String {
    random_hex::<4>()
}

#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "agent")]
pub mod agent;
#[cfg(feature = "board")]
pub mod board;
pub mod channel;
#[cfg(feature = "debug")]
pub mod debug;
#[cfg(feature = "esp")]
pub mod esp;
#[cfg(feature = "export")]
pub mod export;
mod machine;
#[cfg(feature = "mount")]
pub mod mount;
#[cfg(feature = "nrepl")]
pub mod nrepl;
#[cfg_attr(
    not(all(feature = "board", feature = "mount", feature = "debug")),
    allow(
        dead_code,
        unused_imports,
        reason = "programs of ours need more of it than an application"
    )
)]
pub mod raw_repl;
#[cfg(feature = "rfc2217")]
pub mod rfc2217;
mod text;
#[cfg(feature = "uf2")]
pub mod uf2;
#[cfg(feature = "zylisp")]
pub mod zylisp;

pub use machine::{
    Input, Machine, Output,
    pump::{Pump, Wait},
    time::Instant,
    trace,
};
pub use text::{hexadecimal::to_hexadecimal, lines};

#[cfg(feature = "board")]
use text::literal;
#[cfg(any(feature = "agent", feature = "export"))]
use text::windows;

/// Checks that each file named on the crate's page exists, and has the function named after it.
///
/// ```
/// let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
/// let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
/// let mut code = page.split('`').skip(1).step_by(2).peekable();
/// let mut named = 0;
/// while let Some(file) = code.next_if(|_| true) {
///     if !file.starts_with("src/") {
///         continue;
///     }
///     let text = std::fs::read_to_string(folder.join(file)).expect(file);
///     let function = code.peek().filter(|name| name.chars().all(|char| char.is_alphabetic() || char == '_'));
///     let has = |name: &&str| text.contains(&format!("fn {name}(")) || text.contains(&format!("def {name}("));
///     assert!(function.is_none_or(has), "{file} has no {function:?}");
///     named += 1;
/// }
/// assert!(named > 10, "{named}");
/// ```
#[cfg(doctest)]
struct ReadmePathsExist;

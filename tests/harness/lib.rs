//! Tools shared by the suites: transcripts, pairs of machines under virtual time, boards.

pub mod bench;
#[cfg(unix)]
pub mod boards;
pub mod device;
pub mod dice;
pub mod editors;
pub mod memory;
pub mod pair;
pub mod transcript;
pub mod zylisp;

/// Schemas of the MCP server's answers are tried with it, by the library's own tests, too. It is a dependency here and not of those
/// tests, because it chooses features of `serde_json`: cargo would build that, and everything above it, once for the programs and
/// again for the tests.
pub use jsonschema;

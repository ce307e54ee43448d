//! The raw REPL under virtual time.

mod hard_cases;
mod pairs;
mod properties;
mod transcripts;

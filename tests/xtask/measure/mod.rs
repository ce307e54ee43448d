//! Benchmarks, the page of figures, and samples of texts to read.

pub(crate) mod bench;
pub(crate) mod figures;
pub(crate) mod sample;

//! What the suites share: transcripts, pairs of machines under virtual time, boards.

pub mod transcript;

//! Collecting logs: recorded conversations, and ten thousand that went wrong.

mod faults;
mod late;
#[cfg(unix)]
mod logger;
mod transcripts;

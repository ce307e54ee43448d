//! Collecting logs: recorded conversations, and ten thousand that went wrong.

mod faults;
#[cfg(unix)]
mod logger;
mod transcripts;

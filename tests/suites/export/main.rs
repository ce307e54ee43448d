//! Collecting logs: recorded conversations, and ten thousand that went wrong.

mod devices;
mod faults;
mod late;
#[cfg(unix)]
mod logger;
mod transcripts;

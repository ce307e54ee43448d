//! Collecting logs: recorded conversations, and ten thousand that went wrong.

mod faults;
mod transcripts;

//! The agent protocol: what no message may do, and what every message must.

mod edits;
mod hidden;
mod paths;
mod round_trip;

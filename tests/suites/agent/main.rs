//! The agent protocol: what no message may do, and what every message must.

mod edits;
mod hidden;
mod hostile;
mod paths;
mod replies;
mod round_trip;

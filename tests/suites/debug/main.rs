//! The debugger: its rewriter against two Pythons, and whole sessions on real boards.

mod programs;
mod properties;

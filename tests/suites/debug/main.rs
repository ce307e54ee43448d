//! The debugger: its rewriter against two Pythons, and whole sessions on real boards.

mod breakpoints;
mod compiled;
mod debugging;
mod drivers;
mod exceptions;
mod features;
mod generated;
mod parts;
mod pauses;
mod programs;
mod properties;
mod sessions;
mod stepped;
mod suite;
mod terminal;
mod upstream;
mod values;

//! The `flylead` command on real boards: what a person or a script sees of it.
#![cfg(target_os = "linux")]

mod common;
mod completions;
mod copies;
mod each;
mod edit;
mod files;
mod five_tools;
mod hub;
mod input;
mod interrupted;
mod json;
mod limits;
mod mount;
mod mpremote;
mod mpremote_lines;
mod mpy;
mod names;
mod no_trace;
mod programs;
mod reset;
mod romfs;
mod saved;
mod served;
mod sync;
mod terminal;
mod testing;
mod testing_boards;
mod words;

//! The `flylead` command on real boards: what a person or a script sees of it.
#![cfg(target_os = "linux")]

mod common;
mod files;
mod hub;
mod no_trace;
mod ports;
mod power;
mod programs;
mod words;

//! A folder of this computer on real boards, through the library and the command.
#![cfg(target_os = "linux")]

mod bytecode;
mod common;
mod files;
mod imports;
mod lines;
mod programs;
mod restarts;
mod signals;

//! `flylead debug` on real boards: at a terminal, and with an editor's own client.
#![cfg(target_os = "linux")]

mod as_plain;
mod bad_ways;
mod editor;
mod run;
mod terminal;

//! `flylead export` against a device on a pseudo-terminal: what a person or a script sees of it.
#![cfg(unix)]

mod bench;
mod doubts;
mod fetch;
mod kept;
mod record;
mod save;
mod terminal;
mod unplugged;

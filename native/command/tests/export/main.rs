//! `flylead export` against a device on a pseudo-terminal: what a person or a script sees of it. And the library's own
//! experiments.

#[cfg(unix)]
mod bench;
#[cfg(unix)]
mod doubts;
#[cfg(unix)]
mod fetch;
#[cfg(unix)]
mod kept;
mod library;
#[cfg(unix)]
mod record;
#[cfg(unix)]
mod save;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod unplugged;

//! `cargo xtask`: build, serve, test and measure.

fn main() {}

//! The `flylead` command.

fn main() {}

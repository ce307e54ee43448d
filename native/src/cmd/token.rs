//! What a server asks of its clients, and other numbers that nobody can guess.

use std::io;

use flylead::literal::hex;

use super::{Exit, Failure};

/// 128 bits that nobody can guess.
pub(crate) fn new_token() -> Result<String, Failure> {
    random_hex::<16>().map_err(|error| Failure::new(Exit::Usage, error))
}

/// So many random bytes, in hexadecimal.
pub(crate) fn random_hex<const N: usize>() -> io::Result<String> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

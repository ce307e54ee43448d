//! Token that a server requires of its clients.

use flylead_native::random_hex;

use crate::{Exit, Failure};

/// Returns a new token of 128 random bits.
pub(crate) fn new_token() -> String {
    random_hex::<16>()
}

/// Refuses a token that is easy to guess, or that an address cannot contain unchanged.
pub(crate) fn check_token(token: &str) -> Result<(), Failure> {
    let is_token = (8..=128).contains(&token.len())
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    match is_token {
        true => Ok(()),
        false => Err(Failure::new(
            Exit::Usage,
            "a token has 8 to 128 letters, digits, dots, hyphens and underscores",
        )),
    }
}

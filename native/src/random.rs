//! Numbers that nobody can guess.

use flylead_core::to_hexadecimal;

/// Returns `N` random bytes that nobody can guess, in hexadecimal digits.
///
/// # Panics
/// The operating system has no random numbers, as none that Rust's own hash maps could run on.
#[must_use]
#[allow(clippy::expect_used, reason = "std's hash maps would panic, too")]
pub fn random_hex<const N: usize>() -> String {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    to_hexadecimal(&bytes)
}

//! Unpredictable random numbers.

use flylead_core::to_hexadecimal;

/// Returns `N` unpredictable random bytes, in hexadecimal digits.
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

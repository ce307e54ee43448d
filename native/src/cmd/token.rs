//! What a server asks of its clients.

use flylead::random_hex;

/// 128 bits that nobody can guess.
pub(crate) fn new_token() -> String {
    random_hex::<16>()
}

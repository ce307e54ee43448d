//! What a server asks of its clients.

use super::{Exit, Failure};

/// 128 bits that nobody can guess.
pub(crate) fn new_token() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

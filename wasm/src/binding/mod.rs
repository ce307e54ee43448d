//! Ways between Rust and JavaScript: arguments, errors, channels and time.

pub(crate) mod arguments;
pub(crate) mod channel;
pub(crate) mod clock;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod promise;
#[cfg(any(feature = "agent", feature = "debug"))]
pub(crate) mod random;
pub(crate) mod values;

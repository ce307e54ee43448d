//! Serial ports on Windows.

use tokio_serial::SerialPortBuilderExt as _;

use crate::link::{address::Address, error::OpenError, stream::Link};

/// Opens a port exclusively, as Windows always does.
pub(in crate::link) fn open(path: &str, baud: Option<u32>) -> Result<Link, OpenError> {
    tokio_serial::new(path, baud.unwrap_or(Address::DEFAULT_BAUD))
        .open_native_async()
        .map(Link::new)
        .map_err(|error| {
            let path = path.to_owned();
            OpenError::from_io(Address::Serial { path, baud }, error.into())
        })
}

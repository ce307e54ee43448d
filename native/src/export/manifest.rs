//! What is written beside a log.

use std::time::{SystemTime, UNIX_EPOCH};

use flylead_core::{
    export::{Digest, Doubt, Integrity, Receipt, RunId},
    to_hexadecimal,
};
use serde::{Serialize, Serializer};

/// What is known of a log: `manifest.json` beside it.
///
/// It is replaced after the log. Compare `sha256` with the log to see whether something ended the program in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The run.
    pub run_id: String,
    /// The log's length, in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Its CRC-32, in hexadecimal digits.
    pub crc32: String,
    /// What says that it is whole, by its name.
    #[serde(serialize_with = "by_name")]
    pub integrity: Integrity,
    /// Whether that proves it: a checksum of the device does, and nothing else.
    pub proven: bool,
    /// Milliseconds that were waited for a checksum, if none came that proves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum_wait_ms: Option<u64>,
    /// What speaks against it, and was accepted.
    pub accepted: Vec<String>,
    /// What is odd about it.
    pub warnings: Vec<String>,
    /// When it was asked for, in seconds since 1970.
    pub requested_at: u64,
    /// When it was whole, in seconds since 1970.
    pub received_at: u64,
}

impl Manifest {
    /// The same, of what was made of the log on this side.
    pub(super) fn describing(mut self, saved: &Digest) -> Self {
        self.bytes = saved.bytes();
        self.sha256 = to_hexadecimal(&saved.sha256());
        self.crc32 = format!("{:08x}", saved.crc32());
        self
    }

    /// The manifest of a log that was asked for at this time and is whole now.
    #[must_use]
    pub fn new(run_id: &RunId, receipt: &Receipt, requested: SystemTime) -> Self {
        Self {
            run_id: run_id.to_string(),
            bytes: receipt.bytes,
            sha256: to_hexadecimal(&receipt.sha256),
            crc32: format!("{:08x}", receipt.crc32),
            integrity: receipt.integrity,
            proven: receipt.integrity.is_proof(),
            checksum_wait_ms: receipt
                .checksum_wait
                .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            accepted: receipt.accepted.iter().map(Doubt::to_string).collect(),
            warnings: receipt.warnings.iter().map(ToString::to_string).collect(),
            requested_at: seconds(requested),
            received_at: seconds(SystemTime::now()),
        }
    }
}

fn by_name<S: Serializer>(integrity: &Integrity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(integrity.as_str())
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

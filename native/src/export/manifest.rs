//! Metadata written beside a log.

use std::time::{SystemTime, UNIX_EPOCH};

use flylead_core::{
    export::{Digest, Doubt, Integrity, Receipt, RunId},
    to_hexadecimal,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::Origin;

/// The manifest of a log: `manifest.json` beside `log.csv`, `manifest.json.1` beside `log.csv.1`.
///
/// It is replaced after the log. Compare `sha256` with the log to detect an interruption in between, as
/// [`Log::check`](super::Log::check) does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The run.
    pub run_id: String,
    /// The log's length, in bytes.
    pub bytes: u64,
    /// SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// CRC-32, in hexadecimal digits.
    pub crc32: String,
    /// Evidence that the log is complete, by its name.
    #[serde(serialize_with = "by_name", deserialize_with = "named")]
    pub integrity: Integrity,
    /// True if the evidence is proof, which only a checksum of the device is. It proves `received` if that is set.
    pub proven: bool,
    /// Bytes as the device sent them, if those of the log differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Received>,
    /// Time waited for a checksum in milliseconds, if none arrived that proves the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum_wait_ms: Option<u64>,
    /// Doubts that were accepted.
    #[serde(default)]
    pub accepted: Vec<String>,
    /// Oddities of the log.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Time at which the log was requested, in seconds since 1970.
    pub requested_at: u64,
    /// Time at which the log was complete, in seconds since 1970.
    pub received_at: u64,
    /// The port and the device at it.
    #[serde(flatten)]
    pub origin: Origin,
    /// Version of Flylead that saved the log.
    #[serde(default)]
    pub flylead: String,
}

/// Bytes as a device sent them, before their line ends were converted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Received {
    /// Number of bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes, in hexadecimal digits.
    pub sha256: String,
    /// CRC-32 of the bytes, in hexadecimal digits.
    pub crc32: String,
    /// Number of `\r\n` that became `\n`.
    pub line_ends: u64,
}

impl Manifest {
    /// Describes a log whose line ends differ from those that the device sent.
    pub(super) fn describing(mut self, saved: &Digest, line_ends: u64) -> Self {
        if line_ends > 0 {
            self.received = Some(Received {
                bytes: self.bytes,
                sha256: self.sha256,
                crc32: self.crc32,
                line_ends,
            });
        }
        self.bytes = saved.bytes();
        self.sha256 = to_hexadecimal(&saved.sha256());
        self.crc32 = format!("{:08x}", saved.crc32());
        self
    }

    /// Creates the manifest of a log that was requested at this time and is complete now.
    #[must_use]
    pub fn new(run_id: &RunId, receipt: &Receipt, requested: SystemTime, origin: Origin) -> Self {
        Self {
            run_id: run_id.to_string(),
            bytes: receipt.bytes,
            sha256: to_hexadecimal(&receipt.sha256),
            crc32: format!("{:08x}", receipt.crc32),
            integrity: receipt.integrity,
            proven: receipt.integrity.is_proof(),
            received: None,
            checksum_wait_ms: receipt
                .checksum_wait
                .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            accepted: receipt.accepted.iter().map(Doubt::to_string).collect(),
            warnings: receipt.warnings.iter().map(ToString::to_string).collect(),
            requested_at: seconds(requested),
            received_at: seconds(SystemTime::now()),
            origin,
            flylead: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

fn by_name<S: Serializer>(integrity: &Integrity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(integrity.as_str())
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Integrity, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(D::Error::custom)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

//! Types that describe a log, in transfer and complete.

use flylead_core::{
    export::{self as core, Doubt, Failure, Framing, Receipt},
    to_hexadecimal,
};
use serde::Serialize;
use tsify::Tsify;

use crate::{
    binding::error::{Error, ErrorKind},
    binding::values::{self, words},
    types::{ExportDoubt, LostReason},
};

words! {
    /// Phase of a log's transfer.
    ExportPhase of core::Phase {
        /// No transfer is in progress.
        Idle,
        /// Waiting for the line to be quiet before asking.
        Draining,
        /// The log was requested; no header has arrived yet.
        WaitingHeader,
        /// The body is arriving.
        Receiving,
        /// The body has arrived; the data after it is checked.
        Verifying,
        /// The link is closed.
        Closed,
    }
}

words! {
    /// Evidence that a log is complete, from the strongest to the weakest: the device's checksum; two equal transfers;
    /// its length and the data after it, blind to changed bytes and to a device that restarted and continued to send;
    /// the announced number of lines; only `BEGIN` and `END`, blind to anything in between; the application's word.
    Integrity of core::Integrity {
        /// The device's SHA-256.
        Sha256,
        /// The device's CRC-32.
        Crc32,
        /// The log was sent twice with the same SHA-256.
        Twice,
        /// The announced number of bytes, followed by a valid tail.
        LengthAndTail,
        /// The announced number of lines, then `END`.
        LinesAndMarkers,
        /// Only `BEGIN` and `END`.
        Markers,
        /// Doubts exist, and were accepted.
        Accepted,
    }
}

words! {
    /// Oddity of a log: it is empty; it begins with a line `BEGIN` and ends with a line `END`,
    /// which the device counted in; the device restarted before it sent it.
    ExportWarning of core::Warning {
        /// The log is empty.
        Empty,
        /// The log begins with a line `BEGIN` and ends with a line `END`.
        Markers,
        /// A boot banner came before the header.
        ResetSeen,
    }
}

/// Complete log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct ExportedLog {
    /// Content.
    #[serde(serialize_with = "values::byte_array")]
    #[tsify(type = "Uint8Array<ArrayBuffer>")]
    pub bytes: Vec<u8>,
    /// Evidence that the log is complete.
    pub integrity: Integrity,
    /// CRC-32 in hexadecimal.
    pub crc32: String,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
    /// Doubts that were accepted.
    pub accepted: Vec<ExportDoubt>,
    /// Remarks for the user.
    pub warnings: Vec<ExportWarning>,
}

/// Event of a log's transfer. `asked`: the line was quiet, and the request was sent. `chatter`:
/// output that is not part of a log. `reset`: the device restarted. `begun`: the header arrived;
/// `total` is the size that a `"sized"` log announces, in bytes. `body`: the next bytes of the log,
/// which are not verified before the end.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ExportEvent {
    /// The log was requested.
    Asked,
    /// Output that is not part of a log.
    Chatter {
        /// Data as received.
        #[serde(serialize_with = "values::byte_array")]
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        bytes: Vec<u8>,
    },
    /// The device restarted.
    Reset,
    /// The header has arrived.
    Begun {
        /// Framing of the log: by its size, or by `BEGIN` and `END`.
        #[tsify(type = "\"sized\" | \"marked\"")]
        framing: &'static str,
        /// Announced size, in bytes.
        total: Option<f64>,
    },
    /// The next bytes of the log.
    Body {
        /// Data as received.
        #[serde(serialize_with = "values::byte_array")]
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        bytes: Vec<u8>,
    },
}

impl ExportEvent {
    /// Converts an event; `None` for the ends, which are the task's result instead.
    pub(super) fn new(event: core::Event) -> Option<Self> {
        Some(match event {
            core::Event::Asked => Self::Asked,
            core::Event::Chatter(bytes) => Self::Chatter { bytes },
            core::Event::Reset => Self::Reset,
            core::Event::Begun(header) => Self::begun(header.framing),
            core::Event::Body(bytes) => Self::Body { bytes },
            core::Event::Finished(_) | core::Event::Failed { .. } | core::Event::Closed => {
                return None;
            }
        })
    }

    fn begun(framing: Framing) -> Self {
        let (framing, total) = match framing {
            Framing::Sized { size } => ("sized", Some(size as f64)),
            Framing::Marked { .. } => ("marked", None),
        };
        Self::Begun { framing, total }
    }
}

impl ExportedLog {
    pub(super) fn new(bytes: Vec<u8>, receipt: &Receipt) -> Self {
        Self {
            bytes,
            integrity: (&receipt.integrity).into(),
            crc32: format!("{:08x}", receipt.crc32),
            sha256: to_hexadecimal(&receipt.sha256),
            accepted: receipt.accepted.iter().map(Into::into).collect(),
            warnings: receipt.warnings.iter().map(Into::into).collect(),
        }
    }
}

impl From<ExportDoubt> for Doubt {
    fn from(doubt: ExportDoubt) -> Self {
        let is_it = |known: &Self| ExportDoubt::from(known) == doubt;
        Self::ALL
            .into_iter()
            .find(is_it)
            .expect("each of them is known")
    }
}

impl Error {
    /// Creates the error of a failed export.
    pub(super) fn export(failure: &Failure, doubts: &[Doubt]) -> Self {
        if *failure == Failure::Cancelled {
            return Self::new(ErrorKind::Cancelled, failure);
        }
        let hint = failure.hint();
        let kind = ErrorKind::Export {
            code: failure.into(),
            hint: (&hint).into(),
            retryable: failure.is_retryable(),
            doubts: doubts.iter().map(Into::into).collect(),
        };
        Self::new(kind, format_args!("{failure}; {hint}"))
    }
}

impl From<core::CommandError> for Error {
    fn from(error: core::CommandError) -> Self {
        match error {
            core::CommandError::Closed => Self::lost(LostReason::Closed, None, error),
            core::CommandError::Busy | core::CommandError::NotExporting => {
                Self::new(ErrorKind::Busy, error)
            }
        }
    }
}

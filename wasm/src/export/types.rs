//! What is known of a log, on its way and when it is whole.

use flylead_core::{
    export::{self as core, Doubt, Failure, Framing, Receipt},
    to_hexadecimal,
};
use serde::Serialize;
use tsify::Tsify;

use crate::{
    error::{Error, ErrorKind},
    types::{ExportDoubt, LostReason},
    values::{self, words},
};

words! {
    /// Where the fetching of a log stands.
    ExportPhase of core::Phase {
        /// None is under way.
        Idle,
        /// Waiting for the line to be quiet before asking.
        Draining,
        /// Asked; no header yet.
        WaitingHeader,
        /// The body comes.
        Receiving,
        /// The body is here; what follows it is looked at.
        Verifying,
        /// The link is closed.
        Closed,
    }
}

words! {
    /// What says that a log is whole, from the strongest to the weakest: the device's checksum; that it came twice; its
    /// length and what follows it, blind to changed bytes and to a device that started again and went on talking; as
    /// many lines as announced; `BEGIN` and `END` alone, blind to anything between; the application's word.
    Integrity of core::Integrity {
        /// The device's SHA-256.
        Sha256,
        /// The device's CRC-32.
        Crc32,
        /// It was sent twice with the same SHA-256.
        Twice,
        /// As many bytes as announced, followed by what should follow.
        LengthAndTail,
        /// As many lines as announced, then `END`.
        LinesAndMarkers,
        /// `BEGIN` and `END` alone.
        Markers,
        /// Something speaks against it, and was accepted.
        Accepted,
    }
}

words! {
    /// What is odd about a log: it is empty; it begins with a line `BEGIN` and ends with a line `END`, which the device
    /// counted in; the device started anew before it sent it.
    ExportWarning of core::Warning {
        /// It has no bytes.
        Empty,
        /// It begins with a line `BEGIN` and ends with a line `END`.
        Markers,
        /// A boot banner came before the header.
        ResetSeen,
    }
}

/// A log that came whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct ExportedLog {
    /// Its content.
    #[serde(serialize_with = "values::byte_array")]
    #[tsify(type = "Uint8Array<ArrayBuffer>")]
    pub bytes: Vec<u8>,
    /// What says that it is whole.
    pub integrity: Integrity,
    /// Its CRC-32 in hexadecimal.
    pub crc32: String,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
    /// What speaks against it, and was accepted.
    pub accepted: Vec<ExportDoubt>,
    /// What a person might want to know.
    pub warnings: Vec<ExportWarning>,
}

/// What happens while a log is fetched. `asked`: the line was quiet, and the device has been asked. `chatter`: it said
/// something that is no log. `reset`: it started anew. `begun`: the header came; `total` is the size that a `"sized"` log
/// announces, in bytes. `body`: the next bytes of the log, which are not known to be right before the end.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ExportEvent {
    /// The device has been asked.
    Asked,
    /// What is no log.
    Chatter {
        /// As it came.
        #[serde(serialize_with = "values::byte_array")]
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        bytes: Vec<u8>,
    },
    /// The device started anew.
    Reset,
    /// The header came.
    Begun {
        /// How the end of the log is known: by its size, or by `BEGIN` and `END`.
        #[tsify(type = "\"sized\" | \"marked\"")]
        framing: &'static str,
        /// The size that was announced, in bytes.
        total: Option<f64>,
    },
    /// The next bytes of the log.
    Body {
        /// As they came.
        #[serde(serialize_with = "values::byte_array")]
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        bytes: Vec<u8>,
    },
}

impl ExportEvent {
    /// The ends are no events here: they are the result.
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
    /// There is no log.
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

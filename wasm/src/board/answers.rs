//! Answers of a board about its files.

use flylead_core::{
    board::{self as core, Answer},
    to_hexadecimal,
};
use js_sys::Date;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::JsValue;

use crate::{
    binding::values::{self, words},
    types::Outcome,
};

words! {
    /// Kind of an entry.
    EntryKind of core::EntryKind {
        /// A file.
        File,
        /// A directory.
        Directory,
    }
}

words! {
    /// Encoding of transferred content, from the most portable to the fastest: Python literals; hexadecimal, base64 or
    /// deflate where those are shorter; raw bytes; raw bytes, deflated where that is shorter.
    TransferMethod of core::TransferMethod {
        /// Python literals.
        Literal,
        /// Hexadecimal where that is shorter.
        Hex,
        /// Base64 where that is shorter.
        Base64,
        /// Deflate in base64 where that is shorter.
        Deflate,
        /// Raw bytes.
        Stream,
        /// Deflated blocks where they are shorter, as the link is slow.
        StreamDeflate,
    }
}

/// A file or directory on the board.
#[derive(Debug, Clone, Serialize, Tsify)]
pub struct FileEntry {
    /// Name; from `Files.tree`, its path below the requested directory.
    pub name: String,
    /// Kind of entry.
    pub kind: EntryKind,
    /// Size in bytes; 0 for a directory.
    #[serde(serialize_with = "values::count")]
    pub size: u64,
    /// Time of the last change by the board's clock; `undefined` if the board does not report it.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Date | undefined")]
    pub modified: JsValue,
    /// SHA-256 in hexadecimal, if requested.
    pub sha256: Option<String>,
}

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Content(#[serde(serialize_with = "values::byte_array")] pub Vec<u8>);

/// Completed write: verified and in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// Size of the file or files, or of the appended data.
    #[serde(serialize_with = "values::count")]
    pub bytes: u64,
    /// Number of bytes sent on the wire.
    #[serde(serialize_with = "values::count")]
    pub on_wire: u64,
    /// Method of the transfer.
    pub method: TransferMethod,
}

/// The size of a file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct Space {
    /// Total size, in bytes.
    #[serde(serialize_with = "values::count")]
    pub total: u64,
    /// Free space, in bytes.
    #[serde(serialize_with = "values::count")]
    pub free: u64,
}

/// Progress of a transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct Progress {
    /// Transferred bytes of content.
    #[serde(serialize_with = "values::count")]
    pub done: u64,
    /// Total number of bytes, if known.
    pub total: Option<f64>,
    /// For `Files.writeTree`: number of files and directories in their places.
    pub entries: usize,
}

/// Abilities of a board that matter to transfers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// True if it reads binary data with Ctrl-C disabled.
    pub reads_binary: bool,
    /// True if it writes binary data.
    pub writes_binary: bool,
    /// True if it has SHA-256.
    pub sha256: bool,
    /// True if it has a fast base64.
    pub base64: bool,
    /// True if it has no fast base64, but hexadecimal.
    pub hex: bool,
    /// True if it decompresses deflate streams.
    pub inflate: bool,
    /// True if it compresses deflate streams.
    pub deflate: bool,
    /// True if it has directories, rather than one flat folder.
    pub directories: bool,
    /// True if it can rename files.
    pub rename: bool,
    /// Free memory, in bytes.
    pub free_memory: usize,
}

/// Answer to a request.
pub(super) trait Answered: Sized + 'static {
    fn read(answer: Answer) -> Self;
}

/// Maps types to answers. No other answer is possible: the core chooses it by the request.
macro_rules! answered {
    ($($type:ty: $answer:pat => $read:expr,)+) => {
        $(impl Answered for $type {
            fn read(answer: Answer) -> Self {
                let $answer = answer else {
                    unreachable!("the core chooses the answer by the request")
                };
                $read
            }
        })+
    };
}

answered! {
    Outcome: Answer::Ran(outcome) => (&outcome).into(),
    (): Answer::Done => (),
    Vec<FileEntry>: Answer::Entries(entries) => entries.into_iter().map(FileEntry::from).collect(),
    FileEntry: Answer::Entry(entry) => entry.into(),
    Content: Answer::Bytes(bytes) => Self(bytes),
    Written: Answer::Written(core::Written { bytes, on_wire, method }) => Self {
        bytes,
        on_wire,
        method: (&method).into(),
    },
    Space: Answer::Space(core::Space { total, free }) => Self { total, free },
    String: Answer::Hash(hash) => to_hexadecimal(&hash),
    Capabilities: Answer::Capabilities(board) => Self {
        reads_binary: board.reads_binary,
        writes_binary: board.writes_binary,
        sha256: board.sha256,
        base64: board.base64,
        hex: board.hex,
        inflate: board.inflate,
        deflate: board.deflate,
        directories: board.stat,
        rename: board.rename,
        free_memory: board.free_memory,
    },
}

impl From<core::Entry> for FileEntry {
    fn from(entry: core::Entry) -> Self {
        let date = |seconds: i64| Date::new(&(seconds as f64 * 1000.0).into()).into();
        Self {
            name: entry.name,
            kind: (&entry.kind).into(),
            size: entry.size,
            modified: entry.modified.map_or(JsValue::UNDEFINED, date),
            sha256: entry.sha256.map(|hash| to_hexadecimal(&hash)),
        }
    }
}

impl From<core::Progress> for Progress {
    fn from(progress: core::Progress) -> Self {
        Self {
            done: progress.done,
            total: progress.total.map(|total| total as f64),
            entries: progress.entries,
        }
    }
}

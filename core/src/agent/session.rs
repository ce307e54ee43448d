//! Session state kept between two messages: the JSON of the CodingAgent protocol v1.0, "Session
//! State".

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    command::ReadRequest,
    settings::{Commands, Eol, Numbering, Truncate},
};

/// The version of the protocol that sessions and outboxes follow.
pub const VERSION: &str = "1.0";

/// One task, from its first outbox to its `DONE`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The protocol's version, which is absent from the protocol's own files.
    #[serde(default = "version")]
    pub version: String,
    /// Eight lower-case hexadecimal digits (CodingAgent protocol v1.0, "Session ID").
    pub session_id: String,
    /// Task that the person set.
    pub task: String,
    /// Number of the outbox that is waiting for its reply, from 1.
    pub sequence_number: u32,
    /// True once `DONE` was processed.
    pub is_complete: bool,
    /// Start of the session, as `2025-01-15T10:30:00Z`.
    pub created_at: String,
    /// Time of the last write.
    pub updated_at: String,
    /// Results of the commands of the last reply.
    #[serde(default)]
    pub last_results: Vec<CommandResult>,
    /// The files that the next outbox shows.
    #[serde(default, with = "reads")]
    pub read_file_requests: Vec<ReadRequest>,
    /// Numbering that edits use; not in the protocol.
    #[serde(
        default = "Numbering::of_document",
        skip_serializing_if = "Numbering::is_of_document"
    )]
    pub edit_numbering: Numbering,
    /// Line ends of new files; existing files keep their own. Not in the protocol.
    #[serde(default, skip_serializing_if = "is_default")]
    pub eol: Eol,
    /// Part of long output to keep; not in the protocol.
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncate: Truncate,
    /// Interpreter for RUN_COMMAND; not in the protocol.
    #[serde(default, skip_serializing_if = "is_default")]
    pub commands: Commands,
    /// Files that the LLM has seen or written, with the first eight digits of their SHA-256 at that time; not in the
    /// protocol.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub known_files: BTreeMap<String, String>,
    /// Files that the person shared read-only; not in the protocol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_only: Vec<String>,
    /// Fields of other versions, kept unchanged.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Result of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// The name in the tag.
    pub command: String,
    /// True if the command succeeded.
    pub success: bool,
    /// Work done, or the reason for failure, in one line.
    pub summary: String,
    /// Output of the command, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Further notes for the LLM.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl CommandResult {
    /// Creates a result without output.
    #[must_use]
    pub const fn new(command: String, success: bool, summary: String) -> Self {
        Self {
            command,
            success,
            summary,
            output: None,
            notes: Vec::new(),
        }
    }
}

impl Session {
    /// Creates a session that waits for its first reply. `now` is the time as `2025-01-15T10:30:00Z`.
    #[must_use]
    pub fn new(session_id: String, task: String, now: String) -> Self {
        Self {
            version: version(),
            session_id,
            task,
            sequence_number: 1,
            is_complete: false,
            created_at: now.clone(),
            updated_at: now,
            last_results: Vec::new(),
            read_file_requests: Vec::new(),
            edit_numbering: Numbering::default(),
            eol: Eol::Lf,
            truncate: Truncate::Middle,
            commands: Commands::Shell,
            known_files: BTreeMap::new(),
            read_only: Vec::new(),
            other: Map::new(),
        }
    }

    /// Returns the session as indented JSON.
    ///
    /// # Panics
    /// Never: every field is a string, a number, a list or a map with string keys.
    // Inlined, so that the calling crate compiles it: this keeps the wasm package small.
    #[must_use]
    #[inline]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a session is JSON")
    }

    /// Reads a session.
    ///
    /// # Errors
    /// The text is not JSON, lacks a field, has an invalid id or number, or has a version from the future.
    // Inlined for the same reason as above.
    #[inline]
    pub fn from_json(json: &str) -> Result<Self, SessionError> {
        let session: Self =
            serde_json::from_str(json).map_err(|error| SessionError::Unreadable {
                reason: alloc::format!("{error}"),
            })?;
        if session.version.split('.').next() != VERSION.split('.').next() {
            return Err(SessionError::Version {
                found: session.version,
            });
        }
        if !is_session_id(&session.session_id) || session.sequence_number == 0 {
            return Err(SessionError::Unreadable {
                reason: "the session id or the message number is invalid".into(),
            });
        }
        Ok(session)
    }

    /// Returns the file name of the waiting outbox (CodingAgent protocol v1.0, "Outbox File Naming").
    #[must_use]
    pub fn outbox_name(&self) -> String {
        alloc::format!("{}_seq{:04}.txt", self.session_id, self.sequence_number)
    }
}

/// Returns true for eight lower-case hexadecimal digits.
#[must_use]
pub fn is_session_id(id: &str) -> bool {
    id.len() == 8
        && id
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reason why a session cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// The text is not the JSON of a session.
    Unreadable {
        /// Position and reason.
        reason: String,
    },
    /// The session was written by a later version of the protocol.
    Version {
        /// Version that was found.
        found: String,
    },
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { reason } => write!(f, "the saved session is invalid: {reason}"),
            Self::Version { found } => write!(
                f,
                "the session's format is version {found}, but this program supports only version {VERSION}; start a new session"
            ),
        }
    }
}

impl core::error::Error for SessionError {}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn version() -> String {
    VERSION.into()
}

/// Plain requests are strings, as in the protocol; requests with options are objects.
mod reads {
    use alloc::{string::String, vec::Vec};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::agent::ReadRequest;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Plain(String),
        Detailed(ReadRequest),
    }

    pub(super) fn serialize<S: Serializer>(
        requests: &[ReadRequest],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(requests.iter().map(|request| {
            if *request == ReadRequest::plain(request.path.clone()) {
                Stored::Plain(request.path.clone())
            } else {
                Stored::Detailed(request.clone())
            }
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<ReadRequest>, D::Error> {
        let stored = Vec::<Stored>::deserialize(from)?;
        Ok(stored
            .into_iter()
            .map(|stored| match stored {
                Stored::Plain(path) => ReadRequest::plain(path),
                Stored::Detailed(request) => request,
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{ "sessionId": "a1b2c3d4", "task": "Create a calculator app", "sequenceNumber": 3,
        "isComplete": false, "createdAt": "2025-01-15T10:30:00Z", "updatedAt": "2025-01-15T10:35:00Z",
        "lastResults": [], "readFileRequests": [ "src/Calculator.cs" ], "later": {"a": 1} }"#;

    #[test]
    fn the_documents_session_is_read_and_what_is_unknown_is_kept() {
        let session = Session::from_json(DOCUMENT).unwrap();
        assert_eq!(session.outbox_name(), "a1b2c3d4_seq0003.txt");
        assert_eq!(
            session.read_file_requests,
            [ReadRequest::plain("src/Calculator.cs".into())]
        );
        let again: Value = serde_json::from_str(&session.to_json()).unwrap();
        assert_eq!(again["later"]["a"], 1);
        assert_eq!(again["readFileRequests"][0], "src/Calculator.cs");
        assert_eq!(again["version"], VERSION);
    }

    #[test]
    fn a_session_is_written_and_read_the_same() {
        let mut session = Session::new(
            "00ff00ff".into(),
            "task".into(),
            "2026-01-01T00:00:00Z".into(),
        );
        session.read_file_requests.push(ReadRequest {
            numbered: true,
            ..ReadRequest::plain("a".into())
        });
        session
            .last_results
            .push(CommandResult::new("READ_FILE".into(), false, "no".into()));
        assert_eq!(Session::from_json(&session.to_json()), Ok(session));
    }

    #[test]
    fn ids_that_could_name_another_file_and_later_versions_are_refused() {
        for (from, to) in [
            ("a1b2c3d4", "../../xx"),
            ("a1b2c3d4", "A1B2C3D4"),
            ("\"task\"", "\"version\": \"2.0\", \"task\""),
        ] {
            assert!(
                Session::from_json(&DOCUMENT.replace(from, to)).is_err(),
                "{to}"
            );
        }
        assert!(Session::from_json("{").is_err());
    }
}

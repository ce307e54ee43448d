//! Outcome of a step.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::agent::command::ReadRequest;

/// Outcome of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// True if the step succeeded.
    pub success: bool,
    /// Work done, or the reason for failure, in one line.
    pub summary: String,
    /// Output of the step, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Further notes for the LLM.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Content to show in the next outbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<ReadRequest>,
    /// First eight digits of the SHA-256 of the file as the LLM now knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

impl Outcome {
    /// Creates an outcome without output.
    #[must_use]
    pub fn new(success: bool, summary: impl Into<String>) -> Self {
        Self {
            success,
            summary: summary.into(),
            output: None,
            notes: Vec::new(),
            read: None,
            known: None,
        }
    }

    /// Creates the outcome of a step that was not carried out.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        Self::new(false, why)
    }
}

//! The lines that divide an outbox (CodingAgent protocol v1.0, "Section Markers"), and additional ones around it and
//! its parts.

/// The first line of an outbox.
pub(in crate::agent) const HEADER: &str = "=== HEADER ===";
/// Start of the header line of an outbox that holds the beginning of the task.
pub(in crate::agent) const TASK: &str = "Task: ";
/// The line before the instructions, whose examples are not commands.
pub(in crate::agent) const PROTOCOL: &str = "=== PROTOCOL ===";
/// The line before the workspace.
pub(in crate::agent) const CONTEXT: &str = "=== CONTEXT ===";
/// The line before the task.
pub(in crate::agent) const PROMPT: &str = "=== PROMPT ===";
/// Start of the last line of an outbox, and of a part of one.
pub(in crate::agent) const END: &str = "(end of ";
/// Start of the first line of a part of an outbox.
pub(in crate::agent) const PART: &str = "(part ";

//! Reasons why a reply or a session is not processed.

use std::{fmt, io};

use flylead_core::agent::{Rejected, SessionError, Unfit};

use crate::agent::workspace::FileError;

/// Reason why a reply or a session is not processed.
#[derive(Debug)]
pub enum AgentError {
    /// The message as a whole is refused.
    Rejected(Rejected),
    /// The reply does not answer the waiting outbox.
    Unfit(Unfit),
    /// This text was already processed.
    AlreadyProcessed {
        /// Sequence number of the outbox that the text answered.
        sequence: u32,
        /// Sequence number of the outbox awaiting a reply, if any.
        waiting: Option<u32>,
    },
    /// An earlier reply was interrupted.
    Interrupted,
    /// The session does not exist, or the workspace has no sessions.
    NoSession,
    /// Another agent works in the same folder.
    Locked {
        /// Process of the other agent, if known.
        pid: Option<u32>,
    },
    /// The folder has moved since the sessions began, or they belong to another folder.
    Moved {
        /// Workspace in which the sessions began.
        from: String,
    },
    /// Another folder has taken the path of the one in which the sessions began.
    Replaced,
    /// The request is not allowed, for this reason.
    Refused(String),
    /// The session's file is damaged or from a later version.
    Session(SessionError),
    /// A file of the workspace cannot be accessed.
    File(FileError),
    /// The agent's own files, or the board, cannot be accessed.
    Io(io::Error),
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejected) => rejected.fmt(f),
            Self::Unfit(unfit) => unfit.fmt(f),
            Self::AlreadyProcessed { sequence, .. } => write!(
                f,
                "already processed as the reply to outbox {sequence}; nothing was done"
            ),
            Self::Interrupted => f.write_str("an earlier reply was interrupted; resume it first"),
            Self::NoSession => f.write_str("there is no such session"),
            Self::Locked { pid: Some(pid) } => {
                write!(f, "another agent is working here (process {pid})")
            }
            Self::Locked { pid: None } => f.write_str("another agent is working here"),
            Self::Moved { from } => write!(f, "these sessions were started in {from}"),
            Self::Replaced => {
                f.write_str("this is not the folder in which these sessions were started")
            }
            Self::Refused(why) => f.write_str(why),
            Self::Session(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AgentError {}

impl From<Rejected> for AgentError {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}

impl From<Unfit> for AgentError {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit)
    }
}

impl From<SessionError> for AgentError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<FileError> for AgentError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<io::Error> for AgentError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

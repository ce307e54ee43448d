//! Decides whether a message is the reply that a session waits for.

use alloc::string::String;
use core::fmt;

use crate::agent::{parse::Inbox, session::Session};

/// Checks that the person has waived for a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overrides {
    /// True to accept a message that contains a copy of an outbox; the text after the copy counts.
    pub accept_copy: bool,
    /// True to accept a message that claims to answer a different outbox.
    pub accept_stale: bool,
}

impl Inbox {
    /// Checks that the message may be carried out as the reply that the session is waiting for.
    ///
    /// # Errors
    /// The reason why it may not be carried out. Nothing of it may run.
    pub fn answers(&self, session: &Session, overrides: Overrides) -> Result<(), Unfit> {
        if session.is_complete {
            return Err(Unfit::Complete);
        }
        if self.outbox_copy.is_some() && !overrides.accept_copy {
            let commands = self.commands().count();
            return Err(Unfit::OutboxCopy { commands });
        }
        if self.items.is_empty() {
            return Err(Unfit::NoCommands);
        }
        let waiting = session.sequence_number;
        let other = |id: &String| *id != session.session_id;
        let stale = self.echo.session.as_ref().is_some_and(other)
            || self
                .echo
                .sequence
                .is_some_and(|sequence| sequence != waiting);
        if stale && !overrides.accept_stale {
            return Err(Unfit::Stale { waiting });
        }
        Ok(())
    }
}

/// Reason why a readable message is not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// The message holds no command and no error.
    NoCommands,
    /// The message contains a copy of an outbox; the user must decide whether the text after the copy is intended.
    OutboxCopy {
        /// Number of commands after the copy.
        commands: usize,
    },
    /// The message claims to answer a different outbox.
    Stale {
        /// Number of the outbox that is waiting.
        waiting: u32,
    },
    /// The session is complete.
    Complete,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommands => f.write_str("no command blocks found; copy the whole reply"),
            Self::OutboxCopy { commands } => write!(
                f,
                "the text contains a copy of an outbox, followed by {commands} commands; copy only the reply, or confirm that these \
                 commands are intended"
            ),
            Self::Stale { waiting } => {
                write!(
                    f,
                    "the reply answers another outbox; outbox {waiting} is waiting for a reply"
                )
            }
            Self::Complete => f.write_str("the session is complete"),
        }
    }
}

impl core::error::Error for Unfit {}

//! Settings of the server.

use std::{path::PathBuf, time::Duration};

use flylead_native::Trace;

use crate::mcp::ports::allowed::AllowedPorts;

/// Settings of the server.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The folder of all runs; an absolute path.
    pub(crate) artifacts: PathBuf,
    /// The folder from which files may be copied to boards, if there is one.
    pub(crate) files: Option<PathBuf>,
    /// Ports allowed besides those that the system lists.
    pub(crate) allowed: AllowedPorts,
    /// Time that an unused port stays open.
    pub(crate) idle_close: Duration,
    /// True to accept unusual speeds.
    pub(crate) any_baud: bool,
    /// Speed for calls that name none.
    pub(crate) baud: u32,
    /// Time limit of the peer, if it differs from the default.
    pub(crate) timeout: Option<Duration>,
    /// Trace of the conversations, if requested.
    pub(crate) trace: Option<Trace>,
    /// True to ask the person before code is run or data is erased.
    pub(crate) confirm: bool,
}

//! How the server was started.

use std::{path::PathBuf, time::Duration};

use flylead::Trace;

use super::allowed::AllowedPorts;

/// How the server was started.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The folder of all runs; an absolute path.
    pub(crate) artifacts: PathBuf,
    /// The folder from which files may be copied to boards, if there is one.
    pub(crate) files: Option<PathBuf>,
    /// Ports beyond those that the system lists.
    pub(crate) allowed: AllowedPorts,
    /// How long a port stays open without being used.
    pub(crate) idle_close: Duration,
    /// Whether speeds are taken that no serial line is usually run at.
    pub(crate) any_baud: bool,
    /// The speed of calls that name none.
    pub(crate) baud: u32,
    /// How long the other side may take, where that is not the usual.
    pub(crate) timeout: Option<Duration>,
    /// Where the conversations are written down, if they are.
    pub(crate) trace: Option<Trace>,
    /// Whether the person is asked before something is run or erased.
    pub(crate) confirm: bool,
}

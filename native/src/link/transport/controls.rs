//! Settings of the serial line at the other end of a link.

use std::{fmt, io, sync::Arc};

use flylead_core::rfc2217::Message;

/// Sets the serial line at the other end of a link: its speed, DTR, RTS and the break signal.
#[derive(Clone)]
pub struct LinkControls(Arc<Set>);

type Set = dyn Fn(&Message) -> io::Result<()> + Send + Sync;

impl LinkControls {
    pub(in crate::link) fn new(
        set: impl Fn(&Message) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(set))
    }

    /// Changes one setting.
    ///
    /// # Errors
    /// The line has no such setting, or the system refuses it.
    pub fn set(&self, setting: &Message) -> io::Result<()> {
        (self.0)(setting)
    }
}

impl fmt::Debug for LinkControls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkControls")
    }
}

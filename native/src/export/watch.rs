//! Recordings observed from beginning to end.

use std::time::{Duration, Instant};

use flylead_core::export::RunId;

use super::{Device, Error, Options, Progress, Saved};

/// Event of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched<'a> {
    /// The device printed this line. Untrusted.
    Line(&'a str),
    /// The device was unplugged; its return is awaited.
    Away,
    /// The device is back.
    Back {
        /// Duration of its absence.
        after: Duration,
    },
}

impl Device {
    /// Listens for this time while the device records. If the device is unplugged meanwhile, waits for its return and
    /// continues to listen: it may no longer be recording, so send [`stop`](Self::stop) in any case.
    ///
    /// # Errors
    /// Those of [`listen`](Self::listen); [`Error::Gone`] if the device does not return within `return_within`.
    pub async fn watch(
        &mut self,
        time: Duration,
        return_within: Duration,
        mut on: impl FnMut(Watched<'_>),
    ) -> Result<(), Error> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.listen(left, |line| on(Watched::Line(line))).await {
                Err(Error::Gone) => on(Watched::Away),
                ended => return ended,
            }
            let after = self.reopen(return_within).await?;
            on(Watched::Back { after });
        }
    }

    /// Records for this time, and fetches the log: `START`, [`watch`](Self::watch), `STOP`, `EXPORT`.
    ///
    /// `STOP` is sent regardless of what happens in between, and the log of everything recorded until then is fetched.
    /// A refused `STOP` ends a recording, too.
    ///
    /// # Errors
    /// When the device refuses to record, or is gone; those of [`fetch`](Self::fetch).
    pub async fn measure(
        &mut self,
        run_id: &RunId,
        time: Duration,
        options: &Options,
        on: impl FnMut(Watched<'_>),
        progress: impl FnMut(Progress) + Send,
    ) -> Result<Saved, Error> {
        self.start(run_id).await?;
        match self.watch(time, options.return_within, on).await {
            Ok(()) | Err(Error::Recording { .. }) => {}
            Err(error) => return Err(error),
        }
        match self.stop().await {
            Ok(_) | Err(Error::Failed { .. }) => {}
            Err(Error::Gone) => {
                self.reopen(options.return_within).await?;
                // The device may have stopped by itself, and reports that then.
                let _ = self.stop().await;
            }
            Err(error) => return Err(error),
        }
        self.fetch(run_id, options, progress).await
    }
}

//! Recordings that are watched from their beginning to their end.

use std::time::{Duration, Instant};

use flylead_core::export::RunId;

use super::{Device, Error, Options, Progress, Saved};

/// Event of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched<'a> {
    /// The device says this line. Untrusted.
    Line(&'a str),
    /// It was unplugged, and is waited for.
    Away,
    /// It is back.
    Back {
        /// Time that it was away for.
        after: Duration,
    },
}

impl Device {
    /// Listens for this time while the device records. One that is unplugged meanwhile is waited for, and then goes on
    /// being listened to: whether it records on is its own affair, so send [`stop`](Self::stop) in any case.
    ///
    /// # Errors
    /// Those of [`listen`](Self::listen); [`Error::Gone`] if it does not come back within `return_within`.
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
    /// `STOP` is sent whatever happens in between, and the log fetched of what was recorded until then. A refused `STOP` is
    /// the end of a recording, too.
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
                // It may have stopped by itself, and says so then.
                let _ = self.stop().await;
            }
            Err(error) => return Err(error),
        }
        self.fetch(run_id, options, progress).await
    }
}

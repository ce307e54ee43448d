//! Progress bar of a transfer.

use std::time::Duration;

use flylead_core::board::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Common;
use crate::terminal::visible_line;

/// Progress bar of a transfer, shown on a terminal unless JSON is requested.
#[derive(Debug)]
pub(crate) struct Bar(ProgressBar);

/// Time within which a transfer shows nothing.
const QUICK: Duration = Duration::from_millis(250);

impl Bar {
    /// Creates a bar for `total` bytes, or for an unknown number.
    pub(crate) fn new(common: &Common, name: &str, total: Option<u64>) -> Self {
        let bar = match total {
            Some(total) => ProgressBar::new(total).with_style(style(
                "{msg}  {wide_bar}  {bytes}/{total_bytes}  {bytes_per_sec}  {eta}",
            )),
            None => ProgressBar::new_spinner()
                .with_style(style("{msg}  {spinner}  {bytes}  {bytes_per_sec}")),
        };
        if common.json {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self(bar.with_message(visible_line(name).into_owned()))
    }

    pub(crate) fn set(&self, progress: Progress) {
        if self.0.elapsed() > QUICK {
            self.0.set_position(progress.done);
        }
    }

    /// Sets the name of the current item.
    pub(crate) fn name(&self, name: &str) {
        self.0.set_message(visible_line(name).into_owned());
    }

    /// Hides the bar while something is printed.
    pub(crate) fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        self.0.suspend(print)
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
